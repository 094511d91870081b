"""Verification of a copy: both tables are read, and compared record by record, both ways.

It shares no code with the copier. Source items are decoded by their own design, mapped by the
functions of the migration, and compared with the target items as the other design decodes them.
Items that differ are looked at again, since programs may be writing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.changes.copying.migration_file import IncompleteMigration, MigrationFile
from tablewright.model.declaration import Table
from tablewright.runtime.aws import Caller
from tablewright.runtime.parallel import in_parallel
from tablewright.runtime.store.attribute_values import comparable, decode
from tablewright.runtime.store.records import Item, Records

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

MISSING, DIFFERENT, EXTRA, REFUSED = "missing", "different", "extra", "refused"
_LOOKS = 4


class CopyDifference(NamedTuple):
    """An item that is not as it should be. `key` is of the target if it is extra, else of the
    source."""

    kind: str
    key: Item
    text: str

    def __str__(self) -> str:
        shown = ", ".join(f"{name} {decode(wire)}" for name, wire in self.key.items())
        return f"{self.kind}: {shown}: {self.text}"


class CopyComparison(NamedTuple):
    """What a verification found: items of both tables, and all that differ."""

    items: Counter[str]
    differences: Sequence[CopyDifference]

    def lines(self, most: int = 20) -> list[str]:
        """What there is to say, for people."""
        found = ", ".join(f"{count} {what}" for what, count in self.items.items())
        lines = [f"compared {found}", f"{len(self.differences)} items differ"]
        return lines + [f"  {one}" for one in self.differences[:most]]


class _Differs(Exception):
    """The reason why an item is not as it should be."""


class _LeftOut(Exception):
    """An item that the migration leaves out on purpose."""


class _Side(NamedTuple):
    name: str
    codecs: dict[str, Records]
    keys: tuple[str, ...]
    ttl: str | None

    def key(self, item: Item) -> Item:
        return {name: item[name] for name in self.keys}

    def expired(self, item: Item, now: float) -> bool:
        wire = item.get(self.ttl) if self.ttl else None
        return bool(wire and "N" in wire and float(wire["N"]) <= now)

    def decode(self, item: Item) -> tuple[Records, Any]:
        for codec in self.codecs.values():
            if codec.is_one(item, None):
                try:
                    return codec, codec.to_record(item)
                except Exception as error:  # whatever is wrong with the item
                    text = getattr(error, "log_text", str(error))
                    raise _Differs(f"does not fit {codec.entity.name}: {text}") from None
        raise _Differs("is of no entity of the design")


class CopyVerification:
    """Compares the two tables of a migration; `forward` if the old one is the source."""

    def __init__(
        self,
        migration: MigrationFile,
        names: tuple[str, str],
        caller: Caller,
        *,
        forward: bool,
        secrets: tuple[Secrets | None, Secrets | None] = (None, None),
        segments: int = 4,
        now: Callable[[], float] = time.time,
        pause: float = 0.5,
    ) -> None:
        tables = migration.designs.old_table, migration.designs.new_table
        sides = [_side(*one) for one in zip(tables, names, secrets, strict=True)]
        functions = [migration.upgrade, migration.downgrade]
        if not forward:
            sides.reverse()
            functions.reverse()
        self._source, self._target = sides
        self._map, self._restore = functions
        self._loses = migration.loses
        self._caller, self._segments = caller, segments
        self._now, self._pause = now, pause

    def run(self) -> CopyComparison:
        """Read both tables once, and whatever differs again until it differs no more, or lasts."""
        items: Counter[str] = Counter()
        differences: list[CopyDifference] = []
        passes = ((self._source, self._compare), (self._target, self._trace))
        for side, check in passes:
            scan = partial(self._scan, side, check)
            for count, differing in in_parallel(scan, range(self._segments)):
                items[side.name] += count
                differences += differing
        for look in range(_LOOKS):
            if differences:
                time.sleep(self._pause * look)
                differences = [one for was in differences for one in self._look_again(was)]
        return CopyComparison(items, differences)

    def _scan(
        self, side: _Side, check: Callable[[list[Item]], Iterator[CopyDifference]], segment: int
    ) -> tuple[int, list[CopyDifference]]:
        request: dict[str, Any] = {"TableName": side.name, "ConsistentRead": True, "Limit": 100}
        request |= {"Segment": segment, "TotalSegments": self._segments}
        count, found = 0, []
        while True:
            page = self._caller.call("Scan", request)
            count += len(page["Items"])
            found += list(check(page["Items"]))
            if "LastEvaluatedKey" not in page:
                return count, found
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _look_again(self, was: CopyDifference) -> Iterator[CopyDifference]:
        side, check = (
            (self._target, self._trace) if was.kind == EXTRA else (self._source, self._compare)
        )
        yield from check(list(self._get(side, [was.key]).values()))

    def _compare(self, items: list[Item]) -> Iterator[CopyDifference]:
        """Find source items whose counterpart is missing or different."""
        expected: list[tuple[Item, Item, Records]] = []
        for item in items:
            try:
                wanted, codec = self._expect(item)
                expected.append((item, wanted, codec))
            except _Differs as reason:
                yield CopyDifference(REFUSED, self._source.key(item), str(reason))
            except _LeftOut:
                continue
        stored = self._get(self._target, [self._target.key(wanted) for _, wanted, _ in expected])
        now = self._now()
        for item, wanted, codec in expected:
            copy = stored.get(_identity(self._target.key(wanted)))
            if copy is None and not self._target.expired(wanted, now):
                yield CopyDifference(MISSING, self._source.key(item), "has no counterpart")
            elif copy is not None and (text := self._differing(wanted, copy, codec)):
                yield CopyDifference(DIFFERENT, self._source.key(item), text)

    def _trace(self, items: list[Item]) -> Iterator[CopyDifference]:
        """Find target items that no source item maps to."""
        now = self._now()
        sources: list[tuple[Item, Item]] = []
        for item in items:
            try:
                _, record = self._target.decode(item)
                codec, restored = self._apply(self._restore, self._target, record, self._source)
                source = codec.clear_item(restored)
            except (_Differs, _LeftOut) as reason:
                yield CopyDifference(EXTRA, self._target.key(item), str(reason) or "is left out")
                continue
            may_expire = f"{codec.entity.name}:expired" in self._loses
            may_be_gone = may_expire and self._source.expired(source, now)
            if not self._target.expired(item, now) and not may_be_gone:
                sources.append((item, self._source.key(source)))
        found = self._get(self._source, [key for _, key in sources])
        for item, key in sources:
            source_item = found.get(_identity(key))
            try:
                wanted = self._expect(source_item)[0] if source_item else None
            except (_Differs, _LeftOut):
                continue  # the comparison names it
            if wanted is None or not _same(self._target.key(wanted), self._target.key(item)):
                yield CopyDifference(EXTRA, self._target.key(item), "has no source")

    def _expect(self, item: Item) -> tuple[Item, Records]:
        """The whole target item that a source item asks for, before encryption."""
        codec, record = self._source.decode(item)
        target, mapped = self._apply(self._map, self._source, record, self._target)
        back, restored = self._apply(self._restore, self._target, mapped, self._source)
        name = codec.entity.name
        if back is not codec or not _same(
            self._source.key(back.clear_item(restored)), self._source.key(item)
        ):
            raise _Differs("has another key after it was mapped there and back")
        lost = [
            f"{name}.{field.name}"
            for field in codec.entity.fields
            if getattr(record, field.name, None) != getattr(restored, field.name, None)
            and f"{name}.{field.name}" not in self._loses
        ]
        if lost:
            raise _Differs(f"cannot be restored in {', '.join(lost)}")
        wanted = self._attributes(item, codec.clear_item(record), target.clear_item(mapped), codec)
        now = self._now()
        if self._target.expired(wanted, now) and not self._source.expired(item, now):
            if f"{target.entity.name}:expired" in self._loses:
                raise _LeftOut
            raise _Differs("expires by the other design, and not by its own")
        return wanted, target

    def _attributes(self, item: Item, derived: Item, wanted: Item, codec: Records) -> Item:
        """The wanted attributes, with those of the item that no design derives."""
        others = {name for name in item if name not in derived and not codec.owns(name)}
        result = {**wanted, **{name: item[name] for name in others}}
        ttl, to = self._source.ttl, self._target.ttl
        if ttl and to and not {ttl, to} & {field.stored for field in codec.entity.fields}:
            stored, usual = item.get(ttl), derived.get(ttl)
            if (stored is None) != (usual is None) or (stored and not _same_value(stored, usual)):
                result.pop(to, None)
                result |= {to: stored} if stored else {}
        return result

    def _differing(self, wanted: Item, copy: Item, codec: Records) -> str | None:
        """What of a stored copy is not as wanted."""
        try:
            found, record = self._target.decode(copy)
            clear = codec.decrypted(copy)
            own = codec.to_record(wanted) if not codec.entity.secrets else record
        except Exception as error:  # whatever is wrong with the copy
            return str(error)
        if found is not codec:
            return f"the counterpart is of {found.entity.name}"
        if dict(own) != dict(record):
            return "the counterpart has other values"
        names = sorted(
            name
            for name in wanted.keys() | clear.keys()
            if not _same_value(wanted.get(name), clear.get(name))
        )
        return f"the counterpart differs in {', '.join(names)}" if names else None

    def _apply(self, functions: Any, side: _Side, record: Any, other: _Side) -> tuple[Records, Any]:
        name = type(record).__entity__.name
        if name not in functions:
            raise _LeftOut
        try:
            mapped = functions[name](record)
            return other.codecs[type(mapped).__entity__.name], mapped
        except IncompleteMigration:
            raise
        except Exception as error:  # whatever a function of the user may raise
            hides = side.codecs[name].entity.secrets
            text = type(error).__name__ if hides else repr(error)
            raise _Differs(f"{functions[name].__name__} raised {text}") from None

    def _get(self, side: _Side, keys: Sequence[Item]) -> dict[Any, Item]:
        """The items with these keys, by key."""
        found: dict[Any, Item] = {}
        unique = list({_identity(key): key for key in keys}.values())
        for at in range(0, len(unique), 100):
            waiting: dict[str, Any] = {side.name: {"Keys": unique[at : at + 100]}}
            while waiting:
                waiting[side.name]["ConsistentRead"] = True
                page = self._caller.call("BatchGetItem", {"RequestItems": waiting})
                for item in page["Responses"].get(side.name, ()):
                    found[_identity(side.key(item))] = item
                waiting = page.get("UnprocessedKeys") or {}
        return found


def _side(table: type[Table], name: str, secrets: Secrets | None) -> _Side:
    design = table.__design__
    codecs = {one.name: Records(design, one, secrets=secrets) for one in design.entity_list}
    return _Side(name, codecs, tuple(design.key.names), design.ttl)


def _identity(key: Item) -> tuple[str, ...]:
    return tuple(repr(comparable(wire)) for _, wire in sorted(key.items()))


def _same(one: Item, other: Item) -> bool:
    return _identity(one) == _identity(other)


def _same_value(one: Any, other: Any) -> bool:
    return one is other or (one and other and comparable(one) == comparable(other))
