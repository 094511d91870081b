"""TLS is verified: whose certificate nobody vouches for gets no request."""

import ssl
import time
from pathlib import Path

import botocore
import pytest

from benchmarks.servers.certificates import certificate, serving
from benchmarks.servers.scripted import answer, scripted
from tablewright.runtime.errors import Unreachable
from tablewright.runtime.wire.amazon_roots import AMAZON_ROOTS
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


def test_who_is_not_of_amazon_is_spoken_to_if_the_system_trusts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    tls_context.cache_clear()
    with scripted(answer(b'{"a":1}'), answer(b'{"a":2}'), tls=serving(file)) as server:
        made = client(server.url, None)
        assert [made.call("ListTables", {})["a"] for _ in range(2)] == [1, 2]
    tls_context.cache_clear()


def test_amazons_authorities_are_those_that_boto3_trusts_and_stay_valid() -> None:
    ours = ssl.create_default_context(cadata=AMAZON_ROOTS)
    theirs = ssl.create_default_context(cafile=str(Path(botocore.__file__).parent / "cacert.pem"))
    held = ours.get_ca_certs(binary_form=True)
    assert len(held) == 5
    assert set(held) <= set(theirs.get_ca_certs(binary_form=True))
    in_five_years = time.time() + 5 * 365 * 24 * 60 * 60
    for one in ours.get_ca_certs():
        assert "Amazon" in str(one["subject"]) or "Starfield" in str(one["subject"])
        assert ssl.cert_time_to_seconds(str(one["notAfter"])) > in_five_years


def test_a_certificate_of_another_host_gets_no_request(tmp_path: Path) -> None:
    file = certificate(tmp_path, host="10.0.0.1")
    with scripted(answer(), tls=serving(file)) as server:
        with pytest.raises(Unreachable, match="IP address mismatch"):
            client(server.url, str(file)).call("ListTables", {})
        assert server.requests == []
