"""Coverage: how many items of a table a design makes again, byte for byte, from what it reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tablewright.model import InvalidRecord, InvalidValue
from tablewright.model.declaration import Table
from tablewright.model.errors import KeyMismatch
from tablewright.model.table import Design
from tablewright.runtime.errors import MalformedItem
from tablewright.runtime.store.attribute_values import Wire, comparable
from tablewright.runtime.store.records import Item, Records

ObservedItem = Mapping[str, Mapping[str, Any]]


class Gap(NamedTuple):
    """Items that do not come out as they are, for one reason, and the key of one of them.

    `entity` is None for items that are of none.
    """

    entity: str | None
    reason: str
    items: int
    example: Item

    def __str__(self) -> str:
        whose = f"{self.items:,} of {self.entity}" if self.entity else f"{self.items:,}"
        key = ", ".join(f"{name}={next(iter(one.values()))}" for name, one in self.example.items())
        return f"{whose} {self.reason} (such as {key})"


class Coverage(NamedTuple):
    """How many items there are, how many of them a design makes again, and why not the others."""

    items: int
    rederived: int
    gaps: tuple[Gap, ...]

    @property
    def share(self) -> float:
        """The part of the items that is made again, from 0 to 1; 1 where there are none."""
        return self.rederived / self.items if self.items else 1.0

    def __str__(self) -> str:
        says = f"{self.items:,} items sampled, {_percent(self.share)} re-derive byte for byte"
        if not self.gaps:
            return says
        left = self.items - self.rederived
        verb = "does" if left == 1 else "do"
        return f"{says}, {left:,} {verb} not: {'; '.join(map(str, self.gaps))}"


def coverage(table: type[Table], items: Iterable[ObservedItem]) -> Coverage:
    """How many of these items a table's design makes again, byte for byte.

    Each is read as a record of its entity, which must accept it, and made from that anew. Numbers
    are compared by value, sets whatever their order, as DynamoDB keeps them.

    Example::

        coverage(Orders, scanned).share
    """
    readers = _Readers(table.__design__)
    count = 0
    found: defaultdict[tuple[str | None, str], list[Item]] = defaultdict(list)
    for observed in items:
        count += 1
        item = {name: dict(wire) for name, wire in observed.items()}
        reason = readers.reason(item)
        if reason:
            found[reason].append(item)
    names = table.__design__.key.names
    gaps = [
        Gap(*reason, len(some), {name: some[0][name] for name in names})
        for reason, some in found.items()
    ]
    gaps.sort(key=lambda gap: -gap.items)
    return Coverage(count, count - sum(gap.items for gap in gaps), tuple(gaps))


class _Readers:
    def __init__(self, design: Design) -> None:
        self._design = design
        self._readers = {one.name: Records(design, one) for one in design.entity_list}

    def reason(self, item: Item) -> tuple[str | None, str] | None:
        """Why an item is not made again as it is, and of what entity it is; None when it is."""
        records = self._of(item)
        if records is None:
            return None, "are of no entity"
        why = next(_differences(records, item), None)
        return (records.entity.name, why) if why else None

    def _of(self, item: Item) -> Records | None:
        told = item.get(self._design.entity_type or "", {}).get("S")
        if told is not None:
            return self._readers.get(told)
        return next((one for one in self._readers.values() if one.is_one(item, None)), None)


def _differences(records: Records, item: Item) -> Iterator[str]:
    """What is not the same of an item that is read and made again."""
    try:
        record = records.to_record(item)
        records.entity.check(dict(record))
        made = records.clear_item(record)
    except MalformedItem as error:
        yield f"have a value that is refused: {error.attribute} {error.rule}"
        return
    except InvalidRecord as error:
        yield from (f"have a value that is refused: {problem}" for problem in error.problems)
        return
    except KeyMismatch:
        yield "have a key of another form"
        return
    except (InvalidValue, ArithmeticError, TypeError, ValueError) as error:
        yield f"cannot be read: {error}"
        return
    for name in (*item, *made):
        if name not in made or name not in item or not same(item[name], made[name]):
            yield _says(records, name, item.get(name), name in made)


def _says(records: Records, attribute: str, there: Wire | None, made: bool) -> str:
    design = records.design
    if there == {"NULL": True}:
        return f"have NULL for '{attribute}', which is read as absent and would not be written"
    if attribute == design.ttl:
        what = f"expiry '{attribute}'"
    else:
        keys = {name: index.key.names for name, index in design.indexes.items()}
        index = next((name for name, names in keys.items() if attribute in names), None)
        what = f"key of index {index}" if index else f"attribute '{attribute}'"
    if there is None:
        return f"lack the {what}"
    return f"have another {what}" if made else f"have the {what}, which the design does not make"


def same(one: Wire, two: Wire) -> bool:
    """Whether two values are the same to DynamoDB."""
    return comparable(one) == comparable(two)


def _percent(share: float) -> str:
    # Never 100 where something is left.
    return "100 %" if share == 1 else f"{min(share * 100, 99.9):.1f} %"
