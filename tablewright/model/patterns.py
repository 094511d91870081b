"""Access patterns: what an application does with a table, as values that can be granted."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from tablewright.model.arguments import checked, described

if TYPE_CHECKING:
    from tablewright.model.declaration import Entity
    from tablewright.model.entity import EntityModel
    from tablewright.model.fields.base import Field
    from tablewright.model.table import Index

E = TypeVar("E", bound="Entity")
A = TypeVar("A", bound="Entity")
B = TypeVar("B", bound="Entity")
C = TypeVar("C", bound="Entity")
D = TypeVar("D", bound="Entity")


def field_name(field: str | Field[Any]) -> str:
    if isinstance(field, str):
        return field
    if not hasattr(field, "stored"):
        raise TypeError(f"{described(field)} is not a field. Name one, as in Order.total")
    return field.name


def entity_name(kind: type[Entity]) -> str:
    if not isinstance(kind, type) or not hasattr(kind, "__entity__"):
        fix = "Declare it as class Order(Entity, key=Key(…))"
        raise TypeError(f"{described(kind)} is not an entity with a key. {fix}")
    return kind.__entity__.name


class Pattern(Generic[E]):
    """One way to use a table: what it stores or finds, and where it looks.

    An access pattern is an attribute of its table's class, and has the name of it.
    """

    __slots__ = ("describes", "entity", "index", "kinds", "name")
    verb = ""

    def __init__(self, of: type[E], *, describes: str = "") -> None:
        self.name = ""
        self.index: str | None = None
        self.describes = describes
        self.kinds: tuple[type[Entity], ...] = (of,)
        self.entity = entity_name(of)

    def __init_subclass__(cls) -> None:
        cls.__init__ = checked(cls.__init__)  # type: ignore[method-assign]

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def of(self) -> type[E]:
        """What it stores or finds."""
        return self.kinds[0]  # type: ignore[return-value]

    @property
    def entities(self) -> tuple[str, ...]:
        """Everything that the pattern touches."""
        return tuple(map(entity_name, self.kinds))

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        """What it needs: each an action of IAM and the index that is named, None for the table.

        `Design.actions` leaves out what a table's indexes make unneeded.
        """
        return ((self.verb, None),)

    @property
    def operations(self) -> tuple[str, ...]:
        """What the pattern calls, by the names that DynamoDB's metrics have for it."""
        return tuple(action for action, _ in self.actions)


class Put(Pattern[E]):
    """Store an item, replacing what is there; with `create`, only where nothing is.

    Called by `Store.put`, which gives back what was stored, and `Store.replace`, which gives back
    what was there before.
    """

    __slots__ = ("create",)
    verb = "PutItem"

    def __init__(self, of: type[E], *, create: bool = False, describes: str = "") -> None:
        super().__init__(of, describes=describes)
        self.create = create


class BatchPut(Pattern[E]):
    """Store any number of items, replacing what is there. Called by `Store.put_many`."""

    __slots__ = ()
    verb = "BatchWriteItem"


class BatchCreate(Pattern[E]):
    """Store any number of items, each only where nothing is. Called by `Store.create_many`."""

    __slots__ = ()
    verb = "BatchExecuteStatement"  # the one batch of DynamoDB that looks before it writes

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        # IAM knows what a statement does, not how many come together.
        insert = (("PartiQLInsert", None),)
        return (*insert, ("PutItem", None)) if self.replaces_expired else insert

    @property
    def replaces_expired(self) -> bool:
        """True if an item that has expired can be replaced by a younger one."""
        return _can_be_younger(self.of.__entity__)

    @property
    def operations(self) -> tuple[str, ...]:
        return (self.verb,)


class BatchWrite(Pattern[E]):
    """Store and remove any number of items of several kinds, replacing what is there.

    Called by `Store.write_many`.

    Example::

        move = BatchWrite(Order, Line)
    """

    __slots__ = ()
    verb = "BatchWriteItem"

    def __init__(self, of: type[E], *more: type[E], describes: str = "") -> None:
        super().__init__(of, describes=describes)
        self.kinds = (of, *more)


class _Read(Pattern[E]):
    """A read: `consistent` of all that was written before; `expired` also of what has expired and
    has not been removed yet."""

    __slots__ = ("consistent", "expired")

    def __init__(
        self,
        of: type[E],
        *,
        consistent: bool = False,
        expired: bool = False,
        describes: str = "",
    ) -> None:
        super().__init__(of, describes=describes)
        self.consistent = consistent
        self.expired = expired


class BatchGet(_Read[E]):
    """Read any number of items by their keys. Called by `Reader.get_many`."""

    __slots__ = ()
    verb = "BatchGetItem"


class Get(_Read[E]):
    """Read one item by its key. Called by `Reader.get`.

    `consistent` reads what was written before; `expired` also gives what has expired and has not
    been removed yet.
    """

    __slots__ = ()
    verb = "GetItem"


class Update(Pattern[E]):
    """Change fields of an item and, in the same write, everything that is derived from them.

    Called by `Store.update`.
    """

    __slots__ = ()
    verb = "UpdateItem"

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        # What is derived is computed from the whole item, so it is read before that changes.
        return (("GetItem", None), ("UpdateItem", None))


class Upsert(Pattern[E]):
    """Change fields of an item, or make it where it is not there: a counter, a last login.

    Called by `Store.upsert`.
    """

    __slots__ = ()
    verb = "UpdateItem"

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        if not _can_be_younger(self.of.__entity__):
            return (("UpdateItem", None),)
        # One that has expired and has not been removed yet is put anew.
        return (("GetItem", None), ("PutItem", None), ("UpdateItem", None))


def _can_be_younger(entity: EntityModel) -> bool:
    """True if items expire, and not at a moment that is part of their key."""
    return entity.expires is not None and entity.expires.field not in entity.inputs(entity.key)


class Check(Pattern[E]):
    """Look, in a transaction, whether an item is as it must be. Called by `Store.to_check`."""

    __slots__ = ()
    verb = "TransactWriteItems"

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        return (("ConditionCheckItem", None),)

    @property
    def operations(self) -> tuple[str, ...]:
        return (self.verb,)


class Delete(Pattern[E]):
    """Remove one item by its key. Called by `Store.delete`, which gives back what was removed."""

    __slots__ = ()
    verb = "DeleteItem"


class Listing(_Read[E]):
    """A read of the table, or of an index; `hydrate` completes the entries of an index from the
    table."""

    __slots__ = ("_index", "hydrate")

    def __init__(
        self,
        of: type[E],
        index: Index | None = None,
        *,
        consistent: bool = False,
        expired: bool = False,
        describes: str = "",
    ) -> None:
        super().__init__(of, consistent=consistent, expired=expired, describes=describes)
        self._index = index
        self.hydrate = False

    def __set_name__(self, owner: type, name: str) -> None:
        super().__set_name__(owner, name)
        # Python names attributes in their order, so the index has its name by now.
        self.index = self._index.name if self._index else None

    def has_foreign_index(self, names: Container[str]) -> bool:
        """Return True if the pattern reads an index that the table does not declare."""
        return self._index is not None and self._index.name not in names

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        return ((self.verb, self.index),)


class Query(Listing[E]):
    """Read the items of one logical partition in key order, page by page.

    Called by `Reader.query`, `each`, `first` and `count`. `range` is the sort key's field that may
    be bounded; `select` the fields that are returned, by default all that can be; `hydrate`
    completes the entries of an index from the table, where it does not carry whole items; `filters`
    are fields that callers are going to ask for by `where`, so that synthesis refuses an index that
    does not carry them; `consistent` reads what was written before, which no global index can;
    `expired` shows what has expired and has not been removed yet.

    Example::

        of_customer = Query(Order, by_customer, range=Order.placed_at, descending=True)
    """

    __slots__ = ("descending", "filters", "range", "select")
    verb = "Query"

    def __init__(
        self,
        of: type[E],
        index: Index | None = None,
        *,
        range: str | Field[Any] | None = None,
        select: Iterable[str | Field[Any]] | None = None,
        hydrate: bool = False,
        filters: Iterable[str | Field[Any]] = (),
        descending: bool = False,
        consistent: bool = False,
        expired: bool = False,
        describes: str = "",
    ) -> None:
        super().__init__(of, index, consistent=consistent, expired=expired, describes=describes)
        self.range = None if range is None else field_name(range)
        self.select = tuple(map(field_name, select)) if select is not None else None
        self.hydrate = hydrate
        self.filters = tuple(map(field_name, filters))
        self.descending = descending

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        query = super().actions
        return (*query, ("BatchGetItem", None)) if self.hydrate else query


class Collection(Query[E]):
    """Read items of several entities that lie in one partition, in key order, page by page.

    The first entity's key says by which fields they are asked for. Each record is of its own
    entity's class; items of others are passed over.

    Example::

        order_with_lines = Collection(Order, Line)
    """

    __slots__ = ()

    @overload
    def __init__(
        self: Collection[A | B],
        a: type[A],
        b: type[B],
        /,
        *,
        index: Index | None = None,
        descending: bool = False,
        consistent: bool = False,
        expired: bool = False,
        describes: str = "",
    ) -> None: ...
    @overload
    def __init__(
        self: Collection[A | B | C],
        a: type[A],
        b: type[B],
        c: type[C],
        /,
        *,
        index: Index | None = None,
        descending: bool = False,
        consistent: bool = False,
        expired: bool = False,
        describes: str = "",
    ) -> None: ...
    @overload
    def __init__(
        self: Collection[A | B | C | D],
        a: type[A],
        b: type[B],
        c: type[C],
        d: type[D],
        /,
        *,
        index: Index | None = None,
        descending: bool = False,
        consistent: bool = False,
        expired: bool = False,
        describes: str = "",
    ) -> None: ...
    @overload
    def __init__(
        self,
        of: type[E],
        /,
        *more: type[E],
        index: Index | None = None,
        descending: bool = False,
        consistent: bool = False,
        expired: bool = False,
        describes: str = "",
    ) -> None: ...
    def __init__(
        self,
        of: type[Any],
        /,
        *more: type[Any],
        index: Index | None = None,
        descending: bool = False,
        consistent: bool = False,
        expired: bool = False,
        describes: str = "",
    ) -> None:
        super().__init__(
            of,
            index,
            descending=descending,
            consistent=consistent,
            expired=expired,
            describes=describes,
        )
        self.kinds = (of, *more)


class Scan(Listing[E]):
    """Read all items of an entity in the table or in an index, in no order, in segments side by
    side. It reads everything that is there, so IAM allows it to no session of one tenant.

    Called by `Reader.scan` and, page by page, by `scan_page`.
    """

    __slots__ = ()
    verb = "Scan"


class BatchDelete(Pattern[E]):
    """Remove any number of items by their keys. Called by `Store.delete_many`."""

    __slots__ = ()
    verb = "BatchWriteItem"


class Count(Pattern[E]):
    """Add events to counters, each event once however often it is delivered.

    Called by `Counters.add`. The first entity is the counter, whose fields outside its key are
    numbers; `marker` the one that remembers which events of a group were counted, in the one set
    that it has outside its key. Events that are delivered together should be of one group; one
    group should not outgrow some thousand events.
    """

    __slots__ = ("marker",)
    verb = "TransactWriteItems"

    def __init__(self, of: type[E], *, marker: type[Entity], describes: str = "") -> None:
        super().__init__(of, describes=describes)
        self.kinds = (of, marker)
        self.marker = entity_name(marker)

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        # IAM knows no transactions, only what is done in them.
        return (("BatchGetItem", None), ("UpdateItem", None))

    @property
    def operations(self) -> tuple[str, ...]:
        return ("BatchGetItem", self.verb)
