"""Pieces of Markdown."""

from collections.abc import Iterable
from typing import Any


def table(head: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    cells = (tuple("" if cell is None else str(cell) for cell in line) for line in lines)
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)


def code(texts: Iterable[str]) -> str:
    return ", ".join(f"`{text}`" for text in texts)
