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

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Self,
    TypedDict,
    TypeVar,
    Unpack,
    dataclass_transform,
)

from tablewright.model.arguments import checked, described
from tablewright.model.computed import Computed
from tablewright.model.entity import EntityModel, Key, KeyAttributes
from tablewright.model.expiry import Expiry
from tablewright.model.fields.base import Field
from tablewright.model.fields.specifiers import (
    Binary,
    Choice,
    Date,
    DateText,
    Document,
    EpochTimestamp,
    Flag,
    Fraction,
    HourText,
    Lines,
    ListOf,
    Money,
    Name,
    Number,
    PartOf,
    Prose,
    SetOf,
    Tally,
    Text,
    Timestamp,
    TimestampText,
    Whole,
)
from tablewright.model.key_template import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from tablewright.model.part import PartModel
from tablewright.model.patterns import Pattern, entity_name
from tablewright.model.sharding.epochs import EpochList
from tablewright.model.table import Design, Index
from tablewright.model.time_ids import TimeId

E = TypeVar("E", bound="Entity")
M = TypeVar("M")
# Settings of a table, with the types of their values.
_SETTINGS: dict[str, type] = {
    **dict.fromkeys(("pk", "sk", "ttl", "stream", "tenant", "entity_type"), str),
    "epochs": Pattern,
}
# What every mapping has.
_METHODS = {"get", "items", "keys", "values"}


if TYPE_CHECKING:
    _Mapping = Mapping[str, Any]

    class Settings(TypedDict, total=False):
        """Settings of a table: see `Table`."""

        pk: str
        sk: str | None
        ttl: str | None
        stream: str | None
        tenant: str | None
        epochs: Pattern[Any] | None
        entity_type: str | None

else:
    _Mapping = object  # and registered as one below: abstract classes are slow to make


@dataclass_transform(
    kw_only_default=True,
    field_specifiers=(
        Binary,
        Choice,
        Date,
        DateText,
        Document,
        EpochTimestamp,
        EpochList,
        Flag,
        Fraction,
        HourText,
        Lines,
        Money,
        Name,
        Number,
        PartOf,
        Prose,
        Tally,
        Text,
        ListOf,
        SetOf,
        TimeId,
        Timestamp,
        TimestampText,
        Whole,
    ),
)
class Part(_Mapping):
    """Fields that belong together, as a field of an entity: an address, a line of an order.

    Its values are objects of the class, which read as mappings too. Such an object is checked when
    it is made, raises InvalidRecord with everything that is wrong, and does not change. Fields that
    it has no value for are not among its keys; as attributes they are their default.

    Example::

        class Line(Part):
            product: Field[str] = Text()
            pieces: Field[int] = Whole()


        class Order(Entity, key=Key("ORDER#{order_id}")):
            order_id: Field[str] = Text()
            lines: Field[tuple[Line, ...]] = ListOf(PartOf(Line))
    """

    __slots__ = ("__checked__", "__dict__", "__unread__")
    __part__: ClassVar[PartModel]
    # There, and true, of one that was checked: as it is made, but not as it is read from a table.
    __checked__: bool
    # There, of one that is not whole: the fields that were not read.
    __unread__: frozenset[str]

    def __init_subclass__(cls, **settings: Any) -> None:
        if settings:
            is_entity = issubclass(cls, Entity)
            known = "key, expires, example and name" if is_entity else "no keywords"
            _require_known(cls, settings, known)
        members = vars(cls)
        for name, member in members.items():
            taken = hasattr(Part, name) and isinstance(member, Field | Computed)
            if name not in _METHODS and not taken:
                continue
            raise TypeError(
                f"{cls.__name__} cannot have a field '{name}', which records have as mappings: "
                f"give it another name and store it as '{name}', as in Text('{name}')"
            )
        for name, annotation in annotations_of(cls).items():
            declared = isinstance(members.get(name), Field | Computed)
            if not (declared or name.startswith("_") or "ClassVar" in str(annotation)):
                raise TypeError(
                    f"{cls.__name__}.{name} has an annotation, but no specifier of a field. "
                    f"Write {name}: Field[str] = Text(), or ClassVar[…] for a constant"
                )
        cls.__part__ = PartModel(cls.__name__, _members(cls, Field))

    def __init__(self, **values: Any) -> None:
        object.__setattr__(self, "__dict__", self.__part__.check(values))
        object.__setattr__(self, "__checked__", True)

    @classmethod
    def _stored(cls, values: dict[str, Any], unread: frozenset[str] = frozenset()) -> Self:
        """A record of what is stored, which may have been stored under other rules."""
        record = cls.__new__(cls)
        object.__setattr__(record, "__dict__", values)
        if unread:
            object.__setattr__(record, "__unread__", unread)
        return record

    if not TYPE_CHECKING:  # what Mapping has, without the views that it makes in Python

        def keys(self):
            return self.__dict__.keys()

        def items(self):
            return self.__dict__.items()

        def values(self):
            return self.__dict__.values()

        def get(self, name, default=None):
            return self.__dict__.get(name, default)

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __len__(self) -> int:
        return len(self.__dict__)

    def __contains__(self, name: object) -> bool:
        return name in self.__dict__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Part):
            return type(self) is type(other) and self.__dict__ == other.__dict__
        return self.__dict__ == other if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = self.__part__.by_name
        shown = (
            f"{name}=…" if name in fields and fields[name].secret else f"{name}={value!r}"
            for name, value in self.__dict__.items()
        )
        return f"{type(self).__name__}({', '.join(shown)})"

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a record does not change: make another with {name}=…")

    def __reduce__(self) -> Any:
        return _restored, (type(self), dict(self.__dict__))


Mapping.register(Part)


def annotations_of(cls: type) -> Mapping[str, Any]:
    """Return the annotations of a class itself, none if Python 3.14 cannot evaluate them."""
    try:
        return cls.__annotations__
    except NameError:
        return {}


def _require_known(cls: type, settings: Iterable[str], known: str) -> None:
    for name in settings:
        raise TypeError(f"class {cls.__name__} does not take {name}=. It takes {known}")


def _restored(kind: type[Part], values: dict[str, Any]) -> Part:
    return kind._stored(values)


def _members(owner: type, kind: type[M]) -> list[M]:
    """What a class has of a kind, or inherits, in the order of declaration."""
    found = {
        name: one
        for base in reversed(owner.__mro__)
        for name, one in vars(base).items()
        if isinstance(one, kind)
    }
    return list(found.values())


class Entity(Part):
    """A kind of item. Its records are objects of the class, which read as mappings too.

    A record is checked when it is made, raises InvalidRecord with everything that is wrong, and
    does not change. Fields that it has no value for are not among its keys; as attributes they
    are their default. The class's docstring is what the table's page says of the entity. One
    without a `key` is a base of others. `example` is a record for the page.

    Example::

        class Order(Entity, key=Key("TENANT#{tenant}#ORDER#{order_id}", "ORDER")):
            tenant: Field[str] = Text()
            order_id: Field[str] = Text()
            total: Field[Decimal] = Money()
            note: Field[str | None] = Text(default=None)
    """

    __slots__ = ()
    __entity__: ClassVar[EntityModel]
    __home__: ClassVar[type[Table]]

    @checked
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
        if key is None:
            return  # what other entities have in common
        cls.__entity__ = EntityModel(
            name or cls.__name__,
            key=key,
            fields=cls.__part__.fields,
            computed=_members(cls, Computed),
            expires=expires,
            example=example,
            describes=_first_paragraph(cls.__doc__),
            made=cls,
        )

    def __init__(self, **values: Any) -> None:
        if not hasattr(self, "__entity__"):
            entity_name(type(self))
        object.__setattr__(self, "__dict__", self.__entity__.check(values))
        object.__setattr__(self, "__checked__", True)


def key_of(record: Entity) -> dict[str, Any]:
    """The fields of a record that its key is made of.

    Example::

        store.get(Orders.order, key_of(order))
    """
    entity = record.__entity__
    return {name: record[name] for name in entity.inputs(entity.key)}


def is_checked(record: Part) -> bool:
    """Whether a record was checked when it was made."""
    return getattr(record, "__checked__", False)


def unread_fields(record: Part) -> frozenset[str]:
    """The fields of a record that were not read: an index may not project them."""
    return getattr(record, "__unread__", frozenset())


def refuse_partial(record: Part) -> None:
    """Raise TypeError for a record that is not whole."""
    unread = unread_fields(record)
    if unread:
        names = ", ".join(sorted(unread))
        raise TypeError(f"{type(record).__name__} was read without {names}: read it whole first")


def replaced(record: E, **changes: Any) -> E:
    """The record with other values; None removes an optional one.

    Example::

        paid = replaced(order, state=State.PAID, note=None)
    """
    refuse_partial(record)
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
    a tenant. `entity_type` names an attribute for the name of each item's entity: with it, entities
    may have keys of the same form. The class's docstring says what the table is for. A subclass of
    a table is the same table with other settings, with other `keys` for its entities, with another
    expiry of theirs (`expires`), or with other `entities` in their place: subclasses of them that
    have their names.

    Example::

        class Orders(Table, pk="PK", sk="SK", ttl="ttl", tenant="tenant"):
            place = Put(Order, create=True)
            order = Get(Order)
    """

    __design__: ClassVar[Design]
    __settings__: ClassVar[dict[str, Any]] = {}

    @checked
    def __init_subclass__(
        cls,
        *,
        id: str | None = None,
        keys: Mapping[type[Any], Key] | None = None,
        expires: Mapping[type[Any], Expiry] | None = None,
        entities: Mapping[type[Any], type[Entity]] | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        _require_known(cls, settings.keys() - _SETTINGS.keys(), f"id, {', '.join(_SETTINGS)}")
        for name, value in settings.items():
            if not isinstance(value, _SETTINGS[name]) and (value is not None or name == "pk"):
                expected = _SETTINGS[name].__name__
                raise TypeError(
                    f"{cls.__name__}: {name} must be a {expected}, not {described(value)}"
                )
        for name, member in vars(cls).items():
            several = [*member] if isinstance(member, list | tuple) else []
            uncalled = isinstance(member, type) and issubclass(member, Pattern | Index)
            if (
                uncalled
                or isinstance(member, Field | Key)
                or any(isinstance(one, Pattern | Index) for one in several)
            ):
                raise TypeError(
                    f"{cls.__name__}.{name} is {described(member)}, and not a pattern or an index. "
                    f"Write one for each name, such as {name} = Get(Order)"
                )
        cls.__settings__ = {**cls.__settings__, **settings}
        if "pk" not in cls.__settings__:
            raise TypeError(f'{cls.__name__} has no partition key. Add it, as in pk="PK"')
        id = id or hyphened(cls.__name__)
        cls.__design__ = _design(cls, id, keys or {}, expires or {}, entities or {})


def _design(
    table: type[Table],
    id: str,
    keys: Mapping[type[Any], Key],
    expires: Mapping[type[Any], Expiry],
    entities: Mapping[type[Any], type[Entity]],
) -> Design:
    patterns: list[Pattern[Any]] = _members(table, Pattern)
    indexes = _members(table, Index)
    kinds = dict.fromkeys(
        (
            *(kind for pattern in patterns for kind in pattern.kinds),
            *(kind for index in indexes for kind in index.keys),
        )
    )
    for kind in (*keys, *expires, *entities):
        if kind not in kinds:
            raise TypeError(f"{table.__name__} has no pattern of {described(kind)}. Add one")
    settings = dict(table.__settings__)
    sort = settings.get("sk")
    own = KeyAttributes((settings["pk"],), (sort,) if sort else ())
    epochs: Pattern[Any] | None = settings.pop("epochs", None)
    limits = {name: PARTITION_KEY_BYTES for index in indexes for name in index.key.partition}
    limits |= {name: SORT_KEY_BYTES for index in indexes for name in index.key.sort}
    models = []
    for kind in kinds:
        indexed = {
            index.name: (index.key, index.keys[kind]) for index in indexes if kind in index.keys
        }
        made = entities.get(kind, kind)
        entity_name(made)
        placed = made.__entity__.placed(own, indexed, keys.get(kind), expires.get(kind), limits)
        models.append(placed)
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


def hyphened(name: str) -> str:
    """The words of a class's name: ``OpenOrders`` is open-orders."""
    letters = zip(f"A{name}", name, strict=False)
    begins = (letter.isupper() and not last.isupper() for last, letter in letters)
    return "".join("-" * new + letter for new, letter in zip(begins, name, strict=True)).lower()


def _first_paragraph(text: str | None) -> str:
    return " ".join((text or "").strip().partition("\n\n")[0].split())
