"""Changes that have lost, hidden or altered items, each with the claim that it must not."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.changes.oracle.changes import Pair
from tests.unit.changes.oracle.designs import (
    DesignSpec,
    EntitySpec,
    FieldSpec,
    IndexSpec,
    KeySpec,
)

CASES: dict[str, Pair] = {}

_BY_CUSTOMER = IndexSpec("by_customer", "CPK", "CSK")
ORDER = EntitySpec(
    "order", "Order", KeySpec("ORDER#{id}", "ORDER"),
    (FieldSpec("id", "text"), FieldSpec("customer", "text"), FieldSpec("day", "day"),
     FieldSpec("amount", "whole"), FieldSpec("state", "three words"),
     FieldSpec("note", "text", default=None)),
    indexed={"by_customer": KeySpec("C#{customer}", "D#{day}")},
)  # fmt: skip
LINE = EntitySpec(
    "line", "Line", KeySpec("ORDER#{id}", "LINE#{number}"),
    (FieldSpec("id", "text"), FieldSpec("number", "whole"),
     FieldSpec("note", "text", default=None)),
)  # fmt: skip
SHOP = DesignSpec((ORDER, LINE), (_BY_CUSTOMER,))
TYPED = replace(SHOP, entity_type="type")


def _with(*fields: FieldSpec, spec: DesignSpec = SHOP, **changes: object) -> DesignSpec:
    """A shop whose order has these fields besides, or in place of others."""
    order = spec.by_meaning["order"]
    merged = {**order.by_meaning, **{one.meaning: one for one in fields}}
    return spec.with_entity(replace(order, fields=tuple(merged.values()), **changes))  # type: ignore[arg-type]


def _indexed(*key: object, spec: DesignSpec = SHOP, meaning: str = "by_customer") -> DesignSpec:
    order = spec.by_meaning["order"]
    return spec.with_entity(replace(order, indexed={**order.indexed, meaning: KeySpec(*key)}))  # type: ignore[arg-type]


def _case(claim: str, old: DesignSpec, new: DesignSpec) -> None:
    CASES[claim] = Pair(old, new, claim)


_OTHER = IndexSpec("by_state", "SPK", "SSK")
_BY_STATE = replace(_indexed("C#{customer}", "S#{state}#D#{day}", meaning="by_state"),
                    indexes=(_BY_CUSTOMER, _OTHER))  # fmt: skip
_ONLY_BY_STATE = replace(_BY_STATE, indexes=(_OTHER,)).with_entity(
    replace(ORDER, indexed={"by_state": KeySpec("C#{customer}", "S#{state}#D#{day}")}))  # fmt: skip
_case("1 the query in use stays full while another index takes its place", SHOP, _ONLY_BY_STATE)
_case("1 the query in use stays full beside a new index", SHOP, _BY_STATE)
_case("1 other fields in an index key hide no item", SHOP,
      _indexed("C#{customer}", "S#{state}#D#{day}"))  # fmt: skip
_case("1 another sort text in an index key hides no item",
      _indexed("C#{customer}", "A#{amount}"),
      _with(replace(ORDER.by_meaning["amount"], kind="large whole"),
            spec=_indexed("C#{customer}", "A#{amount}")))  # fmt: skip

_AT = (FieldSpec("at", "moment"), FieldSpec("at", "second"))
_case("2 moments that fall together in a key lose no item",
      _with(_AT[0], key=KeySpec("ORDER#{id}", "AT#{at}")),
      _with(_AT[1], key=KeySpec("ORDER#{id}", "AT#{at}")))  # fmt: skip

_A_AND_B = replace(SHOP, entities=(replace(ORDER, key=KeySpec("A#{id}", "X")),
                                   replace(LINE, key=KeySpec("B#{id}", "X"))))  # fmt: skip
_case("3 chained keys change no item's entity", _A_AND_B,
      replace(SHOP, entities=(replace(ORDER, key=KeySpec("B#{id}", "X")),
                              replace(LINE, key=KeySpec("C#{id}", "X")))))  # fmt: skip
_case("3 exchanged fields of a key exchange no values",
      SHOP.with_entity(replace(ORDER, key=KeySpec("{id}#{customer}", "ORDER"))),
      SHOP.with_entity(replace(ORDER, key=KeySpec("{customer}#{id}", "ORDER"))))  # fmt: skip

_case("4 an attribute that changes hands destroys no value",
      _with(FieldSpec("bill_to", "text", stored="a"),
            FieldSpec("ship_to", "text", stored="b")),
      _with(FieldSpec("bill_to", "text", stored="b"),
            FieldSpec("ship_to", "text", stored="c")))  # fmt: skip
_case("4 a new field takes no value of the attribute's former field",
      _with(FieldSpec("price", "money", stored="cost")),
      _with(FieldSpec("price", "money"), FieldSpec("cost", "money", default=None)))  # fmt: skip

_UNTIL = _with(FieldSpec("ends", "epoch"))
_case("5 a new ttl over moments that are stored deletes no item", _UNTIL,
      replace(_with(FieldSpec("ends", "epoch"), expires=("ends", 0)), ttl="ends"))  # fmt: skip

_case("6 an amount is not rounded to a whole number",
      _with(FieldSpec("price", "money")), _with(FieldSpec("price", "whole")))  # fmt: skip
_case("6 a number is not rounded to cents",
      _with(FieldSpec("price", "number")), _with(FieldSpec("price", "money")))  # fmt: skip

_case("7 a change that adds an index is complete in every table", SHOP, _BY_STATE)

_case("8 a renamed class with another key literal hides no item", SHOP,
      SHOP.with_entity(replace(ORDER, name="Purchase",
                               key=KeySpec("PURCHASE#{id}", "ORDER"))))  # fmt: skip

_case("9 more shards of an index hide no item of old code",
      _indexed("ALL#{shard}", "D#{day}", 2), _indexed("ALL#{shard}", "D#{day}", 5))  # fmt: skip
_case("9 more shards of the table's key double and hide no item",
      SHOP.with_entity(replace(ORDER, key=KeySpec("O#{customer}#{shard}", "{id}", 2))),
      SHOP.with_entity(replace(ORDER, key=KeySpec("O#{customer}#{shard}", "{id}", 5))))  # fmt: skip

_PARENTS = DesignSpec((replace(ORDER, key=KeySpec("C#{customer}", "{id}"), indexed={}),),
                      entity_type="type")  # fmt: skip
_CHILD = EntitySpec("child", "Child", KeySpec("C#{customer}", "{id}#{number}"),
                    (FieldSpec("customer", "text"), *LINE.fields))  # fmt: skip
_case("10 a new entity below another's key is no parent to old code", _PARENTS,
      replace(_PARENTS, entities=(*_PARENTS.entities, _CHILD)))  # fmt: skip

_case("11 a part's field that is stored elsewhere is not silent",
      _with(FieldSpec("address", "address")),
      _with(FieldSpec("address", "address, moved")))  # fmt: skip
_case("11 a renamed entity in tables with entity types is not silent", TYPED,
      TYPED.with_entity(replace(ORDER, name="Purchase")))  # fmt: skip
_case("11 a field that becomes required is not silent", SHOP,
      _with(FieldSpec("note", "text")))  # fmt: skip
_case("11 a field in a key that accepts fewer values is not silent",
      _indexed("C#{customer}", "S#{state}"),
      _with(FieldSpec("state", "two words"),
            spec=_indexed("C#{customer}", "S#{state}")))  # fmt: skip
_case("11 fewer digits in a key are not silent",
      _with(FieldSpec("amount", "large whole"), key=KeySpec("ORDER#{id}", "A#{amount}")),
      _with(FieldSpec("amount", "whole"), key=KeySpec("ORDER#{id}", "A#{amount}")))  # fmt: skip

_SIZED = _with(FieldSpec("size", "text", default="a"))
_BY_SIZE = replace(_indexed("SIZE#{size}", "D#{day}", spec=_SIZED, meaning="by_state"),
                   indexes=(_BY_CUSTOMER, _OTHER))  # fmt: skip
_case("12 an index on a new field with a default has every item", SHOP, _BY_SIZE)
_case("12 an index on an added field with a default has older items", _SIZED, _BY_SIZE)
_case("12 items of a removed entity keep no backfill waiting", SHOP,
      replace(_BY_STATE, entities=_BY_STATE.entities[:1]))  # fmt: skip

_case("13 a key field may be renamed in Python", SHOP,
      SHOP.with_entity(LINE.edited(number={"name": "position"})))  # fmt: skip

_case("14 a key that gains a field has a safe way back",
      SHOP,
      SHOP.with_entity(replace(ORDER, key=KeySpec("ORDER#{id}", "ORDER#{customer}"))))  # fmt: skip
