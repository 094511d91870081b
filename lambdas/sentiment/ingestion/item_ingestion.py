"""Ingestion of items: each source is stored once, and its analysis asked for.

A new source is claimed, stored, announced and settled, in this order. Whoever is interrupted leaves
a claim that is not settled, and whoever meets the source next finishes what the claim holds, under
the moment that it names. So there is never a second item, none that nobody analyses, and none
that shows one text and is judged by another.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from lambdas.sentiment.analysis import item_request
from lambdas.sentiment.ingestion.items import Offered, claimed, offered
from lambdas.sentiment.ingestion.outcome import Outcome, Rejection, put_rejected, source_of
from lambdas.sentiment.ingestion.watch_tags import Watch
from lambdas.sentiment.sources import RawItem
from tablewright.catalog.sentiment.items import CLAIMED, PENDING, SETTLED, Guard, Item, Items
from tablewright.model import InvalidRecord, InvalidValue, replaced
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import AlreadyExists, NotFound, StoreError
from tablewright.runtime.messaging.topic import Topic
from tablewright.runtime.parallel import try_in_parallel
from tablewright.runtime.store.store import Store


class _Written(NamedTuple):
    """What is stored now, and whether we stored it."""

    offered: Offered
    stored: bool


class ItemIngestion:
    """Takes batches of raw items into the table of items."""

    def __init__(self, items: Store, dashboard: Store, requests: Topic, watch: Watch) -> None:
        self._items = items
        self._dashboard = dashboard
        self._requests = requests
        self.watch = watch
        self.expires = items.design.entities[Item.__entity__.name].expires

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

    def insert_item_if_new(self, item: Mapping[str, Any], ingested_at: str | None = None) -> bool:
        """Store an item, as ingested now or at a moment. Return False if its source is known.

        Raises InvalidRecord for an item that is not sound, and StoreError for one that is not
        finished. Called again after a StoreError it finishes the item, and may return False.
        """
        outcome = self.ingest([item], ingested_at or iso_utc(datetime.now(UTC)))
        for rejection in outcome.rejected:
            problems = [InvalidValue(*problem) for problem in rejection.problems]
            raise InvalidRecord(Item.__entity__.name, problems)
        outcome.raise_failure()
        return outcome.stored == 1

    def ingest(self, batch: Iterable[Any], moment: str) -> Outcome:
        """Store what is sound and new, as ingested at this moment."""
        sound: dict[str, Offered] = {}
        rejected: list[Rejection] = []
        repeated = 0
        for position, raw in enumerate(batch):
            try:
                one = self._tagged(offered(raw, moment, kept=self.expires))
            except InvalidRecord as error:
                problems = tuple((p.field, p.reason) for p in error.problems)
                rejected.append(Rejection(position, source_of(raw), raw, problems))
                continue
            repeated += one.item.source_id in sound
            sound.setdefault(one.item.source_id, one)
        return self._store(sound).and_then(Outcome(0, repeated, rejected))

    def _tagged(self, one: Offered) -> Offered:
        """The item with its tags: those of its sender, or the watch tags that its text matches."""
        tags = one.item.matched_tags or set(self.watch.match(one.text))
        return Offered(replaced(one.item, matched_tags=tags), one.text)

    def put_rejected(self, rejected: Iterable[Rejection], moment: str) -> None:
        """Keep what was rejected where an operator can see it."""
        put_rejected(self._dashboard, rejected, moment)

    def _store(self, sound: dict[str, Offered]) -> Outcome:
        keys = [{"source_id": source_id} for source_id in sound]
        guards = self._items.get_many(Items.known_sources, keys) if keys else []
        known = {guard.source_id: guard for guard in guards}
        settled = {guard.source_id for guard in guards if guard.state == SETTLED}
        new = [
            (one, known.get(source_id))
            for source_id, one in sound.items()
            if source_id not in settled
        ]
        results = try_in_parallel(lambda pair: self._write(*pair), new)
        written = [one for one in results if isinstance(one, _Written)]
        unwritten = [one for one in results if isinstance(one, StoreError)]
        failures = (*unwritten, *self._announce([one.offered for one in written]))
        stored = sum(one.stored for one in written)
        return Outcome(stored, len(sound) - stored - len(unwritten), [], failures=failures)

    def _announce(self, written: list[Offered]) -> list[StoreError]:
        """Ask for the analyses of pending items and settle what was taken; the failures of the
        rest."""
        pending = [one for one in written if one.item.status == PENDING]
        failures = self._requests.offer([item_request(one.item, one.text) for one in pending])
        taken = [one for one in written if one.item.status != PENDING]
        taken += [one for one, failure in zip(pending, failures, strict=True) if failure is None]
        left = [failure for failure in failures if failure is not None]
        try:
            self._items.put_many(Items.settle_sources, [one.guard(SETTLED) for one in taken])
        except StoreError as error:
            left += [error] * len(taken)
        return left

    def _write(self, one: Offered, guard: Guard | None) -> _Written | None:
        """Claim and store; gives what the claim holds, None when all is done."""
        if guard is None:
            try:
                self._items.put(Items.claim_source, one.guard(CLAIMED))
            except AlreadyExists:
                guard = self._items.get(Items.claimed_source, source_id=one.item.source_id)
                if guard is None:
                    raise NotFound("a claim disappeared while it was looked at") from None
                if guard.state == SETTLED:
                    return None
        if guard is not None:
            # The first that was offered is stored and judged, whoever finishes it.
            one = claimed(guard)
        try:
            self._items.put(Items.put_item, one.item)
        except AlreadyExists:
            # By whoever was interrupted, or is at it now.
            return _Written(one, stored=False)
        return _Written(one, stored=True)
