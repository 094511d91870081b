"""Table: entities and their keys, indexes, expiry, stream and access patterns.

A design is one value, declared once. It is imported by every Lambda function, so this module
stays light; whether a design makes sense is checked by `validate` at synth and test time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tablewright.model.arguments import checked
from tablewright.model.entity import EntityModel, Key, KeyAttributes
from tablewright.model.key_template import Template
from tablewright.model.patterns import Listing, Pattern, Update, field_name
from tablewright.model.sharding.epochs import UNDIVIDED, EpochSource

if TYPE_CHECKING:
    from tablewright.model.fields.base import Field

# The fields to take texts of; then, for each key: its required fields and its attributes.
_Plan = tuple[tuple[str, ...], list[tuple[Key, frozenset[str], list[tuple[str, Template]]]]]

KEYS_ONLY = "KEYS_ONLY"
"""Projection of an index that carries keys alone: the cheapest to write."""

ALL = "ALL"
"""Projection of an index that carries whole items, which is the default."""


class Index:
    """A secondary index: global, or `local` to the table's partitions.

    `keys` has the key of each entity that is in it; `projects` is KEYS_ONLY, ALL or the fields that
    it carries. Without a name it has that of its attribute. Partition key and sort key are an
    attribute each, or a tuple of up to four.

    In an index of several entities, each has those of the projected fields that it knows. A
    `sparse` index holds only the items that have all the fields of its key. A `local` index has
    the table's partition key and can be read consistently; it is made with its table, cannot be
    added later, and limits the items with one partition key to 10 GB.

    Example::

        by_customer = Index(pk="CPK", sk="CSK", projects=(Order.total,),
                            keys={Order: Key("CUSTOMER#{customer}", "AT#{placed_at}")})
    """

    __slots__ = ("key", "keys", "local", "name", "projects", "sparse")

    @checked
    def __init__(
        self,
        name: str = "",
        *,
        pk: str | tuple[str, ...],
        sk: str | tuple[str, ...] | None = None,
        keys: Mapping[type[Any], Key] | None = None,
        projects: str | Iterable[str | Field[Any]] = ALL,
        sparse: bool = False,
        local: bool = False,
    ) -> None:
        self.local = local
        self.name = name
        self.key = KeyAttributes(_listed(pk), _listed(sk or ()))
        self.keys = dict(keys or {})
        self.projects = projects if isinstance(projects, str) else tuple(map(field_name, projects))
        self.sparse = sparse
        if isinstance(projects, str) and projects not in (ALL, KEYS_ONLY):
            raise TypeError(
                f"an index projects ALL, KEYS_ONLY or a list of fields, not {projects!r}"
            )
        for key in self.keys.values():
            if not isinstance(key, Key):
                raise TypeError(f"keys of an index must be Key(…) by entity, not {key!r}")

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    def __repr__(self) -> str:
        return f"Index({self.name!r})"


def _listed(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


class Design:
    """A table as it is declared, worked out: what the library computes everything else from.

    `tenant` names the field that separates tenants; in such a design every partition key begins
    with it, but for `shared` ones. `epochs` names the pattern by which the shard epochs of a tenant
    are read, in a design with `EpochShards`. `entity_type` is the attribute that has the name of an
    item's entity.
    """

    def __init__(
        self,
        id: str,
        *,
        pk: str,
        sk: str | None = None,
        entities: Iterable[EntityModel],
        indexes: Iterable[Index] = (),
        patterns: Iterable[Pattern[Any]] = (),
        ttl: str | None = None,
        stream: str | None = None,
        tenant: str | None = None,
        epochs: str | None = None,
        entity_type: str | None = None,
        describes: str = "",
    ) -> None:
        self.id = id
        self.entity_type = entity_type
        self.pk = pk
        self.sk = sk
        self.key = KeyAttributes((pk,), (sk,) if sk else ())
        self.ttl = ttl
        self.stream = stream
        self.tenant = tenant
        self.epochs = epochs
        self.describes = describes
        self.entity_list = tuple(entities)
        self.index_list = tuple(indexes)
        self.pattern_list = tuple(patterns)
        self.entities = {entity.name: entity for entity in self.entity_list}
        self.indexes = {index.name: index for index in self.index_list}
        self.patterns = {pattern.name: pattern for pattern in self.pattern_list}
        self._plans: dict[str, _Plan] = {}

    def __repr__(self) -> str:
        return f"Table({self.id!r})"

    @property
    def has_secrets(self) -> bool:
        """Whether one of its entities has a field that is encrypted."""
        return any(entity.secrets for entity in self.entity_list)

    def entity(self, pattern: Pattern[Any]) -> EntityModel:
        """The entity that a pattern stores or finds; the first, where there are several."""
        return self.entities[pattern.entity]

    def key_of(self, pattern: Pattern[Any]) -> Key:
        """The form of the key that a pattern reads or writes by: the table's or its index's."""
        entity = self.entities[pattern.entity]
        return entity.indexed[pattern.index] if pattern.index else entity.key

    def key_attributes(self, index: str | None) -> KeyAttributes:
        """The names of partition and sort key of an index, or of the table itself."""
        return self.key if index is None else self.indexes[index].key

    def key_values(self, item: Mapping[str, Mapping[str, Any]]) -> tuple[Any, ...]:
        """What tells a stored item from all others of the table: 5 and 5.0 are one number."""
        return tuple(
            Decimal(value) if kind == "N" else value
            for name in self.key.names
            for kind, value in item[name].items()
        )

    def kind(self, attribute: str) -> str:
        """The type of a key attribute: that of the field that it is, or else text."""
        for entity in self.entity_list:
            if attribute in entity.by_stored:
                return entity.by_stored[attribute].kind
        return "S"

    def derived(
        self, entity: EntityModel, record: Mapping[str, Any], epochs: EpochSource = UNDIVIDED
    ) -> dict[str, str | int]:
        """Every attribute that follows from the fields: keys, index keys, expiry.

        Index keys are all there or, for an index that the item is not in, all absent.
        """
        plan = self._plans.get(entity.name)
        if plan is None:
            plan = self._plans[entity.name] = self._plan(entity)
        texts = entity.texts(record, plan[0])
        attributes: dict[str, str | int] = {}
        for key, required, templates in plan[1]:
            if required and not required <= texts.keys():
                continue
            full = key.with_shard(texts, epochs)
            for attribute, template in templates:
                attributes[attribute] = template.format(full)
        computed = self.ttl and self.ttl not in entity.by_stored
        since = record.get(entity.expires.field) if computed and entity.expires else None
        if self.ttl and entity.expires and since is not None:
            attributes[self.ttl] = entity.expires.at(entity.time_text(since))
        return attributes

    def _plan(self, entity: EntityModel) -> _Plan:
        """What `derived` does for every record of an entity, worked out once."""
        steps = []
        for index, key in ((None, entity.key), *entity.indexed.items()):
            placed = self.key_attributes(index).of(key)
            # A key that is a bare field is already stored as that field.
            templates = [(a, t) for a, t in placed if a not in entity.by_stored]
            # The table's own key must be whole: a missing field is an error, not an absence.
            required = frozenset(entity.inputs(key) if index else ())
            steps.append((key, required, templates))
        inputs = dict.fromkeys(name for key in entity.keys for name in entity.inputs(key))
        return tuple(inputs), steps

    def attributes(
        self, entity: EntityModel, record: Mapping[str, Any], epochs: EpochSource = UNDIVIDED
    ) -> dict[str, Any]:
        """Everything that is stored for a record, by stored name."""
        stored: dict[str, Any] = {}
        for name, value in record.items():
            if value is not None:
                field = entity.by_name[name]
                if field.stored:
                    stored[field.stored] = field.to_plain(value) if field.converts else value
                else:
                    stored.update(field.attributes(value))
        stored.update(self.derived(entity, record, epochs))
        if self.entity_type:
            stored[self.entity_type] = entity.name
        return stored

    def projected(
        self, entity: EntityModel, attributes: Mapping[str, Any], index: Index
    ) -> dict[str, Any] | None:
        """What an index holds of an item, or None for an item that is not in it."""
        keys = index.key.names
        if not all(key in attributes for key in keys):
            return None
        if index.projects == ALL:
            return dict(attributes)
        names = [*self.key.names, *keys]
        if not isinstance(index.projects, str):
            held = (name for name in index.projects if name in entity.by_name)
            names += [entity.by_name[name].stored for name in held]
            names += [self.entity_type] if self.entity_type else []
        return {name: attributes[name] for name in names if name in attributes}

    def carried(self, index: Index) -> list[str]:
        """The stored names of the attributes that an index carries beside keys, for one that names
        them: each as the entities that are in the index store it."""
        stored = [
            entity.by_name[name].stored
            for name in index.projects
            for entity in self.entity_list
            if index.name in entity.indexed and name in entity.by_name
        ]
        stored += [self.entity_type] if self.entity_type else []
        keys = {*self.key.names, *index.key.names}
        return [name for name in dict.fromkeys(stored) if name and name not in keys]

    def neighbours(self, entity: EntityModel, index: str | None) -> bool:
        """Whether items of other entities can lie in the same partitions of table or index."""
        key = entity.indexed[index] if index else entity.key
        for other in self.entity_list:
            theirs = other.indexed.get(index) if index else other.key
            if other is not entity and theirs and can_share(key, theirs):
                return True
            if index and not theirs and other is not entity and self._stores(other, index):
                return True
        return False

    def shares_keys(self, entity: EntityModel) -> bool:
        """Whether an item of another entity can have the key of one of this entity."""
        return any(
            other is not entity
            and all(
                mine.can_equal(theirs)
                for mine, theirs in zip(entity.key.templates, other.key.templates, strict=False)
            )
            for other in self.entity_list
        )

    def _stores(self, entity: EntityModel, index: str) -> bool:
        """Whether an entity stores the key attributes of an index that it is not declared in."""
        own = {*entity.by_stored, *self.key.names}
        return all(name in own for name in self.key_attributes(index).names)

    def carries_expiry(self, index: str | None) -> bool:
        """Whether entries of table or index have the attribute that DynamoDB removes items by."""
        return index is None or self.indexes[index].projects == ALL

    def completes(self, listing: Listing[Any]) -> bool:
        """Whether entries of a list are completed from the table: it asks for that, and its index
        does not carry whole items anyway."""
        return listing.hydrate and not self.carries_expiry(listing.index)

    def actions(self, pattern: Pattern[Any]) -> tuple[tuple[str, str | None], ...]:
        """What a pattern needs of this table: `Pattern.actions`, but for those that complete what
        is whole already, and reads before updates that need none."""
        needed = pattern.actions
        if isinstance(pattern, Listing) and pattern.hydrate and not self.completes(pattern):
            needed = tuple(one for one in needed if one[1] == pattern.index)
        if isinstance(pattern, Update) and not self.reads_before(self.entity(pattern)):
            needed = tuple(one for one in needed if one != ("GetItem", None))
        return needed

    def readable(self, listing: Listing[Any], entity: EntityModel | None = None) -> set[str]:
        """The fields that a list can answer with: projected, or standing in a key that is."""
        entity = entity or self.entities[listing.entity]
        index = self.indexes[listing.index] if listing.index else None
        if index is None or listing.hydrate or index.projects == ALL:
            return set(entity.by_name)
        keys = {*entity.key.fields, *entity.indexed[index.name].fields}
        return keys if isinstance(index.projects, str) else keys | set(index.projects)

    def reads_before(self, entity: EntityModel) -> bool:
        """True if an update may have to read the item: it changes one of several sources."""
        return any(len(group) > 1 for group in self.derived_together(entity))

    def derives_from(self, entity: EntityModel) -> tuple[str, ...]:
        """The fields outside the primary key that derived attributes are computed from."""
        groups = self.derived_together(entity)
        return tuple(dict.fromkeys(name for names in groups for name in names))

    def derived_together(self, entity: EntityModel) -> list[tuple[str, ...]]:
        """Fields outside the primary key, for each index key or expiry that is computed from them.

        An update that sets all fields of a group needs no read: the new value follows from them.
        """
        own, own_inputs = self.key.names, entity.inputs(entity.key)
        # An index key of bare fields is stored as these, and nothing is computed; nor is one that
        # is the table's own key, which never changes.
        groups = [
            tuple(name for name in entity.inputs(key) if name not in own_inputs)
            for key, required, templates in self._plan(entity)[1]
            if required and any(attribute not in own for attribute, _ in templates)
        ]
        if entity.expires and self.ttl not in entity.by_stored:
            groups.append(tuple({entity.expires.field} - {*own_inputs}))
        return [group for group in groups if group]


def can_share(one: Key, two: Key) -> bool:
    """Whether items with keys of these forms can lie in one partition."""
    return all(
        mine.can_equal(theirs) for mine, theirs in zip(one.partition, two.partition, strict=False)
    )
