"""Storability: whether a record whose values are sound can be keyed, expired and stored.

Whatever passes here becomes an item without an error, so that nothing fails after it was accepted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tablewright.model.errors import InvalidValue
from tablewright.model.key_template import too_long
from tablewright.model.sharding.epochs import EpochShards
from tablewright.model.sizes import ITEM_BYTES, SECRET_BYTES, secret_bytes, value_bytes

if TYPE_CHECKING:
    from tablewright.model.entity import EntityModel
    from tablewright.model.fields.base import Field

# Of an attribute's name, a key's included; what an item is measured by errs toward more.
_NAME_BYTES = 255
# No table has as many shards as would need more digits.
_SHARD = "0" * 6


class Storable:
    """What must be looked at in the records of one entity; what its fields rule out is not."""

    __slots__ = ("_dated", "_entity", "_large", "_long", "_uses")

    def __init__(self, entity: EntityModel) -> None:
        templates = [t for key in entity.keys for t in key.templates]
        fields = entity.by_name
        # What a template refuses of a value depends on its delimiter alone.
        uses = {(n, t.delimiter): t for t in templates for n in t.fields if n != "shard"}
        most = {name: field.most_bytes for name, field in fields.items()} | {"shard": len(_SHARD)}
        most |= {name: 4 * one.max_length for name, one in entity.computed.items()}
        bounds = {t: len(t.text) + sum(most.get(n, 0) for n in t.fields) for t in templates}
        # A table's key and an index's are measured each by itself.
        forms = [some for key in entity.keys for some in (key.partition, key.sort) if some]
        shards = [key.shards for key in entity.keys if isinstance(key.shards, EpochShards)]
        self._entity = entity
        self._uses = [(name, template) for (name, _), template in uses.items()]
        self._long = [
            some
            for some in forms
            if sum(map(bounds.__getitem__, some)) > min(t.limit for t in some)
        ]
        self._dated = {one.dated: one for one in shards if one.dated}
        stored = sum(_NAME_BYTES + _most_bytes(field) for field in entity.fields)
        self._large = stored + sum(_NAME_BYTES + bounds[t] for t in templates) > ITEM_BYTES

    def problems(self, record: Mapping[str, Any]) -> Iterator[InvalidValue]:
        """What is wrong with a record, or with those fields of it that are there."""
        try:
            texts = self._entity.texts(record, (name for name, _ in self._uses))
        except InvalidValue as problem:  # of what is computed
            yield problem
            return
        unfit = list(self._unfit(texts))
        yield from unfit
        if not unfit:  # keys are measured that can be formed
            for templates in self._long:
                long = too_long(templates, {**texts, "shard": _SHARD})
                if long:
                    yield long
        for shards in self._dated.values():
            misdated = shards.misdated(texts)
            if misdated:
                yield misdated
        expires = self._entity.expires
        if expires and record.get(expires.field) is not None:
            reason = expires.refuses(self._entity.time_text(record[expires.field]))
            if reason:
                yield InvalidValue(expires.field, reason)
        if self._large:
            yield from self._too_large(record, texts)

    def _unfit(self, texts: Mapping[str, str]) -> Iterator[InvalidValue]:
        seen = set()
        for name, template in self._uses:
            reason = template.refuses(texts[name]) if name in texts else None
            if reason and name not in seen:
                seen.add(name)
                yield InvalidValue(name, reason)

    def _too_large(
        self, record: Mapping[str, Any], texts: Mapping[str, str]
    ) -> Iterator[InvalidValue]:
        fields = self._entity.by_name
        held = {
            name: _bytes(fields[name], fields[name].to_plain(value))
            for name, value in record.items()
            if value is not None
        }
        keys = [t for key in self._entity.keys for t in key.templates]
        size = sum(held.values()) + _NAME_BYTES * (len(held) + len(keys))
        for template in keys:
            size += len(template.text)
            size += sum(len(texts[name].encode()) for name in template.fields if name in texts)
        if size > ITEM_BYTES:
            largest = max(held, key=lambda name: held[name])
            reason = f"makes the item larger than the {ITEM_BYTES} bytes that one may have"
            yield InvalidValue(largest, reason)


def _bytes(field: Field[Any], plain: Any) -> int:
    return secret_bytes(plain) if field.secret else value_bytes(plain)


def _most_bytes(field: Field[Any]) -> int:
    # As JSON, a number of one byte is ten.
    return SECRET_BYTES + 10 * field.most_bytes if field.secret else field.most_bytes
