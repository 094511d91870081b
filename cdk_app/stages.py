"""Stages: what is always so in each of them, whatever its settings."""

from collections.abc import Callable
from dataclasses import dataclass

from tablewright.constructs import Protection


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What is always so in a stage."""

    protection: Callable[[], Protection]
    # Scripts sign in with a plain password, and pages of somebody's own machine are let in.
    developing: bool = False
    on_this_machine: bool = False
    show_capacity: bool = True


STAGES = {
    "local": Kind(protection=Protection.throw_away, developing=True, on_this_machine=True),
    "dev": Kind(protection=Protection.throw_away, developing=True),
    "staging": Kind(protection=Protection.recoverable),
    "prod": Kind(protection=Protection.protected, show_capacity=False),
}
