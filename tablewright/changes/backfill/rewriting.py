"""Rewriting: what a backfill makes of one item, by the two designs and by what it was asked for."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tablewright.changes.backfill.refusals import refuse
from tablewright.model.declaration import Table
from tablewright.model.fields.compound import TallyField
from tablewright.model.sharding.epochs import EpochSource
from tablewright.model.table import Design
from tablewright.runtime.aws import Caller
from tablewright.runtime.rederivation import NotRederivable, Rederivation, Rederived, same
from tablewright.runtime.sharding.epochs import StoredEpochs
from tablewright.runtime.store.records import Item

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets


class Rewriting:
    """Says what becomes of items of a table: `old` ones, if they may be, as `new` writes them.

    With `only_expiry`, nothing but the attribute that items expire by is written. With
    `keep_later`, an expiry that is later than the design's is left alone. Without `moves`, no item
    gets another key.
    """

    def __init__(
        self,
        new: type[Table],
        old: type[Table] | None,
        table_name: str,
        caller: Caller,
        *,
        secrets: Secrets | None = None,
        only_expiry: bool = False,
        keep_later: bool = False,
        moves: bool = True,
    ) -> None:
        self.new, self.old = new.__design__, old.__design__ if old else None
        self._only_expiry = only_expiry
        self._keep_later = keep_later
        self._moves = moves and self.old is not None
        refuse(self.new, self.old, only_expiry=only_expiry)
        self._rederivation = Rederivation(
            self.new,
            self.old,
            epochs=_epochs(self.new, table_name, caller),
            old_epochs=_epochs(self.old, table_name, caller) if self.old else None,
            secrets=secrets,
        )

    def of(self, item: Item) -> Rederived:
        """What becomes of an item; raises NotRederivable."""
        found = self._rederivation.of(item)
        if self._keep_later and self.new.ttl:
            found = _with_later_expiry(found, self.new.ttl)
        if self._only_expiry and self.new.ttl:
            found = _with_expiry_alone(found, self.new.ttl)
        if found.is_moved and not self._moves:
            # Whether that is a former form of key or a mistake, nobody has said.
            raise NotRederivable(f"{found.entity} has another key than follows from its fields")
        fields = self.new.entities[found.entity].fields
        if found.is_moved and any(isinstance(field, TallyField) for field in fields):
            # A condition can name the counts that are there, and none that is begun meanwhile.
            raise NotRederivable(f"{found.entity} has a Tally: to move it could lose counts")
        return found

    def is_same(self, rederived: Rederived, there: Item) -> bool:
        """Whether what has the new key of an item already is the same thing, written later: it has
        the values that the item's own key was made of."""
        names = there.keys() | rederived.after.keys()
        if all(same(there.get(name), rederived.after.get(name)) for name in names):
            return True
        entity = self.old.entities.get(rederived.entity) if self.old else None
        try:
            other = self._rederivation.of(there)
        except NotRederivable:
            return False
        if entity is None or other.entity != rederived.entity:
            return False
        known = self.new.entities[rederived.entity].by_name
        return all(
            name in known and rederived.record.get(name) == other.record.get(name)
            for name in entity.inputs(entity.key)
        )


def _epochs(design: Design, table_name: str, caller: Caller) -> EpochSource | None:
    return StoredEpochs(design, table_name, caller) if design.epochs else None


def _with_expiry_alone(rederived: Rederived, ttl: str) -> Rederived:
    others = {name: wire for name, wire in rederived.before.items() if name != ttl}
    expiry = {ttl: rederived.after[ttl]} if ttl in rederived.after else {}
    return rederived._replace(after={**others, **expiry})


def _with_later_expiry(rederived: Rederived, ttl: str) -> Rederived:
    was, new = rederived.before.get(ttl), rederived.after.get(ttl)
    if was is None or new is None:
        return rederived
    if "N" not in was:
        raise NotRederivable(f"{rederived.entity}: {ttl} is no number")
    if Decimal(was["N"]) <= Decimal(new["N"]):
        return rederived
    return rederived._replace(after={**rederived.after, ttl: was})
