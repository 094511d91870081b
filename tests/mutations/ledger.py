"""The pages of requirements: rows, the links of their cells, and the mutations of their claims."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SUMMARY = ROOT / "docs" / "requirements.md"
PAGES = sorted((ROOT / "docs" / "requirements").glob("*.md"))
# A link, and the names that its target defines.
_LINK = re.compile(r"\[[^]]+\]\((?P<to>[^)]+)\)(?P<names>(?: `[^`]+`)*)")


class Row(NamedTuple):
    """One statement of a document."""

    system: str
    page: Path
    section: str
    asked: str
    state: str
    where: str
    shown: str


class Link(NamedTuple):
    """A file, and the names that it must define."""

    path: Path
    anchor: str
    names: list[str]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def title_of(page: Path) -> str:
    return page.read_text().partition("\n")[0].removeprefix("# ")


def rows() -> Iterator[Row]:
    for page in PAGES:
        for line in page.read_text().splitlines():
            if line.startswith("| ") and not line.startswith("| section |"):
                yield Row(title_of(page), page, *cells(line))


def links(page: Path, text: str) -> list[Link]:
    found = []
    for match in _LINK.finditer(text):
        path, _, anchor = match["to"].partition("#")
        target = (page.parent / path).resolve()
        found.append(Link(target, anchor, re.findall(r"`([^`]+)`", match["names"])))
    return found


@dataclass(frozen=True)
class Mutation:
    """One edit of a source that breaks the claim of one row."""

    system: str
    statement: str
    file: Path
    old: str
    new: str
    # Pytest node ids, from the row's last cell.
    tests: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"{self.system}: {self.statement}"


def load_mutations() -> list[Mutation]:
    mutations = []
    for file in sorted(Path(__file__).parent.glob("*.toml")):
        page = ROOT / "docs" / "requirements" / f"{file.stem}.md"
        by_statement = {row.asked: row for row in rows() if row.page == page}
        for entry in tomllib.loads(file.read_text())["mutation"]:
            row = by_statement.get(entry["statement"])
            if row is None:
                raise ValueError(f"{page.name} has no row {entry['statement']!r}")
            mutations.append(
                Mutation(
                    system=file.stem,
                    statement=row.asked,
                    file=Path(entry["file"]),
                    old=entry["old"],
                    new=entry["new"],
                    tests=_tests_of(row),
                )
            )
    return mutations


def _tests_of(row: Row) -> tuple[str, ...]:
    return tuple(
        f"{link.path.relative_to(ROOT)}::{name}"
        for link in links(row.page, row.shown)
        if link.path.suffix == ".py"
        for name in link.names
    )
