"""Entities: a kind of item, the form of its keys, when it expires."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from tablewright.model.arguments import checked
from tablewright.model.computed import Computed, Digest
from tablewright.model.errors import InvalidValue
from tablewright.model.expiry import Expiry
from tablewright.model.fields.base import ANY_TEXT, Field
from tablewright.model.fields.numbers import number_text
from tablewright.model.key_template import PARTITION_KEY_BYTES, SORT_KEY_BYTES, Template
from tablewright.model.part import PartModel
from tablewright.model.sharding.epochs import EpochShards, EpochSource
from tablewright.model.sharding.shards import Shards
from tablewright.model.validation.record import Storable

if TYPE_CHECKING:
    from tablewright.model.declaration import Entity


class Key:
    """The form of a partition key and sort key, the partition optionally spread over shards.

    In an index each may consist of several attributes: then it is a tuple of their forms. A
    `shared` key does not set tenants apart, in a design that has tenants: what is found by it
    cannot be granted to one of them. A value in a key may not contain the `delimiter`.

    Example::

        Key("TENANT#{tenant}#ORDER#{order_id}", "ORDER")
        Key("ALL#{shard}", "AT#{placed_at}", shards=Shards(10, by="order_id"))
        Key(("{cup}", "{region}"), ("{round}", "{score}"))
    """

    __slots__ = ("partition", "shards", "shared", "sort")

    @checked
    def __init__(
        self,
        pk: str | tuple[str, ...],
        sk: str | tuple[str, ...] | None = None,
        *,
        shards: Shards | EpochShards | None = None,
        delimiter: str = "#",
        shared: bool = False,
    ) -> None:
        if not delimiter or {*"{}"} & {*delimiter}:
            raise TypeError(f"Key: delimiter must be a text without braces, not {delimiter!r}")
        self.shared = shared
        self.partition = _templates(pk, PARTITION_KEY_BYTES, delimiter)
        self.sort = _templates(sk or (), SORT_KEY_BYTES, delimiter)
        self.shards = shards

    @property
    def templates(self) -> tuple[Template, ...]:
        """The forms of all attributes of the key, those of the partition first."""
        return self.partition + self.sort

    @property
    def partition_fields(self) -> tuple[str, ...]:
        """The entity's fields that the partition key is made of, without the computed shard."""
        return _fields(self.partition)

    @property
    def sort_fields(self) -> tuple[str, ...]:
        """The entity's fields that the sort key is made of."""
        return _fields(self.sort)

    @property
    def fields(self) -> tuple[str, ...]:
        """The entity's fields that the key is made of, without the computed shard."""
        return _fields(self.templates)

    def _limited(self, attributes: KeyAttributes, limits: Mapping[str, int]) -> Key:
        """The same key, each attribute of which is no longer than is said of it."""
        bounds = {id(form): limits.get(name, form.limit) for name, form in attributes.of(self)}
        limited = Key.__new__(Key)
        limited.shards, limited.shared = self.shards, self.shared
        limited.partition, limited.sort = (
            tuple(form.limited(bounds.get(id(form), form.limit)) for form in forms)
            for forms in (self.partition, self.sort)
        )
        return limited

    def with_patterns(self, key_pattern: Callable[[str], str]) -> Key:
        """The same key, whose fields have texts of these regular expressions."""
        copy = Key.__new__(Key)
        copy.shards, copy.shared = self.shards, self.shared
        copy.partition = tuple(one.with_patterns(key_pattern) for one in self.partition)
        copy.sort = tuple(one.with_patterns(key_pattern) for one in self.sort)
        return copy

    def with_shard(self, texts: Mapping[str, str], epochs: EpochSource) -> Mapping[str, str]:
        """The texts of an item's fields and, where the key has one, its shard."""
        if self.shards is None:
            return texts
        return {**texts, "shard": self.shards.place(texts, epochs)}


def _templates(forms: str | tuple[str, ...], limit: int, delimiter: str) -> tuple[Template, ...]:
    texts = (forms,) if isinstance(forms, str) else forms
    templates = tuple(Template(text, limit=limit, delimiter=delimiter) for text in texts)
    for template in templates:
        if not template.text or {*"{}"} & {*"".join(template.literals)}:
            fix = "Write fixed text and names of fields in braces, such as ORDER#{order_id}"
            raise TypeError(f"{template.text!r} is not a template of a key. {fix}")
    return templates


def _fields(templates: Iterable[Template]) -> tuple[str, ...]:
    names = (name for template in templates for name in template.fields)
    return tuple(dict.fromkeys(name for name in names if name != "shard"))


class KeyAttributes:
    """The names of the attributes that a key consists of."""

    __slots__ = ("names", "partition", "sort")

    def __init__(self, partition: tuple[str, ...], sort: tuple[str, ...] = ()) -> None:
        self.partition = partition
        self.sort = sort
        self.names = partition + sort

    def of(self, key: Key) -> list[tuple[str, Template]]:
        """Each attribute with the form that a key has in it."""
        pairs = ((self.partition, key.partition), (self.sort, key.sort))
        return [pair for names, forms in pairs for pair in zip(names, forms, strict=False)]


class EntityModel(PartModel):
    """A kind of item: its key, its place in each index, its fields and its expiry.

    `computed` are the parts of keys that follow from fields. `describes` says what it is for to who
    reads the table's page.
    """

    __slots__ = (
        "_in_keys",
        "_sources",
        "_storable",
        "computed",
        "describes",
        "example",
        "expires",
        "indexed",
        "key",
        "made",
        "number_keys",
    )

    def __init__(
        self,
        name: str,
        *,
        key: Key,
        fields: Iterable[Field[Any]],
        computed: Iterable[Computed] = (),
        indexed: Mapping[str, Key] | None = None,
        expires: Expiry | None = None,
        example: Mapping[str, Any] | None = None,
        describes: str = "",
        made: type[Entity],
        number_keys: Iterable[str] = (),
    ) -> None:
        super().__init__(name, fields)
        self.computed = {one.name: one for one in computed}
        self._sources = {name: one.inputs for name, one in self.computed.items()}
        self.number_keys = frozenset(number_keys)
        self.made = made
        self.key = key.with_patterns(self.key_pattern)
        self.indexed = {
            name: one.with_patterns(self.key_pattern) for name, one in (indexed or {}).items()
        }
        self._in_keys = {name for one in self.keys for name in one.fields}
        self._in_keys |= {name for one in self.keys if one.shards for name in one.shards.inputs}
        self.expires = expires
        self.example = dict(example or {})
        self.describes = describes
        self._storable: Storable | None = None

    def __repr__(self) -> str:
        return f"Entity({self.name!r})"

    @property
    def keys(self) -> tuple[Key, ...]:
        """The key in the table, and that in each index."""
        return (self.key, *self.indexed.values())

    def placed(
        self,
        attributes: KeyAttributes,
        indexed: Mapping[str, tuple[KeyAttributes, Key]],
        key: Key | None = None,
        expires: Expiry | None = None,
        limits: Mapping[str, int] | None = None,
    ) -> EntityModel:
        """The same entity as a table has it: with these attributes for its key, in these indexes
        and, if given, with another key or expiry. `limits` are bytes of the indexes' attributes,
        which hold for items that are in no index, too."""
        key = (key or self.key)._limited(attributes, limits or {})
        forms = dict(attributes.of(key))
        places = ((attributes, key), *indexed.values())
        fields = []
        for field in self.fields:
            form = forms.get(field.stored) if field.stored else None
            if form and form.bare_field != field.name:
                # Its attribute is a key of another form, in which it stands.
                field = field.in_key()
            fields.append(field)
        return EntityModel(
            self.name,
            key=key,
            fields=fields,
            computed=self.computed.values(),
            indexed={name: own for name, (_, own) in indexed.items()},
            expires=expires or self.expires,
            example=self.example,
            describes=self.describes,
            made=self.made,
            number_keys={name for place in places for name in _number_keys(fields, *place)},
        )

    def keyed(self, digest: Callable[..., str], tenant: str | None) -> EntityModel:
        """The same entity with digests that are computed by a function of field, value and, unless
        a shared key contains them, tenant."""
        if not any(isinstance(one, Digest) for one in self.computed.values()):
            return self
        shared = {name for key in self.keys if key.shared for name in key.fields}
        tenants = [self.by_name[tenant]] if tenant in self.by_name else []
        return EntityModel(
            self.name,
            key=self.key,
            fields=self.fields,
            computed=[
                one.keyed(partial(digest, one.of), *([] if one.name in shared else tenants))
                if isinstance(one, Digest)
                else one
                for one in self.computed.values()
            ],
            indexed=self.indexed,
            expires=self.expires,
            example=self.example,
            describes=self.describes,
            made=self.made,
            number_keys=self.number_keys,
        )

    @property
    def secrets(self) -> tuple[Field[Any], ...]:
        """The fields that are encrypted before they are stored."""
        return tuple(field for field in self.fields if field.secret)

    def more_problems(self, record: Mapping[str, Any]) -> Iterable[InvalidValue]:
        """What keeps a record from being keyed, expired and stored."""
        if self._storable is None:
            self._storable = Storable(self)
        return self._storable.problems(record)

    def inputs(self, key: Key) -> tuple[str, ...]:
        """Every field that one of the entity's keys is computed from."""
        by = key.shards.inputs if key.shards else ()
        names = (self._sources.get(name, (name,)) for name in (*key.fields, *by))
        return tuple(dict.fromkeys(one for some in names for one in some))

    def key_pattern(self, name: str) -> str:
        """Regular expression of the texts that a field, or what is computed, has in keys."""
        if name in self.number_keys:
            return "[-+.0-9eE]+"  # as DynamoDB writes numbers
        part = self.by_name.get(name) or self.computed.get(name)
        if part is None:
            return "0|[1-9][0-9]*" if name == "shard" else ANY_TEXT
        return part.key_pattern

    def text(self, name: str, value: Any) -> str:
        """The value of a field as it stands in a key."""
        if type(value) is str:
            return value
        if name in self.number_keys:
            # The key is the number itself, of which 5, 5.0 and 5E0 are one.
            return number_text(self.by_name[name].to_plain(value))
        if name not in self._in_keys:
            # What is computed from it stands in the key: the value may have more digits.
            return str(self.by_name[name].to_plain(value))
        return self.by_name[name].to_text(value)

    def time_text(self, value: Any) -> str:
        """The date or time that the entity expires by, as a text."""
        return self.by_name[self.expires.field].time_text(value) if self.expires else ""

    def texts(self, values: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
        """The key texts of those of the named fields that have a value, and of what is computed."""
        texts = {}
        for name in names:
            value = values.get(name)
            if value is not None:
                texts[name] = value if type(value) is str else self.text(name, value)
        for name, computed in self.computed.items():
            text = computed.text(values)
            if text is not None:
                texts[name] = text
        return texts


def _number_keys(
    fields: Iterable[Field[Any]], attributes: KeyAttributes, key: Key
) -> Iterator[str]:
    """The numbers that are keys themselves, and not part of a text."""
    for attribute, template in attributes.of(key):
        for field in fields:
            own = field.stored == attribute and field.kind == "N"
            if own and template.bare_field == field.name:
                yield field.name
