"""Packages of extras that are not installed: a command shows its help without them.

A stand-in takes the place of each such package. Calling anything in it raises ModuleNotFoundError,
so that a command fails only if it uses the package.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

# The extra to install, by package.
EXTRAS = {
    **dict.fromkeys(("boto3", "botocore", "duckdb", "markdown_it", "tqdm"), "commands"),
    **dict.fromkeys(("hypothesis", "pytest"), "testing"),
    **dict.fromkeys(("aws_cdk", "constructs", "jsii"), "constructs"),
    "cdk_nag": "nag",
    "cryptography": "secrets",
    "orjson": "fast",
}
# Used after a command has begun to work: without them it must not begin.
_NEEDED_AT_START = ("duckdb", "tqdm")


class _Name(type):
    """A name in a missing package: it can be caught and inherited from, but not called."""

    package: str

    def __getattr__(cls, name: str) -> "_Name":
        if name.startswith("__"):
            raise AttributeError(name)
        return _Name(name, (Exception,), {"package": cls.package})

    def __getitem__(cls, item: object) -> "_Name":
        return cls

    def __call__(cls, *arguments: object, **options: object) -> NoReturn:
        raise ModuleNotFoundError(name=cls.package)


class _StandIn(ModuleType):
    def __getattr__(self, name: str) -> _Name:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Name(name, (Exception,), {"package": self.__name__})


def import_command(module: str) -> tuple[Any, list[str]]:
    """The module of a command, and the missing packages that stand-ins took the place of."""
    missing: list[str] = []
    try:
        while True:
            try:
                return import_module(module), missing
            except ModuleNotFoundError as error:
                if extra_of(error) is None or error.name is None or error.name in missing:
                    raise
                missing.append(error.name)
                sys.modules[error.name] = _StandIn(error.name)
    finally:
        for name in missing:
            del sys.modules[name]


def require_at_start(missing: Sequence[str]) -> None:
    """Raise ModuleNotFoundError for a package that the command must not begin without."""
    for name in missing:
        if name in _NEEDED_AT_START:
            raise ModuleNotFoundError(name=name)


def extra_of(error: ModuleNotFoundError) -> str | None:
    """The extra that has the missing package; None if no extra has it."""
    return EXTRAS.get(str(error.name).partition(".")[0])
