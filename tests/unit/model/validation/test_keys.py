"""Keys that are refused, with records that collide; keys that patterns and widths tell apart."""

import re
from types import new_class
from typing import Any

import pytest

from tablewright.commands.designs.check import findings
from tablewright.model import (
    Date,
    DateText,
    Entity,
    Field,
    Fraction,
    Get,
    Index,
    Key,
    Money,
    Number,
    Put,
    Query,
    Reversed,
    Shards,
    Table,
    Text,
    Timestamp,
    TimestampText,
    Whole,
)
from tablewright.model.validation.design import validate
from tablewright.model.validation.key_texts import KeyPart, find_readings

Fields = dict[str, Any]


def entity(name: str, key: Key, fields: Fields) -> type[Entity]:
    return new_class(name, (Entity,), {"key": key}, lambda own: own.update(fields))


def problems_of(*kinds: type[Entity], **members: Any) -> list[str]:
    gets = {f"get_{one.__name__}": Get(one) for one in kinds}
    settings: dict[str, Any] = {"pk": "PK", "sk": "SK", **members.pop("settings", {})}
    return validate(
        new_class("Random", (Table,), settings, lambda own: own.update({**gets, **members}))
    )


def records_in(problem: str) -> list[dict[str, str]]:
    """The records that a message shows, as the texts of their fields."""
    shown = re.findall(r"\b[A-Z]\w*\((\w+='[^)]*)\)", problem)
    return [dict(re.findall(r"(\w+)='([^']*)'", one)) for one in shown]


AMBIGUOUS = [
    ("{a}-{b}", {}, {}),
    ("{a}:{b}", {}, {}),
    ("{a}/{b}", {}, {}),
    ("{a}|{b}", {}, {}),
    ("{b}{c}", {}, {}),
    ("{a}--{b}", {}, {"delimiter": "--"}),
    ("{a}x{b}", {"a": Text(pattern="[a-z]+"), "b": Text(pattern="[a-z]+")}, {}),
    ("{n}{m}", {"n": Number(), "m": Number()}, {}),
    (
        "{a}-{b}",
        {"a": Text(pattern="(?i)[a-c]+(?:-[a-c]+)*"), "b": Text(pattern="(?i)[a-c-]+")},
        {},
    ),
]


@pytest.mark.parametrize(("form", "fields", "settings"), AMBIGUOUS)
def test_a_key_with_two_readings_is_refused_with_both(
    form: str, fields: Fields, settings: dict[str, Any]
) -> None:
    fields = {name: fields.get(name) or Text() for name in re.findall(r"{(\w)}", form)}
    (problem,) = problems_of(entity("Order", Key(form, "Y", **settings), fields))
    assert f"the table's key of Order, {form}, can be read in two ways" in problem
    one, two = records_in(problem)
    assert one != two
    assert form.format(**one) == form.format(**two)
    assert "separate them with" in problem
    assert "a pattern or a fixed width" in problem
    if re.fullmatch(r"{a}[-:/|]{b}", form):
        assert f'give Key(delimiter="{form[3]}")' in problem


DECODABLE = [
    (Key("{a}-{b}", "Y", delimiter="-"), {}),
    (Key("{a}#{b}", "Y"), {}),
    (Key("{a}-{b}", "Y"), {"b": Text(pattern="[^-]+")}),
    (Key("{a}-{b}", "Y"), {"a": Text(min_length=2, max_length=2)}),
    (Key("{b}{c}", "Y"), {"b": Date()}),
    (Key("{b}{c}", "Y"), {"c": Whole(digits=3)}),
    (Key("{b}{c}", "Y"), {"b": Text(pattern="[a-z]+"), "c": Text(pattern="[0-9]+")}),
    (Key("{a}{b}{c}", "Y"), {"a": Timestamp(), "b": Money(), "c": Fraction()}),
    (Key("ALL-{shard}-{a}", "Y", shards=Shards(4, by="a")), {}),
]


@pytest.mark.parametrize(("key", "fields"), DECODABLE)
def test_a_key_with_one_reading_is_accepted(key: Key, fields: Fields) -> None:
    every = {name: fields.get(name) or Text() for name in key.fields}
    assert problems_of(entity("Order", key, every)) == []


APART = [
    ("{day}.{n}", {"day": Date(), "n": Whole()}, "R{day}.{n}", {"day": Date(), "n": Whole()}),
    ("v0", {}, "v{n}", {"n": Text(pattern="[1-9][0-9]*")}),
    ("{a}", {"a": Text(pattern="[A-Z]{5}")}, "{n}", {"n": Text(pattern="[0-9]+")}),
    ("{a}", {"a": Text(min_length=2, max_length=4)}, "{n}", {"n": Whole(digits=5)}),
    ("{a}", {"a": Text(pattern=r"\d+")}, "{b}", {"b": Text(pattern=r"\D+")}),
]


@pytest.mark.parametrize(("one", "fields", "two", "more"), APART)
def test_keys_that_patterns_tell_apart_are_accepted(
    one: str, fields: Fields, two: str, more: Fields
) -> None:
    sort = Text()
    first = entity("First", Key("{id}", one), {"id": sort, **fields})
    second = entity("Second", Key("{id}", two), {"id": Text(), **more})
    assert problems_of(first, second) == []


COLLIDING = [
    ("{day}.{n}", {"day": Text(), "n": Whole()}, "R{day}.{n}", {"day": Date(), "n": Whole()}),
    ("v0", {}, "v{n}", {"n": Text(pattern="[0-9]+")}),
    ("{a}", {"a": Text(pattern="[A-Z]{5}")}, "{n}", {"n": Text(pattern="[0-9A-F]+")}),
    ("{a}", {"a": Text(pattern=r"\w+")}, "{b}", {"b": Text(pattern=r"\D+")}),
    ("{a}", {"a": Text(pattern=r"[^\d]+")}, "{b}", {"b": Text(pattern=r"\S")}),
]


@pytest.mark.parametrize(("one", "fields", "two", "more"), COLLIDING)
def test_keys_that_two_entities_can_have_are_refused_with_an_example(
    one: str, fields: Fields, two: str, more: Fields
) -> None:
    first = entity("First", Key("{id}", one), {"id": Text(), **fields})
    second = entity("Second", Key("{id}", two), {"id": Text(), **more})
    (problem,) = problems_of(first, second)
    mine, theirs = records_in(problem)
    assert mine["id"] == theirs["id"]
    assert one.format(**mine) == two.format(**theirs)
    for texts, declared in ((mine, fields), (theirs, more)):
        assert all(declared[name].fits_text(texts[name]) for name in declared), problem


def test_a_range_whose_keys_sort_otherwise_is_refused_with_an_example() -> None:
    fields = {"id": Text(), "name": Text(), "n": Whole()}
    order = entity("Order", Key("{id}", "{name}#{n}"), fields)
    (problem,) = problems_of(order, named=Query(order, range="name"))
    low, high = re.findall(r"\bname='([^']*)'", problem)
    assert low < high
    assert f"{low}#" > f"{high}#"
    assert "Put name at the end of its key" in problem
    assert problems_of(order, named=Query(order)) == []
    fields["name"] = Text(pattern="[a-z]+")
    order = entity("Order", Key("{id}", "{name}#{n}"), fields)
    assert problems_of(order, named=Query(order, range="name")) == []


def test_a_query_that_cannot_tell_first_fields_apart_is_refused_with_an_example() -> None:
    digits = {"id": Text(), "name": Text(pattern="v[0-9]+"), "n": Text(pattern="[0-9]x")}
    order = entity("Order", Key("{id}", "{name}{n}"), digits)
    assert problems_of(order) == []  # one character before the end is the end of the name
    (problem,) = problems_of(order, named=Query(order))
    (asked,) = re.findall(r"asked for name='([^']*)'", problem)
    (listed,) = records_in(problem)
    assert listed["name"] != asked
    assert f"{listed['name']}{listed['n']}".startswith(asked)


def test_a_range_of_moments_of_any_precision_is_refused() -> None:
    at = TimestampText(any_precision=True)
    order = entity("Order", Key("{id}", "{at}"), {"id": Text(), "at": at})
    (problem,) = problems_of(order, recent=Query(order, range="at"))
    assert "whose text in keys is not in the order of values" in problem


@pytest.mark.parametrize(
    "field", [Text(), Whole(lowest=-1), Fraction(), TimestampText(any_precision=True)]
)
def test_what_has_no_reverse_order_is_refused(field: Field[Any]) -> None:
    with pytest.raises(TypeError, match="Reversed takes a moment, a day, an amount"):
        Reversed(field)


def test_an_attribute_for_the_type_of_an_entity_holds_nothing_else() -> None:
    fields = {"id": Text(), "power": Text("type")}
    car = entity("Car", Key("{id}", "CAR"), fields)
    (problem,) = problems_of(car, settings={"entity_type": "type"})
    assert problem.startswith("Car.power is stored as 'type', which has the name of the entity")
    (problem,) = problems_of(car, settings={"entity_type": "SK"})
    assert "attribute 'SK' is a key or the ttl" in problem
    by_kind = Index(pk="kind", keys={car: Key("{power}")})
    (problem,) = problems_of(car, settings={"entity_type": "kind"}, by_kind=by_kind)
    assert "attribute 'kind' is a key or the ttl" in problem


@pytest.mark.parametrize(("id", "sound"), [("ab", False), ("a b c", False), ("abc", True)])
def test_an_id_that_no_table_can_have_is_refused(id: str, sound: bool) -> None:
    car = entity("Car", Key("{id}", "CAR"), {"id": Text()})
    problems = problems_of(car, settings={"id": id})
    assert [one.startswith(f"table '{id}' must have an id of 3 to 255") for one in problems] == (
        [] if sound else [True]
    )


class Journey(Entity, key=Key("{start}-{end}", "JOURNEY")):
    start: Field[str] = Text()
    end: Field[str] = Text()
    day: Field[str] = DateText()


class Journeys(Table, pk="PK", sk="SK"):
    put_journey = Put(Journey)


def test_check_says_where_an_ambiguous_key_is_declared() -> None:
    (finding,) = findings(Journeys)
    with open(__file__, encoding="utf-8") as file:
        line = file.read().splitlines()[finding.line - 1]
    assert line.startswith("class Journey(")
    assert finding.says.startswith("the table's key of Journey, {start}-{end}, can be read in two")


PATTERNS = [
    *(r"a{2,4}b?", r"(?:ab|a)+", r"[^\d]+x", r"\w{0,3}", r"(?P<x>a)(?P=x)", r"a(?=b)b", r"^a|b$"),
    *(r"(?s:.)+", r"\S+@\S+", r"[a-c&&d]*?", r"a++b", r"(?>a|ab)c", r"\Ax\Z", r"(a)?(?(1)b|c)"),
]
TEXTS = ["a", "b", "ab", "aab", "aaaab", "x", "xx", "1x", "a@b", "abc", "c", "aa", "", "é", "a\nb"]


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_text_that_a_pattern_matches_is_overlooked(pattern: str) -> None:
    for text in filter(None, TEXTS):
        if re.fullmatch(pattern, text):
            parts = (KeyPart("a", pattern),), (KeyPart("b", re.escape(text)),)
            assert find_readings(*parts), text
