"""TLS is verified: whose certificate nobody vouches for gets no request."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from tablewright.runtime.errors import Unreachable
from tablewright.runtime.wire.client import WireClient
from tablewright.runtime.wire.services import SERVICES
from tablewright.runtime.wire.signing import Credentials
from tests.integration.runtime.wire.scripted import answer, scripted

KEYS = Credentials("key", "secret")


def certificate(folder: Path, *, host: str = "127.0.0.1") -> Path:
    """A file with a key and a certificate for this address, which nobody has signed but itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(host))]), False)
        .sign(key, SHA256())
    )  # fmt: skip
    file = folder / "server.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(private + made.public_bytes(Encoding.PEM))
    return file


def serving(file: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


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
