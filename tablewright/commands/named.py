"""Designs and healing plans by name, ``package.module:NAME``, as options of commands."""

import argparse
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import Any

import tablewright
from tablewright.model.declaration import Table
from tablewright.model.healing import HealingPlan

_OURS = Path(tablewright.__file__).parent


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
        found = import_module(module)
    except (ImportError, ValueError) as error:
        # Of the module itself, or of one that it imports.
        missing = getattr(error, "name", None) or module
        if not f"{module}.".startswith(f"{missing}."):
            raise _unsound(module, error) from None
        raise _nothing(place) from None
    except Exception as error:  # whatever a module may raise
        raise _unsound(module, error) from None
    if not hasattr(found, name):
        raise _nothing(place)
    return getattr(found, name)


def _nothing(place: str) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(
        f"there is nothing at '{place}': give it as package.module:NAME"
    )


def _unsound(module: str, error: Exception) -> argparse.ArgumentTypeError:
    """Where a module fails: in the last line of it, or of what it calls, that is not ours."""
    frames = [one for one in extract_tb(error.__traceback__) if Path(one.filename).is_file()]
    own = [one for one in frames if _OURS not in Path(one.filename).parents] or frames
    at = f" ({own[-1].filename}:{own[-1].lineno})" if own else ""
    reason = f"{type(error).__name__}: {error}"
    return argparse.ArgumentTypeError(f"'{module}' cannot be imported: {reason}{at}")
