"""Recommendation: what to change, why, what it saves, how sure that is, and what could go wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

CENT = Decimal("0.01")


class Kind(StrEnum):
    """What a recommendation is about."""

    CAPACITY = "capacity"
    TABLE_CLASS = "table class"
    RESERVED = "reserved capacity"
    INDEX = "unused index"
    PROJECTION = "projection"
    EXPIRY = "expiry"
    MORE_SHARDS = "more shards"
    FEWER_SHARDS = "fewer shards"
    ACCELERATOR = "accelerator"
    LOGS = "log retention"
    ALARMS = "idle alarms"


class Confidence(StrEnum):
    """How much a recommendation can be relied on."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


_ORDER = list(Confidence)


@dataclass(frozen=True, kw_only=True)
class Change:
    """What is to be done, in words, and the setting of the stage that does it, if there is one."""

    words: str
    setting: str | None = None
    value: str | None = None


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """One thing to change. `basis` is what the confidence rests on.

    It is `safe` where settings do all of it and would undo it, nothing is lost or refused
    meanwhile, and the confidence is high.
    """

    kind: Kind
    resource: str
    reason: str
    # US dollars a month.
    saving: Decimal
    confidence: Confidence
    basis: str
    risk: str
    changes: tuple[Change, ...]
    safe: bool = False

    @property
    def key(self) -> str:
        """What tells it from all others."""
        return f"{self.kind}: {self.resource}"


def together(main: Recommendation, others: Sequence[Recommendation]) -> Recommendation:
    """One recommendation of several that pay together only."""
    if not others:
        return main
    parts = (main, *others)
    weakest = max(parts, key=lambda one: _ORDER.index(one.confidence))
    return Recommendation(
        kind=main.kind,
        resource=main.resource,
        reason=f"{main.reason.rstrip('.')}, together with {_told(others)}.",
        saving=sum((one.saving for one in parts), Decimal()),
        confidence=weakest.confidence,
        basis=weakest.basis,
        risk=" ".join(dict.fromkeys(one.risk for one in parts)),
        changes=tuple(change for one in parts for change in one.changes),
        safe=all(one.safe for one in parts),
    )


def _told(others: Sequence[Recommendation]) -> str:
    return "; ".join(f"{one.resource} {change.words}" for one in others for change in one.changes)


def weaker(one: Confidence, other: Confidence) -> Confidence:
    """The lower of two."""
    return max(one, other, key=_ORDER.index)


def total(some: Sequence[Recommendation]) -> Decimal:
    """US dollars a month that they save together."""
    return sum((one.saving for one in some), Decimal())
