"""Signatures of form submissions: who can make them, and when they are taken."""

import hmac
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.forms.submission import signing
from lambdas.forms.submission.signing import BadHeaders, Message, read_signature, sign

NOON = datetime(2025, 1, 26, 12, tzinfo=UTC)
SECRET = "s3cret-of-acme"
PATH = "/forms/contact/submissions"
BODY = b'{"name":"Ada"}'
MOMENTS = st.integers(0, 10**10 * 10**6).map(
    lambda micros: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
)
ARABIC_ZERO = "\u0660"


MESSAGE = Message("POST", PATH, BODY, "application/json", "order 7")
DIGESTS = ":".join(sha256(text).hexdigest() for text in (b"application/json", b"order 7", BODY))


def headers(**changes: str) -> dict[str, str]:
    about = {"content_type": MESSAGE.content_type, "idempotency_key": MESSAGE.idempotency_key}
    made = sign(SECRET, "POST", PATH, BODY, now=NOON, **about)
    return {**made, **{f"X-Form-{name}": value for name, value in changes.items()}}


def hashed(text: str) -> str:
    return hmac.new(SECRET.encode(), text.encode(), sha256).hexdigest()


def test_the_signed_text_has_time_method_path_and_the_digests_of_headers_and_body() -> None:
    expected = hashed(f"v2:1737892800.000000:POST:{PATH}:{DIGESTS}")
    assert headers() == {
        "X-Form-Timestamp": "1737892800.000000",
        "X-Form-Signature": f"v2={expected}",
    }


def test_the_older_form_has_the_digest_of_the_body_alone() -> None:
    made = hashed(f"v1:1737892800:POST:{PATH}:{sha256(BODY).hexdigest()}")
    sent = headers(Timestamp="1737892800", Signature=f"v1={made}")
    found = read_signature(sent, NOON)
    assert found.version == "v1"
    assert found.made_with(SECRET, MESSAGE)
    assert found.made_with(SECRET, MESSAGE._replace(content_type="", idempotency_key="other"))
    signed = sign(SECRET, "POST", PATH, BODY, now=NOON, version="v1")
    assert read_signature(signed, NOON).made_with(SECRET, MESSAGE)


def test_whole_seconds_are_taken_too() -> None:
    made = hashed(f"v2:1737892800:POST:{PATH}:{DIGESTS}")
    sent = headers(Timestamp="1737892800", Signature=f"v2={made}")
    assert read_signature(sent, NOON).made_with(SECRET, MESSAGE)


@given(st.text(min_size=1), st.builds(Message, st.just("POST"), st.text(), st.binary()), MOMENTS)
def test_what_is_signed_is_verified_and_nothing_else(
    secret: str, message: Message, now: datetime
) -> None:
    message = message._replace(content_type="text/plain", idempotency_key="k")
    method, path, body, kind, key = message
    about = {"content_type": kind, "idempotency_key": key}
    sent = sign(secret, method, path, body, now=now, key="acme:k1", **about)
    found = read_signature(sent, now)
    assert found.made_with(secret, message)
    assert not found.made_with(secret + "x", message)
    for other in (
        message._replace(method="PUT"),
        message._replace(path=path + "/"),
        message._replace(body=body + b" "),
        message._replace(content_type="application/json"),
        message._replace(idempotency_key=""),
        message._replace(content_type=key, idempotency_key=kind),
    ):
        assert not found.made_with(secret, other)


def test_a_signature_of_another_moment_is_not_this_one() -> None:
    later = sign(SECRET, "POST", PATH, BODY, now=NOON + timedelta(microseconds=1))
    mixed = headers(Timestamp=later["X-Form-Timestamp"])
    assert not read_signature(mixed, NOON).made_with(SECRET, MESSAGE)


@pytest.mark.parametrize("direction", [-1, 1])
def test_the_window_is_five_minutes_both_ways(direction: int) -> None:
    edge = direction * timedelta(seconds=300)
    assert read_signature(headers(), NOON + edge)
    with pytest.raises(BadHeaders, match="within 300 seconds of now"):
        read_signature(headers(), NOON + edge + direction * timedelta(microseconds=1))


@pytest.mark.parametrize(
    "timestamp",
    [
        *("", "now", "nan", "-1", "+1", "1e9", ".5", "0x10", "1737892800.", " 1737892800"),
        *("1737892800\n", "1737892800.0000000000", "2025-01-26T12:00:00Z", "9" * 400),
        "173789280" + ARABIC_ZERO,
    ],
)
def test_a_timestamp_in_another_form_is_refused_with_what_is_accepted(timestamp: str) -> None:
    with pytest.raises(BadHeaders) as refused:
        read_signature(headers(Timestamp=timestamp), NOON)
    assert refused.value.problems == [
        (
            "X-Form-Timestamp",
            "must be the Unix time in seconds, such as 1737892800 or 1737892800.125",
        )
    ]


@pytest.mark.parametrize(
    "signature",
    [
        *("", "v2=", "0" * 64, "v2=" + "0" * 63, "v2=" + "0" * 65, "v2=" + "A" * 64),
        *("v3=" + "0" * 64, "v2=" + "0" * 64 + ",v2=" + "1" * 64, "v2=" + "0" * 64 + "\n"),
        "v2=" + ARABIC_ZERO * 64,
    ],
)
def test_a_signature_in_another_form_is_refused_with_what_is_accepted(signature: str) -> None:
    with pytest.raises(BadHeaders) as refused:
        read_signature(headers(Signature=signature), NOON)
    ((name, reason),) = refused.value.problems
    assert name == "X-Form-Signature"
    assert "v2=" in reason


def test_everything_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(BadHeaders) as refused:
        read_signature({}, NOON)
    assert [name for name, _ in refused.value.problems] == ["X-Form-Timestamp", "X-Form-Signature"]


def test_signatures_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, two: bytes) -> bool:
        compared.append((one, two))
        return False

    monkeypatch.setattr(hmac, "compare_digest", compare)
    assert not read_signature(headers(), NOON).made_with(SECRET, MESSAGE)
    sent = headers()["X-Form-Signature"].encode()
    assert compared == [(sent, sent)]


def test_a_key_says_whose_it_is() -> None:
    assert sign(SECRET, "POST", PATH, BODY, now=NOON, key=signing.key_name("acme", "k1"))[
        "X-Form-Key-Id"
    ] == ("acme:k1")
