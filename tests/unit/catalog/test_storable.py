"""Whatever an entity accepts can be stored: keyed, indexed, expired, and no larger than an item."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.catalog.forms.design import Forms
from tablewright.catalog.news.design import News
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.events import Events, ShardedEvents
from tablewright.catalog.portal.notifications import Notifications
from tablewright.catalog.portal.subscriptions import Subscriptions
from tablewright.catalog.sales.design import Sale, Sales
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import Items
from tablewright.model import (
    Design,
    Entity,
    EntityModel,
    Expiry,
    Field,
    Index,
    InvalidRecord,
    Key,
    Name,
    Number,
    Prose,
    Put,
    Table,
    Tally,
    Text,
    TimestampText,
)
from tablewright.model.fields.compound import (
    BinaryField,
    DocumentField,
    ListOfField,
    SetOfField,
    TallyField,
)
from tablewright.model.fields.numbers import NumberField
from tablewright.model.fields.text import ChoiceField, FlagField, TextField
from tablewright.model.fields.time import DateTextField, HourTextField, TimestampTextField
from tablewright.model.key_template import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from tablewright.model.sharding.epochs import EpochListField
from tablewright.model.sizes import ITEM_BYTES, item_bytes
from tablewright.model.time_ids import TimeIdField, moment_of
from tablewright.runtime.store.attribute_values import encode

pytestmark = pytest.mark.thorough

DESIGNS = (
    *(Sales, Items, Dashboard, News, Forms),
    *(ContentRegistry, Notifications, Subscriptions, Events, ShardedEvents),
)
ENTITIES = [
    (table.__design__, entity) for table in DESIGNS for entity in table.__design__.entity_list
]
# Surrogates, characters of four bytes, and what sorts above everything.
ANY_TEXT = st.text(alphabet=st.characters(), max_size=40) | st.sampled_from(
    ["", " ", "\u00a0", "\u3000", "e\u0301", "\ud800", "\U0010ffff", "#", "😀" * 512, "x" * 5000]
)
DAYS = st.dates() | st.sampled_from([date(1, 1, 1), date(9999, 12, 31), date(9998, 1, 1)])
NUMBERS = st.one_of(
    st.integers(),
    st.decimals(),
    st.sampled_from([Decimal("1E+125"), Decimal("1E+999999"), Decimal("0E+99999"), 10**4000]),
    st.builds(lambda c, e: Decimal(c).scaleb(e), st.integers(), st.integers(-140, 140)),
)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)


def values_of(field: Field[Any]) -> st.SearchStrategy[Any]:
    """Values that may fit the field, and some that are too much for it."""
    if isinstance(field, TextField):
        fits = st.text("a1é😀", min_size=1, max_size=min(field.max_length, 30))
        longest = st.just("😀" * field.max_length)
        formed = st.from_regex(field.pattern, fullmatch=True) if field.pattern else fits
        return formed | fits | longest | ANY_TEXT
    if isinstance(field, ChoiceField):
        return st.sampled_from(field.choices)
    if isinstance(field, FlagField):
        return st.booleans()
    if isinstance(field, DateTextField):
        return DAYS.map(str)
    if isinstance(field, HourTextField):
        return st.builds(lambda day, hour: f"{day}-{hour:02}", DAYS, st.integers(0, 23))
    if isinstance(field, TimestampTextField):
        decimals = {"s": "", "ms": ".999", "us": ".999999"}[field.resolution]
        return DAYS.map(lambda day: f"{day}T23:59:59{decimals}Z")
    if isinstance(field, TimeIdField):
        return st.integers(0, (1 << 48) - 1).map(
            lambda made: f"{made:012x}"[:8] + "-" + f"{made:012x}"[8:] + "-7abc-8def-0123456789ab"
        )
    if isinstance(field, (SetOfField, ListOfField)):
        return st.lists(values_of(field.of), max_size=3)
    if isinstance(field, DocumentField):
        return st.dictionaries(ANY_TEXT, JSON, max_size=3)
    if isinstance(field, BinaryField):
        return st.integers(0, field.max_bytes + 1).map(bytes)
    if isinstance(field, TallyField):
        return st.dictionaries(ANY_TEXT, NUMBERS, max_size=3)
    if isinstance(field, EpochListField):
        return st.lists(st.fixed_dictionaries({"from": ANY_TEXT, "count": NUMBERS}), max_size=2)
    assert isinstance(field, NumberField), field
    return st.integers(0, 99) | NUMBERS


@st.composite
def records(draw: st.DrawFn, entity: EntityModel) -> dict[str, Any]:
    """The example with some of its values replaced by others, so that many are accepted."""
    record = dict(entity.example)
    names = st.sets(st.sampled_from(sorted(entity.by_name)), min_size=1, max_size=3)
    for name in sorted(draw(names)):
        record[name] = draw(values_of(entity.by_name[name]))
    return record


@pytest.mark.parametrize(("design", "entity"), ENTITIES, ids=str)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_an_entity_accepts_becomes_an_item(
    design: Design, entity: EntityModel, data: st.DataObject
) -> None:
    try:
        record = entity.check(data.draw(records(entity)))
    except InvalidRecord:
        return
    attributes = design.attributes(entity, record)
    item = {name: encode(value) for name, value in attributes.items()}
    str(item).encode()
    assert item_bytes(attributes) <= ITEM_BYTES
    for index in (None, *entity.indexed):
        limits = (PARTITION_KEY_BYTES, SORT_KEY_BYTES)
        for name, limit in zip(design.key_attributes(index).names, limits, strict=False):
            if name in attributes:
                assert 0 < len(str(attributes[name]).encode()) <= limit
    expiry = attributes.get(design.ttl or "")
    assert expiry is None or 0 <= int(expiry) <= 253_402_300_799


class Note(
    Entity,
    key=Key("NOTE#{author}#{title}", "{title}"),
    expires=Expiry("written", years=1, days=30),
):
    author: Field[str] = Prose(max_length=2000)
    title: Field[str] = Prose(max_length=2000)
    written: Field[str] = TimestampText(resolution="ms")
    body: Field[str | None] = Text(default=None, max_length=1_000_000)
    counts: Field[Mapping[str, Decimal] | None] = Tally(prefix="n:", default=None)


class Notes(Table, pk="pk", sk="sk", ttl="ttl"):
    by_title = Index(pk="title", sk="authored", keys={Note: Key("{title}", "{author}#{written}")})
    put = Put(Note)


NOTE, NOTES = Note.__entity__, Notes.__design__
SOUND = {"author": "ada", "title": "on engines", "written": "2025-01-01T00:00:00.000Z"}


def refusals(entity: EntityModel, record: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(InvalidRecord) as refused:
        entity.check(record)
    return {problem.field: problem.reason for problem in refused.value.problems}


@pytest.mark.parametrize(
    ("day", "fits"),
    [
        ("1967-12-31", False),
        ("1968-01-01", True),
        ("2024-02-29", True),
        ("9997-12-31", True),
        ("9998-01-01", False),
        ("9999-12-31", False),
    ],
)
def test_a_sale_is_of_a_day_that_it_can_expire_by(day: str, fits: bool) -> None:
    record = {**Sale.__entity__.example, "sale_date": day}
    if fits:
        assert int(Sales.__design__.attributes(Sale.__entity__, Sale(**record))["ttl"]) >= 0
    else:
        told = "must lie between 1968-01-01 and 9997-12-31, so that it can expire"
        assert refusals(Sale.__entity__, record) == {"sale_date": told}


@given(years=st.integers(0, 50), days=st.integers(0, 4000), day=DAYS, late=st.booleans())
def test_the_days_that_can_expire_are_told_exactly(
    years: int, days: int, day: date, late: bool
) -> None:
    expiry = Expiry("at", years=years, days=days)
    for text in (expiry.first, expiry.last, str(day)):
        moment = f"{text}T23:59:59.999Z" if late else text
        if expiry.refuses(moment) is None:
            assert 0 <= expiry.at(moment) <= 253_402_300_799
        else:
            assert not expiry.first <= text <= expiry.last


def test_text_that_fits_its_field_but_not_a_key_is_refused() -> None:
    # 400 characters, but 1,600 bytes: too many for the sort key, and for that of the index.
    told = refusals(NOTE, {**SOUND, "title": "😀" * 400})
    assert told == {"title": "makes the key {title} longer than 1024 bytes"}
    told = refusals(NOTE, {**SOUND, "author": "é" * 500})
    assert told == {"author": "makes the key {author}#{written} longer than 1024 bytes"}
    both = {**SOUND, "author": "a" * 900, "title": "é" * 500, "written": "2025-01-01T00:00:00.000Z"}
    NOTES.attributes(NOTE, NOTE.check({**both, "title": "t" * 900}))
    assert "title" in refusals(NOTE, {**both, "title": "t" * 1025})


def test_a_record_larger_than_an_item_may_be_is_refused() -> None:
    NOTE.check({**SOUND, "body": "x" * 400_000})
    for unfit in ({"body": "x" * 410_000}, {"body": "😀" * 110_000}):
        told = refusals(NOTE, {**SOUND, **unfit})
        assert told == {"body": "makes the item larger than the 409600 bytes that one may have"}
    many = {f"{number:0>200}": 1 for number in range(3000)}
    assert refusals(NOTE, {**SOUND, "counts": many}).keys() == {"counts"}


@pytest.mark.parametrize("value", [10**50, Decimal("1E+125"), Decimal("1E-130"), Decimal("-0.0")])
def test_a_number_of_few_digits_may_have_many_zeros(value: Any) -> None:
    assert Number().check(value) == value


@pytest.mark.parametrize(("one", "two"), [(5, Decimal("5.0")), (100, Decimal("1E2")), (0, "-0")])
def test_equal_numbers_stand_in_one_key(one: int, two: Any) -> None:
    number = Number()
    assert number.to_text(number.check(one)) == number.to_text(number.check(Decimal(two)))


@pytest.mark.parametrize("given", ["Café", "Cafe\u0301", " Café\u00a0", "\u3000Café  "])
def test_a_name_is_kept_in_one_spelling(given: str) -> None:
    assert Name().check(given) == "Café"


def test_spaces_within_a_name_are_one() -> None:
    assert Name("brand").check("New \u00a0Balance") == "New Balance"


@pytest.mark.parametrize("blank", ["", " ", "\u00a0", "\u3000 "])
def test_a_blank_name_is_refused(blank: str) -> None:
    with pytest.raises(ValueError, match="must have 1 to 256 characters that are not blank"):
        Name().check(blank)


@pytest.mark.parametrize("value", ["a\tb", "a\nb", "a\0", "\ud800"])
def test_a_name_holds_no_control_characters(value: str) -> None:
    with pytest.raises(ValueError, match="must not contain control characters"):
        Name().check(value)


def test_a_submission_is_of_the_moment_that_its_id_was_made_in() -> None:
    submission = Forms.__design__.entities["Submission"]
    record = {**submission.example, "timestamp": "2025-01-01T00:00:00.000Z"}
    moment = moment_of(str(submission.example["submission_id"]))
    assert refusals(submission, record) == {
        "timestamp": f"must be the moment of submission_id, {moment}"
    }
