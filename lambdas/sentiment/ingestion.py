"""Storing what is new, once; asking for its analysis; parking what is unsound.

A new source is claimed, stored, announced and settled, in this order. Whoever is interrupted leaves
a claim that is not settled, and whoever meets the source next finishes it under the moment that the
claim names. So there is never a second item, and none that nobody was told of.
"""

import contextlib
import json
from collections.abc import Iterable
from typing import Any

from lambdas.sentiment.items import Offered, offered
from lambdas.sentiment.outcome import Outcome, Refused, park, source_of
from lambdas.sentiment.sources import RawItem
from lambdas.sentiment.tags import Watch
from tablewright.designs import InvalidRecord, InvalidValue, Record
from tablewright.designs.sentiment_items import CLAIMED, ITEM, ITEMS, SETTLED
from tablewright.runtime.bulk import in_parallel
from tablewright.runtime.errors import AlreadyExists, NotFound
from tablewright.runtime.store import Store
from tablewright.runtime.topic import Message, Topic


class Ingestion:
    """Takes batches of raw items into the table of items."""

    def __init__(self, items: Store, dashboard: Store, requests: Topic, watch: Watch) -> None:
        self._items = items
        self._dashboard = dashboard
        self._requests = requests
        self.watch = watch

    @staticmethod
    def raw(found: RawItem) -> dict[str, Any]:
        """What a source found, as it is offered."""
        return {
            "source_id": f"{found.source_type}#{found.stable_id}",
            "source_type": found.source_type,
            "text": found.text,
            **({"source_url": found.source_url} if found.source_url else {}),
            **({"metadata": found.metadata} if found.metadata else {}),
        }

    def take(self, batch: Iterable[Any], moment: str) -> Outcome:
        """Store what is sound and new, as ingested at this moment."""
        sound: dict[str, Offered] = {}
        refused: list[Refused] = []
        repeated = 0
        for position, raw in enumerate(batch):
            try:
                one = self._known_tags(offered(raw, moment))
            except InvalidRecord as error:
                problems = tuple((p.field, p.reason) for p in error.problems)
                refused.append(Refused(position, source_of(raw), raw, problems))
                continue
            repeated += one.item["source_id"] in sound
            sound.setdefault(one.item["source_id"], one)
        stored = self._store(sound)
        return Outcome(stored, len(sound) - stored + repeated, refused)

    def _known_tags(self, one: Offered) -> Offered:
        """Refuse tags that nobody watches: counts are kept of each tag there is."""
        strange = one.item.get("matched_tags", set()) - set(self.watch.tags)
        if strange:
            reason = f"must be among the watch tags: {', '.join(self.watch.tags)}"
            raise InvalidRecord(ITEM.name, [InvalidValue("matched_tags", reason)])
        return one

    def park(self, refused: Iterable[Refused], moment: str) -> None:
        """Keep what was refused where an operator can see it."""
        park(self._dashboard, refused, moment)

    def _store(self, sound: dict[str, Offered]) -> int:
        keys = [{"source_id": source_id} for source_id in sound]
        guards = self._items.get_many(ITEMS.known_sources, keys) if keys else []
        known = {guard["source_id"]: guard for guard in guards}
        new = [
            (one, known.get(source_id))
            for source_id, one in sound.items()
            if known.get(source_id, {}).get("state") != SETTLED
        ]
        written = in_parallel(self._items.executor, lambda pair: self._write(*pair), new)
        mine = [one for one in written if one is not None]
        if mine:
            self._requests.publish([_request(one) for one in mine])
            settled = [_guard(one, SETTLED) for one in mine]
            self._items.put_many(ITEMS.settle_sources, settled)
        return len(mine)

    def _write(self, one: Offered, guard: Record | None) -> Offered | None:
        """Claim and store; gives the item under the moment it is stored by, None if known."""
        if guard is None:
            try:
                self._items.put(ITEMS.claim_source, _guard(one, CLAIMED))
            except AlreadyExists:
                key = {"source_id": one.item["source_id"]}
                guard = self._items.get(ITEMS.claimed_source, key)
                if guard is None:
                    raise NotFound("a claim disappeared while it was looked at") from None
                if guard["state"] == SETTLED:
                    return None
        if guard is not None:
            one = Offered({**one.item, "ingested_at": guard["item_ingested_at"]}, one.text)
        tags = one.item.get("matched_tags") or self.watch.match(one.text)
        item = {**one.item, "matched_tags": tags}
        # Otherwise stored by whoever was interrupted, or is at it now.
        with contextlib.suppress(AlreadyExists):
            self._items.put(ITEMS.put_item, item)
        return one


def _guard(one: Offered, state: str) -> Record:
    return {
        "source_id": one.item["source_id"],
        "item_ingested_at": one.item["ingested_at"],
        "state": state,
    }


def _request(one: Offered) -> Message:
    body = {
        "source_id": one.item["source_id"],
        "ingested_at": one.item["ingested_at"],
        "source_type": one.item["source_type"],
        "text_for_analysis": one.text,
    }
    return Message(json.dumps(body), {"source_type": one.item["source_type"]})
