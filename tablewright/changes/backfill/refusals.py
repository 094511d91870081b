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
    if old is not None and new.key.names != old.key.names:
        raise NotBackfillable(
            f"the key attributes of {old.id} are {', '.join(old.key.names)}, and those of the new "
            f"design {', '.join(new.key.names)}: the key of a table never changes. `tablewright "
            "migration new` copies the items to a new table"
        )
