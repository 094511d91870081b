"""Records of an entity to stored items and back, as its table design lays them out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tablewright.model import Design, EntityModel, Epochs, InvalidRecord, InvalidValue, Record
from tablewright.model.arguments import described
from tablewright.model.errors import KeyMismatch
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import TallyField
from tablewright.model.fields.numbers import MoneyField, NumberField, WholeField
from tablewright.model.fields.text import ChoiceField, FlagField, TextField
from tablewright.model.fields.time import (
    DateTextField,
    HourTextField,
    TimestampField,
    TimestampTextField,
)
from tablewright.model.key_template import Template
from tablewright.model.patterns import Listing, Query
from tablewright.model.sharding.epochs import EpochSource
from tablewright.runtime.errors import MalformedItem, SecretUnreadable
from tablewright.runtime.store.attribute_values import Wire, decode, encode

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

Item = dict[str, Wire]

# Errors that conversions raise for values that they cannot convert.
UNFIT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
# Texts of these fields are of one form; for other texts, a rule may have been tightened since.
_OF_ONE_FORM = (ChoiceField, DateTextField, FlagField, HourTextField, TimestampTextField)
_TIME = r"T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}"
_EXACT_TIMES = (TimestampField, TimestampTextField)
# Days that every month has.
_DAY = r"[1-9][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
# Key texts whose values are remembered: many items have the same day.
_REMEMBERED_TEXTS = 1024


class _NoEpochs:
    """In place of epochs where there are none: to guess a shard would be to lose the item."""

    def latest(self) -> int:
        raise TypeError("the key is sharded by epochs, so it can be made by a Store only")

    def known(self, whose: str, upto: int) -> Epochs:
        raise TypeError("the key is sharded by epochs, so it can be made by a Store only")


class Records:
    """The codec of one entity of one design; `epochs` knows the shards of keys that have them,
    `secrets` encrypts and decrypts fields that are secret, `table_name` is for errors."""

    def __init__(
        self,
        design: Design,
        entity: EntityModel,
        epochs: EpochSource | None = None,
        *,
        secrets: Secrets | None = None,
        table_name: str | None = None,
    ) -> None:
        self.design = design
        self._table_name = table_name or design.id
        self.entity = entity.keyed(self._digest, design.tenant)
        self._given_secrets = secrets
        self._secret = {field.stored: field for field in entity.secrets}
        self.epochs: EpochSource = epochs or _NoEpochs()
        self._fields = {stored: field.name for stored, field in entity.by_stored.items()}
        self._stored = {field.name: field.stored for field in entity.fields}
        # By attribute: the field's name, the type that it is stored as, and the conversion.
        self._readers = {
            stored: (field.name, field.kind, _conversion(field))
            for stored, field in entity.by_stored.items()
        }
        self._required = entity.required
        self._unread: dict[str, frozenset[str]] = {}
        self._tallies = [field for field in entity.fields if isinstance(field, TallyField)]
        # Whether others can have its keys, so that the type of an item has to be looked at.
        self.shares_keys = bool(design.entity_type) and design.shares_keys(entity)
        self.key_inputs = entity.inputs(entity.key)
        self._in_key = [n for n in entity.key.fields if n in self._stored and not self._stored[n]]
        self._templates = {
            index: design.key_attributes(index).of(key)
            for index, key in ((None, entity.key), *entity.indexed.items())
        }
        # By index: the key attributes with fields to read or to check, their templates, the fields,
        # and a quick test that most texts pass if there is nothing to read.
        self._keys_to_read = {
            index: [
                (attribute, template, names, None if index else self._quick_test(template))
                for name in ((None, index) if index else (None,))
                for attribute, template in self._templates[name]
                if (names := [one for one in template.fields if self._is_read(one, attribute)])
            ]
            for index in self._templates
        }
        self._key_value = lru_cache(_REMEMBERED_TEXTS)(self._read_key_text)

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

    def to_record(
        self, item: Item, *, index: str | None = None, unread: frozenset[str] = frozenset()
    ) -> Any:
        """The record in an item of the table, or of an index; fields may not have been read.

        Raises MalformedItem if a value is not of its field's type, a required field is missing, or
        a key is not the text that its values are written as; KeyMismatch for a key of another form.
        """
        clear = item
        try:
            if self._secret:
                clear, unread = self._in_clear(item, unread)
            values = self.stored_values(clear)
            if self._keys_to_read[index]:
                for name, value in self.key_values(clear, index, values).items():
                    values.setdefault(name, value)
            if not values.keys() >= self._required:
                self._complete(values, clear, unread)
        except MalformedItem as error:
            if not self._has_type(item):
                self.key_texts(item, index)  # raises KeyMismatch: the item is of another kind
            error.item = item  # as it is stored
            raise
        return self.entity.made._stored(values, unread)

    def _complete(self, values: Record, item: Item, unread: frozenset[str]) -> None:
        """Add the values of required fields that can do without an attribute: empty sets."""
        for name in self._required - values.keys() - unread:
            field = self.entity.by_name[name]
            try:
                if field.stored in item:  # as NULL
                    raise field.refuse("is required")
                values[name] = field.read_missing()
            except InvalidValue as problem:
                raise self._malformed(item, field.stored or name, problem.reason) from None

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

    def _digest(self, field: Field[Any], value: Any, tenant: Any = None) -> str:
        owner = None if tenant is None else str(tenant)
        return self._secrets.digest(field.stored, encode(field.to_plain(value)), owner)

    def stored_values(self, item: Item) -> Record:
        """The fields that stand in attributes of an item; its key is not parsed.

        Raises MalformedItem for a value that is not of its field's type.
        """
        readers = self._readers
        record: Record = {}
        name = ""
        try:
            for name, wire in item.items():
                reader = readers.get(name)
                if reader is not None:
                    field, kind, convert = reader
                    raw = wire.get(kind)
                    if raw is None:
                        if "NULL" in wire:
                            continue  # which others store for what they do not have
                        raise InvalidValue(field, f"must be of type {kind}")
                    record[field] = raw if convert is None else convert(raw)
            for tally in self._tallies:
                counts = {}
                for name, wire in item.items():
                    if name.startswith(tally.prefix):
                        counts[name[len(tally.prefix) :]] = Decimal(wire["N"])
                if counts:
                    record[tally.name] = counts
        except UNFIT as problem:
            raise self._malformed(item, name, self._rule(item, name, problem)) from None
        return record

    def _rule(self, item: Item, attribute: str, problem: Exception) -> str:
        """The rule that a stored value does not follow. Reasons may quote values."""
        reader = self._readers.get(attribute)
        if reader is None:
            return "must be of type N"
        if attribute in self._secret:
            return f"must fit {reader[0]}"
        if isinstance(problem, InvalidValue):
            if problem.field == reader[0]:
                return problem.reason
            return (
                f"has a part whose {problem}"
                if problem.field
                else f"has an entry that {problem.reason}"
            )
        return _reason(self.entity.by_name[reader[0]], decode(item[attribute]))

    def _malformed(self, item: Item, attribute: str, rule: str) -> MalformedItem:
        key = {name: item[name] for name in self.design.key.names if name in item}
        value = None if attribute in self._secret else item.get(attribute)
        return MalformedItem(self._table_name, self.entity.name, item, key, attribute, value, rule)

    def _quick_test(self, template: Template) -> Callable[[str, Item], bool] | None:
        """A test that a key has texts of one form, which are those of the item's attributes."""
        any_text = f"[^{re.escape(template.delimiter)}]+" if template.delimiter else ".+"
        expression, compared = re.escape(template.literals[0]), []
        for name, literal in zip(template.fields, template.literals[1:], strict=True):
            field = self.entity.by_name.get(name)
            form = "" if field is None else _key_form(field)
            if form is None or name in self._in_key or isinstance(field, MoneyField):
                return None
            part = form or any_text
            if field is not None:
                part = f"({part})"
                compared.append((field.stored, field.kind, getattr(field, "digits", 0)))
            expression += part + re.escape(literal)
        match_key = re.compile(expression, re.DOTALL).fullmatch

        def is_sound(text: str, item: Item) -> bool:
            match = match_key(text)
            if match is None:
                return False
            for (stored, kind, digits), part in zip(compared, match.groups(), strict=True):
                wire = item.get(stored) or {}
                if kind in wire and wire[kind].zfill(digits) != part:
                    return False
            return True

        return is_sound

    def _is_read(self, name: str, attribute: str) -> bool:
        """True for a field whose text in a key is not the attribute of the field itself."""
        field = self.entity.by_name.get(name)
        if field is None or name in self.entity.number_keys:
            return False
        return field.stored != attribute or not _is_any_text(field)

    def key_values(
        self, item: Item, index: str | None, values: Mapping[str, Any] | None = None
    ) -> Record:
        """The fields that are read from an item's keys; `values` are those of its attributes.

        Raises MalformedItem if a text is not the one that its value is written as, or the primary
        key is not that of the values, and KeyMismatch for a key of another form.
        """
        record: Record = {}
        primary = self.design.key.names
        for attribute, template, names, is_sound in self._keys_to_read[index]:
            text = item[attribute].get("S") or key_text(item[attribute])
            if is_sound is not None and is_sound(text, item):
                continue
            try:
                texts = template.parse(text)
            except KeyMismatch:
                if not self._has_type(item):
                    raise
                rule = f"must have the form {template.text}"
                raise self._malformed(item, attribute, rule) from None
            try:
                for name in names:
                    field = self.entity.by_name[name]
                    if attribute in primary and values and name in values:
                        self._require_text(field, values[name], texts[name])
                    elif not (index or name in self._in_key) and _is_any_text(field):
                        continue
                    # In an index, an older rule may have written a text in another way.
                    as_is = (
                        attribute not in primary and field.kind == "S" and field.is_stored_plainly
                    )
                    record[name] = texts[name] if as_is else self._key_value(name, texts[name])
            except InvalidValue as problem:
                rule = f"must have the form {template.text}, in which {problem}"
                raise self._malformed(item, attribute, rule) from None
        return record

    @staticmethod
    def _require_text(field: Field[Any], value: Any, text: str) -> None:
        """Refuse a key by which a record with this value would not be found."""
        written = field.to_text(value)
        if written != text:
            raise field.refuse(f"is '{text}', but the attribute '{field.stored}' is '{written}'")

    def has_key_texts(self, item: Item, index: str | None) -> bool:
        """True if every text in an item's keys is the one that its value is written as."""
        try:
            self.key_values(item, index)
        except MalformedItem:
            return False
        return True

    def _read_key_text(self, name: str, text: str) -> Any:
        """The value of a field from its text in a key; raises InvalidValue for another text than
        the value is written as."""
        field = self.entity.by_name[name]
        try:
            value = field.from_text(text)
            canonical = field.to_text(value)
        except UNFIT:
            raise field.refuse(_reason(field, text)) from None
        try:
            checked = field.check(value)
        except InvalidValue:
            if field.converts and not isinstance(field, NumberField):
                raise
            if isinstance(field, _OF_ONE_FORM):
                raise
        else:
            canonical = field.to_text(checked)
        if canonical != text:
            raise field.refuse(f"must be written '{canonical}'")
        return value

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
            for attribute, template in self._templates[name]:
                texts.update(template.parse(key_text(item[attribute])))
        return texts

    def _has_type(self, item: Item) -> bool:
        """True if an item has the type of this entity, whatever its keys."""
        attribute = self.design.entity_type
        return attribute is not None and item.get(attribute) == {"S": self.entity.name}

    def is_one(self, item: Item, index: str | None) -> bool:
        """Whether an item that lies among those of others is one of this entity."""
        return self.likeness(item, index) is True

    def likeness(self, item: Item, index: str | None) -> bool | None:
        """True for an item of this entity, None for one whose keys have the words of the entity's
        but values that its fields refuse, else False."""
        kind = item.get(self.design.entity_type) if self.design.entity_type else None
        if kind is not None:
            return kind == {"S": self.entity.name}
        if self.shares_keys:
            return False
        fits = True
        for name in (None, index) if index else (None,):
            for attribute, template in self._templates[name]:
                wire = item.get(attribute)
                if wire is None:
                    return False
                try:
                    texts = template.parse(key_text(wire))
                except KeyMismatch:
                    return False
                fits = fits and self._fit(texts)
        return fits or None

    def _fit(self, texts: Mapping[str, str]) -> bool:
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
        return self.to_record(entry, index=listing.index, unread=self.unread_by(listing))

    def unread_by(self, listing: Listing[Any]) -> frozenset[str]:
        """The fields that a list does not read."""
        unread = self._unread.get(listing.name)
        if unread is None:
            unread = self._unread[listing.name] = self._left_out(listing)
        return unread

    def _in_keys_of(self, listing: Listing[Any]) -> set[str]:
        """The fields that a list reads from keys, or as keys."""
        design, entity = self.design, self.entity
        if listing.index and not design.completes(listing):
            return {*entity.key.fields, *entity.indexed[listing.index].fields}
        names = {"", *design.key.names, *design.key_attributes(listing.index).names}
        return {field.name for field in entity.fields if field.stored in names}

    def _left_out(self, listing: Listing[Any]) -> frozenset[str]:
        read = self.design.readable(listing, self.entity)
        select = listing.select if isinstance(listing, Query) else None
        if select is not None and listing.entity == self.entity.name:
            read &= {*select, *self._in_keys_of(listing)}
        return frozenset(self.entity.by_name) - read


def _conversion(field: Field[Any]) -> Callable[[Any], Any] | None:
    """The conversion from what DynamoDB's JSON has under a field's type, None where it is the
    value."""
    if isinstance(field, NumberField):
        return field.from_number
    kind, convert = field.kind, field.from_plain
    if kind in ("S", "BOOL"):
        return None if field.is_stored_plainly else convert
    return lambda raw: convert(decode({kind: raw}))


def _is_any_text(field: Field[Any]) -> bool:
    return isinstance(field, TextField) and type(field).check is TextField.check


def _key_form(field: Field[Any]) -> str | None:
    """A pattern of which every text is one that the field writes; empty for any text, None if there
    is no such pattern."""
    if isinstance(field, TextField):
        return "" if _is_any_text(field) else None
    if isinstance(field, WholeField | MoneyField):
        return f"[0-9]{{{field.digits}}}"
    if isinstance(field, DateTextField):
        return _DAY
    if isinstance(field, TimestampTextField) and type(field) in _EXACT_TIMES:
        decimals = {"s": "", "ms": r"\.[0-9]{3}", "us": r"\.[0-9]{6}"}[field.resolution]
        return None if field.any_precision else _DAY + _TIME + decimals + "Z"
    return None


def _reason(field: Field[Any], value: Any) -> str:
    """The reason why a value is refused."""
    try:
        field.check(value)
    except InvalidValue as problem:
        return problem.reason
    return f"must be a value of {field.type_name}"


def key_text(wire: Wire) -> str:
    """The text of a key attribute, whatever its type."""
    ((kind, value),) = wire.items()
    return decode(wire).hex() if kind == "B" else str(value)
