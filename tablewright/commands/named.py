"""Designs and healing plans by name, ``package.module:NAME``, as options of commands."""

import argparse
import tomllib
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import Any

import tablewright
from tablewright.model.declaration import Table
from tablewright.model.healing import HealingPlan
from tablewright.model.validation.design import validate

_OURS = Path(tablewright.__file__).parent
_PROJECT = Path("pyproject.toml")


def table_design(place: str) -> type[Table]:
    """The design at a place.

    Example::

        parser.add_argument("--design", required=True, type=table_design)
    """
    found = _at(place)
    if not (isinstance(found, type) and issubclass(found, Table)):
        raise argparse.ArgumentTypeError(f"'{place}' is no table design")
    return found


def sound_design(place: str) -> type[Table]:
    """The design at a place, which has no error."""
    found = table_design(place)
    if problems := validate(found):
        raise argparse.ArgumentTypeError(
            f"'{place}' has an error: {problems[0]} (`tablewright check {place}` tells more)"
        )
    return found


def design_place(place: str) -> str:
    """A place that has a sound design, as it was given: for commands that name it again."""
    sound_design(place)
    return place


def add_designs(parser: argparse.ArgumentParser) -> None:
    """Any number of designs; `named_designs` gives those that are meant where none is named."""
    parser.add_argument(
        "designs",
        nargs="*",
        type=table_design,
        metavar="DESIGN",
        help="as package.module:Name; by default those of [tool.tablewright] in pyproject.toml",
    )


def add_account(parser: argparse._ActionsContainer) -> None:
    """Where a table is: on an engine, or in a region of an account."""
    parser.add_argument("--endpoint-url", help="of an engine, such as http://localhost:8000")
    parser.add_argument("--region", help="by default that of the profile")
    parser.add_argument("--profile", help="of the AWS configuration")


def named_designs(
    parser: argparse.ArgumentParser, named: Sequence[type[Table]]
) -> list[type[Table]]:
    """These designs, or else those that the pyproject.toml of this folder names."""
    return list(named) or [_declared(parser, place) for place in _places(parser)]


def _places(parser: argparse.ArgumentParser) -> list[str]:
    try:
        settings = tomllib.loads(_PROJECT.read_text())
    except FileNotFoundError:
        settings = {}
    except tomllib.TOMLDecodeError as error:
        parser.error(f"{_PROJECT} cannot be read: {error}")
    places: list[str] = settings.get("tool", {}).get("tablewright", {}).get("designs", [])
    if not places:
        parser.error(
            "name a design, as in shop.orders:Orders, or list them in pyproject.toml: "
            '[tool.tablewright] designs = ["shop.orders:Orders"]'
        )
    return places


def _declared(parser: argparse.ArgumentParser, place: str) -> type[Table]:
    try:
        return table_design(place)
    except argparse.ArgumentTypeError as error:
        parser.error(f"{_PROJECT}: {error}")


def healing_plan(place: str) -> HealingPlan[Any]:
    """The plan at a place, or the one that a function there makes."""
    found = _at(place)
    plan = found() if callable(found) else found
    if not isinstance(plan, HealingPlan):
        raise argparse.ArgumentTypeError(f"'{place}' is no plan of healing")
    return plan


def scenario(place: str) -> Callable[[Any], None]:
    """The scenario at a place: a function of what it measures with."""
    found = _at(place)
    if not callable(found) or isinstance(found, type):
        raise argparse.ArgumentTypeError(
            f"'{place}' is no scenario: that is a function, def {place.partition(':')[2] or 'it'}"
            "(measuring: Measuring) -> None"
        )
    return found


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
    return argparse.ArgumentTypeError(f"'{module}' cannot be imported: {failure(error)}")


def failure(error: Exception) -> str:
    """What failed, and where: in the last line that is not ours."""
    frames = [one for one in extract_tb(error.__traceback__) if Path(one.filename).is_file()]
    own = [one for one in frames if _OURS not in Path(one.filename).parents] or frames
    at = f" ({own[-1].filename}:{own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {error}{at}"
