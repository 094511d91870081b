"""Projector: from the stream of items to the rows and counts of the dashboard's table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lambdas.sentiment.ingestion.items import one_line, snippet
from tablewright.catalog.sentiment.dashboard import COUNTED_PARTS, Dashboard, Row, TagRow
from tablewright.catalog.sentiment.items import ANALYZED, EXPIRES, Item, Items
from tablewright.model import InvalidRecord, Record, unchecked, uniform
from tablewright.model.fields.time import utc_text
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import MalformedItem, SecretUnreadable
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.records import Item as Image
from tablewright.runtime.store.records import Records
from tablewright.runtime.streams.changes import Change, consume
from tablewright.runtime.streams.counters import Counters, Event
from tablewright.runtime.streams.projection import Projection, Rows

Failed = Callable[[Change, Exception], Any]
Sum = tuple[Record, dict[str, Any]]

_SHOWN = (
    "ingested_at",
    "source_id",
    "source_type",
    "sentiment",
    "score",
    "matched_tags",
    "text_snippet",
    "source_url",
)


class Effect(NamedTuple):
    """What one change comes to: what is counted, and the rows to be written or looked after."""

    change: Change
    event: Event
    rows: Rows


class Projector:
    """Applies changes of items to the dashboard's table, as they come or long after."""

    def __init__(
        self,
        caller: Caller,
        *,
        dashboard_table: str,
        items_table: str,
        dashboard_secrets: Secrets,
        items_secrets: Secrets,
    ) -> None:
        self._caller = caller
        self._items_table = items_table
        self._images = Images(items_secrets)
        self._projection = Projection(
            Dashboard, Dashboard.project_items, dashboard_table, caller, secrets=dashboard_secrets
        )
        self._counters = Counters(Dashboard, Dashboard.count_items, dashboard_table, caller)

    def project(self, records: Sequence[dict[str, Any]], failed: Failed) -> dict[str, Any]:
        """A batch as the stream delivers it: in order, and nothing that is newer applied yet."""
        return consume(records, self._step, self._apply, failed=failed)

    def redrive(self, records: Sequence[dict[str, Any]], failed: Failed) -> dict[str, Any]:
        """A batch that was given up: the stream has gone on, so rows follow the items of today.

        Counts are sums, to which it does not matter when something is added. A record is refused
        again as long as its item is unsound.
        """
        return consume(records, self._late_step, self._reconcile, failed=failed)

    def _step(self, change: Change) -> Effect:
        if expired(change):
            return Effect(change, Event(change.id, {}, []), {})
        # An old image that is unsound was never projected, so nothing is left of it.
        old, new = self._images.sound(change.old), self._images.analysed(change.new)
        rows = self._projection.difference(implied(old), implied(new))
        return Effect(change, counted(change, old, new), rows)

    def _late_step(self, change: Change) -> Effect:
        if expired(change):
            return Effect(change, Event(change.id, {}, []), {})
        self._images.analysed(self._current(change.key))
        old, new = self._images.sound(change.old), self._images.sound(change.new)
        touched = self._projection.rows([*implied(old), *implied(new)])
        return Effect(change, counted(change, old, new), touched)

    def _apply(self, steps: list[Effect]) -> None:
        self._projection.apply(step.rows for step in steps)
        self._count(steps)

    def _reconcile(self, steps: list[Effect]) -> None:
        for key, touched in _by_item(steps):
            self._projection.reconcile(
                touched,
                lambda key=key: implied(self._images.analysed(self._current(key))),  # type: ignore[misc]
            )
        self._count(steps)

    def _count(self, steps: list[Effect]) -> None:
        self._counters.add(step.event for step in steps if step.event.sums)

    def _current(self, key: Image) -> Image | None:
        # A store would refuse an unsound key, and with it the record of an item that was removed.
        params = {"TableName": self._items_table, "Key": key, "ConsistentRead": True}
        return self._caller.call("GetItem", params).get("Item")


class Images:
    """Items in the images of a stream's records."""

    def __init__(self, secrets: Secrets) -> None:
        design, entity = Items.__design__, Item.__entity__
        self._whole = Records(design, entity, secrets=secrets)
        self._without_secrets = Records(design, entity, secrets=Secrets.withheld())

    def analysed(self, image: Image | None) -> Item | None:
        """The item in an image, if it has been analysed; raises InvalidRecord or MalformedItem for
        an unsound one, SecretUnreadable for one that cannot be decrypted."""
        return self._item(self._whole, image)

    def sound(self, image: Image | None) -> Item | None:
        """The same, but for an unsound one nothing: it could not be projected, nor counted. What
        cannot be decrypted is left out: no row is found by it, and it is not counted."""
        try:
            return self._item(self._whole, image)
        except SecretUnreadable:
            return self._item(self._without_secrets, image)
        except (InvalidRecord, MalformedItem):
            return None

    @staticmethod
    def _item(records: Records, image: Image | None) -> Item | None:
        if image is None or image.get("status", {}).get("S") != ANALYZED:
            return None
        # DynamoDB Local writes an empty map into its stream without the type.
        whole = {name: wire for name, wire in image.items() if wire}
        return Item(**_as_ingested(records.to_record(whole)))


def _as_ingested(record: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an item that any program stored, as ingestion stores them."""
    values = dict(record)
    text = values.get("text_snippet")
    if isinstance(text, str):
        values["text_snippet"] = snippet(one_line(text))
    if not Item.source_url.accepts_text(values.get("source_url", "")):
        values.pop("source_url", None)
    return {name: value for name, value in values.items() if value != ""}


def _by_item(steps: list[Effect]) -> Iterator[tuple[Image, list[Rows]]]:
    """Each item's key, with the rows that its changes may have left."""
    keys: dict[str, Image] = {}
    touched: dict[str, list[Rows]] = {}
    for step in steps:
        id = repr(sorted(step.change.key.items()))
        keys[id] = step.change.key
        touched.setdefault(id, []).append(step.rows)
    return ((keys[id], rows) for id, rows in touched.items())


def expired(change: Change) -> bool:
    """Whether an item went because its time was over: its rows and counts, which are kept for a
    shorter time, are gone by then, and are not to come back."""
    ends = (change.old or {}).get(EXPIRES, {}).get("N")
    return change.new is None and ends is not None and float(ends) <= change.made.timestamp()


def implied(item: Item | None) -> Iterator[Row | TagRow]:
    """The rows of an analysed item: one of its day, and one for each tag."""
    if item is None:
        return
    shown = {name: item[name] for name in _SHOWN if name in item}
    shown["ingested_at"] = shown["timestamp"] = utc_text(item.ingested_at)
    shown["day"] = item.ingested_at[:10]
    yield unchecked(Row, shown)
    for tag in sorted(item.matched_tags or ()):
        yield unchecked(TagRow, {**shown, "tag": tag})


def counted(change: Change, old: Item | None, new: Item | None) -> Event:
    """What a change adds to the counts: the item as it is now, less what it was."""
    sums = [_sum(item, by) for item, by in ((old, -1), (new, 1)) if item]
    if old and new and _sum(old, 1) == _sum(new, 1):
        sums = []
    group = {
        "second": f"{change.key['ingested_at']['S'][:19]}.000Z",
        "part": str(uniform(change.id, COUNTED_PARTS)),
    }
    return Event(change.id, group, sums)


def _sum(item: Item, by: int) -> Sum:
    moment = item.ingested_at
    hour = {
        "day": moment[:10],
        "hour": f"{moment[:13]}:00:00.000Z",
        "source_type": item.source_type,
    }
    return hour, {
        item.sentiment: by,
        "tags": dict.fromkeys(sorted(item.matched_tags or ()), by),
    }
