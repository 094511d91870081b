"""Declarations: an entity is a class with typed fields, a table a class with its access patterns.

::

    class Order(Entity, key=Key("TENANT#{tenant}#ORDER#{order_id}", "ORDER")):
        tenant: Field[str] = Text(max_length=64)
        order_id: Field[str] = Text()
        total: Field[Decimal] = Money()


    class Orders(Table, pk="PK", sk="SK", tenant="tenant"):
        place = Put(Order, create=True)
        order = Get(Order)
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self, TypedDict, TypeVar, Unpack, dataclass_transform

from tablewright.model.entity import EntityModel, Key
from tablewright.model.expiry import Expiry
from tablewright.model.fields.base import Field
from tablewright.model.fields.specifiers import (
    Binary,
    Choice,
    Date,
    DateText,
    Document,
    Flag,
    Fraction,
    HourText,
    Lines,
    Money,
    Name,
    Number,
    Prose,
    Tally,
    Text,
    TextList,
    TextSet,
    Timestamp,
    TimestampText,
    Whole,
)
from tablewright.model.patterns import Pattern
from tablewright.model.sharding.epochs import EpochList
from tablewright.model.table import Design, Index
from tablewright.model.time_ids import TimeId

E = TypeVar("E", bound="Entity")
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Settings(TypedDict, total=False):
    """Settings of a table."""

    pk: str
    sk: str | None
    ttl: str | None
    stream: str | None
    tenant: str | None
    epochs: Pattern[Any] | None


@dataclass_transform(
    kw_only_default=True,
    field_specifiers=(
        Binary,
        Choice,
        Date,
        DateText,
        Document,
        EpochList,
        Flag,
        Fraction,
        HourText,
        Lines,
        Money,
        Name,
        Number,
        Prose,
        Tally,
        Text,
        TextList,
        TextSet,
        TimeId,
        Timestamp,
        TimestampText,
        Whole,
    ),
)
class Entity(Mapping[str, Any]):
    """A kind of item. Its records are objects of the class, which read as mappings too.

    A record is checked when it is made, raises InvalidRecord with everything that is wrong, and
    does not change. Fields that it has no value for are not among its keys; as attributes they
    are their default. The class's docstring is what the table's page says of the entity.
    """

    __slots__ = ("__checked__", "__dict__")
    __entity__: ClassVar[EntityModel]
    __home__: "ClassVar[type[Table]]"
    # Whether it was checked: as it is made, but not as it is read from a table.
    __checked__: bool

    def __init_subclass__(
        cls,
        *,
        key: Key | None = None,
        expires: Expiry | None = None,
        example: Mapping[str, Any] | None = None,
        name: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init_subclass__(**settings)
        fields = {
            attribute: found
            for base in reversed(cls.__mro__)
            for attribute, found in vars(base).items()
            if isinstance(found, Field)
        }
        if key is None:
            return  # what other entities have in common
        cls.__entity__ = EntityModel(
            name or cls.__name__,
            key=key,
            fields=fields.values(),
            expires=expires,
            example=example,
            describes=_first_paragraph(cls.__doc__),
            made=cls,
        )

    def __init__(self, **values: Any) -> None:
        object.__setattr__(self, "__dict__", self.__entity__.check(values))
        object.__setattr__(self, "__checked__", True)

    @classmethod
    def _stored(cls, values: dict[str, Any]) -> Self:
        """A record of what is stored, which may have been stored under other rules."""
        record = cls.__new__(cls)
        object.__setattr__(record, "__dict__", values)
        object.__setattr__(record, "__checked__", False)
        return record

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __len__(self) -> int:
        return len(self.__dict__)

    def __contains__(self, name: object) -> bool:
        return name in self.__dict__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Entity):
            return type(self) is type(other) and self.__dict__ == other.__dict__
        return self.__dict__ == other if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({values})"

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a record does not change: make another with {name}=…")

    def __reduce__(self) -> Any:
        return _restored, (type(self), dict(self.__dict__))


def _restored(kind: type[Entity], values: dict[str, Any]) -> Entity:
    return kind._stored(values)


def key_of(record: Entity) -> dict[str, Any]:
    """The fields of a record that its key is made of."""
    return {name: record[name] for name in record.__entity__.key.inputs}


def replaced(record: E, **changes: Any) -> E:
    """The record with other values; None removes an optional one."""
    return type(record)(**{**record.__dict__, **changes})


def unchecked(kind: type[E], values: Mapping[str, Any]) -> E:
    """A record of values that are known to be sound, as those of another record are.

    A store checks it all the same when it is put; a projection does not.
    """
    return kind._stored(dict(values))


class Table:
    """A table: its indexes and access patterns are its attributes.

    `pk` and `sk` name its key attributes, `ttl` the one that items expire by, `tenant` the field
    that sets tenants apart: then every partition key begins with it, but for `shared` ones.
    `stream` is what records of its stream hold, `epochs` the pattern that reads the shard epochs of
    a tenant. The class's docstring says what the table is for. A subclass of a table is the same
    table with other settings, with other `keys` for its entities, or with other `entities` in
    their place: subclasses of them that have their names.
    """

    __design__: ClassVar[Design]
    __settings__: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(
        cls,
        *,
        id: str | None = None,
        keys: Mapping[type[Any], Key] | None = None,
        entities: Mapping[type[Any], type[Entity]] | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        cls.__settings__ = {**cls.__settings__, **settings}
        id = id or _WORDS.sub("-", cls.__name__).lower()
        cls.__design__ = _design(cls, id, keys or {}, entities or {})


def _design(
    table: type[Table],
    id: str,
    keys: Mapping[type[Any], Key],
    entities: Mapping[type[Any], type[Entity]],
) -> Design:
    members = {
        name: found for base in reversed(table.__mro__) for name, found in vars(base).items()
    }
    patterns = [one for one in members.values() if isinstance(one, Pattern)]
    indexes = [one for one in members.values() if isinstance(one, Index)]
    kinds = dict.fromkeys(
        (
            *(kind for pattern in patterns for kind in pattern.kinds),
            *(kind for index in indexes for kind in index.keys),
        )
    )
    settings = dict(table.__settings__)
    own = (settings["pk"], settings.get("sk"))
    epochs: Pattern[Any] | None = settings.pop("epochs", None)
    models = []
    for kind in kinds:
        indexed = {
            index.name: ((index.pk, index.sk), index.keys[kind])
            for index in indexes
            if kind in index.keys
        }
        made = entities.get(kind, kind)
        models.append(made.__entity__.placed(own, indexed, keys.get(kind)))
        if kind not in keys and "__home__" not in vars(made):
            # What a record must meet to be stored in its first table, it must meet when it is made.
            made.__home__ = table
            made.__entity__ = models[-1]
    return Design(
        id,
        **settings,
        epochs=epochs.name if epochs else None,
        describes=_first_paragraph(table.__doc__),
        entities=models,
        indexes=indexes,
        patterns=patterns,
    )


def _first_paragraph(text: str | None) -> str:
    return " ".join((text or "").strip().partition("\n\n")[0].split())
