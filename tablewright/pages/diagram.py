"""A design as a picture: what writes the table, what its indexes take from it, what reads where."""

from collections.abc import Iterator
from typing import Any

from tablewright.model import Design
from tablewright.model.patterns import BatchGet, Check, Get, Pattern, Query, Scan


def diagram(design: Design) -> str:
    """The picture in Mermaid, in which arrows go the way that the data goes."""
    lines = ["flowchart LR", '  table[("table")]']
    lines += [f'  {_index(i.name)}[("{i.name}")]' for i in design.index_list]
    reads = (BatchGet, Check, Get, Query, Scan)
    writes = [p for p in design.pattern_list if not isinstance(p, reads)]
    lines += [f"  {_pattern(p)} --> table" for p in writes]
    lines += [f"  table --> {_index(index.name)}" for index in design.index_list]
    if design.stream:
        lines.append('  table --> stream[/"stream"/]')
    lines += [line for p in design.pattern_list if p not in writes for line in _read(design, p)]
    return "\n".join(["```mermaid", *lines, "```"])


def _read(design: Design, pattern: Pattern[Any]) -> Iterator[str]:
    yield f"  {_index(pattern.index) if pattern.index else 'table'} --> {_pattern(pattern)}"
    if isinstance(pattern, Query) and design.completes(pattern):
        yield f"  table -. completes .-> {_pattern(pattern)}"


def _index(name: str) -> str:
    return f"index_{name}"


def _pattern(pattern: Pattern[Any]) -> str:
    # A shape with a name of its own: Mermaid has reserved words.
    return f'pattern_{pattern.name}(["{pattern.name}"])'
