"""Key templates: exact round trips, and refusals that keep keys unambiguous."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.model.errors import InvalidValue, KeyMismatch
from tablewright.model.key_template import Template, after, before

SALE = Template("SALE#{sale_date}#{sale_id}", limit=1024)

values = st.text(min_size=1, max_size=40).filter(
    lambda text: "#" not in text and "\U0010ffff" not in text
)


@given(values, values)
def test_a_formatted_key_parses_back_to_its_fields(date: str, id: str) -> None:
    fields = {"sale_date": date, "sale_id": id}
    assert SALE.parse(SALE.format(fields)) == fields


@given(values, values, values, values)
def test_different_fields_never_make_the_same_key(a: str, b: str, c: str, d: str) -> None:
    one, two = {"sale_date": a, "sale_id": b}, {"sale_date": c, "sale_id": d}
    assert (SALE.format(one) == SALE.format(two)) == (one == two)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("", "must not be empty"),
        ("a#b", "must not contain '#'"),
        ("#", "must not contain '#'"),
        ("x\U0010ffff", "must not contain U\\+10FFFF"),
        ("\ud800", "must be valid Unicode"),
    ],
)
def test_a_value_that_would_blur_the_key_is_refused_by_name(value: str, reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason) as refused:
        SALE.format({"sale_date": "2025-01-01", "sale_id": value})
    assert refused.value.field == "sale_id"


def test_a_missing_field_is_asked_for_by_name() -> None:
    with pytest.raises(InvalidValue, match="sale_id is required"):
        SALE.format({"sale_date": "2025-01-01"})


def test_a_key_is_measured_in_bytes_and_refused_when_too_long() -> None:
    fits = 1024 - len("SALE#2025-01-01#")
    SALE.format({"sale_date": "2025-01-01", "sale_id": "x" * fits})
    for long in ("x" * (fits + 1), "é" * (fits // 2 + 1)):
        with pytest.raises(InvalidValue, match="longer than 1024 bytes"):
            SALE.format({"sale_date": "2025-01-01", "sale_id": long})


@pytest.mark.parametrize("key", ["SALE#2025-01-01", "SALE#a#b#c", "XALE#a#b", "SALE##b", ""])
def test_a_key_of_another_form_does_not_parse(key: str) -> None:
    with pytest.raises(KeyMismatch, match="does not have the form"):
        SALE.parse(key)


def test_a_prefix_ends_before_the_first_unknown_field() -> None:
    assert SALE.prefix({}) == "SALE#"
    assert SALE.prefix({"sale_date": "2025-01-01"}) == "SALE#2025-01-01#"
    assert SALE.prefix({"sale_id": "x"}) == "SALE#"


def test_a_bare_field_may_hold_the_delimiter() -> None:
    bare = Template("{source_id}", limit=2048)
    assert bare.bare_field == "source_id"
    assert bare.parse(bare.format({"source_id": "newsapi#1"})) == {"source_id": "newsapi#1"}


@pytest.mark.parametrize(
    ("one", "two", "collide"),
    [
        ("A#{x}", "B#{x}", False),
        ("A#{x}", "A#{y}", True),
        ("A#{x}", "A#{x}#{y}", False),
        ("{x}#1", "A#{y}", True),
        ("{x}#1", "A#2", False),
        ("A#v{x}", "A#w{x}", False),
        ("A#v{x}", "A#v1{x}", True),
        ("A#v{x}", "A#{x}s", True),
        ("{x}", "A#B", True),
    ],
)
def test_collisions_are_found_by_form_alone(one: str, two: str, collide: bool) -> None:
    first, second = Template(one, limit=9), Template(two, limit=9)
    assert first.can_equal(second) is collide
    assert second.can_equal(first) is collide


keys = st.text(min_size=1, max_size=12).filter(lambda text: "\U0010ffff" not in text)


@given(keys, keys)
def test_bounds_next_to_a_key_leave_out_that_key_and_no_other(key: str, other: str) -> None:
    def order(text: str) -> bytes:
        return text.encode()

    low, high = order(after(key)), order(before(key))
    assert not low <= order(key)
    assert not order(key) <= high
    if order(other) > order(key):
        assert low <= order(other)
    if order(other) < order(key):
        assert order(other) <= high


PARTS = st.one_of(st.none(), st.text(max_size=4), st.text("ab#%é\U0010ffff\ud800", max_size=400))


@given(st.sampled_from(["A#{a}#B#{b}", "{a}", "100%#{a}#{b}", "{a}#{b}#%s"]), PARTS, PARTS)
def test_a_key_checked_at_once_is_the_one_that_is_checked_field_by_field(
    form: str, a: str | None, b: str | None
) -> None:
    template = Template(form, limit=512)
    texts = {name: text for name, text in (("a", a), ("b", b)) if text is not None}

    def outcome(make: Callable[[dict[str, str]], str]) -> str:
        try:
            return make(texts)
        except InvalidValue as problem:
            return f"{problem.field} {problem.reason}"

    assert outcome(template.format) == outcome(template._examined)
