"""Make an app: a table, a function that uses it, a stack, tests, and a file for CI.

tablewright init shop
cd shop && make test
"""

import argparse
import json
import keyword
import re
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from tablewright import __version__

EXTRAS = "commands,constructs,runtime,testing"
_FILES = files("tablewright.commands.designs") / "app_files"
_PACKAGE = "package"
# Named without their dots, which tools that pack files leave out.
_DOTTED = ("github", "gitignore")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="tablewright init",
        description="Make a CDK app with one table, one function and their tests.",
        epilog="For example: tablewright init shop && cd shop && make test",
    )
    parser.add_argument(
        "name", type=_package_name, metavar="NAME", help="of the folder, and of its package"
    )
    name: str = parser.parse_args(arguments).name
    folder = Path(name)
    if folder.exists():
        parser.error(f"there is a '{name}' here already: give another name, or move it away")
    for path, text in app_files(name):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    print(f"{name}/ has a table, a function, a stack and tests. Next: cd {name} && make test")
    return 0


def app_files(name: str) -> list[tuple[Path, str]]:
    """The files of an app of this name, by their paths in its folder."""
    told = {"NAME": name, "REQUIREMENT": requirement(), "STACK_ID": name.replace("_", "-")}
    pattern = re.compile("|".join(told))
    return [
        (path, pattern.sub(lambda found: told[found[0]], text))
        for path, text in _read(_FILES, Path(), name)
    ]


def requirement() -> str:
    """What an app requires to get this library: from where it was installed, if that is told, or
    else by its version."""
    try:
        told = distribution("tablewright").read_text("direct_url.json")
    except PackageNotFoundError:  # from a checkout
        told = None
    origin = json.loads(told) if told else {}
    if found := origin.get("vcs_info"):
        where = f"{found['vcs']}+{origin['url']}@{found['commit_id']}"
        return f"tablewright[{EXTRAS}] @ {where}"
    if origin.get("url", "").startswith("https:"):
        return f"tablewright[{EXTRAS}] @ {origin['url']}"
    return f"tablewright[{EXTRAS}]=={__version__}"


def _read(folder: Traversable, path: Path, name: str) -> list[tuple[Path, str]]:
    found: list[tuple[Path, str]] = []
    for one in sorted(folder.iterdir(), key=lambda one: one.name):
        if one.name == "__pycache__":
            continue
        called = name if one.name == _PACKAGE else one.name
        target = path / (f".{called}" if called in _DOTTED else called)
        found += _read(one, target, name) if one.is_dir() else [(target, one.read_text())]
    return found


def _package_name(text: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", text) or keyword.iskeyword(text):
        raise argparse.ArgumentTypeError(
            f"'{text}' is no name of a package: give one of small letters, digits and underscores"
        )
    if text in sys.stdlib_module_names or text in ("tablewright", "tests", "app", "constructs"):
        raise argparse.ArgumentTypeError(f"'{text}' is the name of another module: give another")
    return text
