"""Entities from items of one kind: the forms of their keys in table and indexes, and fields."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tablewright.designs.inference.fields import SeenFields
from tablewright.designs.inference.forms import (
    Piece,
    common_word,
    name_of,
    pieces,
    tells_form,
    template_pieces,
    told_form,
    unused_delimiter,
)
from tablewright.designs.inference.names import one_or_several
from tablewright.designs.inference.observed import ObservedEntity, ObservedIndex, ObservedTable
from tablewright.designs.source.names import attribute_name

Json = dict[str, Any]


class InferredEntity(NamedTuple):
    """An entity and its keys in indexes, as a description has them, what there is to say of its
    fields, by name, and of itself, and the parts that its fields are made of."""

    entity: Json
    indexed: dict[str, Json]
    comments: dict[str, str]
    parts: Mapping[str, Json] = {}


def infer_entity(
    table: ObservedTable,
    observed: ObservedEntity,
    delimiter: str,
    *,
    whole_keys: bool = False,
    also_in: Container[str] = (),
) -> InferredEntity:
    """The entity that these items are of.

    With `whole_keys` its keys have no parts. It is taken to be in the indexes `also_in` even if no
    item is.
    """
    indexes = [
        index for index in table.indexes if is_in(table, observed, index) or index.name in also_in
    ]
    return _Inference(table, observed, indexes, delimiter, whole_keys).result()


def is_in(table: ObservedTable, entity: ObservedEntity, index: ObservedIndex) -> bool:
    """Whether some items of a kind are in an index or, where there are none, could be."""
    some = entity.items or (dict.fromkeys((*entity.attributes, *table.key)),)
    return any(all(name in item for name in index.key) for item in some)


class _Inference:
    def __init__(
        self,
        table: ObservedTable,
        observed: ObservedEntity,
        indexes: Sequence[ObservedIndex],
        delimiter: str,
        whole_keys: bool,
    ) -> None:
        self._table = table
        self._indexes = indexes
        self._seen = len(observed.items)
        self._aliases = dict(zip(table.key, observed.aliases, strict=False))
        self._delimiter = delimiter
        self._whole_keys = whole_keys
        self._comments: dict[str, str] = {}
        self._forms: dict[str, str] = {}
        # A key that has a delimiter of its own, since its last part may have the usual one.
        self._open: tuple[str, str] | None = None
        own = (name for index in indexes for name in index.key if name not in table.key)
        self._beside = tuple(dict.fromkeys(own))
        named = (*(name for item in observed.items for name in item), *observed.attributes)
        self._attributes = list(dict.fromkeys(named))
        keys = {*table.key, *self._beside}
        self._plain = [name for name in self._attributes if name not in keys]
        self._fields = SeenFields(observed.items, table.types, self._plain)

    def result(self) -> InferredEntity:
        # Those that are an attribute of their own: parts of other keys may be theirs.
        for name in self._beside:
            if self._stands_alone(name):
                self._forms[name] = self._whole(name)
        for name in (*self._table.key, *self._beside):
            if name not in self._forms:
                self._forms[name] = self._form(name)
        in_keys = {name for form in self._forms.values() for name in _field_names(form)}
        found = [self._fields.add_plain(one, in_keys, self._table.ttl) for one in self._plain]
        entity: Json = {
            "describes": "",
            "key": self._key((self._table.partition,), self._table.key[1:]),
            "fields": {name: self._fields.fields[name] for name in self._order()},
        }
        expires = dict(zip(self._plain, found, strict=True)).get(self._table.ttl or "")
        if expires and self._fields.fields[expires]["kind"] == "EpochTimestamp":
            entity["expires"] = {"field": expires}
        indexed = {index.name: self._key(index.partition, index.sort) for index in self._indexes}
        return InferredEntity(entity, indexed, self._said())

    def _order(self) -> list[str]:
        """The names of the fields: those of the table's key first, then as items have them."""
        key = "".join(self._forms[name] for name in self._table.key)

        def place(name: str) -> tuple[int, int]:
            stored = self._fields.fields[name].get("stored", name)
            known = stored in self._attributes
            last = self._attributes.index(stored) if known else len(self._attributes)
            return (0, key.find(f"{{{name}}}")) if f"{{{name}}}" in key else (1, last)

        return sorted(self._fields.fields, key=place)

    def _said(self) -> dict[str, str]:
        says = []
        if not self._seen:
            says.append("No item of it was seen: forms of keys and kinds of fields are guesses.")
        elif self._seen == 1:
            says.append("One item of it was seen: what can be absent is not known.")
        if self._fields.left_out:
            named = ", ".join(map(repr, self._fields.left_out))
            says.append(f"Without {named}: values of several types, which no field holds.")
        return {**({"": " ".join(says)} if says else {}), **self._comments}

    def _key(self, partition: Sequence[str], sort: Sequence[str]) -> Json:
        forms = [self._forms[name] for name in (*partition, *sort)]
        key = {"partition": one_or_several(forms[: len(partition)])}
        if sort:
            key["sort"] = one_or_several(forms[len(partition) :])
        opened, other = self._open or ("", "")
        delimiter = other if opened in (*partition, *sort) else self._delimiter
        if delimiter != "#" and not all(map(_is_field, forms)):
            key["delimiter"] = delimiter
        return key

    def _stands_alone(self, name: str) -> bool:
        """Whether a key is one value, which no other attribute has."""
        if self._is_whole(name) or not self._fields.is_everywhere(name):
            return True
        texts = self._fields.texts(name)
        found = pieces(texts, self._delimiter)
        if found is None or (len(found) == 1 and found[0].word is None):
            return self._fields.with_texts(texts) is None
        return False

    def _is_whole(self, name: str) -> bool:
        return self._whole_keys or self._fields.type(name) != "S"

    def _form(self, name: str) -> str:
        if self._is_whole(name):
            return self._whole(name)
        alias = self._aliases.get(name, "")
        alias = "" if alias == name else alias
        if not self._seen:
            if alias and tells_form(alias, name, self._delimiter):
                return self._joined(told_form(alias, self._delimiter))
            return self._whole(name, name_of(alias))
        texts = self._fields.texts(name)
        found = template_pieces(texts, self._delimiter, alias)
        found = found or pieces(texts, self._delimiter, alias)
        if found is None:
            return self._open_form(name, texts)
        if len(found) == 1 and found[0].word is None:
            called = attribute_name(name_of(alias)) if alias else None
            match = self._fields.with_texts(texts, called)
            return f"{{{match}}}" if match else self._whole(name, name_of(alias))
        if name == self._table.partition and len(found) == 1 and found[0].texts:
            # All items that were seen may be of one tenant.
            match = self._fields.match(found[0])
            return f"{{{match}}}" if match else self._whole(name, name_of(alias))
        matches = [self._fields.match(one) for one in found]
        named = [match for match in matches if match]
        both = zip(found, matches, strict=True)
        unknown = any(one.word is None and not match for one, match in both)
        # A form has a field once; and what an index alone would have must be stored.
        if len(named) > len(set(named)) or (unknown and name not in self._table.key):
            return self._whole(name)
        return self._joined(found)

    def _open_form(self, name: str, texts: Sequence[str]) -> str:
        """The form of keys that have some parts more or less: a word, and all that follows it."""
        word = common_word(texts, self._delimiter)
        keys = (text for key in self._table.key for text in self._fields.texts(key))
        other = unused_delimiter(keys)
        # With another delimiter, two fields of one form could not be told apart.
        alone = self._forms.get(self._table.partition, "{}{}").count("{") < 2
        if word and other and name == self._table.sort and alone:
            self._open = (name, other)
            rest = tuple(text.partition(self._delimiter)[2] for text in texts)
            return self._joined([Piece(word + self._delimiter), Piece(None, word, rest)])
        whole = self._whole(name)
        self._comments[whole[1:-1]] = "Of several forms: the whole key."
        return whole

    def _joined(self, found: Iterable[Piece]) -> str:
        """The form of these parts; what no attribute has is a field of its own."""
        parts = []
        for piece in found:
            match = self._fields.match(piece) if piece.texts else None
            if match is None and piece.word is not None:
                parts.append(piece.word)
            else:
                parts.append(f"{{{match or self._fields.add_part(piece)}}}")
        return "".join(parts)

    def _whole(self, attribute: str, alias: str = "") -> str:
        """The form of a key that is a field, under the key's own name."""
        required = attribute in self._table.key
        return f"{{{self._fields.add_key(attribute, alias, required=required)}}}"


def _field_names(form: str) -> list[str]:
    return [part.partition("}")[0] for part in form.split("{")[1:]]


def _is_field(form: str) -> bool:
    """Whether a form is one field and nothing else."""
    return form.startswith("{") and form.find("}") == len(form) - 1
