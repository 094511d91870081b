"""One run of each access pattern of the sentiment items' table."""

from decimal import Decimal

from tablewright.catalog.sentiment.items import (
    ANALYZED,
    CLAIMED,
    GUARD,
    ITEM,
    ITEMS,
    PENDING,
    SETTLED,
    UNKNOWN,
)
from tablewright.model import Record
from tablewright.model.capacity import read_floor, update_floor, write_floor
from tablewright.model.sizes import item_bytes
from tablewright.pages.metering import NONE, Measurement, Measuring
from tablewright.runtime.aws import Caller
from tablewright.runtime.store.store import Store

POLLED = 100
MOMENT = "2099-03-04T14:30:15.000Z"
TAGS = {"AI", "climate", "economy", "europe", "regulation"}
FOUND = {"sentiment": "positive", "score": Decimal("0.72"), "model_version": "v1.0.0"}


def guard(number: int, state: str) -> Record:
    """The guard of a source; while it is claimed, with what was offered."""
    text = f"{ITEM.example['text_snippet']} " * 2
    item = {name: ITEM.example[name] for name in ("source_url", "matched_tags", "metadata")}
    offered = {"text": text.strip(), **item} if state == CLAIMED else {}
    return GUARD.check(
        {"source_id": _source(number), "item_ingested_at": MOMENT, "state": state, **offered}
    )


def pending(number: int) -> Record:
    """An item of five tags, as it is ingested."""
    return ITEM.check(
        {
            **ITEM.example,
            **UNKNOWN,
            "source_id": _source(number),
            "ingested_at": MOMENT,
            "matched_tags": TAGS,
            "status": PENDING,
        }
    )


def _source(number: int) -> str:
    return f"newsapi#bbc-news-ai-regulation-{number:010}"


def measure(caller: Caller, table: str) -> list[Measurement]:
    """Run each pattern once on a table that knows some sources."""
    measuring = Measuring(caller)
    store = Store(ITEMS, table, measuring.meter)
    settled = [guard(number, SETTLED) for number in range(POLLED)]
    store.put_many(ITEMS.settle_sources, settled)
    _guards(measuring, store, settled)
    _item(measuring, store)
    return measuring.found


def _guards(measuring: Measuring, store: Store, settled: list[Record]) -> None:
    sizes = [item_bytes(ITEMS.attributes(GUARD, one)) for one in settled]
    new = guard(POLLED, CLAIMED)
    keys = [{"source_id": one["source_id"]} for one in settled]
    measuring.run(
        "known_sources",
        f"{POLLED} sources, all known",
        lambda: store.get_many(ITEMS.known_sources, keys),
        read=sum((read_floor([size]) for size in sizes), NONE),
        many=POLLED,
    )
    strangers = [{"source_id": _source(number)} for number in range(POLLED, 2 * POLLED)]
    measuring.run(
        "known_sources",
        f"{POLLED} sources, all new",
        lambda: store.get_many(ITEMS.known_sources, strangers),
        read=POLLED * read_floor([]),
        many=POLLED,
    )
    measuring.run(
        "claim_source",
        "one source",
        lambda: store.put(ITEMS.claim_source, new),
        write=write_floor(ITEMS, GUARD, new),
    )
    measuring.run(
        "claimed_source",
        "one source",
        lambda: store.get(ITEMS.claimed_source, {"source_id": new["source_id"]}),
        read=read_floor(sizes[:1], consistent=True),
    )
    measuring.run(
        "settle_sources",
        f"{POLLED} sources",
        lambda: store.put_many(ITEMS.settle_sources, settled),
        write=sum((write_floor(ITEMS, GUARD, one) for one in settled), NONE),
        many=POLLED,
    )


def _item(measuring: Measuring, store: Store) -> None:
    new = pending(POLLED)
    key = {name: new[name] for name in ITEM.key.fields}
    changes = {**FOUND, "status": ANALYZED}
    analysed = {**new, **changes}
    measuring.run(
        "put_item",
        "one item of five tags",
        lambda: store.put(ITEMS.put_item, new),
        write=write_floor(ITEMS, ITEM, new),
    )
    measuring.run(
        "record_analysis",
        "one item",
        lambda: store.update(ITEMS.record_analysis, key, changes, expect={"status": PENDING}),
        write=update_floor(ITEMS, ITEM, new, analysed),
    )
    measuring.run(
        "get_item",
        "one item",
        lambda: store.get(ITEMS.get_item, key),
        read=read_floor([item_bytes(ITEMS.attributes(ITEM, analysed))], consistent=True),
    )
