"""Values that a stage file and its overrides give to settings."""

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeVar

from cdk_app.setting import OTHERS, PAGE, PREFIX, Setting, SettingError
from cdk_app.stage_file import StageFile
from cdk_app.toml_form import literal

T = TypeVar("T")
# Settings by their table in a stage file; those of every system are at the top, under None.
Sections = Mapping[str | None, tuple[Setting[Any], ...]]


class Override(NamedTuple):
    """A value from outside the stage file."""

    text: str
    origin: str


class StageValues:
    """Values of a stage: of `-c name=…`, of a variable, of the stage file, or the default.

    A wrong value is noted and replaced by its default, so that all problems are reported at once.

    Example::

        asked = StageValues(StageFile.load("dev"), SECTIONS, app.node.try_get_context, os.environ)
        days = asked[ITEM_DAYS]
        asked.check()
    """

    def __init__(
        self,
        file: StageFile,
        sections: Sections,
        context: Callable[[str], object],
        environ: Mapping[str, str],
    ) -> None:
        self.stage = file.name
        self._file = file
        self._sections = sections
        self._section_of = {one: name for name, known in sections.items() for one in known}
        self._context = context
        self._environ = environ
        self._wrong: dict[str, None] = {}

    def __getitem__(self, setting: Setting[T]) -> T:
        try:
            return setting.parser.read(self._text(setting))
        except ValueError as error:
            self.refuse_value(setting, str(error))
        return setting.parser.read(setting.default)

    def override(self, setting: Setting[Any]) -> Override | None:
        """The value from outside the file, if there is one."""
        if setting.file_only:
            return None
        if value := self._context(setting.name):
            return Override(str(value), f"-c {setting.name}")
        if value := self._environ.get(setting.variable):
            return Override(value, setting.variable)
        return None

    def overrides(self) -> Iterator[str]:
        """A line for each value of the file that another takes the place of."""
        for setting in self._section_of:
            override = self.override(setting)
            written = self._written(setting)
            # Credentials in use always name an account and a region.
            if override is None or (written is None and setting.instead):
                continue
            if not self._is_usual(setting, override.text):
                unset = f" does not set it; default: {setting.default}"
                yield (
                    f"stage {self.stage}: {setting.name} = {override.text} from {override.origin} "
                    f"({self._file}{unset if written is None else f': {literal(written)}'})"
                )

    def refuse(self, sentence: str) -> None:
        """Note a problem, also of values that do not go together."""
        self._wrong[sentence] = None

    def refuse_value(self, setting: Setting[Any], reason: str = "") -> None:
        """Note that the value of a setting is not accepted."""
        because = f"{reason}; " if reason else ""
        if override := self._outside(setting):
            takes = f"it takes {setting.parser.accepts}, for example {setting.example}"
            self.refuse(f"{override.origin} is '{override.text}': {because}{takes}")
        else:
            self._refuse_in_file(setting, because)

    def name(self, setting: Setting[Any]) -> str:
        """The place of a setting's value, for messages."""
        override = self._outside(setting)
        return override.origin if override else f"{self._file}: {self._key(setting)}"

    def check(self) -> None:
        """Raise SettingError if any value, key or variable is wrong."""
        for setting in self._section_of:
            # Also what an override hides today.
            if (value := self._written(setting)) is not None:
                try:
                    setting.parser.read(setting.parser.toml.text(value))
                except ValueError as error:
                    self._refuse_in_file(setting, f"{error}; " if str(error) else "")
        wrong = [*self._unknown_variables(), *self._unknown_keys(), *self._wrong]
        if wrong:
            raise SettingError("\n".join(wrong))

    def _text(self, setting: Setting[Any]) -> str:
        if override := self._outside(setting):
            return override.text
        value = self._written(setting)
        return setting.default if value is None else setting.parser.toml.text(value)

    def _outside(self, setting: Setting[Any]) -> Override | None:
        """An override, or what the credentials in use say where the file says nothing."""
        override = self.override(setting)
        if override or not setting.instead or self._written(setting) is not None:
            return override
        text = self._environ.get(setting.instead)
        return Override(text, setting.instead) if text else None

    def _written(self, setting: Setting[Any]) -> Any:
        return self._file.value(setting.name, self._section_of[setting])

    def _is_usual(self, setting: Setting[Any], text: str) -> bool:
        value = self._written(setting)
        return text == (setting.default if value is None else setting.parser.toml.text(value))

    def _key(self, setting: Setting[Any]) -> str:
        section = self._section_of[setting]
        return f"{section}.{setting.name}" if section else setting.name

    def _refuse_in_file(self, setting: Setting[Any], because: str) -> None:
        value = self._written(setting)
        shown = setting.default if value is None else literal(value)
        example = f"{setting.name} = {setting.in_toml(setting.example)}"
        self.refuse(
            f"{self._file}: {self._key(setting)} is {shown}: {because}it takes "
            f"{setting.parser.accepts_in_file}, for example {example}"
        )

    def _unknown_variables(self) -> Iterator[str]:
        names = {one.variable: one for one in self._section_of if not one.file_only}
        for one in self._section_of:
            if one.file_only and (self._environ.get(one.variable) or self._context(one.name)):
                yield f"{one.variable} is not read: set {self._key(one)} in {self._file}"
        own = {one.variable for one in self._section_of} | OTHERS
        given = {name for name, value in self._environ.items() if name.startswith(PREFIX) and value}
        for name in sorted(given - own):
            yield f"{name} is no setting: {_meant(name, names)}All of them are in {PAGE}"

    def _unknown_keys(self) -> Iterator[str]:
        home = {one.name: section for one, section in self._section_of.items()}
        top = {one.name for one in self._sections[None]} | {name for name in self._sections if name}
        for key, value in self._file.content.items():
            if key in self._sections and not isinstance(value, Mapping):
                yield f"{self._file}: {key} is {literal(value)}: it must be a table, [{key}]"
            elif key in self._sections:
                known = {one.name for one in self._sections[key]}
                for name in value:
                    if name not in known:
                        yield self._unknown_key(f"{key}.{name}", name, home, known)
            elif key not in top:
                yield self._unknown_key(key, key, home, top)

    def _unknown_key(
        self, shown: str, name: str, home: Mapping[str, str | None], known: set[str]
    ) -> str:
        if name in home:
            place = f"[{home[name]}]" if home[name] else "the top of the file"
            return f"{self._file}: {shown} is not here: move {name} to {place}"
        meant = _meant(name, known) or _meant(name, home)
        return f"{self._file}: {shown} is no setting: {meant}All of them are in {PAGE}"


def _meant(name: str, names: Mapping[str, Any] | set[str]) -> str:
    near = get_close_matches(name, sorted(names), n=1)
    return f"did you mean {near[0]}? " if near else ""
