"""Fields: what they accept, what they refuse, and how they stand in keys."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.model import (
    IN_KEY,
    Binary,
    Choice,
    Date,
    DateText,
    EpochTimestamp,
    Field,
    Flag,
    Fraction,
    HourText,
    InvalidValue,
    Lines,
    Money,
    Name,
    Number,
    Prose,
    Text,
    TimeId,
    Timestamp,
    TimestampText,
    Whole,
    truncate_time,
)
from tablewright.model.fields.time import Resolution, iso_utc, utc_text

PRICE = Money().named("price")
cents = st.integers(min_value=0, max_value=10**10 - 1)


@given(cents)
def test_a_price_stands_in_keys_as_exact_cents(amount: int) -> None:
    price = PRICE.check(Decimal(amount).scaleb(-2))
    assert PRICE.to_text(price) == f"{amount:010}"
    assert PRICE.from_text(PRICE.to_text(price)) == price


@given(cents, cents)
def test_price_texts_sort_as_prices_do(one: int, two: int) -> None:
    prices = [PRICE.check(Decimal(amount).scaleb(-2)) for amount in (one, two)]
    texts = [PRICE.to_text(price) for price in prices]
    assert (texts[0] < texts[1]) == (prices[0] < prices[1])


def test_padding_by_way_of_floats_would_be_wrong_for_thousands_of_prices() -> None:
    wrong = 0
    for amount in range(100_000):
        price = Decimal(amount).scaleb(-2)
        wrong += int(float(price) * 100) != amount  # floor(price * 100), as floats have it
        assert int(PRICE.to_text(price)) == amount
    assert wrong == 4586


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (Decimal("-0.01"), "must not be negative"),
        (Decimal("1.001"), "at most two decimals"),
        (Decimal("1E-999999"), "at most two decimals"),
        (Decimal("100000000"), "must be at most 99999999.99"),
        (Decimal("1E+999999"), "must be at most"),
        (Decimal("NaN"), "finite"),
        (Decimal("Infinity"), "finite"),
        (9.99, "must be a number"),
        (True, "must be a number"),
        ("9.99", "must be a number"),
    ],
)
def test_what_is_no_price_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        PRICE.check(value)


@pytest.mark.parametrize("value", [0, 5, Decimal("5.1"), Decimal("5.10"), Decimal("-0")])
def test_a_price_is_kept_with_two_decimals(value: Any) -> None:
    checked = PRICE.check(value)
    assert checked == value
    assert checked.as_tuple().exponent == -2
    assert not checked.is_signed()


@pytest.mark.parametrize("value", ["2025-02-29", "2025-13-01", "2025-1-1", "2025-01-01\n", "", 5])
def test_a_day_that_does_not_exist_is_refused(value: Any) -> None:
    with pytest.raises(InvalidValue):
        DateText().named("day").check(value)


def test_a_day_may_be_given_as_a_date() -> None:
    assert DateText().named("day").check(date(2024, 2, 29)) == "2024-02-29"


def test_a_moment_is_stored_in_utc_with_fixed_width() -> None:
    there = datetime(2025, 1, 1, 1, tzinfo=timezone(timedelta(hours=2)))
    texts: dict[Resolution, str] = {"s": "00Z", "ms": "00.000Z", "us": "00.000000Z"}
    for resolution, text in texts.items():
        field = TimestampText(resolution=resolution).named("at")
        assert field.check(there) == f"2024-12-31T23:00:{text}"
    assert iso_utc(datetime(2025, 1, 1, tzinfo=UTC)) == "2025-01-01T00:00:00.000Z"


@pytest.mark.parametrize("declare", [Timestamp, TimestampText, EpochTimestamp])
def test_a_moment_finer_than_its_field_is_refused(declare: Callable[..., Field[Any]]) -> None:
    moment = datetime(2026, 1, 31, 12, 0, 0, 123_456, tzinfo=UTC)
    resolutions: tuple[Resolution, ...] = ("s", "ms", "us")
    for resolution in resolutions[:2]:
        field = declare(resolution=resolution).named("at")
        with pytest.raises(InvalidValue, match=rf'truncate_time\(moment, "{resolution}"\)'):
            field.check(moment)
    for resolution in resolutions:
        field, cut = declare(resolution=resolution), truncate_time(moment, resolution)
        value = field.check(cut)
        assert field.from_text(field.to_text(value)) == value
        assert field.fits_text(field.to_text(value))
    assert TimestampText().check(moment) == "2026-01-31T12:00:00.123456Z"


def test_a_moment_before_1970_is_no_key_of_an_epoch_timestamp() -> None:
    field, early = EpochTimestamp().named("at"), datetime(1960, 1, 1, tzinfo=UTC)
    assert field.from_plain(field.to_plain(field.check(early))) == early
    with pytest.raises(InvalidValue, match="at must not lie before 1970 in a key"):
        field.to_text(early)


@pytest.mark.parametrize(
    ("field", "text", "fits"),
    [
        (Whole(digits=3), "2", False),
        (Whole(digits=3), "002", True),
        (Whole(digits=3), "\u0660\u0660\u0662", False),
        (Money(digits=4), "00100", False),
        (Money(digits=4), "0100", True),
        (Fraction(), "0.5", False),
        (Fraction(), "0.50", True),
        (Number(), "1.0", False),
        (Flag(), "True", False),
        (Flag(), "true", True),
        (Name(), "Ann  Lee", False),
        (Binary(), "FF", False),
        (Binary(), "ff", True),
        (EpochTimestamp(), "5", False),
        (EpochTimestamp(), "000000000000005", True),
    ],
)
def test_only_the_canonical_text_of_a_value_fits(field: Field[Any], text: str, fits: bool) -> None:
    assert field.named("x").fits_text(text) is fits


BEGINNINGS = [
    (
        Date(),
        ["2", "2026-", "2026-0", "2026-1", "2026-04-3", "2026-02-2"],
        ["2026-13", "x", "0000-0"],
    ),
    (HourText(), ["2026-01-31-2"], ["2026-01-31-3", "2026-01-31T"]),
    (Timestamp(), ["2026-01-31T2", "2026-01-31T12:00:00.12"], ["2026-01-31T25", "2026-01-31 "]),
    (Timestamp(resolution="s"), ["2026-01-31T12:00:0"], ["2026-01-31T12:00:00."]),
    (TimeId(), ["01949fc8-7ae8-7"], ["01949fc8-7ae8-4", "X"]),
    (Choice(["open", "shut"]), ["o", "shut"], ["p", "shut!"]),
    (Name(), ["Ann ", "Bj\u00f6"], [" Ann", "Ann  L", "Bjo\u0308"]),
    (Text(max_length=2), ["a", "ab"], ["abc", "a\n"]),
    (Whole(), [], ["1", "0000000012"]),
    (Money(), [], ["12"]),
    (Fraction(), [], ["0."]),
    (EpochTimestamp(), [], ["0"]),
]


@pytest.mark.parametrize(("field", "can", "cannot"), BEGINNINGS)
def test_a_field_knows_how_its_texts_can_begin(
    field: Field[Any], can: list[str], cannot: list[str]
) -> None:
    assert [text for text in can if not field.named("x").begins(text)] == []
    assert [text for text in cannot if field.begins(text)] == []


@pytest.mark.parametrize(
    "value", ["2025-01-01T00:00:00Z", "2025-01-01T25:00:00.000Z", "2025-01-01T00:00:00.000"]
)
def test_a_moment_of_another_form_is_refused(value: str) -> None:
    with pytest.raises(InvalidValue):
        TimestampText().named("at").check(value)


@pytest.mark.parametrize("decimals", ["", ".1", ".000", ".123456", ".123456789"])
def test_a_moment_of_any_precision_keeps_its_decimals(decimals: str) -> None:
    field, text = TimestampText(any_precision=True).named("at"), f"2025-01-01T00:00:00{decimals}Z"
    assert field.check(text) == text
    assert re.search(field.schema()["pattern"], text)
    for other in (f"{text[:-1]}+00:00", f"{text[:-1]}0123456789Z", "2025-13-01T00:00:00Z"):
        with pytest.raises(InvalidValue):
            field.check(other)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("2025-11-16T10:00:00Z", "2025-11-16T10:00:00.000Z"),
        ("2025-11-16T10:00:00.123999999Z", "2025-11-16T10:00:00.123Z"),
        ("2025-11-16t10:00:00,5+05:30", "2025-11-16T04:30:00.500Z"),
        ("20251116T100000-0100", "2025-11-16T11:00:00.000Z"),
        ("2025-W46-7T10:00z", "2025-11-16T10:00:00.000Z"),
    ],
)
def test_any_form_of_iso_8601_is_one_text_in_utc(text: str, stored: str) -> None:
    assert utc_text(text) == stored


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("2025-11-16T10:00:00", "must name its time zone, such as Z"),
        ("2025-11-16", "must name its time zone, such as Z"),
        ("0001-01-01T00:00:00+10:00", "must name its time zone, such as Z"),
        ("2025-11-31T10:00:00Z", "must be a time in ISO 8601"),
        ("now", "must be a time in ISO 8601"),
        (5, "must be a time in ISO 8601"),
        (None, "must be a time in ISO 8601"),
    ],
)
def test_what_is_no_moment_in_utc_is_refused_with_what_is_accepted(value: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        utc_text(value)


def test_the_schema_of_a_moment_tells_its_form() -> None:
    exact, to_the_second = (
        TimestampText(resolution="ms").named("at").schema(),
        TimestampText(resolution="s").named("at").schema(),
    )
    for value, schema, other in (
        ("2025-01-01T00:00:00.000Z", exact, to_the_second),
        ("2025-01-01T00:00:00Z", to_the_second, exact),
    ):
        assert re.search(schema["pattern"], value)
        assert not re.search(other["pattern"], value)


def test_a_moment_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        iso_utc(datetime.fromisoformat("2025-01-01T00:00:00"))


@pytest.mark.parametrize("value", ["", "x" * 11, "a\nb", "a\0", 7, None])
def test_text_that_does_not_fit_is_refused(value: Any) -> None:
    with pytest.raises(InvalidValue):
        Text(max_length=10).named("name").check(value)


def test_a_pattern_covers_the_whole_text() -> None:
    field = Text(pattern="[a-z]+", form="small letters").named("id")
    assert field.check("abc") == "abc"
    for value in ("abc1", "1abc"):
        with pytest.raises(InvalidValue, match="must be small letters"):
            field.check(value)


def test_a_choice_takes_its_words_together() -> None:
    with pytest.raises(TypeError, match=r"Choice\(\['OPEN', …\]\)"):
        Choice("OPEN", "PAID")


def test_a_choice_names_what_is_accepted() -> None:
    with pytest.raises(InvalidValue, match="one of SPRING, FALL"):
        Choice(("SPRING", "FALL")).named("season").check("spring")


@pytest.mark.parametrize("value", [Decimal("1E+126"), Decimal("1E-131"), Decimal("1" * 39)])
def test_a_number_that_dynamodb_cannot_keep_is_refused(value: Decimal) -> None:
    with pytest.raises(InvalidValue):
        Number().named("n").check(value)


@pytest.mark.parametrize(
    "value", ["naïve", "👩\u200d🚀", "a\u00a0b", "\u202bعربي\u202c", "\ufeff", "a b", " "]
)
def test_prose_may_hold_whatever_people_write(value: str) -> None:
    assert Prose().named("text").check(value) == value


@pytest.mark.parametrize("value", ["a\nb", "\t", "a\x00", "\x7f", "\x85", "\u2028", "\ud800"])
def test_prose_holds_no_control_characters(value: str) -> None:
    with pytest.raises(InvalidValue, match="must not contain control characters"):
        Prose().named("text").check(value)


def test_prose_is_as_bounded_and_formed_as_text() -> None:
    field = Prose(max_length=3, pattern="[^|]+", form="text without '|'").named("text")
    assert field.check("a\u200db") == "a\u200db"
    for value, reason in (("abcd", "1 to 3 characters"), ("a|b", "must be text without '|'")):
        with pytest.raises(InvalidValue, match=reason):
            field.check(value)


@pytest.mark.parametrize("value", ["a\nb", "a\r\nb", "a\rb"])
def test_a_line_break_is_one_however_it_was_written(value: str) -> None:
    assert Lines().named("text").check(value) == "a\nb"


@pytest.mark.parametrize("value", ["\t", "a\n\x00", "\x85", "\u2028", "\ud800"])
def test_lines_hold_no_other_control_characters(value: str) -> None:
    with pytest.raises(InvalidValue, match="other than line breaks"):
        Lines().named("text").check(value)


SCORE = Fraction().named("score")
fractions = st.decimals(min_value=0, max_value=1, allow_nan=False, places=2)


@given(fractions, fractions)
def test_fraction_texts_sort_as_fractions_do(one: Decimal, two: Decimal) -> None:
    low, high = sorted((SCORE.check(one), SCORE.check(two)))
    assert (SCORE.to_text(low) < SCORE.to_text(high)) is (low < high)
    assert SCORE.from_text(SCORE.to_text(low)) == low


def test_a_fraction_with_more_decimals_than_its_key_is_refused_there() -> None:
    with pytest.raises(InvalidValue, match="score must have at most 2 decimals in a key"):
        SCORE.to_text(SCORE.check(Decimal("0.123")))
    assert SCORE.to_text(Decimal("0.120")) == "0.12"


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0.00"), (1, "1.00"), (Decimal("0.7"), "0.70"), (Decimal("-0"), "0.00")]
)
def test_a_fraction_has_one_width_in_keys(value: Any, text: str) -> None:
    assert SCORE.to_text(SCORE.check(value)) == text
    assert Fraction(decimals=4).named("score").to_text(SCORE.check(value)) == text + "00"


def test_a_fraction_is_kept_to_its_last_digit() -> None:
    exact = Decimal("0." + "12345678901234567890123456789012345678")
    assert SCORE.check(exact) == exact
    assert not SCORE.check(Decimal("-0.0")).is_signed()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (Decimal("-0.1"), "between 0 and 1"),
        (Decimal("1.5"), "between 0 and 1"),
        (Decimal("1.000001"), "between 0 and 1"),
        (Decimal("NaN"), "finite"),
        (0.5, "must be a number"),
        ("0.5", "must be a number"),
        (True, "must be a number"),
    ],
)
def test_what_is_no_fraction_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        SCORE.check(value)


def test_a_field_that_stands_in_keys_only_is_not_stored_and_keeps_its_name() -> None:
    day = DateText(IN_KEY).named("day")
    assert day.attributes("2025-01-01") == {}
    assert day.label == "day"
    assert DateText("d").named("day").attributes("2025-01-01") == {"d": "2025-01-01"}


@pytest.mark.parametrize(
    ("field", "fits", "unfit"),
    [
        (TimestampText().named("at"), "2025-01-01T00:00:00.000000Z", "guard"),
        (DateText().named("day"), "2025-01-01", "2025-02-30"),
        (Choice(("a", "b")).named("kind"), "a", "c"),
        (Text(pattern="[a-z]+").named("id"), "abc", "5"),
    ],
)
def test_a_field_knows_the_texts_that_it_can_be_in_a_key(
    field: Field[Any], fits: str, unfit: str
) -> None:
    assert field.accepts_text(fits)
    assert not field.accepts_text(unfit)


@pytest.mark.parametrize("value", [True, False])
def test_a_flag_is_true_or_false_and_stored_as_such(value: bool) -> None:
    flag = Flag().named("read")
    assert flag.check(value) is value
    assert flag.attributes(value) == {"read": value}
    assert flag.schema() == {"type": "boolean"}


@pytest.mark.parametrize("value", [0, 1, Decimal(1), "true", "", [], None])
def test_what_is_only_like_a_flag_is_refused(value: Any) -> None:
    with pytest.raises(InvalidValue, match="read must be true or false"):
        Flag().named("read").check(value)


def test_no_text_in_a_key_is_a_flag() -> None:
    assert not any(Flag().named("read").accepts_text(text) for text in ("True", "true", "1"))
