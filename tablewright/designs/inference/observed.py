"""What is known of a table whose design is to be inferred."""

from collections.abc import Mapping
from typing import Any, NamedTuple

Item = Mapping[str, Mapping[str, Any]]
"""An item as DynamoDB has it: attributes with their types."""


class ObservedIndex(NamedTuple):
    """An index: the attributes of its key, and what it carries beside keys.

    `projects` is KEYS_ONLY, ALL or names of attributes.
    """

    name: str
    partition: tuple[str, ...]
    sort: tuple[str, ...] = ()
    projects: str | tuple[str, ...] = "ALL"
    local: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """All attributes of its key."""
        return self.partition + self.sort


class ObservedEntity(NamedTuple):
    """A kind of item: what somebody called its keys, the attributes that it may have, and items."""

    name: str
    items: tuple[Item, ...] = ()
    attributes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


class ObservedTable(NamedTuple):
    """A table: the attributes of its key, and the types of all that are known.

    `entities` are those that somebody told of; `items` those that nobody has sorted.
    """

    name: str
    partition: str
    sort: str | None = None
    types: Mapping[str, str] = {}
    indexes: tuple[ObservedIndex, ...] = ()
    entities: tuple[ObservedEntity, ...] = ()
    items: tuple[Item, ...] = ()
    ttl: str | None = None
    stream: str | None = None
    describes: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """The attributes of its key."""
        return (self.partition, self.sort) if self.sort else (self.partition,)

    @property
    def key_attributes(self) -> tuple[str, ...]:
        """The attributes of its key and of those of its indexes."""
        return tuple(dict.fromkeys((*self.key, *(a for i in self.indexes for a in i.key))))
