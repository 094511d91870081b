"""Conditions that are evaluated in Python, compared with the answers of DynamoDB Local."""

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from typing import Any, Literal, NamedTuple

import pytest

from tablewright.model import (
    Binary,
    Choice,
    Condition,
    Date,
    Document,
    Entity,
    EpochTimestamp,
    Field,
    Flag,
    Get,
    Key,
    ListOf,
    Money,
    Number,
    Part,
    PartOf,
    SetOf,
    Table,
    Tally,
    Text,
    Timestamp,
    Whole,
)
from tablewright.model.errors import InvalidValue
from tablewright.model.operands import Operand
from tablewright.runtime.errors import StoreError
from tablewright.runtime.store.evaluation import compiled
from tablewright.runtime.store.records import Records
from tablewright.testing import Database

Wire = dict[str, Any]
CONDITIONS = 10_000
GROUPS = 20  # conditions in one Scan, each for the items of its group
ITEMS = 12  # in a group


class Address(Part):
    city: Field[str] = Text("c")
    zip: Field[int | None] = Whole("z", default=None)


class Thing(Entity, key=Key("GROUP#{group}", "RANK#{rank}")):
    group: Field[str] = Text("PK")
    rank: Field[int] = Whole("SK", digits=4)
    text: Field[str | None] = Text("s", default=None)
    number: Field[Decimal | None] = Number("n", default=None)
    whole: Field[int | None] = Whole("w", default=None)
    money: Field[Decimal | None] = Money("m", default=None)
    flag: Field[bool | None] = Flag("f", default=None)
    binary: Field[bytes | None] = Binary("b", default=None)
    state: Field[Literal["a", "ab"] | None] = Choice(("a", "ab"), "e", default=None)
    day: Field[date | None] = Date("d", default=None)
    at: Field[datetime | None] = Timestamp("at", default=None)
    epoch: Field[datetime | None] = EpochTimestamp("ep", default=None)
    document: Field[Mapping[str, Any] | None] = Document("x", default=None)
    numbers: Field[tuple[Decimal, ...] | None] = ListOf(Number(), "l", default=None)
    texts: Field[set[str] | None] = SetOf(Text(), "ss", default=None)
    wholes: Field[set[int] | None] = SetOf(Whole(), "ns", default=None)
    binaries: Field[set[bytes] | None] = SetOf(Binary(), "bs", default=None)
    address: Field[Address | None] = PartOf(Address, "p", default=None)
    counts: Field[Mapping[str, Decimal] | None] = Tally(prefix="c_", default=None)


class Things(Table, pk="PK", sk="SK"):
    thing = Get(Thing)


TEXTS = [
    "a",
    "ab",
    "b",
    "é",
    "日本",
    "😀",
    "\uff41",  # sorts before 😀 in UTF-8, after it in UTF-16
    "2026-01-01",
    "2026-01-01T00:00:00.000000Z",
    "z" * 20,
]
NUMBERS = ["0", "1", "1.50", "2", "-1", "-7.5", "100", "1767225600", "12345678901234567890.123"]
BINARIES = [b"a", b"ab", b"\x00", b"\xff\x00", b"\xc3\xa9"]
DAYS = [date(2026, 1, 1), date(2025, 12, 31)]
TIMES = [datetime(2026, 1, 1, tzinfo=UTC), datetime(2025, 12, 31, 23, tzinfo=UTC)]
ONE: Any = 1
NAMES = ["a", "b", "é", "a.b"]
# The types of fields that have a size, and that of what is in a document.
SIZED = ("", "S", "B", "L", "M", "SS", "NS", "BS")
# The type that each attribute is declared with; of an attribute, a third have another one.
KINDS = {
    **dict.fromkeys(("s", "e", "d", "at"), "S"),
    **dict.fromkeys(("n", "w", "m", "ep", "c_a", "c_b"), "N"),
    **dict.fromkeys(("x", "p"), "M"),
    "f": "BOOL",
    "b": "B",
    "l": "L",
    "ss": "SS",
    "ns": "NS",
    "bs": "BS",
}


def plain(random: Random, depth: int = 2) -> Any:
    """A value of any type, as Python has it."""
    kind = random.choice(["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", *"MMLL"[: 2 * depth]])
    return plain_of(random, kind, depth)


def plain_of(random: Random, kind: str, depth: int = 2) -> Any:
    size = random.randrange(1, 3)
    values: dict[str, Callable[[], Any]] = {
        "S": lambda: random.choice(TEXTS),
        "N": lambda: Decimal(random.choice(NUMBERS)),
        "B": lambda: random.choice(BINARIES),
        "BOOL": lambda: random.random() < 0.5,
        "NULL": lambda: None,
        "SS": lambda: set(random.sample(TEXTS[:4], size)),
        "NS": lambda: set(map(Decimal, random.sample(NUMBERS[:4], size))),
        "BS": lambda: set(random.sample(BINARIES[:3], size)),
        "M": lambda: {name: plain(random, depth - 1) for name in random.sample(NAMES, size)},
        "L": lambda: [plain(random, depth - 1) for _ in range(random.randrange(3))],
    }
    return values[kind]()


def wire(value: Any) -> Wire:
    """A value as DynamoDB's JSON, written without the library's own encoder."""
    if isinstance(value, bool) or value is None:
        return {"NULL": True} if value is None else {"BOOL": value}
    if isinstance(value, dict):
        return {"M": {name: wire(inner) for name, inner in value.items()}}
    if isinstance(value, list | tuple):
        return {"L": [wire(inner) for inner in value]}
    if isinstance(value, set):
        ((kind, _),) = wire(next(iter(value))).items()
        return {kind + "S": [wire(inner)[kind] for inner in value]}
    if isinstance(value, int | Decimal):
        return {"N": str(value)}
    return {"B" if isinstance(value, bytes) else "S": value}


def an_item(random: Random, group: int, rank: int) -> dict[str, Wire]:
    item = {"PK": {"S": f"GROUP#{group}"}, "SK": {"S": f"RANK#{rank:04}"}, "rank": wire(rank)}
    for name in KINDS:
        if random.random() < 0.8:
            other = random.random() < 0.3
            item[name] = wire(plain(random) if other else plain_of(random, KINDS[name]))
    return item


class Place(NamedTuple):
    """An operand, the path that it stands for, and values that it can be compared with."""

    operand: Operand[Any]
    path: list[str | int]
    value: Callable[[], tuple[Any, Any]]  # as a caller passes it, and as it is stored


def a_place(random: Random) -> Place:
    def same(value: Any) -> tuple[Any, Any]:
        return value, value

    def of(kind: str) -> Callable[[], tuple[Any, Any]]:
        return lambda: same(plain_of(random, kind))

    def amount() -> tuple[Any, Any]:
        return same(abs(Decimal(random.choice(NUMBERS[:3]))))

    def whole() -> tuple[Any, Any]:
        return same(Decimal(random.choice(["0", "1", "2", "100"])))

    def day() -> tuple[Any, Any]:
        return (chosen := random.choice(DAYS)), chosen.isoformat()

    def at() -> tuple[Any, Any]:
        chosen = random.choice(TIMES)
        return chosen, chosen.strftime("%Y-%m-%dT%H:%M:%S.000000Z")

    def epoch() -> tuple[Any, Any]:
        chosen = random.choice(TIMES)
        return chosen, Decimal(int(chosen.timestamp()))

    def anything() -> tuple[Any, Any]:
        return same(plain(random))

    def numbers() -> tuple[Any, Any]:
        return same([plain_of(random, "N") for _ in range(random.randrange(3))])

    def address() -> tuple[Any, Any]:
        city = random.choice(TEXTS[:3])
        return {"city": city}, {"c": city}

    name, step = random.choice(NAMES), random.randrange(3)
    document, parts = Thing.document, Thing.address
    return random.choice(
        [
            Place(Thing.rank, ["rank"], lambda: same(Decimal(random.randrange(ITEMS)))),
            Place(Thing.text, ["s"], of("S")),
            Place(Thing.number, ["n"], of("N")),
            Place(Thing.whole, ["w"], whole),
            Place(Thing.money, ["m"], amount),
            Place(Thing.flag, ["f"], of("BOOL")),
            Place(Thing.binary, ["b"], of("B")),
            Place(Thing.state, ["e"], lambda: same(random.choice(["a", "ab"]))),
            Place(Thing.day, ["d"], day),
            Place(Thing.at, ["at"], at),
            Place(Thing.epoch, ["ep"], epoch),
            Place(document.at(name), ["x", name], anything),
            Place(document.at(name, "a"), ["x", name, "a"], anything),
            Place(document.at(name, step), ["x", name, step], anything),
            Place(Thing.numbers, ["l"], numbers),
            Place(Thing.numbers.at(step), ["l", step], of("N")),
            Place(Thing.texts, ["ss"], of("SS")),
            Place(Thing.wholes, ["ns"], lambda: same({Decimal(1), Decimal(random.randrange(3))})),
            Place(Thing.binaries, ["bs"], of("BS")),
            Place(parts, ["p"], address),
            Place(parts.at(Address.city), ["p", "c"], of("S")),
            Place(parts.at(Address.zip), ["p", "z"], whole),
            Place(Thing.counts.at("a"), ["c_a"], of("N")),
        ]
    )


class Oracle:
    """Random conditions, each with its expression, written without the library's rendering."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.names: dict[str, str] = {}
        self.values: dict[str, Wire] = {}

    def condition(self, depth: int = 2) -> tuple[Condition, str]:
        random = self._random
        if depth and random.random() < 0.3:
            (left, first), (right, second) = self.condition(depth - 1), self.condition(depth - 1)
            if random.random() < 0.5:
                return left & right, f"({first}) AND ({second})"
            return left | right, f"({first}) OR ({second})"
        if depth and random.random() < 0.2:
            negated, text = self.condition(depth - 1)
            return ~negated, f"NOT ({text})"
        place = a_place(random)
        path = self._path(place.path)
        if random.random() < 0.15 and place.operand.leaf.kind in SIZED:
            return self._compared(
                place.operand.size(),
                f"size({path})",
                lambda: (number := random.randrange(4), Decimal(number)),
            )
        return random.choice([self._compared, self._compared, self._function])(
            place.operand, path, place.value
        )

    def _compared(
        self, operand: Operand[Any], path: str, value: Callable[[], tuple[Any, Any]]
    ) -> tuple[Condition, str]:
        (low, stored), (high, other) = sorted([value(), value()], key=repr)
        kind = next(iter(wire(stored)))
        text, more = self._value(stored), self._value(other)
        chosen = self._random.randrange(9)
        if chosen > 2 and (kind not in ("S", "N", "B") or kind != next(iter(wire(other)))):
            chosen %= 3
        if chosen == 8 and other < stored:
            low, high, text, more = high, low, more, text
        cases: list[Callable[[], tuple[Condition, str]]] = [
            lambda: (operand == low, f"{path} = {text}"),
            lambda: (operand != low, f"{path} <> {text}"),
            lambda: (operand.is_in(low, high), f"{path} IN ({text}, {more})"),
            lambda: (operand < low, f"{path} < {text}"),
            lambda: (operand <= low, f"{path} <= {text}"),
            lambda: (operand > low, f"{path} > {text}"),
            lambda: (operand >= low, f"{path} >= {text}"),
            lambda: (operand.is_in(low), f"{path} IN ({text})"),
            lambda: (operand.between(low, high), f"{path} BETWEEN {text} AND {more}"),
        ]
        return cases[chosen]()

    def _function(
        self, operand: Operand[Any], path: str, value: Callable[[], tuple[Any, Any]]
    ) -> tuple[Condition, str]:
        random = self._random
        kind = random.choice(["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"])
        start: Any = random.choice([random.choice(TEXTS)[:1], random.choice(BINARIES)[:1]])
        part = plain_of(random, random.choice("SNB"))
        name = "" if operand.path else operand.field.name
        if name in ("numbers", "wholes"):
            part = Decimal(random.randrange(3))
        elif name in ("texts", "binaries"):
            part = random.choice("ab") if name == "texts" else b"a"
        functions: list[Callable[[], tuple[Condition, str]]] = [
            lambda: (operand.exists(), f"attribute_exists({path})"),
            lambda: (operand.is_missing(), f"attribute_not_exists({path})"),
            lambda: (operand.is_of_type(kind), f"attribute_type({path}, {self._value(kind)})"),
            lambda: (operand.begins_with(start), f"begins_with({path}, {self._value(start)})"),
            lambda: (operand.contains(part), f"contains({path}, {self._value(part)})"),
        ]
        while True:
            # A function that is not for the type of a field is refused where it is written.
            with suppress(InvalidValue):
                return random.choice(functions)()

    def _path(self, steps: list[str | int]) -> str:
        text = ""
        for step in steps:
            if isinstance(step, int):
                text += f"[{step}]"
            else:
                alias = self.names.setdefault(step, f"#{len(self.names)}")
                text += f".{alias}" if text else alias
        return text

    def _value(self, value: Any) -> str:
        alias = f":{len(self.values)}"
        self.values[alias] = wire(value)
        return alias


@pytest.fixture(scope="module")
def records() -> Records:
    return Records(Things.__design__, Things.__design__.entities["Thing"])


def test_random_conditions_have_the_answers_of_dynamodb(
    module_dynamodb: Database, records: Records
) -> None:
    seed = int(os.environ.get("SEED", "20261119"))
    random = Random(seed)
    table = module_dynamodb.table(Things)
    module_dynamodb.write([an_item(random, g, r) for g in range(GROUPS) for r in range(ITEMS)])
    scan = module_dynamodb.caller
    items = scan.call("Scan", {"TableName": table})["Items"]
    assert len(items) == GROUPS * ITEMS
    differences, satisfied = [], 0
    for _ in range(CONDITIONS // GROUPS):
        oracle = Oracle(random)
        cases = [oracle.condition() for _ in range(GROUPS)]
        texts = [f"(#g = :g{at} AND ({text}))" for at, (_, text) in enumerate(cases)]
        used = set(re.findall(r":\w+", " ".join(texts)))
        groups = {f":g{at}": {"S": f"GROUP#{at}"} for at in range(GROUPS)}
        answer = scan.call(
            "Scan",
            {
                "TableName": table,
                "FilterExpression": " OR ".join(texts),
                "ExpressionAttributeNames": {
                    "#g": "PK",
                    **{alias: name for name, alias in oracle.names.items()},
                },
                "ExpressionAttributeValues": {
                    alias: value
                    for alias, value in (oracle.values | groups).items()
                    if alias in used
                },
            },
        )
        expected = {(item["PK"]["S"], item["SK"]["S"]) for item in answer["Items"]}
        satisfied += len(expected)
        tests = [compiled(condition, records) for condition, _ in cases]
        for item in items:
            at = int(item["PK"]["S"].removeprefix("GROUP#"))
            expected_here = (item["PK"]["S"], item["SK"]["S"]) in expected
            if tests[at](item) is not expected_here:
                differences.append((cases[at], expected_here, item))
    assert not differences, (f"SEED={seed}", len(differences), differences[:3])
    # Neither answer is rare.
    assert 0.2 < satisfied / (CONDITIONS * ITEMS) < 0.8


def refused(name: str, condition: Condition, text: str, **values: Any) -> Any:
    return pytest.param(condition, text, values, id=name)


@pytest.mark.parametrize(
    ("condition", "text", "values"),
    [
        refused("order of flags", Thing.flag < True, "f < :v", v=True),
        refused("order of sets", Thing.texts > {"a"}, "ss > :v", v={"a"}),
        refused(
            "range of two types",
            Thing.document.at("a").between(1, "a"),
            "x.a BETWEEN :v AND :w",
            v=1,
            w="a",
        ),
    ],
)
def test_conditions_that_dynamodb_refuses_are_refused(
    module_dynamodb: Database,
    records: Records,
    condition: Condition,
    text: str,
    values: dict[str, Any],
) -> None:
    request = {
        "TableName": module_dynamodb.table(Things),
        "FilterExpression": text,
        "ExpressionAttributeValues": {f":{name}": wire(value) for name, value in values.items()},
    }
    with pytest.raises(StoreError, match="ValidationException"):
        module_dynamodb.caller.call("Scan", request)
    with pytest.raises(StoreError):
        compiled(condition, records)
