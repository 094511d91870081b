"""Refusals: pairs of designs, and options, that no backfill can follow."""

from __future__ import annotations

from tablewright.model.errors import TablewrightError
from tablewright.model.table import Design


class NotBackfillable(TablewrightError):
    """Two designs, or an option, that no backfill can follow."""


def refuse(new: Design, old: Design | None, *, only_expiry: bool = False) -> None:
    """Raise NotBackfillable for what cannot be followed."""
    if only_expiry and not new.ttl:
        raise NotBackfillable(f"{new.id} has no ttl: there is no expiry to write")
    if old is None:
        return
    if new.key.names != old.key.names:
        raise NotBackfillable(
            f"the key attributes of {old.id} are {', '.join(old.key.names)}, and not "
            f"{', '.join(new.key.names)}: a table's never change, so items go to another table"
        )
    if new.epochs and old.epochs:
        now, was = (one.entity(one.patterns[one.epochs or ""]) for one in (new, old))
        if [one.text for one in now.key.templates] != [one.text for one in was.key.templates]:
            raise NotBackfillable(
                f"shard epochs are read by the key of {now.name}, which may not change"
            )
