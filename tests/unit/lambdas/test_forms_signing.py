"""Signatures of form submissions: who can make them, and when they are taken."""

import hmac
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.forms import signing
from lambdas.forms.signing import BadHeaders, read_signature, sign

NOON = datetime(2025, 1, 26, 12, tzinfo=UTC)
SECRET = "s3cret-of-acme"
PATH = "/forms/contact/submissions"
BODY = b'{"name":"Ada"}'
MOMENTS = st.integers(0, 10**10 * 10**6).map(
    lambda micros: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
)
ARABIC_ZERO = "\u0660"


def headers(**changes: str) -> dict[str, str]:
    made = sign(SECRET, "POST", PATH, BODY, now=NOON)
    return {**made, **{f"X-Form-{name}": value for name, value in changes.items()}}


def test_the_signed_text_is_version_time_method_path_and_digest_of_the_body() -> None:
    text = f"v1:1737892800.000000:POST:{PATH}:{sha256(BODY).hexdigest()}"
    expected = hmac.new(SECRET.encode(), text.encode(), sha256).hexdigest()
    assert headers() == {
        "X-Form-Timestamp": "1737892800.000000",
        "X-Form-Signature": f"v1={expected}",
    }


def test_whole_seconds_are_taken_too() -> None:
    text = f"v1:1737892800:POST:{PATH}:{sha256(BODY).hexdigest()}"
    made = hmac.new(SECRET.encode(), text.encode(), sha256).hexdigest()
    sent = headers(Timestamp="1737892800", Signature=f"v1={made}")
    assert read_signature(sent, NOON).made_with(SECRET, "POST", PATH, BODY)


@given(st.text(min_size=1), st.binary(), st.text(), MOMENTS)
def test_what_is_signed_is_verified(secret: str, body: bytes, path: str, now: datetime) -> None:
    sent = sign(secret, "POST", path, body, now=now, key="acme:k1")
    found = read_signature(sent, now)
    assert found.made_with(secret, "POST", path, body)
    assert not found.made_with(secret + "x", "POST", path, body)
    assert not found.made_with(secret, "PUT", path, body)
    assert not found.made_with(secret, "POST", path + "/", body)
    assert not found.made_with(secret, "POST", path, body + b" ")


def test_a_signature_of_another_moment_is_not_this_one() -> None:
    later = sign(SECRET, "POST", PATH, BODY, now=NOON + timedelta(microseconds=1))
    mixed = headers(Timestamp=later["X-Form-Timestamp"])
    assert not read_signature(mixed, NOON).made_with(SECRET, "POST", PATH, BODY)


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
        *("", "v1=", "0" * 64, "v1=" + "0" * 63, "v1=" + "0" * 65, "v1=" + "A" * 64),
        *("v2=" + "0" * 64, "v1=" + "0" * 64 + ",v1=" + "1" * 64, "v1=" + "0" * 64 + "\n"),
        "v1=" + ARABIC_ZERO * 64,
    ],
)
def test_a_signature_in_another_form_is_refused_with_what_is_accepted(signature: str) -> None:
    with pytest.raises(BadHeaders) as refused:
        read_signature(headers(Signature=signature), NOON)
    ((name, reason),) = refused.value.problems
    assert name == "X-Form-Signature"
    assert "v1=" in reason


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
    assert not read_signature(headers(), NOON).made_with(SECRET, "POST", PATH, BODY)
    sent = headers()["X-Form-Signature"].encode()
    assert compared == [(sent, sent)]


def test_a_key_says_whose_it_is() -> None:
    assert sign(SECRET, "POST", PATH, BODY, now=NOON, key=signing.key_name("acme", "k1"))[
        "X-Form-Key-Id"
    ] == ("acme:k1")
