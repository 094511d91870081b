"""Entities: a kind of item, the form of its keys, when it expires."""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any

from tablewright.model.errors import InvalidRecord, InvalidValue
from tablewright.model.expiry import Expiry
from tablewright.model.fields.base import Field
from tablewright.model.fields.numbers import number_text
from tablewright.model.key_template import PARTITION_KEY_BYTES, SORT_KEY_BYTES, Template
from tablewright.model.sharding.epochs import EpochShards, EpochSource
from tablewright.model.sharding.shards import Shards
from tablewright.model.validation.record import Storable

if TYPE_CHECKING:
    from tablewright.model.declaration import Entity

Record = dict[str, Any]
# The names of partition and sort key.
KeyAttributes = tuple[str, str | None]


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


class EntityModel:
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
        "made",
        "name",
        "number_keys",
    )

    def __init__(
        self,
        name: str,
        *,
        key: Key,
        fields: Iterable[Field[Any]],
        indexed: Mapping[str, Key] | None = None,
        expires: Expiry | None = None,
        example: Mapping[str, Any] | None = None,
        describes: str = "",
        made: "type[Entity]",
        number_keys: Iterable[str] = (),
    ) -> None:
        self.number_keys = frozenset(number_keys)
        self.name = name
        self.made = made
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

    def placed(
        self,
        attributes: KeyAttributes,
        indexed: Mapping[str, tuple[KeyAttributes, Key]],
        key: Key | None = None,
    ) -> "EntityModel":
        """The same entity as a table has it: with these attributes for its key, in these indexes
        and, if given, with another key."""
        key = key or self.key
        forms = dict(zip(attributes, (key.pk, key.sk), strict=True))
        places = ((attributes, key), *indexed.values())
        fields = []
        for field in self.fields:
            form = forms.get(field.stored) if field.stored else None
            if form and form.bare_field != field.name:
                # Its attribute is a key of another form, in which it stands.
                field = copy(field)
                field.stored = ""
            fields.append(field)
        return EntityModel(
            self.name,
            key=key,
            fields=fields,
            indexed={name: own for name, (_, own) in indexed.items()},
            expires=self.expires,
            example=self.example,
            describes=self.describes,
            made=self.made,
            number_keys={name for place in places for name in _number_keys(fields, *place)},
        )

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
            elif field.default is not None and not partial:
                record[field.name] = field.default
            elif not field.optional and (field.name in values or not partial):
                problems.append(field.refuse("is required"))
        if self._storable is None:
            self._storable = Storable(self)
        problems += self._storable.problems(record)
        if problems:
            raise InvalidRecord(self.name, problems)
        return record

    def text(self, name: str, value: Any) -> str:
        """The value of a field as it stands in a key."""
        if type(value) is str:
            return value
        if name in self.number_keys:
            # The key is the number itself, of which 5, 5.0 and 5E0 are one.
            return number_text(value)
        return self.by_name[name].to_text(value)

    def texts(self, values: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
        """The key texts of those of the named fields that have a value."""
        texts = {}
        for name in names:
            value = values.get(name)
            if value is not None:
                texts[name] = self.text(name, value)
        return texts


def _number_keys(
    fields: Iterable[Field[Any]], attributes: KeyAttributes, key: Key
) -> Iterator[str]:
    """The numbers that are keys themselves, and not part of a text."""
    for attribute, template in zip(attributes, (key.pk, key.sk), strict=True):
        for field in fields:
            own = attribute and field.stored == attribute and field.kind == "N"
            if own and template and template.bare_field == field.name:
                yield field.name
