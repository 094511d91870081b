"""One run of each access pattern of the sentiment items' table."""

from decimal import Decimal
from typing import Any

from tablewright.catalog.sentiment.items import (
    ANALYZED,
    CLAIMED,
    PENDING,
    SETTLED,
    UNKNOWN,
    Guard,
    Item,
    Items,
)
from tablewright.costs.measuring import NONE, Measuring
from tablewright.model import key_of, replaced
from tablewright.model.capacity import read_floor, update_floor, write_floor
from tablewright.model.sizes import item_bytes
from tablewright.runtime.store.store import Store

POLLED = 100
MOMENT = "2099-03-04T14:30:15.000Z"
TAGS = {"AI", "climate", "economy", "europe", "regulation"}
FOUND: dict[str, Any] = {
    "sentiment": "positive",
    "score": Decimal("0.72"),
    "model_version": "v1.0.0",
}


def guard(number: int, state: str) -> Guard:
    """The guard of a source; while it is claimed, with what was offered."""
    example = Item.__entity__.example
    text = f"{example['text_snippet']} " * 2
    item = {name: example[name] for name in ("source_url", "matched_tags", "metadata")}
    offered: dict[str, Any] = {"text": text.strip(), **item} if state == CLAIMED else {}
    return Guard(source_id=_source(number), item_ingested_at=MOMENT, state=state, **offered)


def pending(number: int) -> Item:
    """An item of five tags, as it is ingested."""
    return Item(
        **{
            **Item.__entity__.example,
            **UNKNOWN,
            "source_id": _source(number),
            "ingested_at": MOMENT,
            "matched_tags": TAGS,
            "status": PENDING,
        }
    )


def _source(number: int) -> str:
    return f"newsapi#bbc-news-ai-regulation-{number:010}"


def measure(measuring: Measuring) -> None:
    """Run each pattern once on a table that knows some sources."""
    store = measuring.store()
    settled = [guard(number, SETTLED) for number in range(POLLED)]
    store.put_many(Items.settle_sources, settled)
    _guards(measuring, store, settled)
    _item(measuring, store)


def _guards(measuring: Measuring, store: Store, settled: list[Guard]) -> None:
    sizes = [_bytes(one) for one in settled]
    new = guard(POLLED, CLAIMED)
    keys = [key_of(one) for one in settled]
    measuring.run(
        "known_sources",
        f"{POLLED} sources, all known",
        lambda: store.get_many(Items.known_sources, keys),
        read=sum((read_floor([size]) for size in sizes), NONE),
        many=POLLED,
    )
    strangers = [{"source_id": _source(number)} for number in range(POLLED, 2 * POLLED)]
    measuring.run(
        "known_sources",
        f"{POLLED} sources, all new",
        lambda: store.get_many(Items.known_sources, strangers),
        read=POLLED * read_floor([]),
        many=POLLED,
    )
    measuring.run(
        "claim_source",
        "one source",
        lambda: store.put(Items.claim_source, new),
        write=_floor(new),
    )
    measuring.run(
        "claimed_source",
        "one source",
        lambda: store.get(Items.claimed_source, new),
        read=read_floor(sizes[:1], consistent=True),
    )
    measuring.run(
        "settle_sources",
        f"{POLLED} sources",
        lambda: store.put_many(Items.settle_sources, settled),
        write=sum((_floor(one) for one in settled), NONE),
        many=POLLED,
    )


def _item(measuring: Measuring, store: Store) -> None:
    new = pending(POLLED)
    changes = {**FOUND, "status": ANALYZED}
    analysed = replaced(new, **changes)
    measuring.run(
        "put_item",
        "one item of five tags",
        lambda: store.put(Items.put_item, new),
        write=_floor(new),
    )
    measuring.run(
        "record_analysis",
        "one item",
        lambda: store.update(Items.record_analysis, new, changes, when={"status": PENDING}),
        write=update_floor(Items.__design__, Item.__entity__, new, analysed),
    )
    measuring.run(
        "get_item",
        "one item",
        lambda: store.get(Items.get_item, new),
        read=read_floor([_bytes(analysed)], consistent=True),
    )


def _bytes(record: Item | Guard) -> int:
    return item_bytes(Items.__design__.attributes(record.__entity__, record))


def _floor(record: Item | Guard) -> Decimal:
    return write_floor(Items.__design__, record.__entity__, record)
