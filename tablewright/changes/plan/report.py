"""Report of a plan: its steps as people read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from tablewright.changes.plan.steps import Estimate, Step, sum_of
from tablewright.designs.description.node import printable

_WIDTH = 96
_MARGIN = " " * 14


def plan_lines(steps: Sequence[Step]) -> Iterator[str]:
    """The steps, and what they take together."""
    code = ""
    for number, step in enumerate(steps, start=1):
        yield from _indented(f"{number:2}  {step.kind:8}  ", step.says)
        if step.name:
            yield printable(f"{_MARGIN}go on by: --released {step.name}")
        if step.is_contract:
            yield f"{_MARGIN}go on by: --readers-moved"
        if step.code != code:
            code = step.code
            yield from _indented(f"{_MARGIN}may run: ", code)
        yield from _indented(f"{_MARGIN}back: ", step.undo)
        if any(step.estimate):
            yield f"{_MARGIN}at most {_amounts(step.estimate)}"
    yield ""
    yield in_all(steps)


def in_all(steps: Sequence[Step]) -> str:
    """What all steps take together."""
    many = "1 step" if len(steps) == 1 else f"{len(steps)} steps"
    return f"{many}, at most {_amounts(sum_of(step.estimate for step in steps))}"


def _indented(head: str, text: str) -> list[str]:
    return wrap(printable(text), _WIDTH, initial_indent=head, subsequent_indent=_MARGIN + "  ")


def _amounts(one: Estimate) -> str:
    return (
        f"{one.read_units:,} read units, {one.write_units:,} write units, "
        f"{duration(one.seconds)}, ${one.dollars}"
    )


def duration(seconds: int) -> str:
    """A time as people say it.

    >>> duration(59), duration(3600), duration(90_061)
    ('59 s', '1 h', '25 h 1 min')
    """
    if seconds < 60:
        return f"{seconds} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return " ".join([*([f"{hours} h"] if hours else []), *([f"{minutes} min"] if minutes else [])])
