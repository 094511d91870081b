"""TLS is verified: whose certificate nobody vouches for gets no request."""

import socket
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from botocore.httpsession import create_urllib3_context, where
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from benchmarks.servers.certificates import certificate, serving
from benchmarks.servers.scripted import answer, scripted
from tablewright.runtime.errors import Unreachable
from tablewright.runtime.wire.client import WireClient
from tablewright.runtime.wire.connection import tls_context
from tablewright.runtime.wire.services import SERVICES
from tablewright.runtime.wire.signing import Credentials

KEYS = Credentials("key", "secret")


def client(url: str, bundle: str | None) -> WireClient:
    dynamodb = SERVICES["dynamodb"]
    return WireClient(dynamodb, url, "eu-west-1", lambda: KEYS, attempts=1, ca_bundle=bundle)


def test_a_certificate_that_is_trusted_is_spoken_to(tmp_path: Path) -> None:
    file = certificate(tmp_path)
    with scripted(answer(b'{"a":1}'), answer(b'{"a":2}'), tls=serving(file)) as server:
        made = client(server.url, str(file))
        assert [made.call("ListTables", {})["a"] for _ in range(2)] == [1, 2]
        assert server.connections == 1


def test_a_certificate_that_nobody_vouches_for_gets_no_request(tmp_path: Path) -> None:
    with scripted(answer(), tls=serving(certificate(tmp_path))) as server:
        with pytest.raises(Unreachable, match="CERTIFICATE_VERIFY_FAILED"):
            client(server.url, None).call("ListTables", {})
        assert server.requests == []


def test_a_certificate_of_another_host_gets_no_request(tmp_path: Path) -> None:
    file = certificate(tmp_path, host="10.0.0.1")
    with scripted(answer(), tls=serving(file)) as server:
        with pytest.raises(Unreachable, match="IP address mismatch"):
            client(server.url, str(file)).call("ListTables", {})
        assert server.requests == []


def test_authority_without_the_extensions_of_rfc_5280_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many companies have such a one. Python 3.13 is strict by default, which is imitated here."""
    plain = ssl.create_default_context

    def strict(*args: Any, **named: Any) -> ssl.SSLContext:
        context = plain(*args, **named)
        context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
        return context

    authority, server_file = company_certificates(tmp_path)
    with scripted(answer(b'{"a":1}'), tls=serving(server_file)) as server:
        context = strict(cafile=str(authority))
        address = ("127.0.0.1", server.port)
        with (
            pytest.raises(ssl.SSLCertVerificationError),
            context.wrap_socket(socket.create_connection(address), server_hostname="127.0.0.1"),
        ):
            pass
        monkeypatch.setattr(ssl, "create_default_context", strict)
        assert client(server.url, str(authority)).call("ListTables", {}) == {"a": 1}


def test_strictness_is_botocores(tmp_path: Path) -> None:
    tls_context.cache_clear()
    ours = tls_context(where())
    theirs = create_urllib3_context()
    assert ours.verify_flags == theirs.verify_flags
    assert ours.verify_mode == theirs.verify_mode == ssl.CERT_REQUIRED
    assert ours.check_hostname  # urllib3 compares host names by itself
    assert ours.minimum_version == ssl.TLSVersion.TLSv1_2


def company_certificates(folder: Path) -> tuple[Path, Path]:
    """A root without key usage and key identifiers, and a server's certificate of it."""
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, each)]) for each in ("ca", "server")
    ]
    now = datetime.now(UTC)
    extensions: list[x509.ExtensionType] = [
        x509.BasicConstraints(ca=True, path_length=None),
        x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]),
    ]
    files = []
    for number, (key, name, extension) in enumerate(zip(keys, names, extensions, strict=True), 1):
        made = (
            x509.CertificateBuilder()
            .subject_name(name).issuer_name(names[0]).public_key(key.public_key())
            .serial_number(number).not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(extension, critical=False)
            .sign(keys[0], SHA256())
        )  # fmt: skip
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        file = folder / f"{number}.pem"
        file.write_bytes(made.public_bytes(Encoding.PEM) + (private if number == 2 else b""))
        files.append(file)
    return files[0], files[1]
