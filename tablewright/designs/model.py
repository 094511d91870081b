"""What a table is: entities and their keys, indexes, expiry, stream and access patterns.

A design is one value, declared once. It is imported by every Lambda function, so this module
stays light; whether a design makes sense is checked by `validate` at synth and test time.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from tablewright.designs.errors import InvalidRecord, InvalidValue
from tablewright.designs.fields import Field
from tablewright.designs.patterns import Pattern
from tablewright.designs.sharding import Shards
from tablewright.designs.template import PARTITION_KEY_BYTES, SORT_KEY_BYTES, Template

Record = dict[str, Any]

# The fields to take texts of; then, for each key: its required fields and its attributes.
_Plan = tuple[tuple[str, ...], list[tuple["Key", frozenset[str], list[tuple[str, Template]]]]]

KEYS_ONLY = "KEYS_ONLY"
ALL = "ALL"


class Key:
    """The form of a partition key and sort key, the partition optionally spread over shards."""

    __slots__ = ("pk", "shards", "sk")

    def __init__(
        self, pk: str, sk: str | None = None, *, shards: Shards | None = None, delimiter: str = "#"
    ) -> None:
        self.pk = Template(pk, limit=PARTITION_KEY_BYTES, delimiter=delimiter)
        self.sk = Template(sk, limit=SORT_KEY_BYTES, delimiter=delimiter) if sk else None
        self.shards = shards

    @property
    def fields(self) -> tuple[str, ...]:
        """The entity's fields that the key is made of, without the computed shard."""
        names = self.pk.fields + (self.sk.fields if self.sk else ())
        return tuple(dict.fromkeys(name for name in names if name != "shard"))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Every field that the key is computed from."""
        by = (self.shards.by,) if self.shards else ()
        return tuple(dict.fromkeys(self.fields + by))

    def with_shard(self, texts: Mapping[str, str]) -> Mapping[str, str]:
        if self.shards is None:
            return texts
        return {**texts, "shard": self.shards.of(texts[self.shards.by])}


class Expiry:
    """When an item may be deleted: a calendar span after a date or time that it carries.

    Days begin at 00:00 UTC, and so does expiry counted from a date. 29 February plus a number of
    years is 28 February where there is no 29th.
    """

    __slots__ = ("days", "field", "years")

    def __init__(self, field: str, *, years: int = 0, days: int = 0) -> None:
        self.field = field
        self.years = years
        self.days = days

    def __str__(self) -> str:
        spans = ((self.years, "calendar years"), (self.days, "days"))
        return " and ".join(f"{n} {unit}" for n, unit in spans if n) + f" after {self.field}"

    def at(self, text: str) -> int:
        """Expiry, in seconds since 1970, of an item whose field has this value."""
        if len(text) == len("YYYY-MM-DD"):
            start = datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
        else:
            start = datetime.fromisoformat(text)
        try:
            end = start.replace(year=start.year + self.years)
        except ValueError:
            end = start.replace(year=start.year + self.years, day=28)
        return int((end + timedelta(days=self.days)).timestamp())


class Entity:
    """A kind of item: its key, its place in each index, its fields and its expiry."""

    __slots__ = (
        "_key_uses",
        "by_name",
        "by_stored",
        "example",
        "expires",
        "fields",
        "indexed",
        "key",
        "name",
    )

    def __init__(
        self,
        name: str,
        *,
        key: Key,
        fields: Iterable[Field],
        indexed: Mapping[str, Key] | None = None,
        expires: Expiry | None = None,
        example: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.key = key
        self.fields = tuple(fields)
        self.indexed = dict(indexed or {})
        self.expires = expires
        self.example = dict(example or {})
        self.by_name = {field.name: field for field in self.fields}
        self.by_stored = {field.stored: field for field in self.fields}
        self._key_uses: list[tuple[str, Template]] | None = None

    def __repr__(self) -> str:
        return f"Entity({self.name!r})"

    @property
    def keys(self) -> tuple[Key, ...]:
        return (self.key, *self.indexed.values())

    def check(self, values: Mapping[str, Any], *, partial: bool = False) -> Record:
        """The values in canonical form, absent ones left out.

        Raises InvalidRecord with every problem found. With `partial`, fields may be missing, and
        None says that an optional field is to be removed.
        """
        problems: list[InvalidValue] = []
        record: Record = {}
        for name in values:
            if name not in self.by_name:
                problems.append(InvalidValue(name, f"is not a field of {self.name}"))
        for field in self.fields:
            value = values.get(field.name)
            if value is None:
                if field.optional and partial and field.name in values:
                    record[field.name] = None
                elif not field.optional and (field.name in values or not partial):
                    problems.append(field.refuse("is required"))
                continue
            try:
                record[field.name] = field.check(value)
            except InvalidValue as problem:
                problems.append(problem)
        problems += self._unfit_for_keys(record)
        if problems:
            raise InvalidRecord(self.name, problems)
        return record

    def _unfit_for_keys(self, record: Record) -> list[InvalidValue]:
        if self._key_uses is None:
            templates = [t for key in self.keys for t in (key.pk, key.sk) if t]
            # What a template refuses depends on its delimiter alone.
            uses = {(n, t.delimiter): t for t in templates for n in t.fields if n != "shard"}
            self._key_uses = [(name, template) for (name, _), template in uses.items()]
        found: dict[str, InvalidValue] = {}
        for name, template in self._key_uses:
            value = record.get(name)
            if value is not None:
                text = value if type(value) is str else self.by_name[name].to_text(value)
                reason = template.refuses(text)
                if reason:
                    found[name] = InvalidValue(name, reason)
        return list(found.values())

    def texts(self, values: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
        """The key texts of those of the named fields that have a value."""
        texts = {}
        for name in names:
            value = values.get(name)
            if value is not None:
                texts[name] = value if type(value) is str else self.by_name[name].to_text(value)
        return texts


class Index:
    """A global secondary index. `projects` is KEYS_ONLY, ALL or the fields that it carries.

    A `sparse` index holds only the items that have all the fields of its key.
    """

    __slots__ = ("name", "pk", "projects", "sk", "sparse")

    def __init__(
        self,
        name: str,
        *,
        pk: str,
        sk: str | None = None,
        projects: str | Iterable[str] = ALL,
        sparse: bool = False,
    ) -> None:
        self.name = name
        self.pk = pk
        self.sk = sk
        self.projects = projects if isinstance(projects, str) else tuple(projects)
        self.sparse = sparse

    def __repr__(self) -> str:
        return f"Index({self.name!r})"


class Table:
    """A table design. Access patterns are its attributes: ``SALES.category_sales``.

    `name` may contain ``{stage}``. `tenant` names the field that separates tenants; in such a
    design every partition key begins with it.
    """

    def __init__(
        self,
        id: str,
        *,
        name: str,
        pk: str,
        sk: str | None = None,
        entities: Iterable[Entity],
        indexes: Iterable[Index] = (),
        patterns: Iterable[Pattern] = (),
        ttl: str | None = None,
        stream: str | None = None,
        tenant: str | None = None,
        describes: str = "",
    ) -> None:
        self.id = id
        self.name = name
        self.pk = pk
        self.sk = sk
        self.ttl = ttl
        self.stream = stream
        self.tenant = tenant
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

    def __getattr__(self, name: str) -> Pattern:
        try:
            return self.__dict__["patterns"][name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(
                f"table design '{self.id}' has no access pattern '{name}'"
            ) from None

    def entity(self, pattern: Pattern) -> Entity:
        return self.entities[pattern.entity]

    def key_of(self, pattern: Pattern) -> Key:
        """The form of the key that a pattern reads or writes by: the table's or its index's."""
        entity = self.entities[pattern.entity]
        return entity.indexed[pattern.index] if pattern.index else entity.key

    def key_attributes(self, index: str | None) -> tuple[str, str | None]:
        """The names of partition and sort key of an index, or of the table itself."""
        if index is None:
            return self.pk, self.sk
        return self.indexes[index].pk, self.indexes[index].sk

    def derived(self, entity: Entity, record: Mapping[str, Any]) -> dict[str, str | int]:
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
            full = key.with_shard(texts)
            for attribute, template in templates:
                attributes[attribute] = template.format(full)
        if self.ttl and entity.expires and record.get(entity.expires.field) is not None:
            attributes[self.ttl] = entity.expires.at(record[entity.expires.field])
        return attributes

    def _plan(self, entity: Entity) -> "_Plan":
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

    def attributes(self, entity: Entity, record: Mapping[str, Any]) -> dict[str, Any]:
        """Everything that is stored for a record, by stored name."""
        stored = {
            entity.by_name[name].stored: value
            for name, value in record.items()
            if value is not None
        }
        stored.update(self.derived(entity, record))
        return stored

    def projected(
        self, entity: Entity, attributes: Mapping[str, Any], index: Index
    ) -> dict[str, Any] | None:
        """What an index holds of an item, or None for an item that is not in it."""
        keys = [index.pk, index.sk] if index.sk else [index.pk]
        if not all(key in attributes for key in keys):
            return None
        if index.projects == ALL:
            return dict(attributes)
        names = [self.pk, *([self.sk] if self.sk else []), *keys]
        if not isinstance(index.projects, str):
            names += [entity.by_name[name].stored for name in index.projects]
        return {name: attributes[name] for name in names if name in attributes}

    def derives_from(self, entity: Entity) -> tuple[str, ...]:
        """The fields outside the primary key that derived attributes are computed from."""
        names = [name for key in entity.indexed.values() for name in key.inputs]
        names += [entity.expires.field] if entity.expires else []
        return tuple(dict.fromkeys(name for name in names if name not in entity.key.fields))
