"""Release notes: what the changelog says of one version."""

import re
from typing import NamedTuple

from tablewright.testing.engine.tools import ToolError

_SECTION = re.compile(
    r"^## (?P<version>\S+) \((?P<date>[^)]+)\)\n(?P<text>.*?)(?=^## |\Z)", re.M | re.S
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
UNRELEASED = "unreleased"


class Notes(NamedTuple):
    """What is said of a version, and when it was released: a date, or `unreleased`."""

    date: str
    text: str


def notes(changelog: str, version: str) -> Notes:
    """What is said of a version in the topmost section, which must be its own."""
    top = _SECTION.search(changelog)
    if top is None or top["version"] != version:
        found = f"that of {top['version']}" if top else "none"
        raise ToolError(
            f"The topmost section of CHANGELOG.md is {found}; this is version {version}. "
            f"Begin one: ## {version} (YYYY-MM-DD)."
        )
    if top["date"] != UNRELEASED and not _DATE.fullmatch(top["date"]):
        raise ToolError(f"CHANGELOG.md: ({top['date']}) is no date. Write (YYYY-MM-DD).")
    if not top["text"].strip():
        raise ToolError(f"CHANGELOG.md says nothing about {version}.")
    return Notes(top["date"], top["text"].strip() + "\n")
