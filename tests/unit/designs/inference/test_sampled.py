"""Designs from many items: what nearly all of a kind have in common is found."""

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.designs import build_table
from tablewright.designs.inference.design import Inferred, infer_design
from tablewright.designs.inference.observed import Item, ObservedIndex, ObservedTable
from tablewright.model import java_hash, last_character, uniform
from tablewright.model.sharding.shards import ShardFunction
from tablewright.model.validation.design import validate

pytestmark = pytest.mark.thorough

MANY = 200
_WIRES = {str: "S", int: "N", float: "N", bool: "BOOL"}


def item(**attributes: Any) -> Item:
    return {
        name: value
        if isinstance(value, dict)
        else {_WIRES[type(value)]: str(value) if _WIRES[type(value)] == "N" else value}
        for name, value in attributes.items()
        if value is not None
    }


def items(made: Callable[[int], dict[str, Any]], many: int = MANY) -> list[Item]:
    return [item(**made(number)) for number in range(many)]


def inferred(seen: Iterable[Item], *indexes: ObservedIndex, **table: Any) -> Inferred:
    found = infer_design(
        ObservedTable("shop", "PK", "SK", indexes=indexes, items=tuple(seen), **table)
    )
    assert validate(build_table(found.description)) == []
    return found


def the_one(found: Inferred) -> dict[str, Any]:
    (entity,) = found.description["entities"].values()
    return dict(entity)


@pytest.mark.parametrize("function", [uniform, java_hash, last_character])
def test_shards_are_explained_by_an_id_and_a_function(function: ShardFunction) -> None:
    found = inferred(
        items(
            lambda n: {
                "PK": f"DAY#{function(f'order-{n}', 5)}",
                "SK": f"ORDER#order-{n}",
                "total": n,
            }
        )
    )
    path = f"tablewright.model:{function.__name__}"
    shards = {"kind": "Shards", "count": 5, "by": "order", "function": path}
    assert the_one(found)["key"] == {
        "partition": "DAY#{shard}",
        "sort": "ORDER#{order}",
        "shards": shards,
    }


def test_a_number_that_nothing_explains_is_a_field_with_a_question() -> None:
    found = inferred(items(lambda n: {"PK": f"DAY#{n * n % 7}", "SK": f"ORDER#order-{n}"}))
    assert the_one(found)["key"]["partition"] == "DAY#{shard_number}"
    ((asked, says),) = found.comments.items()
    assert asked.endswith(".shard_number")
    assert "Is it a shard?" in says


@pytest.mark.parametrize(
    ("spans", "ends"),
    [
        ({}, lambda day: day),
        ({"days": 30}, lambda day: day + timedelta(days=30)),
        ({"years": 2}, lambda day: day.replace(year=day.year + 2)),
    ],
    ids=["at", "days", "years"],
)
def test_expiry_is_explained_by_a_field_and_a_span(
    spans: dict[str, int], ends: Callable[[datetime], datetime]
) -> None:
    def made(number: int) -> dict[str, Any]:
        day = datetime(2025, 1, 31, tzinfo=UTC) + timedelta(days=number)
        seen = day.date().isoformat()
        return {"PK": f"BOX#{number}", "SK": "BOX", "seen": seen, "ttl": int(ends(day).timestamp())}

    entity = the_one(inferred(items(made), ttl="ttl"))
    assert entity["expires"] == {"field": "seen", **spans}
    assert "ttl" not in entity["fields"]


def test_expiry_can_follow_from_seconds_since_1970() -> None:
    def made(number: int) -> dict[str, Any]:
        at = 1_750_000_000 + 977 * number
        return {"PK": f"BOX#{number}", "SK": "BOX", "made": at, "ttl": at + 7 * 86_400}

    entity = the_one(inferred(items(made), ttl="ttl"))
    assert entity["expires"] == {"field": "made", "days": 7}
    assert entity["fields"]["made"] == {"kind": "EpochTimestamp"}


def test_expiry_that_nothing_explains_is_a_field_with_a_question() -> None:
    found = inferred(
        items(lambda n: {"PK": f"BOX#{n}", "SK": "BOX", "ttl": 1_800_000_000 + n * n}), ttl="ttl"
    )
    assert the_one(found)["expires"] == {"field": "ttl"}
    assert found.comments["Box.ttl"].startswith("Does it follow from a day or moment?")


def test_a_field_that_stands_the_other_way_round_is_found() -> None:
    index = ObservedIndex("top", ("TPK",), ("TSK",))

    def made(n: int) -> dict[str, Any]:
        return {
            "PK": f"PLAYER#{n}",
            "SK": "SCORE",
            "score": n * 37 % 1000,
            "TPK": "TOP",
            "TSK": f"{9999 - n * 37 % 1000:04}",
        }

    found = inferred(items(made), index)
    entity = the_one(found)
    assert entity["computed"] == {"score_reversed": {"kind": "Reversed", "of": ["score"]}}
    assert entity["fields"]["score"] == {"kind": "Whole", "digits": 4}
    (key,) = found.description["indexes"]["top"]["keys"].values()
    assert key == {"partition": "TOP", "sort": "{score_reversed}"}


@pytest.mark.parametrize(
    ("value", "text", "kind"),
    [
        (lambda n: n, lambda n: f"{n:06}", {"kind": "Whole", "digits": 6}),
        (lambda n: n + 0.25, lambda n: f"{n * 100 + 25:08}", {"kind": "Money", "digits": 8}),
        (lambda n: n / 1000, lambda n: f"{n / 1000:.3f}", {"kind": "Fraction", "decimals": 3}),
        (lambda n: n % 2 == 0, lambda n: "true" if n % 2 == 0 else "false", {"kind": "Flag"}),
    ],
    ids=["whole", "money", "fraction", "flag"],
)
def test_the_form_in_a_key_tells_what_kind_a_field_is(
    value: Callable[[int], Any], text: Callable[[int], str], kind: dict[str, Any]
) -> None:
    found = inferred(items(lambda n: {"PK": f"BOX#b{n}", "SK": f"V#{text(n)}", "value": value(n)}))
    assert the_one(found)["key"]["sort"] == "V#{value}"
    assert the_one(found)["fields"]["value"] == kind


def test_letters_before_a_number_are_a_word() -> None:
    def made(n: int) -> dict[str, Any]:
        return {"PK": f"DOC#d{n}x", "SK": f"v{n:04}", "number": n}

    assert the_one(inferred(items(made)))["key"]["sort"] == "v{number}"


def test_numbers_under_names_of_their_own_are_a_tally() -> None:
    found = inferred(
        items(lambda n: {"PK": f"DAY#d{n}", "SK": "COUNTS", f"from:{n % 9}": 1, "views": n})
    )
    fields = the_one(found)["fields"]
    assert fields["from_"] == {"kind": "Tally", "prefix": "from:", "default": None}


def test_an_index_is_sparse_where_its_fields_are_missing() -> None:
    index = ObservedIndex("open", ("OPK",), ("OSK",))

    def made(number: int) -> dict[str, Any]:
        more = {"due": f"2026-01-{number % 28 + 1:02}"} if number % 3 else {}
        keys = {"OPK": "OPEN", "OSK": f"{more['due']}#t{number}"} if more else {}
        return {"PK": f"TASK#t{number}", "SK": "TASK", **more, **keys}

    told = inferred(items(made), index).description["indexes"]["open"]
    assert told["sparse"]
    assert told["keys"]["Task"] == {"partition": "OPEN", "sort": "{due}#{task}"}


def test_an_index_key_that_is_missing_without_reason_is_kept_as_it_is() -> None:
    index = ObservedIndex("open", ("OPK",))

    def made(number: int) -> dict[str, Any]:
        keys = {"OPK": f"OPEN#t{number}"} if number % 3 else {}
        return {"PK": f"TASK#t{number}", "SK": "TASK", **keys}

    found = inferred(items(made), index)
    assert found.description["indexes"]["open"]["keys"]["Task"] == {"partition": "{opk}"}
    assert found.comments["Task.opk"].startswith("Kept whole")


def test_one_item_in_a_hundred_may_be_otherwise() -> None:
    index = ObservedIndex("by_owner", ("OPK",))

    def made(number: int) -> dict[str, Any]:
        owner = f"o{number % 9}"
        key = "OWNER#somebody" if number == 7 else f"OWNER#{owner}"
        return {"PK": f"BOX#b{number}", "SK": "BOX", "owner": owner, "OPK": key}

    found = inferred(items(made), index)
    assert found.description["indexes"]["by_owner"]["keys"]["Box"] == {"partition": "OWNER#{owner}"}


def test_the_one_item_of_its_kind_is_an_entity() -> None:
    stray = item(PK="CONFIG#main", SK="CONFIG", limit=9)
    found = inferred([*items(lambda n: {"PK": f"ORDER#o{n}", "SK": "ORDER", "total": n}), stray])
    assert set(found.description["entities"]) == {"Order", "Config"}


def test_kinds_are_told_by_words_that_go_with_other_attributes() -> None:
    found = inferred(
        [
            *items(lambda n: {"PK": f"a{n}@x.example", "SK": "guard", "state": "new"}),
            *items(lambda n: {"PK": f"a{n}@x.example", "SK": f"2026-01-31T12:{n % 60:02}:00Z"}),
        ]
    )
    sorts = {entity["key"]["sort"] for entity in found.description["entities"].values()}
    assert sorts == {"guard", "{sk}"}


def test_words_that_are_values_of_an_attribute_tell_no_kinds() -> None:
    def made(n: int) -> dict[str, Any]:
        return {
            "PK": f"ORDER#o{n}",
            "SK": f"{('OPEN', 'CLOSED')[n % 2]}#ORDER",
            "state": ("OPEN", "CLOSED")[n % 2],
            **({"closed_at": "2026-01-31"} if n % 2 else {}),
        }

    assert the_one(inferred(items(made)))["key"]["sort"] == "{state}#ORDER"


def test_words_of_a_few_are_choices_and_maps_of_one_form_are_parts() -> None:
    def made(n: int) -> dict[str, Any]:
        return {
            "PK": f"ORDER#o{n}",
            "SK": "ORDER",
            "state": ("open", "paid", "sent")[n % 3],
            "address": {"M": {"city": {"S": f"c{n}"}, "zip": {"S": str(n)}}},
        }

    found = inferred(items(made))
    fields = the_one(found)["fields"]
    assert fields["state"] == {"kind": "Choice", "choices": ["open", "paid", "sent"]}
    assert found.comments["Order.state"].startswith("Are these all?")
    assert fields["address"] == {"kind": "PartOf", "of": "OrderAddress"}
    assert found.description["parts"]["OrderAddress"]["fields"].keys() == {"city", "zip"}


def test_an_attribute_that_an_index_carries_and_no_item_has_is_kept() -> None:
    index = ObservedIndex("by_owner", ("owner",), (), ("total", "discount"))
    found = inferred(
        items(lambda n: {"PK": f"BOX#b{n}", "SK": "BOX", "owner": f"o{n}", "total": n}), index
    )
    assert found.description["indexes"]["by_owner"]["projects"] == ["total", "discount"]
    assert "no item has it" in found.comments["Box.discount"]


def test_a_tenant_that_is_alone_is_a_field_with_a_question() -> None:
    found = inferred(items(lambda n: {"PK": "TENANT#acme", "SK": f"USER#u{n}"}))
    assert the_one(found)["key"] == {"partition": "TENANT#{tenant}", "sort": "USER#{user}"}
    assert any(says.startswith("One value was seen") for says in found.comments.values())


def test_days_in_keys_are_days() -> None:
    first = date(2026, 1, 1)

    def made(n: int) -> dict[str, Any]:
        return {"PK": f"SHOP#s{n}", "SK": f"{first + timedelta(days=n)}#o{n}"}

    entity = the_one(inferred(items(made)))
    assert entity["key"]["sort"].startswith("{day}#{")
    assert entity["fields"]["day"] == {"kind": "Date", "stored": None}


NAMES = st.sampled_from(["PK", "GSI1PK", "type", "keys", "class", "shard", "at", "ttl", "n:1", "é"])
TEXTS = st.sampled_from(
    ["A", "A#1", "A#2", "B#1#C#2", "#M#1", "a:b", "2026-01-31", "{x}", "x", "#", "A#", "ORDER", "7"]
)
WIRES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    TEXTS.map(lambda text: {"S": text}),
    st.integers(-5, 500).map(lambda number: {"N": str(number)}),
    st.sampled_from(
        [{"BOOL": True}, {"NULL": True}, {"L": []}, {"M": {}}, {"SS": ["a"]}, {"S": ""}]
    ),
)
SOME_ITEM = st.builds(
    lambda rest, pk, sk: {**rest, "PK": {"S": pk}, "SK": {"S": sk}},
    st.dictionaries(NAMES, WIRES, max_size=4),
    TEXTS,
    TEXTS,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    some=st.lists(SOME_ITEM, min_size=20, max_size=40),
    index=st.tuples(NAMES, NAMES).filter(lambda two: two[0] != two[1]),
    ttl=st.sampled_from([None, "ttl"]),
)
def test_whatever_many_items_hold_their_design_is_sound(
    some: list[Item], index: tuple[str, str], ttl: str | None
) -> None:
    inferred(some, ObservedIndex("GSI1", (index[0],), (index[1],), ("type",)), ttl=ttl)
