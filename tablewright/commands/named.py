"""Designs and healing plans by name, ``package.module:NAME``, as options of commands."""

import argparse
from importlib import import_module
from typing import Any

from tablewright.model.declaration import Table
from tablewright.model.healing import HealingPlan


def table_design(place: str) -> type[Table]:
    """The design at a place.

    Example::

        parser.add_argument("--design", required=True, type=table_design)
    """
    found = _at(place)
    if not (isinstance(found, type) and issubclass(found, Table)):
        raise argparse.ArgumentTypeError(f"'{place}' is no table design")
    return found


def healing_plan(place: str) -> HealingPlan[Any]:
    """The plan at a place, or the one that a function there makes."""
    found = _at(place)
    plan = found() if callable(found) else found
    if not isinstance(plan, HealingPlan):
        raise argparse.ArgumentTypeError(f"'{place}' is no plan of healing")
    return plan


def _at(place: str) -> object:
    module, _, name = place.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError):
        raise argparse.ArgumentTypeError(
            f"there is nothing at '{place}': give it as package.module:NAME"
        ) from None
