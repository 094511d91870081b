"""Every item of a tenant is looked for, and every way to it."""

from typing import Any

import pytest

from tablewright.catalog.forms.design import Forms
from tablewright.isolation.reach import (
    LOOK_ALIKES,
    Leak,
    leaks,
    places,
    possible,
)
from tablewright.model import Design, Entity, Field, Get, Index, Key, Put, Query, Table, Text

DESIGN = Forms.__design__
TENANT = "TENANT#${aws:PrincipalTag/tenant}"


def policy(*keys: str, index: str = "", **more: Any) -> dict[str, Any]:
    """What lets a session name these keys, as a grant would."""
    return {
        "Effect": "Allow",
        "Action": ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:BatchGetItem"],
        "Resource": f"table/index/{index}" if index else "table",
        "Condition": {
            "ForAllValues:StringLike": {"dynamodb:LeadingKeys": list(keys)},
            "Null": {"dynamodb:LeadingKeys": "false"},
        },
        **more,
    }


SAFE = [
    policy(TENANT, f"{TENANT}#*"),
    *(policy(TENANT, f"{TENANT}#*", index=name) for name in DESIGN.indexes),
]


def found(*statements: dict[str, Any], tenants: tuple[str, ...] = ("a", "ab")) -> list[Leak]:
    return list(leaks(DESIGN, statements, tenants, "tenant"))


def test_an_item_of_every_entity_is_looked_for_in_every_place_that_it_has() -> None:
    looked = {(name, place.index) for place in places(DESIGN, "a") for name in place.entities}
    assert looked == {
        (entity.name, index) for entity in DESIGN.entity_list for index in (None, *entity.indexed)
    }


def test_what_is_not_of_one_tenant_is_known_for_it() -> None:
    shared = {(place.index, place.entities) for place in places(DESIGN, "a") if place.shared}
    assert shared == {
        (None, ("DomainLookup",)),
        ("GSI1", ("TenantConfig",)),
        ("GSI1", ("DailyMetrics",)),
        ("GSI1", ("DomainClaim",)),
    }


def test_ids_that_no_tenant_can_have_are_told_apart() -> None:
    can, cannot = possible(DESIGN, LOOK_ALIKES)
    assert {"a", "ab", "A", "a-b", "SUB"} <= set(can)
    assert {"a#b", "*", "\u00e1", "a\u0301"} <= set(cannot)


def test_policies_that_end_the_tenant_in_its_key_leak_nothing() -> None:
    can, _ = possible(DESIGN, LOOK_ALIKES)
    assert found(*SAFE, tenants=tuple(can)) == []


def test_a_wildcard_right_after_the_tenant_is_found() -> None:
    planted = found(*SAFE, policy(f"{TENANT}*"))
    assert {(leak.mine, leak.theirs, leak.index) for leak in planted} == {("a", "ab", None)}
    assert all("GetItem" in leak.actions for leak in planted)
    reached = {name for leak in planted for name in leak.entities}
    assert reached == {e.name for e in DESIGN.entity_list if not e.key.shared}


def test_a_leak_in_one_index_is_found_there() -> None:
    planted = found(*SAFE, policy(f"{TENANT}*", index="GSI3"))
    assert [(leak.index, leak.actions, leak.entities) for leak in planted] == [
        ("GSI3", ("Query",), ("Submission",))
    ]
    assert str(planted[0]) == (
        "tenant 'a' reaches tenant 'ab': Query on index GSI3, TENANT#ab#FORM#contact#9 (Submission)"
    )


@pytest.mark.parametrize(
    ("planted", "actions"),
    [
        # Without Null, a call that names no key passes.
        ({"Action": "dynamodb:Scan", "Condition": {"ForAllValues:StringLike": {}}}, {"Scan"}),
        (
            {
                "Action": ["dynamodb:Scan", "dynamodb:PartiQLSelect"],
                "Condition": {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [TENANT]}},
            },
            {"Scan", "PartiQLSelect"},
        ),
    ],
)
def test_what_reads_everybody_is_found(planted: dict[str, Any], actions: set[str]) -> None:
    of_everybody = [leak for leak in found(*SAFE, policy(**planted)) if leak.theirs is None]
    assert {(leak.mine, leak.index) for leak in of_everybody} == {
        ("a", None),
        ("ab", None),
        (None, None),
    }
    assert {action for leak in of_everybody for action in leak.actions} == actions


def test_another_s_key_behind_one_s_own_is_found() -> None:
    condition = {"ForAnyValue:StringLike": {"dynamodb:LeadingKeys": [TENANT]}}
    planted = found(policy(Condition=condition))
    assert {leak.actions for leak in planted} == {("BatchGetItem",)}
    assert {
        (leak.mine, leak.theirs) for leak in planted if leak.partition == f"TENANT#{leak.theirs}"
    } == {
        ("a", "ab"),
        ("ab", "a"),
    }


def test_case_does_not_make_two_tenants_one() -> None:
    condition = {
        "ForAllValues:StringEqualsIgnoreCase": {"dynamodb:LeadingKeys": [TENANT]},
        "Null": {"dynamodb:LeadingKeys": "false"},
    }
    planted = found(policy(Condition=condition), tenants=("a", "A", "b"))
    assert {(leak.mine, leak.theirs) for leak in planted} == {("a", "A"), ("A", "a")}


def test_what_is_nobody_s_counts_as_another_s() -> None:
    planted = found(*SAFE, policy("CONFIG#*", index="GSI1"))
    assert [(leak.mine, leak.theirs, leak.entities) for leak in planted] == [
        ("a", None, ("TenantConfig",)),
        ("ab", None, ("TenantConfig",)),
        (None, None, ("TenantConfig",)),
    ]


def test_a_session_without_a_tag_is_one_that_could_be_had() -> None:
    planted = found(policy("TENANT#${aws:PrincipalTag/tenant, 'a'}"))
    assert {(leak.mine, leak.theirs) for leak in planted} == {(None, "a")}
    assert str(planted[0]).startswith("a session without a tag reaches tenant 'a'")


def test_ids_of_any_letters_stay_apart_in_bare_keys() -> None:
    class Note(Entity, key=Key("{owner}", "{at}"), example={"owner": "x", "at": "1"}):
        owner: Field[str] = Text()
        at: Field[str] = Text()

    class Notes(Table, pk="owner", sk="at", tenant="owner"):
        by_at = Index("ByAt", pk="owner", sk="at", keys={Note: Key("{owner}", "{at}")})
        put = Put(Note)
        get = Get(Note)
        list_notes = Query(Note)

    notes = Notes.__design__
    own = policy("${aws:PrincipalTag/tenant}")
    can, cannot = possible(notes, LOOK_ALIKES)
    assert cannot == {}
    assert list(leaks(notes, [own], can, "tenant")) == []
    planted = list(leaks(notes, [policy("${aws:PrincipalTag/tenant}*")], can, "tenant"))
    assert ("a", "a\u0301") in {(leak.mine, leak.theirs) for leak in planted}
    assert ("a", "\u00e1") not in {(leak.mine, leak.theirs) for leak in planted}


def test_a_design_without_tenants_has_nothing_to_tell_apart() -> None:
    design = Design("plain", pk="PK", entities=())
    with pytest.raises(ValueError, match="'plain' has no tenants to tell apart"):
        places(design, "a")
