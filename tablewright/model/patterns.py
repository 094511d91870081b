"""Access patterns: what an application does with a table, as values that can be granted."""

from collections.abc import Iterable


class Pattern:
    """One way to use a table. `entity` is what it stores or finds, `index` where it looks."""

    __slots__ = ("describes", "entity", "index", "name")
    verb = ""

    def __init__(self, name: str, entity: str, *, describes: str = "") -> None:
        self.name = name
        self.entity = entity
        self.index: str | None = None
        self.describes = describes

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def entities(self) -> tuple[str, ...]:
        """Everything that the pattern touches."""
        return (self.entity,)

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        """What it needs: each an action of IAM and the index that is named, None for the table."""
        return ((self.verb, None),)

    @property
    def operations(self) -> tuple[str, ...]:
        """What the pattern calls, by the names that DynamoDB's metrics have for it."""
        return tuple(action for action, _ in self.actions)


class Put(Pattern):
    """Store an item, replacing what is there; with `create`, only where nothing is."""

    __slots__ = ("create",)
    verb = "PutItem"

    def __init__(
        self, name: str, entity: str, *, create: bool = False, describes: str = ""
    ) -> None:
        super().__init__(name, entity, describes=describes)
        self.create = create


class BatchPut(Pattern):
    """Store any number of items, replacing what is there."""

    __slots__ = ()
    verb = "BatchWriteItem"


class BatchCreate(Pattern):
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


class BatchWrite(Pattern):
    """Store and remove any number of items of several kinds, replacing what is there."""

    __slots__ = ("_entities",)
    verb = "BatchWriteItem"

    def __init__(self, name: str, *entities: str, describes: str = "") -> None:
        super().__init__(name, entities[0], describes=describes)
        self._entities = entities

    @property
    def entities(self) -> tuple[str, ...]:
        return self._entities


class BatchGet(Pattern):
    """Read any number of items by their keys."""

    __slots__ = ("consistent",)
    verb = "BatchGetItem"

    def __init__(
        self, name: str, entity: str, *, consistent: bool = False, describes: str = ""
    ) -> None:
        super().__init__(name, entity, describes=describes)
        self.consistent = consistent


class Get(Pattern):
    """Read one item by its key."""

    __slots__ = ("consistent",)
    verb = "GetItem"

    def __init__(
        self, name: str, entity: str, *, consistent: bool = False, describes: str = ""
    ) -> None:
        super().__init__(name, entity, describes=describes)
        self.consistent = consistent


class Update(Pattern):
    """Change fields of an item and, in the same write, everything that is derived from them."""

    __slots__ = ()
    verb = "UpdateItem"

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        # What is derived is computed from the whole item, so it is read before that changes.
        return (("GetItem", None), ("UpdateItem", None))


class Delete(Pattern):
    """Remove one item by its key."""

    __slots__ = ()
    verb = "DeleteItem"


class Query(Pattern):
    """Read the items of one logical partition in key order, page by page.

    `range` is the sort key's field that may be bounded; `select` the fields that are returned, by
    default all that can be; `hydrate` completes the entries of an index from the table; `filters`
    are fields that a caller may also ask for, applied to what was read; `consistent` reads what
    was written before, which no index can.
    """

    __slots__ = ("consistent", "descending", "filters", "hydrate", "range", "select")
    verb = "Query"

    def __init__(
        self,
        name: str,
        entity: str,
        *,
        index: str | None = None,
        range: str | None = None,
        select: Iterable[str] | None = None,
        hydrate: bool = False,
        filters: Iterable[str] = (),
        descending: bool = False,
        consistent: bool = False,
        describes: str = "",
    ) -> None:
        super().__init__(name, entity, describes=describes)
        self.index = index
        self.consistent = consistent
        self.range = range
        self.select = tuple(select) if select is not None else None
        self.hydrate = hydrate
        self.filters = tuple(filters)
        self.descending = descending

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        query = (("Query", self.index),)
        return (*query, ("BatchGetItem", None)) if self.hydrate else query


class Count(Pattern):
    """Add events to counters, each event once however often it is delivered.

    `entity` is the counter, whose fields outside its key are numbers; `marker` the entity that
    remembers which events of a group were counted, in the one set that it has outside its key.
    Events that are delivered together should be of one group; one group should not outgrow some
    thousand events.
    """

    __slots__ = ("marker",)
    verb = "TransactWriteItems"

    def __init__(self, name: str, entity: str, *, marker: str, describes: str = "") -> None:
        super().__init__(name, entity, describes=describes)
        self.marker = marker

    @property
    def entities(self) -> tuple[str, ...]:
        return (self.entity, self.marker)

    @property
    def actions(self) -> tuple[tuple[str, str | None], ...]:
        # IAM knows no transactions, only what is done in them.
        return (("BatchGetItem", None), ("UpdateItem", None))

    @property
    def operations(self) -> tuple[str, ...]:
        return ("BatchGetItem", self.verb)
