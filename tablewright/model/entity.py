"""Entities: a kind of item, the form of its keys, when it expires."""

from collections.abc import Iterable, Mapping
from typing import Any

from tablewright.model.errors import InvalidRecord, InvalidValue
from tablewright.model.expiry import Expiry
from tablewright.model.fields.scalars import Field
from tablewright.model.key_template import PARTITION_KEY_BYTES, SORT_KEY_BYTES, Template
from tablewright.model.sharding.epochs import EpochShards, EpochSource
from tablewright.model.sharding.shards import Shards
from tablewright.model.validation.record import Storable

Record = dict[str, Any]


class Key:
    """The form of a partition key and sort key, the partition optionally spread over shards.

    A `shared` key does not set tenants apart, in a design that has tenants: what is found by it
    cannot be granted to one of them.
    """

    __slots__ = ("pk", "shards", "shared", "sk")

    def __init__(
        self,
        pk: str,
        sk: str | None = None,
        *,
        shards: Shards | EpochShards | None = None,
        delimiter: str = "#",
        shared: bool = False,
    ) -> None:
        self.shared = shared
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
        by = self.shards.inputs if self.shards else ()
        return tuple(dict.fromkeys(self.fields + by))

    def with_shard(self, texts: Mapping[str, str], epochs: EpochSource) -> Mapping[str, str]:
        if self.shards is None:
            return texts
        return {**texts, "shard": self.shards.place(texts, epochs)}


class Entity:
    """A kind of item: its key, its place in each index, its fields and its expiry.

    `describes` says what it is for to who reads the table's page.
    """

    __slots__ = (
        "_storable",
        "by_name",
        "by_stored",
        "describes",
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
        describes: str = "",
    ) -> None:
        self.name = name
        self.key = key
        self.fields = tuple(fields)
        self.indexed = dict(indexed or {})
        self.expires = expires
        self.example = dict(example or {})
        self.describes = describes
        self.by_name = {field.name: field for field in self.fields}
        self.by_stored = {field.stored: field for field in self.fields if field.stored}
        self._storable: Storable | None = None

    def __repr__(self) -> str:
        return f"Entity({self.name!r})"

    @property
    def keys(self) -> tuple[Key, ...]:
        return (self.key, *self.indexed.values())

    def check(self, values: Mapping[str, Any], *, partial: bool = False) -> Record:
        """The values in canonical form, absent ones left out: a record that can be stored.

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
            if value is not None:
                try:
                    value = field.check(value)
                except InvalidValue as problem:
                    problems.append(problem)
                    continue
            if value is not None:
                record[field.name] = value
            elif field.optional and partial and field.name in values:
                record[field.name] = None
            elif not field.optional and (field.name in values or not partial):
                problems.append(field.refuse("is required"))
        if self._storable is None:
            self._storable = Storable(self)
        problems += self._storable.problems(record)
        if problems:
            raise InvalidRecord(self.name, problems)
        return record

    def texts(self, values: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
        """The key texts of those of the named fields that have a value."""
        texts = {}
        for name in names:
            value = values.get(name)
            if value is not None:
                texts[name] = value if type(value) is str else self.by_name[name].to_text(value)
        return texts
