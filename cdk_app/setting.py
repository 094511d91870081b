"""Setting: what a stage can be told, how it is written, and what holds when it is not told."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Generic, TypeVar

PREFIX = "TABLEWRIGHT_"
PAGE = "docs/settings.md"
# Of the library and its tests: no settings of a stage.
OTHERS = frozenset({"TABLEWRIGHT_CACHE", "TABLEWRIGHT_DYNAMODB_LOCAL"})

T = TypeVar("T")
U = TypeVar("U")


class SettingError(Exception):
    """What is wrong with the settings: a line for each, which says what is accepted."""


@dataclass(frozen=True)
class Parser(Generic[T]):
    """How a value is written, in words, and how it is read.

    `read` raises ValueError, with a reason where the words do not tell it.
    """

    accepts: str
    read: Callable[[str], T]

    def then(self, make: Callable[[T], U]) -> "Parser[U]":
        """What is made of the value that it reads."""
        return Parser(self.accepts, lambda text: make(self.read(text)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Setting(Generic[T]):
    """A setting: `-c name=…` or `TABLEWRIGHT_NAME=…`.

    Defaults are written as values are: one for all stages, and those of stages that differ.

    Example::

        ITEM_DAYS = Setting(name="item_days", parser=or_none(whole("days", 10, 9999)), example="60",
                            default="30", by_stage={"prod": "90"}, says="How long items are kept.")
        asked[ITEM_DAYS]
    """

    name: str
    parser: Parser[T]
    example: str
    default: str
    by_stage: Mapping[str, str] = field(default_factory=dict)
    # A variable that others set, for when this one is not told.
    instead: str | None = None
    says: str

    @property
    def variable(self) -> str:
        return PREFIX + self.name.upper()

    def default_of(self, stage: str) -> str:
        return self.by_stage.get(stage, self.default)

    def wrong(self, text: str, reason: str = "") -> str:
        """The sentence on a value that is not accepted."""
        because = f"{reason}; " if reason else ""
        takes = f"it takes {self.parser.accepts}, for example {self.example}"
        return f"{self.variable} is '{text}': {because}{takes}"


class Asked:
    """What context and environment ask of a stage.

    A wrong value is noted, and its default taken, so that all of them are told at once.

    Example::

        asked = Asked("dev", app.node.try_get_context, os.environ)
        days = asked[ITEM_DAYS]
        asked.check()
    """

    def __init__(
        self, stage: str, context: Callable[[str], object], environ: Mapping[str, str]
    ) -> None:
        self.stage = stage
        self._context = context
        self._environ = environ
        self._wrong: dict[str, None] = {}

    def __getitem__(self, setting: Setting[T]) -> T:
        text = self.text(setting)
        if text is not None:
            try:
                return setting.parser.read(text)
            except ValueError as error:
                self.refuse(setting.wrong(text, str(error)))
        return setting.parser.read(setting.default_of(self.stage))

    def text(self, setting: Setting[Any]) -> str | None:
        """What is written, if anything is."""
        names = filter(None, (setting.variable, setting.instead))
        written = (self._environ[name] for name in names if self._environ.get(name))
        value = self._context(setting.name) or next(written, None)
        return str(value) if value else None

    def refuse(self, sentence: str) -> None:
        """Note what is wrong, also where values do not go together."""
        self._wrong[sentence] = None

    def check(self, known: Iterable[Setting[Any]]) -> None:
        """Raise SettingError if anything is wrong, or named that there is not."""
        wrong = [*_unknown(self._environ, {one.variable for one in known}), *self._wrong]
        if wrong:
            raise SettingError("\n".join(wrong))


def _unknown(environ: Mapping[str, str], known: set[str]) -> Iterator[str]:
    given = (name for name, value in environ.items() if name.startswith(PREFIX) and value)
    for name in sorted(set(given) - known - OTHERS):
        near = get_close_matches(name, sorted(known), n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        yield f"{name} is no setting: {meant}All of them are in {PAGE}"
