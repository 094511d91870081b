"""Table: entities and their keys, indexes, expiry, stream and access patterns.

A design is one value, declared once. It is imported by every Lambda function, so this module
stays light; whether a design makes sense is checked by `validate` at synth and test time.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tablewright.model.entity import EntityModel, Key
from tablewright.model.key_template import Template
from tablewright.model.patterns import Pattern, Query, field_name
from tablewright.model.sharding.epochs import UNDIVIDED, EpochSource

if TYPE_CHECKING:
    from tablewright.model.fields.base import Field

# The fields to take texts of; then, for each key: its required fields and its attributes.
_Plan = tuple[tuple[str, ...], list[tuple[Key, frozenset[str], list[tuple[str, Template]]]]]

KEYS_ONLY = "KEYS_ONLY"
ALL = "ALL"


class Index:
    """A global secondary index. `keys` has the key of each entity that is in it; `projects` is
    KEYS_ONLY, ALL or the fields that it carries. Without a name it has that of its attribute.

    In an index of several entities, each has those of the projected fields that it knows. A
    `sparse` index holds only the items that have all the fields of its key.
    """

    __slots__ = ("keys", "name", "pk", "projects", "sk", "sparse")

    def __init__(
        self,
        name: str = "",
        *,
        pk: str,
        sk: str | None = None,
        keys: Mapping[type[Any], Key] | None = None,
        projects: "str | Iterable[str | Field[Any]]" = ALL,
        sparse: bool = False,
    ) -> None:
        self.name = name
        self.pk = pk
        self.sk = sk
        self.keys = dict(keys or {})
        self.projects = projects if isinstance(projects, str) else tuple(map(field_name, projects))
        self.sparse = sparse

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    def __repr__(self) -> str:
        return f"Index({self.name!r})"


class Design:
    """A table as it is declared, worked out: what the library computes everything else from.

    `tenant` names the field that separates tenants; in such a
    design every partition key begins with it, but for `shared` ones. `epochs` names the pattern by
    which the shard epochs of a tenant are read, in a design with `EpochShards`.
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
        describes: str = "",
    ) -> None:
        self.id = id
        self.pk = pk
        self.sk = sk
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

    def entity(self, pattern: Pattern[Any]) -> EntityModel:
        return self.entities[pattern.entity]

    def key_of(self, pattern: Pattern[Any]) -> Key:
        """The form of the key that a pattern reads or writes by: the table's or its index's."""
        entity = self.entities[pattern.entity]
        return entity.indexed[pattern.index] if pattern.index else entity.key

    def key_attributes(self, index: str | None) -> tuple[str, str | None]:
        """The names of partition and sort key of an index, or of the table itself."""
        if index is None:
            return self.pk, self.sk
        return self.indexes[index].pk, self.indexes[index].sk

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
        since = record.get(entity.expires.field) if self.ttl and entity.expires else None
        if self.ttl and entity.expires and since is not None:
            attributes[self.ttl] = entity.expires.at(entity.text(entity.expires.field, since))
        return attributes

    def _plan(self, entity: EntityModel) -> _Plan:
        """What `derived` does for every record of an entity, worked out once."""
        steps = []
        for index, key in ((None, entity.key), *entity.indexed.items()):
            names = zip(self.key_attributes(index), (key.pk, key.sk), strict=True)
            # A key that is a bare field is already stored as that field.
            templates = [(a, t) for a, t in names if a and t and a not in entity.by_stored]
            # The table's own key must be whole: a missing field is an error, not an absence.
            steps.append((key, frozenset(key.inputs) if index else frozenset[str](), templates))
        inputs = dict.fromkeys(name for key in entity.keys for name in key.inputs)
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
        return stored

    def projected(
        self, entity: EntityModel, attributes: Mapping[str, Any], index: Index
    ) -> dict[str, Any] | None:
        """What an index holds of an item, or None for an item that is not in it."""
        keys = [index.pk, index.sk] if index.sk else [index.pk]
        if not all(key in attributes for key in keys):
            return None
        if index.projects == ALL:
            return dict(attributes)
        names = [self.pk, *([self.sk] if self.sk else []), *keys]
        if not isinstance(index.projects, str):
            held = (name for name in index.projects if name in entity.by_name)
            names += [entity.by_name[name].stored for name in held]
        return {name: attributes[name] for name in names if name in attributes}

    def neighbours(self, entity: EntityModel, index: str | None) -> bool:
        """Whether items of other entities can lie in the same partitions of table or index."""
        key = entity.indexed[index] if index else entity.key
        for other in self.entity_list:
            theirs = other.indexed.get(index) if index else other.key
            if other is not entity and theirs and key.pk.can_equal(theirs.pk):
                return True
            if index and not theirs and other is not entity and self._stores(other, index):
                return True
        return False

    def _stores(self, entity: EntityModel, index: str) -> bool:
        """Whether an entity stores the key attributes of an index that it is not declared in."""
        own = {*entity.by_stored, self.pk, self.sk}
        return all(name in own for name in self.key_attributes(index) if name)

    def readable(self, query: Query[Any]) -> set[str]:
        """The fields that a query can answer with: projected, or standing in a key that is."""
        entity = self.entities[query.entity]
        index = self.indexes[query.index] if query.index else None
        if index is None or query.hydrate or index.projects == ALL:
            return set(entity.by_name)
        keys = {*entity.key.fields, *entity.indexed[index.name].fields}
        return keys if isinstance(index.projects, str) else keys | set(index.projects)

    def derives_from(self, entity: EntityModel) -> tuple[str, ...]:
        """The fields outside the primary key that derived attributes are computed from."""
        own = (self.pk, self.sk)
        # An index key of bare fields is stored as these, and nothing is computed; nor is one that
        # is the table's own key, which never changes.
        computed = [
            key
            for key, required, made in self._plan(entity)[1]
            if required and any(attribute not in own for attribute, _ in made)
        ]
        names = [name for key in computed for name in key.inputs]
        names += [entity.expires.field] if entity.expires else []
        return tuple(dict.fromkeys(name for name in names if name not in entity.key.fields))
