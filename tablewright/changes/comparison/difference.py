"""Differences of two designs, their consequences, and the rules that class them."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Consequence(StrEnum):
    """What a difference asks of a table that has items, the gravest last."""

    SAFE = "safe"
    """Nothing of what is stored changes."""
    STEPS = "steps"
    """DynamoDB does it in several updates, one after the other."""
    BACKFILL = "backfill"
    """Existing items must be rewritten, or looked at."""
    NEW_INDEX = "new-index"
    """Another index is needed, and readers move to it."""
    READ_BOTH = "read-both"
    """Code must read the old form and the new one until a backfill is verified."""
    IMPOSSIBLE = "impossible"
    """Not in place: the reason says what to do instead."""


class Difference(NamedTuple):
    """Something that is not the same in two designs.

    `rule` is the id of the rule that classes it; `subject` is what it is about, such as
    ``Order.total`` or ``index by_customer``; `says` is what changed; `reason` is why it is of its
    class, and what to do.
    """

    rule: str
    consequence: Consequence
    subject: str
    says: str
    reason: str


class Rule(NamedTuple):
    """A kind of difference: `when` says what it is for, `reason` why it is of its class."""

    id: str
    consequence: Consequence
    when: str
    reason: str

    def found(self, subject: str, says: str) -> Difference:
        """A difference of this kind."""
        return Difference(self.id, self.consequence, subject, says, self.reason)
