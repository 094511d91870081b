"""Findings: reasons why two designs cannot share a table, each with an example."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """A defect that appears while two designs use one table.

    `code` names the kind of defect, `subject` the entity, field, pattern or index. `example` shows
    the record, what was written, and what the other version reads.
    """

    code: str
    subject: str
    text: str
    example: str = ""

    def __str__(self) -> str:
        example = f" Example: {self.example}" if self.example else ""
        return f"{self.code}: {self.subject}: {self.text}{example}"
