"""Signatures are those that botocore makes of the same requests."""

import random
import time
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from botocore import auth
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Botocore

from tablewright.runtime.errors import AccessDenied
from tablewright.runtime.wire.services import SERVICES
from tablewright.runtime.wire.signing import Credentials, Signer

OPERATIONS = ("PutItem", "Query", "BatchWriteItem", "TransactWriteItems", "AssumeRole", "Decrypt")
LETTERS = 'aé \U0001f600"\\/+=&%\t\n\0\u2028ﬀ'


@pytest.mark.parametrize("name", SERVICES)
def test_signatures_equal_botocores(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = random.Random(name)
    service = SERVICES[name]
    for _ in range(500):
        region = drawn.choice(("eu-west-1", "us-gov-west-1", "cn-north-1"))
        host = drawn.choice((f"{name}.{region}.amazonaws.com", "127.0.0.1:8000", "[::1]:8000"))
        path = drawn.choice(("/", "/local/"))
        moment = datetime.fromtimestamp(drawn.randrange(2**31), UTC)
        body = "".join(drawn.choices(LETTERS, k=drawn.randrange(300))).encode()
        secret = "".join(drawn.choices("aB9/+=", k=drawn.randrange(1, 60)))
        token = drawn.choice((None, "".join(drawn.choices("aB9/+=", k=drawn.randrange(1, 900)))))
        target = service.target and service.target + drawn.choice(OPERATIONS)
        signer = Signer(name, region, host, path, service.content_type)
        credentials = Credentials("AKID", secret, token)
        # The second comes from what is kept of the first.
        made = [signer.request(target, body, credentials, moment.timestamp()) for _ in range(2)]
        assert made[0] == made[1]
        assert made[0].endswith(b"\r\n\r\n" + body)

        headers = {"Content-Type": service.content_type, "Host": host}
        if target:
            headers["X-Amz-Target"] = target
        request = AWSRequest("POST", f"https://{host}{path}", headers, body)
        monkeypatch.setattr(auth, "get_current_datetime", lambda moment=moment: moment)
        SigV4Auth(Botocore("AKID", secret, token), name, region).add_auth(request)
        expected = request.headers["Authorization"]
        assert f"\r\nAuthorization: {expected}\r\n".encode() in made[0]
        sent = (name for name in request.headers if name != "Host")
        for header in sent:
            assert f"\r\n{header}: {request.headers[header]}\r\n".encode() in made[0]


def test_one_signer_signs_for_many_and_on_many_days() -> None:
    one = Signer("dynamodb", "eu-west-1", "host", "/", "application/x-amz-json-1.0")
    many = [(Credentials("k", f"s{who}"), day * 86400.0) for who in range(3) for day in range(3)]
    for credentials, now in many * 2:
        fresh = Signer("dynamodb", "eu-west-1", "host", "/", "application/x-amz-json-1.0")
        asked = ("T.Get", b"{}", credentials, now)
        assert one.request(*asked) == fresh.request(*asked)


def test_signing_is_a_pure_function_of_what_is_given() -> None:
    signer = Signer("dynamodb", "eu-west-1", "host", "/", "x")
    now = SimpleNamespace(value=time.time())
    first = signer.request("T.Get", b"{}", Credentials("k", "s"), now.value, "X-More: 1\r\n")
    assert b"\r\nX-More: 1\r\n" in first
    unsigned = signer.request("T.Get", b"{}", Credentials("k", "s"), now.value)
    assert first.replace(b"X-More: 1\r\n", b"") == unsigned


@pytest.mark.parametrize("bad", ["a\r\nX-Evil: b", "a\nb", "a\rb", "a\0b", "\u2028", "é"])
@pytest.mark.parametrize("member", ["access_key", "token"])
def test_credentials_with_a_line_break_are_refused(member: str, bad: str) -> None:
    signer = Signer("dynamodb", "eu-west-1", "host", "/", "application/x-amz-json-1.0")
    credentials = Credentials("key", "secret", "token")._replace(**{member: bad})
    with pytest.raises(AccessDenied, match="remove line breaks"):
        signer.request("T.Op", b"{}", credentials, 0)


def test_region_with_a_line_break_is_refused() -> None:
    with pytest.raises(ValueError, match="line breaks"):
        Signer("dynamodb", "eu-west-1\r\nX: y", "host", "/", "application/x-amz-json-1.0")
