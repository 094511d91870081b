"""Access patterns before and after: only code sees them, but for the markers of counters."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.changes.comparison.described import Json, pairs
from tablewright.changes.comparison.difference import Difference
from tablewright.changes.comparison.rules import entities as rules
from tablewright.changes.comparison.rules.tables import DESCRIBES_CHANGED
from tablewright.designs.description.design import Description


def compare_patterns(old: Description, new: Description) -> Iterator[Difference]:
    """What differs in the access patterns of two designs."""
    before, after = old["patterns"], new["patterns"]
    for name in after:
        if name not in before:
            says = f"it is new, a {_shown(after[name])}"
            yield rules.PATTERN_ADDED.found(f"pattern {name}", says)
    for name in before:
        if name not in after:
            says = f"it is gone, a {_shown(before[name])}"
            yield rules.PATTERN_REMOVED.found(f"pattern {name}", says)
    for name, one, two in pairs(before, after):
        yield from _pattern(f"pattern {name}", one, two)


def _pattern(subject: str, old: Json, new: Json) -> Iterator[Difference]:
    if old.get("describes") != new.get("describes"):
        yield DESCRIBES_CHANGED.found(subject, "what is said of it is another sentence")
    counts = old["kind"] == new["kind"] == "Count"
    if counts and old.get("marker") != new.get("marker"):
        says = f"it remembered events by {old.get('marker')} and does by {new.get('marker')}"
        yield rules.COUNT_MARKER_CHANGED.found(subject, says)
    aside = ("describes", "marker") if counts else ("describes",)
    changed = [
        f"{name} was {old.get(name)!r} and is {new.get(name)!r}"
        for name in dict.fromkeys((*old, *new))
        if name not in aside and old.get(name) != new.get(name)
    ]
    if changed:
        yield rules.PATTERN_CHANGED.found(subject, ", ".join(changed))


def _shown(pattern: Json) -> str:
    index = f" on {pattern['index']}" if "index" in pattern else ""
    return f"{pattern['kind']}{index}"
