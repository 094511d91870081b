"""A chapter of the page: what is counted, and the figures."""

from collections.abc import Iterable
from typing import NamedTuple


class Table(NamedTuple):
    """Figures; the first cell of a row says of what."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        ruled = ("---", *("---:" for _ in self.head[1:]))
        return "\n".join(f"| {' | '.join(row)} |" for row in (self.head, ruled, *self.rows))


class Chapter(NamedTuple):
    """Some sentences, and tables."""

    says: str
    tables: tuple[Table, ...]
    # Bounds that were broken: the benchmark ends with an error.
    broken: tuple[str, ...] = ()

    def markdown(self) -> str:
        parts = (self.says, *(table.markdown() for table in self.tables))
        return "\n\n".join(parts) + "\n"


def table(*head: str, rows: Iterable[Iterable[str]]) -> Table:
    return Table(head, tuple(tuple(row) for row in rows))


def ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"  # noqa: RUF001
