"""Random designs of one table of orders: keys, indexes, shards, expiry, names and types differ."""

from __future__ import annotations

from datetime import date
from typing import Any, NamedTuple

from hypothesis import strategies as st

from tablewright.model import (
    ALL,
    KEYS_ONLY,
    DateText,
    Delete,
    Design,
    Entity,
    Expiry,
    Field,
    Get,
    Index,
    Key,
    Put,
    Shards,
    Table,
    Text,
    Update,
    Whole,
)
from tablewright.model.validation.design import validate

# Of the same fields, so that items can be told apart by each of them.
PRIMARY = (
    ("ORDER#{id}", "OF#{customer}"),
    ("OF#{customer}", "ORDER#{id}"),
    ("O#{customer}#{shard}", "{id}"),
)
INDEXED = (
    ("C#{customer}", "{day}"),
    ("CUSTOMER#{customer}", "D#{day}"),
    ("D#{day}", "C#{customer}"),
    ("N#{note}", "{day}"),
    ("ALL#{shard}", "D#{day}"),
)
# Attributes that fields are stored as anyway, and such that are derived.
ATTRIBUTES = (("X1", "X2"), ("Y1", "Y2"), ("day", "amount"))


class IndexSpec(NamedTuple):
    attributes: tuple[str, str]
    form: tuple[str, str]
    shards: int
    projects: str


class Spec(NamedTuple):
    """A design, in a few words that shrink well."""

    primary: tuple[str, str]
    shards: int
    indexes: dict[str, IndexSpec]
    customer: str
    amount: str
    ttl: str | None
    days: int
    entity_type: str | None
    stream: str | None


_SHARDS = st.sampled_from((2, 5))
_INDEX = st.builds(
    IndexSpec,
    st.sampled_from(ATTRIBUTES),
    st.sampled_from(INDEXED),
    _SHARDS,
    st.sampled_from((ALL, KEYS_ONLY, "amount")),
)
SPECS = st.builds(
    Spec,
    st.sampled_from(PRIMARY),
    _SHARDS,
    st.dictionaries(st.sampled_from(("by_a", "by_b", "by_c")), _INDEX, max_size=3),
    st.sampled_from(("customer", "cust")),
    st.sampled_from(("number", "text")),
    st.sampled_from((None, "ttl", "expires")),
    st.sampled_from((0, 30, 90)),
    st.sampled_from((None, "type")),
    st.sampled_from((None, "KEYS_ONLY", "NEW_AND_OLD_IMAGES")),
)


def design(spec: Spec) -> type[Table]:
    """The table that is meant."""

    class Order(
        Entity,
        key=Key(*spec.primary, shards=_shards(spec.primary, spec.shards)),
        expires=Expiry("day", days=spec.days) if spec.days and spec.ttl else None,
    ):
        id: Field[str] = Text(max_length=20)
        customer: Field[str] = Text(spec.customer, max_length=20)
        day: Field[str] = DateText()
        amount: Any = Whole() if spec.amount == "number" else Text(max_length=20)
        note: Field[str | None] = Text(default=None, max_length=20)

    indexes = {
        name: Index(
            name,
            pk=one.attributes[0],
            sk=one.attributes[1],
            keys={Order: _index_key(one)},
            projects=(Order.amount,) if one.projects == "amount" else one.projects,
            sparse="note" in one.form[0] and one.attributes[0] != "day",
        )
        for name, one in spec.indexes.items()
    }
    patterns = {
        "put": Put(Order),
        "create": Put(Order, create=True),
        "get": Get(Order),
        "change": Update(Order),
        "delete": Delete(Order),
    }
    return type(
        "Orders",
        (Table,),
        {**indexes, **patterns},
        pk="PK",
        sk="SK",
        ttl=spec.ttl,
        entity_type=spec.entity_type,
        stream=spec.stream,
    )


def _index_key(one: IndexSpec) -> Key:
    if one.attributes[0] == "day":
        return Key("{day}", "{amount}")
    return Key(*one.form, shards=_shards(one.form, one.shards))


def _shards(form: tuple[str, str], count: int) -> Shards | None:
    return Shards(count, by="id") if "{shard}" in form[0] else None


def _is_for_the_engine(spec: Spec) -> bool:
    # DynamoDB Local never ends to delete the second of two indexes of the same key.
    return len({one.attributes for one in spec.indexes.values()}) == len(spec.indexes)


def _is_sound(spec: Spec) -> bool:
    return _is_for_the_engine(spec) and not validate(design(spec))


TABLES = SPECS.filter(_is_sound).map(design)


class Change(NamedTuple):
    """An index, an expiry and a type that are added to a design, and an index that is removed."""

    old: Spec
    form: tuple[str, str]
    projects: str
    removed: bool
    ttl: bool
    entity_type: bool

    @property
    def added(self) -> Spec:
        """The design with the additions, beside all that it had."""
        index = IndexSpec(("Z1", "Z2"), self.form, 5, self.projects)
        spec = self.old._replace(indexes={**self.old.indexes, "by_z": index})
        if self.ttl and not spec.ttl:
            spec = spec._replace(ttl="until", days=30)
        # An index that names what it carries would carry the type too, and so be another one.
        named = any(one.projects == "amount" for one in spec.indexes.values())
        if self.entity_type and not named:
            spec = spec._replace(entity_type=spec.entity_type or "kind")
        return spec

    @property
    def contracted(self) -> Spec:
        """The design without the indexes that it had at first, if they are to be removed."""
        kept = {} if self.removed else self.old.indexes
        return self.added._replace(indexes={**kept, "by_z": self.added.indexes["by_z"]})


CHANGES = st.builds(
    Change,
    SPECS.filter(_is_sound),
    st.sampled_from(INDEXED),
    st.sampled_from((ALL, KEYS_ONLY, "amount")),
    st.booleans(),
    st.booleans(),
    st.booleans(),
).filter(lambda change: not validate(design(change.added)))
"""Changes that need nothing but additions, and a contraction after them."""

VALUES = st.fixed_dictionaries(
    {
        "id": st.sampled_from("abcdefgh"),
        "customer": st.sampled_from(("ann", "bob")),
        "day": st.dates(date(2030, 1, 1), date(2030, 12, 31)).map(date.isoformat),
        "amount": st.integers(0, 99),
        "note": st.sampled_from((None, "n")),
    }
)


def record(design: Design, values: dict[str, Any]) -> Any:
    """An order as a design has it."""
    order = design.entities["Order"]
    amount = values["amount"]
    told = str(amount) if order.by_name["amount"].kind == "S" else amount
    return order.made(**{**values, "amount": told})
