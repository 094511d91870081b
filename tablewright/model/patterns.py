"""Access patterns: what an application does with a table, as values that can be granted."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    from tablewright.model.declaration import Entity
    from tablewright.model.fields.base import Field
    from tablewright.model.table import Index

E = TypeVar("E", bound="Entity")
A = TypeVar("A", bound="Entity")
B = TypeVar("B", bound="Entity")
C = TypeVar("C", bound="Entity")
D = TypeVar("D", bound="Entity")


def field_name(field: "str | Field[Any]") -> str:
    return field if isinstance(field, str) else field.name


class Pattern(Generic[E]):
    """One way to use a table: what it stores or finds, and where it looks.

    An access pattern is an attribute of its table's class, and has the name of it.
    """

    __slots__ = ("describes", "entity", "index", "kinds", "name")
    verb = ""

    def __init__(self, *of: type[E], describes: str = "") -> None:
        self.name = ""
        self.index: str | None = None
        self.describes = describes
        self.kinds: tuple[type[Entity], ...] = of
        self.entity = of[0].__entity__.name

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
        return tuple(kind.__entity__.name for kind in self.kinds)

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        """What it needs: each an action of IAM and the index that is named, None for the table."""
        return ((self.verb, None),)

    @property
    def operations(self) -> tuple[str, ...]:
        """What the pattern calls, by the names that DynamoDB's metrics have for it."""
        return tuple(action for action, _ in self.actions)


class Put(Pattern[E]):
    """Store an item, replacing what is there; with `create`, only where nothing is."""

    __slots__ = ("create",)
    verb = "PutItem"

    def __init__(self, of: type[E], *, create: bool = False, describes: str = "") -> None:
        super().__init__(of, describes=describes)
        self.create = create


class BatchPut(Pattern[E]):
    """Store any number of items, replacing what is there."""

    __slots__ = ()
    verb = "BatchWriteItem"


class BatchCreate(Pattern[E]):
    """Store any number of items, each only where nothing is."""

    __slots__ = ()
    verb = "BatchExecuteStatement"  # the one batch of DynamoDB that looks before it writes

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        # IAM knows what a statement does, not how many come together.
        return (("PartiQLInsert", None),)

    @property
    def operations(self) -> tuple[str, ...]:
        return (self.verb,)


class BatchWrite(Pattern[E]):
    """Store and remove any number of items of several kinds, replacing what is there."""

    __slots__ = ()
    verb = "BatchWriteItem"


class BatchGet(Pattern[E]):
    """Read any number of items by their keys."""

    __slots__ = ("consistent",)
    verb = "BatchGetItem"

    def __init__(self, of: type[E], *, consistent: bool = False, describes: str = "") -> None:
        super().__init__(of, describes=describes)
        self.consistent = consistent


class Get(Pattern[E]):
    """Read one item by its key."""

    __slots__ = ("consistent",)
    verb = "GetItem"

    def __init__(self, of: type[E], *, consistent: bool = False, describes: str = "") -> None:
        super().__init__(of, describes=describes)
        self.consistent = consistent


class Update(Pattern[E]):
    """Change fields of an item and, in the same write, everything that is derived from them."""

    __slots__ = ()
    verb = "UpdateItem"

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        # What is derived is computed from the whole item, so it is read before that changes.
        return (("GetItem", None), ("UpdateItem", None))


class Check(Pattern[E]):
    """Look, in a transaction, whether an item is as it must be."""

    __slots__ = ()
    verb = "TransactWriteItems"

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        return (("ConditionCheckItem", None),)

    @property
    def operations(self) -> tuple[str, ...]:
        return (self.verb,)


class Delete(Pattern[E]):
    """Remove one item by its key."""

    __slots__ = ()
    verb = "DeleteItem"


class Query(Pattern[E]):
    """Read the items of one logical partition in key order, page by page.

    `range` is the sort key's field that may be bounded; `select` the fields that are returned, by
    default all that can be; `hydrate` completes the entries of an index from the table; `filters`
    are fields that a caller may also ask for, applied to what was read; `consistent` reads what
    was written before, which no index can.
    """

    __slots__ = ("_index", "consistent", "descending", "filters", "hydrate", "range", "select")
    verb = "Query"

    def __init__(
        self,
        of: type[E],
        index: "Index | None" = None,
        *,
        range: "str | Field[Any] | None" = None,
        select: "Iterable[str | Field[Any]] | None" = None,
        hydrate: bool = False,
        filters: "Iterable[str | Field[Any]]" = (),
        descending: bool = False,
        consistent: bool = False,
        describes: str = "",
    ) -> None:
        super().__init__(of, describes=describes)
        self._index = index
        self.consistent = consistent
        self.range = None if range is None else field_name(range)
        self.select = tuple(map(field_name, select)) if select is not None else None
        self.hydrate = hydrate
        self.filters = tuple(map(field_name, filters))
        self.descending = descending

    def __set_name__(self, owner: type, name: str) -> None:
        super().__set_name__(owner, name)
        # Python names attributes in their order, so the index has its name by now.
        self.index = self._index.name if self._index else None

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        query = (("Query", self.index),)
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
        self: "Collection[A | B]",
        a: type[A],
        b: type[B],
        /,
        *,
        index: "Index | None" = None,
        descending: bool = False,
        consistent: bool = False,
        describes: str = "",
    ) -> None: ...
    @overload
    def __init__(
        self: "Collection[A | B | C]",
        a: type[A],
        b: type[B],
        c: type[C],
        /,
        *,
        index: "Index | None" = None,
        descending: bool = False,
        consistent: bool = False,
        describes: str = "",
    ) -> None: ...
    @overload
    def __init__(
        self: "Collection[A | B | C | D]",
        a: type[A],
        b: type[B],
        c: type[C],
        d: type[D],
        /,
        *,
        index: "Index | None" = None,
        descending: bool = False,
        consistent: bool = False,
        describes: str = "",
    ) -> None: ...
    @overload
    def __init__(
        self,
        of: type[E],
        /,
        *more: type[E],
        index: "Index | None" = None,
        descending: bool = False,
        consistent: bool = False,
        describes: str = "",
    ) -> None: ...
    def __init__(
        self,
        of: type[Any],
        /,
        *more: type[Any],
        index: "Index | None" = None,
        descending: bool = False,
        consistent: bool = False,
        describes: str = "",
    ) -> None:
        super().__init__(
            of, index, descending=descending, consistent=consistent, describes=describes
        )
        self.kinds = (of, *more)


class Scan(Pattern[E]):
    """Read all items of an entity in the table or in an index, in no order, in segments side by
    side. It reads everything that is there, so it is granted by name only."""

    __slots__ = ("_index", "consistent")
    verb = "Scan"

    def __init__(
        self,
        of: type[E],
        index: "Index | None" = None,
        *,
        consistent: bool = False,
        describes: str = "",
    ) -> None:
        super().__init__(of, describes=describes)
        self._index = index
        self.consistent = consistent

    def __set_name__(self, owner: type, name: str) -> None:
        super().__set_name__(owner, name)
        self.index = self._index.name if self._index else None

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        return (("Scan", self.index),)


class BatchDelete(Pattern[E]):
    """Remove any number of items by their keys."""

    __slots__ = ()
    verb = "BatchWriteItem"


class Count(Pattern[E]):
    """Add events to counters, each event once however often it is delivered.

    The first entity is the counter, whose fields outside its key are numbers; `marker` the one that
    remembers which events of a group were counted, in the one set that it has outside its key.
    Events that are delivered together should be of one group; one group should not outgrow some
    thousand events.
    """

    __slots__ = ("marker",)
    verb = "TransactWriteItems"

    def __init__(self, of: type[E], *, marker: "type[Entity]", describes: str = "") -> None:
        super().__init__(of, describes=describes)
        self.kinds = (of, marker)
        self.marker = marker.__entity__.name

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        # IAM knows no transactions, only what is done in them.
        return (("BatchGetItem", None), ("UpdateItem", None))

    @property
    def operations(self) -> tuple[str, ...]:
        return ("BatchGetItem", self.verb)
