"""Former form of items: what the design before this one has written, read and brought over.

A store of a design that says `formerly` looks under the key that an item had before where there is
nothing under its key, and writes nothing until what is there is in the new form. Of an item that is
there in both forms, the new one counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tablewright.model.former import forms
from tablewright.model.patterns import Listing
from tablewright.model.sharding.epochs import EpochSource
from tablewright.model.table import Design
from tablewright.runtime.errors import Conflict, ItemBusy, Throttled, TransactionCanceled
from tablewright.runtime.rederivation import NotRederivable, Rederivation, Rederived
from tablewright.runtime.store.batches import read_all
from tablewright.runtime.store.records import Item, Records
from tablewright.runtime.store.requests import Requests
from tablewright.runtime.store.transactions import PASSING, UNFIT
from tablewright.runtime.transport import Transport

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets


class Former:
    """Reads items of one table that the design before has written, and brings them over.

    `forms` has the entities whose items it wrote otherwise, `before` the codecs of those that it
    has.
    """

    def __init__(
        self,
        design: Design,
        before: Design,
        table_name: str,
        transport: Transport,
        requests: Mapping[str, Requests],
        *,
        epochs: EpochSource | None = None,
        secrets: Secrets | None = None,
    ) -> None:
        self.design = design
        self.table_name = table_name
        self.transport = transport
        self.forms = forms(design)
        self.requests = requests
        self.before = {
            name: Records(before, entity, epochs, secrets=secrets)
            for name, entity in before.entities.items()
            if name in requests
        }
        self._rederivation = Rederivation(
            design, before, epochs=epochs, old_epochs=epochs, secrets=secrets
        )

    def concerns(self, listing: Listing[Any]) -> bool:
        """Whether a list can have items of the form before."""
        return not self.forms.keys().isdisjoint(listing.entities)

    def read(self, name: str, key: Item, *, consistent: bool) -> Item | None:
        """The item with a key of this design, in its form, wherever it lies."""
        item = self._get(key, consistent=consistent)
        before = self.key_before(name, key)
        if item is not None or before is None:
            return item and self.converted(item)
        item = self._get(before, consistent=consistent)
        if item is not None:
            return self.chosen(key, None, item)
        # It may have been brought over between the two.
        return self._get(key, consistent=True)

    def read_all(self, name: str, keys: Sequence[Item], *, consistent: bool) -> list[Item]:
        """The items with keys of this design, in its form, in no order."""
        found = self._by_key(keys, consistent=consistent)
        pairs = ((key, self.key_before(name, key)) for key in self._left(keys, found))
        before = {self._values(old): (key, old) for key, old in pairs if old}
        items = self._by_key([old for _, old in before.values()], consistent=consistent)
        for values, item in items.items():
            key = before[values][0]
            own = self.chosen(key, None, item)
            if own is not None:
                found[self._values(key)] = own
        left = [key for values, (key, _) in before.items() if values not in items]
        found |= self._by_key(left, consistent=True)
        return [self.converted(item) for item in found.values()]

    def chosen(self, key: Item, item: Item | None, before: Item | None) -> Item | None:
        """Of an item under its key and one under the key before, the one that counts."""
        if item is not None or before is None:
            return item and self.converted(item)
        own = self.converted(before)
        # The key before may say less, and so be that of another item.
        return own if self._key(own) == key else None

    def converted(self, item: Item) -> Item:
        """An item in the form of this design; as it is, if that is of no use to know."""
        rederived = self.rederived(item)
        return rederived.after if rederived and rederived.changed else item

    def rederived(self, item: Item) -> Rederived | None:
        """What becomes of an item; None of one that is no entity's, or that lies where it belongs
        and lacks what it needs. Raises NotRederivable for one that has to move, and cannot."""
        try:
            return self._rederivation.of(item)
        except NotRederivable as problem:
            for name, one in self.forms.items():
                here = self.requests[name].records.is_one(item, None)
                if one.is_moved and not here and self.before[name].is_one(item, None):
                    raise NotRederivable(
                        f"{name} {self.design.key_values(item)}: {problem}"
                    ) from None
            return None

    def key_before(self, name: str, key: Item) -> Item | None:
        """The key that an item had before; None where it is the same."""
        one = self.forms.get(name)
        if one is None or not one.is_moved:
            return None
        texts = self.requests[name].records.key_texts(key, None)
        texts.pop("shard", None)
        before = self.before[name].key_item(texts, None)
        return before if before != key else None

    def bring_over(self, name: str, keys: Iterable[Item], *, blind: bool = False) -> None:
        """Have the items with these keys in the form of this design, before they are written.

        The keys may be among other attributes. Writes that are `blind` to what is there need that
        only of items that lie elsewhere.
        """
        one = self.forms.get(name)
        if one is None or (blind and not one.is_moved):
            return
        pairs = [(key, self.key_before(name, key)) for key in map(self._key, keys)]
        todo = [(key, old or key) for key, old in pairs if old or not blind]
        if len(todo) > 1:
            there = self._by_key([old for _, old in todo], consistent=True)
            todo = [pair for pair in todo if self._values(pair[1]) in there]
        self.transport.in_parallel(lambda pair: self._bring(name, *pair), todo)

    def _bring(self, name: str, key: Item, before: Item) -> None:
        for _ in self.transport.attempts():
            item = self._get(before, consistent=True)
            found = item and self.rederived(item)
            if not found or found.entity != name or not found.changed:
                return
            if self._key(found.after) != key or self._is_brought(found):
                return
        raise Throttled(f"{name}: other writers changed the item on every attempt. Retry later.")

    def _is_brought(self, found: Rederived) -> bool:
        """Whether an item was brought over, which it is not if somebody wrote it meanwhile."""
        call, table = self.transport.call, self.table_name
        try:
            if not found.is_moved:
                call("UpdateItem", found.update(table))
                return True
            try:
                call("TransactWriteItems", found.move(table))
            except TransactionCanceled as canceled:
                if not {UNFIT, *PASSING} & set(canceled.reasons):
                    raise
                if canceled.reasons[0] != UNFIT:
                    return False
                # It is there in both forms: the new one counts.
                call("DeleteItem", found.remove(table))
        except (Conflict, ItemBusy):
            return False
        return True

    def _get(self, key: Item, *, consistent: bool) -> Item | None:
        params = {"TableName": self.table_name, "Key": key, "ConsistentRead": consistent}
        return self.transport.call("GetItem", params).get("Item")

    def _by_key(self, keys: Sequence[Item], *, consistent: bool) -> dict[tuple[Any, ...], Item]:
        found = read_all(self.transport, self.table_name, keys, consistent=consistent)
        return {self._values(item): item for item in found}

    def _left(self, keys: Sequence[Item], found: Mapping[tuple[Any, ...], Item]) -> list[Item]:
        return [key for key in keys if self._values(key) not in found]

    def _key(self, item: Item) -> Item:
        return {name: item[name] for name in self.design.key.names}

    def _values(self, item: Item) -> tuple[Any, ...]:
        return self.design.key_values(item)
