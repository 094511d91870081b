"""Records of an entity to stored items and back, as its table design lays them out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tablewright.model import Design, EntityModel, Epochs, InvalidRecord, InvalidValue, Record
from tablewright.model.arguments import described
from tablewright.model.errors import KeyMismatch
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import TallyField
from tablewright.model.fields.numbers import NumberField
from tablewright.model.key_template import Template
from tablewright.model.patterns import Listing, Query
from tablewright.model.sharding.epochs import EpochSource
from tablewright.runtime.errors import SecretUnreadable
from tablewright.runtime.store.attribute_values import Wire, decode, encode

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

Item = dict[str, Wire]


class _NoEpochs:
    """In place of epochs where there are none: to guess a shard would be to lose the item."""

    def latest(self) -> int:
        raise TypeError("the key is sharded by epochs, so it can be made by a Store only")

    def known(self, whose: str, upto: int) -> Epochs:
        raise TypeError("the key is sharded by epochs, so it can be made by a Store only")


class Records:
    """The codec of one entity of one design; `epochs` knows the shards of keys that have them,
    `secrets` encrypts and decrypts fields that are secret."""

    def __init__(
        self,
        design: Design,
        entity: EntityModel,
        epochs: EpochSource | None = None,
        *,
        secrets: Secrets | None = None,
    ) -> None:
        self.design = design
        self.entity = entity.keyed(self._digest)
        self._given_secrets = secrets
        self._secret = {field.stored: field for field in entity.secrets}
        self.epochs: EpochSource = epochs or _NoEpochs()
        self._fields = {stored: field.name for stored, field in entity.by_stored.items()}
        self._stored = {field.name: field.stored for field in entity.fields}
        self._converting = {f.stored: f for f in entity.fields if f.converts and f.stored}
        self._numbers = {
            field.stored: field.from_number
            for field in entity.fields
            if isinstance(field, NumberField) and field.stored
        }
        self._unread: dict[str, frozenset[str]] = {}
        self._tallies = [field for field in entity.fields if isinstance(field, TallyField)]
        # Whether others can have its keys, so that the type of an item has to be looked at.
        self.shares_keys = bool(design.entity_type) and design.shares_keys(entity)
        self.key_inputs = entity.inputs(entity.key)
        self._in_key = [n for n in entity.key.fields if n in self._stored and not self._stored[n]]
        # The fields of an item, in clear, with those that stand in its key alone.
        self.clear_values = self._with_key_fields if self._in_key else self.stored_values

    def to_item(self, record: Mapping[str, Any]) -> Item:
        """The item for a record that the entity has checked, with everything derived from it."""
        item = self.clear_item(record)
        return self.encrypted(item) if self._secret else item

    def clear_item(self, record: Mapping[str, Any]) -> Item:
        """The same, before anything is encrypted."""
        # The dict that a record is: its own methods are slower.
        values = vars(record) if isinstance(record, self.entity.made) else record
        attributes = self.design.attributes(self.entity, values, self.epochs)
        # Text, which most attributes are, needs no look at its type.
        return {
            name: {"S": value} if type(value) is str else encode(value)
            for name, value in attributes.items()
        }

    def values(self, record: Mapping[str, Any]) -> Item:
        """The fields of a record as they are stored, without anything derived from them."""
        stored: Item = {}
        for name, value in record.items():
            if value is not None:
                attributes = self.entity.by_name[name].attributes(value)
                stored.update({attribute: encode(v) for attribute, v in attributes.items()})
        return stored

    def to_record(self, item: Item, *, unread: frozenset[str] = frozenset()) -> Any:
        """The record in an item of the table, of which some fields may not have been read."""
        if self._secret:
            item, unread = self._in_clear(item, unread)
        return self.entity.made._stored(self.clear_values(item), unread)

    def encrypted(self, attributes: Item, key: Item | None = None) -> Item:
        """Attributes of the item with a key, which may be among them, as they are stored."""
        hidden = self._secret.keys() & attributes.keys()
        if not hidden:
            return attributes
        where, secrets = self._place(key or attributes), self._secrets
        new = {name: secrets.encrypt(where, name, attributes[name]) for name in hidden}
        return {**attributes, **new}

    def decrypted(self, item: Item) -> Item:
        """The item as it was before it was encrypted, without what there are no keys for."""
        hidden = self._secret.keys() & item.keys()
        if not hidden:
            return item
        where, secrets = self._place(item), self._secrets
        found: Item = {}
        for name, wire in item.items():
            try:
                clear = secrets.decrypt(where, name, wire) if name in hidden else wire
            except SecretUnreadable as error:
                field = f"{self.entity.name}.{self._fields[name]}"
                raise SecretUnreadable(field, error.reason) from None
            if clear is not None:
                found[name] = clear
        return found

    def _in_clear(self, item: Item, unread: frozenset[str]) -> tuple[Item, frozenset[str]]:
        """The item before it was encrypted, and the fields that were not read."""
        clear = self.decrypted(item)
        if len(clear) == len(item):
            return clear, unread
        return clear, unread | {self._fields[name] for name in item.keys() - clear.keys()}

    def _place(self, item: Item) -> list[str | bytes]:
        # When it is needed: most tables have no secrets.
        from tablewright.runtime.secrets.secrets import place

        return place(item, self.design.key.names)

    @property
    def _secrets(self) -> Secrets:
        if self._given_secrets is None:
            raise TypeError(f"{self.entity.name} has secret fields: give secrets=")
        return self._given_secrets

    def _digest(self, field: Field[Any], value: Any) -> str:
        return self._secrets.digest(field.stored, encode(field.to_plain(value)))

    def stored_values(self, item: Item) -> Record:
        """The fields that an item has, whatever its key, which is not looked at."""
        fields, converting, numbers = self._fields, self._converting, self._numbers
        record: Record = {}
        for name, wire in item.items():
            if name in fields:
                # Text, which most attributes are, needs no decoding.
                value = wire.get("S")
                if value is None and "N" in wire and name in numbers:
                    value = numbers[name](wire["N"])
                else:
                    value = decode(wire) if value is None else value
                    if value is None:
                        continue  # NULL, which others store for what they do not have
                    if name in converting:
                        value = _converted(converting[name], value)
                record[fields[name]] = value
        for tally in self._tallies:
            counts = {
                name[len(tally.prefix) :]: decode(wire)
                for name, wire in item.items()
                if name.startswith(tally.prefix)
            }
            if counts:
                record[tally.name] = counts
        return record

    def _with_key_fields(self, item: Item) -> Record:
        record = self.stored_values(item)
        texts = self.key_texts(item, None)
        for name in self._in_key:
            record[name] = self.entity.by_name[name].from_text(texts[name])
        return record

    def from_entry(self, entry: Item, index: str, *, unread: frozenset[str] = frozenset()) -> Any:
        """The record in an index entry, completed by the fields that stand in its keys."""
        if self._secret:
            entry, unread = self._in_clear(entry, unread)
        record = self.clear_values(entry)
        for name, text in self.key_texts(entry, index).items():
            if name not in record and name in self.entity.by_name:
                record[name] = self.entity.by_name[name].from_text(text)
        return self.entity.made._stored(record, unread)

    def key(self, values: Mapping[str, Any]) -> Item:
        """The primary key of a record, or of the one with these key fields."""
        inputs = self.key_inputs
        if isinstance(values, self.entity.made):
            values = {name: values[name] for name in inputs if name in values}
        elif not isinstance(values, dict):
            fields = ", ".join(f"{name!r}: …" for name in inputs)
            raise TypeError(
                f"a key of {self.entity.name} must be a record of it or a dict "
                f"{{{fields}}}, not {described(values)}"
            )
        unknown = [name for name in values if name not in inputs]
        if unknown:
            problems = [InvalidValue(name, self._no_key_field(name)) for name in unknown]
            raise InvalidRecord(self.entity.name, problems)
        return self.key_item(self.entity.texts(self.check_some(values), inputs), None)

    def _no_key_field(self, name: str) -> str:
        if name not in self.entity.by_name:
            return f"is not a field of {self.entity.name}"
        return f"is not part of the key: that is {', '.join(self.key_inputs)}"

    def key_item(self, texts: Mapping[str, str], index: str | None) -> Item:
        """The key attributes of the table, or of an index, made from field texts.

        A shard among the texts is taken as it is.
        """
        key = self.entity.indexed[index] if index else self.entity.key
        full = texts if "shard" in texts else key.with_shard(texts, self.epochs)
        item: Item = {}
        for attribute, template in self.design.key_attributes(index).of(key):
            item[attribute] = self.wire(attribute, template.format(full))
        return item

    def key_texts(self, item: Item, index: str | None) -> dict[str, str]:
        """The field texts that stand in an item's keys: the table's and, if named, an index's."""
        texts: dict[str, str] = {}
        for name in (None, index) if index else (None,):
            key = self.entity.indexed[name] if name else self.entity.key
            for attribute, template in self.design.key_attributes(name).of(key):
                texts.update(template.parse(key_text(item[attribute])))
        return texts

    def is_one(self, item: Item, index: str | None) -> bool:
        """Whether an item that lies among those of others is one of this entity."""
        kind = item.get(self.design.entity_type) if self.design.entity_type else None
        if kind is not None:
            return kind == {"S": self.entity.name}
        if self.shares_keys:
            return False
        for name in (None, index) if index else (None,):
            key = self.entity.indexed[name] if name else self.entity.key
            for attribute, template in self.design.key_attributes(name).of(key):
                if not self._fits(item.get(attribute), template):
                    return False
        return True

    def _fits(self, wire: Wire | None, template: Template) -> bool:
        if wire is None:
            return False
        try:
            texts = template.parse(key_text(wire))
        except KeyMismatch:
            return False
        fields = self.entity.by_name
        return all(
            name not in fields or name in self.entity.number_keys or fields[name].fits_text(text)
            for name, text in texts.items()
        )

    def owns(self, attribute: str) -> bool:
        """Whether an attribute is one that this entity's records are made of."""
        if attribute in self._fields or attribute in (self.design.ttl, self.design.entity_type):
            return True
        indexes = (self.design.indexes[name] for name in self.entity.indexed)
        if any(attribute in index.key.names for index in indexes):
            return True
        return any(attribute.startswith(tally.prefix) for tally in self._tallies)

    def wire(self, attribute: str, text: str) -> Wire:
        """A key attribute of this text, of the type that it has."""
        field = self.entity.by_stored.get(attribute)
        if field is None or field.kind == "S":
            return {"S": text}
        return {"N": text} if field.kind == "N" else {"B": bytes.fromhex(text)}

    def check_some(self, values: Mapping[str, Any]) -> Record:
        return self.entity.check(values, partial=True)

    def stored_names(self, names: Iterable[str]) -> list[str]:
        return [self._stored[name] for name in names if self._stored[name]]

    def entry_to_record(self, listing: Listing[Any], entry: Item) -> Any:
        """The record of what a list has read, and not completed."""
        unread = self._unread.get(listing.name)
        if unread is None:
            unread = self._unread[listing.name] = self._left_out(listing)
        if listing.index:
            return self.from_entry(entry, listing.index, unread=unread)
        return self.to_record(entry, unread=unread)

    def _left_out(self, listing: Listing[Any]) -> frozenset[str]:
        """The fields that a list does not read."""
        read = self.design.readable(listing, self.entity)
        select = listing.select if isinstance(listing, Query) else None
        if select is not None and listing.entity == self.entity.name:
            keys = [self.entity.key, *self.entity.indexed.values()]
            kept = {name for key in keys for name in key.fields}
            read &= {*select, *kept}
        return frozenset(self.entity.by_name) - read


def _converted(field: Field[Any], plain: Any) -> Any:
    """A value that is stored; as it is, where somebody stored what the field cannot be."""
    try:
        return field.from_plain(plain)
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        return plain


def key_text(wire: Wire) -> str:
    """The text of a key attribute, whatever its type."""
    ((kind, value),) = wire.items()
    return decode(wire).hex() if kind == "B" else str(value)
