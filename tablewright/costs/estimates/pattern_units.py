"""Units of access patterns by part: what one use reads and writes in the table and each index.

Computed by the sizes of items, as the least that it can be; measured figures replace the sums.
"""

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from math import ceil
from typing import Any, NamedTuple

from tablewright.costs.estimates.traffic import InvalidTraffic, Kept, PatternUse
from tablewright.costs.measuring import Measurement, units_each
from tablewright.model import ALL, KEYS_ONLY, Design, EntityModel, Pattern, Shards
from tablewright.model.capacity import TRANSACTION_WRITES, WRITE_UNIT_BYTES, read_floor
from tablewright.model.patterns import (
    BatchGet,
    Check,
    Count,
    Get,
    Listing,
    Scan,
    Update,
    Upsert,
)
from tablewright.model.sizes import item_bytes, secret_bytes, value_bytes

TABLE = "table"
PAGE = 20


class Units(NamedTuple):
    """Read and write units by part, which is the table or the name of an index."""

    read: Mapping[str, Decimal]
    write: Mapping[str, Decimal]


class ItemSize(NamedTuple):
    """Bytes of an item in the table, and in each index that it is in."""

    table: int
    entries: Mapping[str, int]

    def within(self, part: str) -> int:
        """Bytes in the table or an index."""
        return self.table if part == TABLE else self.entries.get(part, self.table)


def item_size(design: Design, entity: EntityModel, told: int | None = None) -> ItemSize:
    """The size of an entity's items: what was told, or else that of its example."""
    if not entity.example:
        if told is None:
            raise InvalidTraffic(
                f"{entity.name} has no example: say its size in bytes, [items.{entity.name}] size"
            )
        return ItemSize(told, dict.fromkeys(entity.indexed, told))
    record = entity.check(entity.example)
    attributes = design.attributes(entity, record)
    secret = [record[one.name] for one in entity.secrets if record.get(one.name) is not None]
    more = sum(secret_bytes(one) - value_bytes(one) for one in secret)
    whole = told or item_bytes(attributes) + more
    entries = {}
    for index in design.index_list:
        entry = design.projected(entity, attributes, index)
        if entry is not None:
            carried = whole if index.projects == ALL else item_bytes(entry)
            entries[index.name] = min(whole, carried)
    return ItemSize(whole, entries)


class PatternUnits:
    """What patterns of a design cost, by what is said of its items and by what was measured."""

    def __init__(
        self, design: Design, items: Mapping[str, Kept], measured: list[Measurement]
    ) -> None:
        self._design = design
        self._items = items
        self._measured = measured

    def size(self, name: str, told: int | None = None) -> ItemSize:
        """The size of an entity's items."""
        kept = self._items.get(name, Kept())
        return item_size(self._design, self._design.entities[name], told or kept.size)

    def stored(self, part: str) -> int:
        """Bytes of all items that are kept, in the table or in an index."""
        sizes = ((self.size(name), kept.number) for name, kept in self._items.items())
        return sum(
            number * size.within(part)
            for size, number in sizes
            if part == TABLE or part in size.entries
        )

    def of(self, pattern: Pattern[Any], use: PatternUse) -> Units:
        """The units of one use."""
        computed = self._computed(pattern, use)
        found = self._case(pattern, use)
        if found is None:
            return computed
        read, write = units_each(found)
        place = pattern.index or TABLE
        return Units(_spread(computed.read, read, place), _spread(computed.write, write, place))

    def _case(self, pattern: Pattern[Any], use: PatternUse) -> Measurement | None:
        cases = [one for one in self._measured if one["pattern"] == pattern.name]
        if use.measured is not None:
            named = [one for one in cases if one["what"] == use.measured]
            if not named:
                known = "; ".join(str(one["what"]) for one in cases) or "none"
                raise InvalidTraffic(
                    f"patterns.{pattern.name}: '{use.measured}' was not measured, but: {known}"
                )
            cases = named
        return cases[0] if cases else None

    def _computed(self, pattern: Pattern[Any], use: PatternUse) -> Units:
        sizes = [self.size(name, use.size) for name in pattern.entities]
        if isinstance(pattern, Count):
            return _counted(sizes)
        if isinstance(pattern, Scan):
            place = pattern.index or TABLE
            whole = read_floor([self.stored(place)], consistent=pattern.consistent)
            return Units({place: whole}, {})
        if isinstance(pattern, Listing):
            return Units(self._listed(pattern, use, sizes), {})
        many = use.items or 1
        size = sizes[0]
        if isinstance(pattern, Get | BatchGet):
            each = read_floor([size.table], consistent=pattern.consistent)
            return Units({TABLE: many * each}, {})
        if isinstance(pattern, Check):
            return Units({}, {TABLE: TRANSACTION_WRITES * _write(size.table)})
        if isinstance(pattern, Update | Upsert):
            return self._updated(size, use)
        entries = {name: many * _write(entry) for name, entry in size.entries.items()}
        twice = TRANSACTION_WRITES if use.transaction else 1
        return Units({}, {TABLE: many * twice * _write(size.table), **entries})

    def _updated(self, size: ItemSize, use: PatternUse) -> Units:
        """An entry that shows the change is rewritten, one that moves is removed and written."""
        twice = TRANSACTION_WRITES if use.transaction else 1
        write = {TABLE: twice * _write(size.table)}
        for name, entry in size.entries.items():
            if name in use.moves:
                write[name] = 2 * _write(entry)
            elif self._design.indexes[name].projects != KEYS_ONLY:
                write[name] = _write(entry)
        # What follows from the fields of an index's key is computed from the whole item.
        looks = {TABLE: read_floor([size.table], consistent=True)} if use.moves else {}
        return Units(looks, write)

    def _listed(
        self, listing: Listing[Any], use: PatternUse, sizes: list[ItemSize]
    ) -> dict[str, Decimal]:
        place = listing.index or TABLE
        many = PAGE if use.items is None else use.items
        each = Decimal(sum(size.within(place) for size in sizes)) / len(sizes)
        declared = self._design.key_of(listing).shards
        shards = declared.count if isinstance(declared, Shards) else use.shards
        page = read_floor([ceil(ceil(many / shards) * each)], consistent=listing.consistent)
        read: dict[str, Decimal] = defaultdict(Decimal, {place: shards * page})
        if self._design.completes(listing):
            read[TABLE] += many * read_floor([sizes[0].table])
        return dict(read)


def _counted(sizes: list[ItemSize]) -> Units:
    """A transaction that adds to a counter and marks the events of a group."""
    counter, marker = sizes
    entries = {name: _write(entry) for name, entry in counter.entries.items()}
    table = TRANSACTION_WRITES * (_write(counter.table) + _write(marker.table))
    return Units({TABLE: Decimal(1)}, {TABLE: table, **entries})


def _spread(parts: Mapping[str, Decimal], units: Decimal, place: str) -> dict[str, Decimal]:
    """Units that were measured in all, by the parts that they were computed for."""
    whole = sum(parts.values(), Decimal())
    if not whole:
        return {place: units} if units else {}
    return {part: units * one / whole for part, one in parts.items()}


def _write(size: int) -> Decimal:
    return Decimal(max(1, ceil(size / WRITE_UNIT_BYTES)))
