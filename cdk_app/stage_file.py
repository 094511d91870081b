"""Stage file: `stages/<name>.toml`, which has every setting of one stage."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from cdk_app.setting import SettingError

FOLDER = Path(__file__).resolve().parent.parent / "stages"
# Data of a stage whose file does not say: the kind of which nothing is deleted by mistake.
PROTECTED = "protected"
# Without hyphens: rights to `dev-*` must not reach a stage `dev-eu`.
_NAME = re.compile(r"[a-z][a-z0-9]{0,15}")


@dataclass(frozen=True)
class StageFile:
    """A parsed stage file. Settings of one system are in a table of its name."""

    name: str
    content: Mapping[str, Any]

    @classmethod
    def load(cls, name: str, folder: Path = FOLDER) -> "StageFile":
        """Read the file of a stage. Raises SettingError if there is none or it is not TOML."""
        if not _NAME.fullmatch(name):
            raise SettingError(
                f"'{name}' cannot name a stage: a name is part of resource names, so it has 1 to "
                "16 lower-case letters and digits and begins with a letter"
            )
        names = stage_names(folder)
        if name not in names:
            near = get_close_matches(name, names, n=1)
            meant = f"did you mean {near[0]}? " if near else ""
            raise SettingError(
                f"stage '{name}' has no file stages/{name}.toml: {meant}there are "
                f"{', '.join(names)}. To make a stage, add its file (docs/deploying.md#a-new-stage)"
            )
        file = folder / f"{name}.toml"
        try:
            # Some editors write a byte order mark.
            return cls(name, tomllib.loads(file.read_text(encoding="utf-8-sig")))
        except OSError as error:
            raise SettingError(f"stages/{name}.toml cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            # Also of numbers and of nesting beyond what Python reads.
            raise SettingError(f"stages/{name}.toml is not TOML: {error}") from None

    def __str__(self) -> str:
        return f"stages/{self.name}.toml"

    def value(self, key: str, section: str | None = None) -> Any:
        """The value of a key, None if the file does not have it."""
        table = self.content.get(section) if section else self.content
        return table.get(key) if isinstance(table, Mapping) else None

    def text(self, key: str) -> str | None:
        """A text of every system, None if there is none. `cdk_app` reports one of a wrong type."""
        value = self.value(key)
        return value if isinstance(value, str) and value != "none" else None

    @property
    def removals(self) -> frozenset[str]:
        """What a deployment may remove."""
        value = self.value("removals")
        return frozenset(map(str, value)) if isinstance(value, list) else frozenset()

    @property
    def protects_data(self) -> bool:
        """True unless the file clearly says otherwise."""
        return self.value("data") not in ("throw-away", "recoverable")


def stage_names(folder: Path = FOLDER) -> tuple[str, ...]:
    """The stages that have a file."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))
