"""Setting: its key in a stage file, its variable, its accepted values and its default."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from cdk_app.toml_form import STRING, Form, literal

PREFIX = "TABLEWRIGHT_"
PAGE = "docs/settings.md"
# Of the library and its tests: no settings of a stage.
OTHERS = frozenset({"TABLEWRIGHT_CACHE", "TABLEWRIGHT_DYNAMODB_LOCAL"})

T = TypeVar("T")
U = TypeVar("U")


class SettingError(Exception):
    """Problems of the settings of a stage: a line for each, with the accepted values."""


@dataclass(frozen=True)
class Parser(Generic[T]):
    """Reads the text of a value, and describes it.

    `read` raises ValueError, with a reason where `accepts` does not tell it. `toml` is the value's
    form in a stage file.
    """

    accepts: str
    read: Callable[[str], T]
    toml: Form = STRING

    def then(self, make: Callable[[T], U]) -> "Parser[U]":
        """A parser of the same text that makes something else of the value."""
        return Parser(self.accepts, lambda text: make(self.read(text)), self.toml)

    @property
    def accepts_in_file(self) -> str:
        return self.toml.accepts or self.accepts


@dataclass(frozen=True, kw_only=True, eq=False)
class Setting(Generic[T]):
    """A setting: `name` in a stage file, overridden by `TABLEWRIGHT_NAME` or `-c name=…`.

    The example and the default are written as in a variable.

    Example::

        ITEM_DAYS = Setting(name="item_days", parser=or_none(whole("days", 10, 9999)), example="60",
                            default="30", says="How long items are kept.")
        asked[ITEM_DAYS]
    """

    name: str
    parser: Parser[T]
    example: str
    default: str
    # A variable of others, which holds where neither the file nor an override says anything.
    instead: str | None = None
    # No variable overrides it: a command that lacks it must not change what the stage is.
    file_only: bool = False
    says: str

    @property
    def variable(self) -> str:
        return PREFIX + self.name.upper()

    def in_toml(self, text: str) -> str:
        """A text as the value is written in a stage file."""
        return literal(self.parser.toml.value(text))
