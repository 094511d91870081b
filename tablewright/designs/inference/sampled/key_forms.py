"""Forms of an entity's keys, in table and indexes, from many items."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tablewright.designs.inference.kinds import is_time
from tablewright.designs.inference.names import one_or_several
from tablewright.designs.inference.observed import Item, ObservedIndex, ObservedTable
from tablewright.designs.inference.sampled.columns import Texts
from tablewright.designs.inference.sampled.fields import SampledFields
from tablewright.designs.inference.sampled.forms import Part, sampled_keys
from tablewright.designs.inference.sampled.parts import misses_allowed
from tablewright.designs.inference.sampled.shards import could_be_shard

Json = dict[str, Any]

# Names of keys that say nothing of what is in them.
_GENERIC = re.compile(r"[_-]?(p|s|partition|sort|hash|range)?[_-]?k(ey)?[_-]?", re.IGNORECASE)
_SHARD = "A number that follows from no field. Is it a shard? Then say of what: Shards(…, by=…)."
_WHOLE = "Kept whole: what does it follow from?"
_ONE = "One value was seen. Is it a word of the key?"


class Form:
    """The form of a key attribute: its text, the fields in it, and shards."""

    def __init__(self, text: str, delimiter: str | None = None, shards: Json | None = None) -> None:
        self.text = text
        self.delimiter = delimiter
        self.shards = shards

    @property
    def fields(self) -> list[str]:
        return [one.partition("}")[0] for one in self.text.split("{")[1:]]

    @property
    def is_bare(self) -> bool:
        return self.text.startswith("{") and self.text.find("}") == len(self.text) - 1


class KeyForms:
    """The form of each key attribute; fields that stand in keys are added to the others."""

    def __init__(
        self,
        table: ObservedTable,
        items: Sequence[Item],
        indexes: Sequence[ObservedIndex],
        fields: SampledFields,
    ) -> None:
        self._table = table
        self._items = items
        self._indexes = indexes
        self._fields = fields
        self._forms: dict[str, Form] = {}
        self.computed: dict[str, Json] = {}
        self._beside = index_attributes(table, indexes)
        self._keys = {
            name: sampled_keys([item[name]["S"] if name in item else None for item in items])
            for name in (*table.key, *self._beside)
            if fields.type(name) == "S"
        }
        self._find_forms()
        for index in indexes:
            if not self._is_followed(index):
                self._keep_whole(index)
        # Parts of forms that were given up.
        fields.drop_parts(kept={one for form in self._forms.values() for one in form.fields})

    def __getitem__(self, attribute: str) -> Form:
        return self._forms[attribute]

    def __contains__(self, attribute: str) -> bool:
        return attribute in self._forms

    def key(self, partition: Sequence[str], sort: Sequence[str]) -> Json:
        """The key of table or index, as a description has it."""
        forms = [self._forms[name] for name in (*partition, *sort)]
        texts = [form.text for form in forms]
        key: Json = {"partition": one_or_several(texts[: len(partition)])}
        if sort:
            key["sort"] = one_or_several(texts[len(partition) :])
        delimiter = self._delimiter((*partition, *sort))
        if delimiter and delimiter != "#":
            key["delimiter"] = delimiter
        shards = next((form.shards for form in forms if form.shards), None)
        return {**key, "shards": shards} if shards else key

    def _find_forms(self) -> None:
        # First those that are fields by themselves: parts of other keys may be theirs.
        for name in (*self._beside, *self._table.key):
            if name not in self._keys:
                self._whole(name)
                continue
            key, *others = self._keys[name]
            if not others and not key.constant(key.texts):
                (part,) = key.parts(self._fields.columns)
                if part.match is None:
                    self._whole(name)
        # Then the table's, the sort key before the partition key that may be sharded by its parts.
        for name in (*reversed(self._table.key), *self._beside):
            if name not in self._forms:
                self._forms[name] = self._form(name)
        for names in (self._table.key, *(index.key for index in self._indexes)):
            for name in names[1:]:
                # A key has one delimiter.
                first, own = self._delimiter(names), self._delimiter((name,))
                if first and own and first != own:
                    self._whole(name)

    def _delimiter(self, names: Sequence[str]) -> str | None:
        forms = (self._forms[name] for name in names)
        return next((one.delimiter for one in forms if one.delimiter and not one.is_bare), None)

    def _form(self, name: str) -> Form:
        columns = self._fields.columns
        ids = self._shard_ids() if name in self._sharded() else None
        tried = [(key, key.parts(columns, ids)) for key in self._keys[name]]
        # The delimiter between parts that are known; of those, the likeliest.
        key, parts = max(tried, key=lambda one: _share_known(one[1]))
        pieces = list(self._pieces(name, parts, name in self._table.key))
        if not pieces:
            return self._whole(name)
        text = (key.delimiter or "").join(pieces)
        form = Form(text, key.delimiter, next((p.shards for p in parts if p.shards), None))
        fields = form.fields
        return form if len(set(fields)) == len(fields) else self._whole(name)

    def _sharded(self) -> Iterator[str]:
        """The partition keys that can be sharded: those of one attribute, sorted by a text."""
        yield self._table.partition
        for index in self._indexes:
            texts = all(name in self._keys for name in index.sort)
            if len(index.partition) == 1 and len(index.sort) <= 1 and texts:
                yield index.partition[0]

    def _shard_ids(self) -> dict[str, Texts]:
        """The texts that a shard may follow from, without keys that may have it in themselves."""
        several = {
            form.text for name, form in self._forms.items() if len(self._keys.get(name, ())) > 1
        }
        texts = self._fields.columns.texts
        return {name: texts[name] for name in texts if f"{{{name}}}" not in several}

    def _pieces(self, name: str, parts: Sequence[Part], in_table: bool) -> Iterator[str]:
        """The parts of a form as they are written; none where it is none."""
        known = [one for one in parts if one.is_known]
        empty = any(text == "" for one in parts for text in one.texts)
        needed = len(parts) if not in_table else 0 if self._tells_nothing(name, parts) else 1
        if empty or len(known) < needed or (len(parts) == 1 and not known):
            return
        # All items that were seen may be of one tenant.
        lone = name == self._table.partition and all(one.word and not one.match for one in parts)
        before = ""
        for part in parts:
            if part.shards:
                yield "{shard}"
            elif part.match:
                field = part.match.field
                yield f"{part.word}{{{self._reversed(field) if part.match.reverses else field}}}"
            elif part.word and (not lone or part.word.isupper()):
                yield part.word
                before = part.word
            else:
                yield f"{{{self._add_part(before or name, part)}}}"

    def _tells_nothing(self, name: str, parts: Sequence[Part]) -> bool:
        """Whether a key is better told by its parts than by its name: it is PK, or has a time."""
        return bool(_GENERIC.fullmatch(name)) or any(
            is_time([t for t in one.texts if t is not None]) for one in parts
        )

    def _add_part(self, label: str, part: Part) -> str:
        shard = could_be_shard(part.texts)
        field = self._fields.add_part("shard_number" if shard else label, part.texts)
        if part.word:
            self._fields.comments[field] = _ONE
        elif shard:
            self._fields.comments[field] = _SHARD
        return field

    def _reversed(self, field: str) -> str:
        name = f"{field}_reversed"
        self.computed[name] = {"kind": "Reversed", "of": [field]}
        return name

    def _whole(self, name: str) -> Form:
        """The form of a key that is a field by itself."""
        form = self._forms[name] = Form(f"{{{self._fields.add_key(name)}}}")
        if len(self._keys.get(name, ())) > 1:
            self._fields.comments[form.fields[0]] = _WHOLE
        return form

    def inputs(self, *attributes: str) -> set[str]:
        """The fields that key attributes follow from."""
        found: set[str] = set()
        for name in attributes:
            form = self._forms[name]
            for field in form.fields:
                found |= set(self.computed.get(field, {"of": [field]})["of"])
            found |= {form.shards["by"]} if form.shards else set()
        return found - {"shard"}

    def _is_followed(self, index: ObservedIndex) -> bool:
        """Whether items are in an index where they have the fields of its key, and only there."""
        made = [name for name in index.key if not self._is_own(name)]
        if not made:
            return True
        inputs = self.inputs(*index.key)
        stored = {name: attribute for attribute, name in self._fields.names.items()}
        stored |= {
            name: field.get("stored", name)
            for name, field in self._fields.fields.items()
            if field.get("stored", name)
        }
        needed = [stored[name] for name in inputs if name in stored]
        wrong = sum(
            any((name in item) != all(one in item for one in needed) for name in made)
            for item in self._items
        )
        return wrong <= misses_allowed(len(self._items))

    def _is_own(self, name: str) -> bool:
        """Whether a key attribute is stored as a field, or always there."""
        form = self._forms[name]
        stored = self._fields.fields.get(form.fields[0], {}) if form.is_bare else {}
        own = stored.get("stored", form.fields[0]) if stored else None
        return name in self._table.key or own == name

    def _keep_whole(self, index: ObservedIndex) -> None:
        for name in index.key:
            if not self._is_own(name):
                self._whole(name)


def index_attributes(table: ObservedTable, indexes: Sequence[ObservedIndex]) -> tuple[str, ...]:
    """The attributes of indexes' keys that are none of the table's."""
    own = (name for index in indexes for name in index.key if name not in table.key)
    return tuple(dict.fromkeys(own))


def _share_known(parts: Sequence[Part]) -> float:
    return sum(one.is_known for one in parts) / len(parts)
