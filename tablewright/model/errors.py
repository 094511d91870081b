"""Errors of designs, and of values that are to be stored."""

from __future__ import annotations

from collections.abc import Sequence


class TablewrightError(Exception):
    """The root of every error that this library raises on purpose."""


class DesignError(TablewrightError):
    """A table design contradicts itself; `problems` has one sentence for each fault."""

    def __init__(self, design: str, problems: Sequence[str]) -> None:
        self.design = design
        self.problems = tuple(problems)
        super().__init__(f"table design '{design}': " + "; ".join(problems))


class InvalidValue(TablewrightError, ValueError):
    """One value does not fit the field that it was given for."""

    def __init__(self, field: str, reason: str) -> None:
        self.field = field
        self.reason = reason
        super().__init__(f"{field} {reason}")


class InvalidRecord(TablewrightError, ValueError):
    """A record has values that do not fit; `problems` lists all of them, not only the first."""

    def __init__(self, entity: str, problems: Sequence[InvalidValue]) -> None:
        self.entity = entity
        self.problems = tuple(problems)
        super().__init__(f"{entity}: " + "; ".join(str(problem) for problem in problems))


class KeyMismatch(TablewrightError, ValueError):
    """A stored key does not have the form that its template gives it."""
