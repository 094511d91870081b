"""Navigation of the site: sections by reader, and below a page the ones that it lists itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from docs.site.markdown import linked_pages

ROOT = Path(__file__).resolve().parents[2]


class Section(NamedTuple):
    """A heading of the navigation, and the pages under it."""

    title: str
    pages: tuple[str, ...]


SECTIONS = (
    Section(
        "Build a table",
        (
            "docs/guide.md",
            "docs/constructs.md",
            "docs/designs/README.md",
            "docs/catalog.md",
            "docs/reference/README.md",
            "docs/encryption.md",
            "docs/archive.md",
            "docs/adopting.md",
        ),
    ),
    Section(
        "Deploy",
        (
            "docs/local.md",
            "docs/deploying.md",
            "docs/settings.md",
            "docs/edge.md",
            "docs/deployable-regions.md",
        ),
    ),
    Section(
        "Operate",
        (
            "docs/operations.md",
            "docs/commands.md",
            "docs/changing.md",
            "docs/changes.md",
            "docs/backfill.md",
            "docs/copying.md",
            "docs/regions.md",
            "docs/costs.md",
            "docs/idle-cost.md",
            "docs/recommendations.md",
        ),
    ),
    Section(
        "Understand",
        (
            "docs/performance.md",
            "docs/sentiment.md",
            "docs/healing.md",
            "docs/forms.md",
            "docs/sharding.md",
            "docs/portal.md",
            "docs/sales.md",
            "docs/portal-events.md",
            "docs/requirements.md",
            "docs/decisions/README.md",
        ),
    ),
    Section(
        "The project",
        (
            "README.md",
            "CONTRIBUTING.md",
            "docs/versioning.md",
            "docs/licences.md",
            "CHANGELOG.md",
        ),
    ),
)
# A page that lists those of a folder: they stand below it, in its order.
LISTS = {
    "docs/guide.md": "docs/guide",
    "docs/designs/README.md": "docs/designs",
    "docs/catalog.md": "docs/tables",
    "docs/reference/README.md": "docs/reference",
    "docs/requirements.md": "docs/requirements",
    "docs/decisions/README.md": "docs/decisions",
}
# Headings that say more than fits into the navigation.
TITLES = {
    "docs/guide.md": "Guide: a table of your own",
    "docs/reference/README.md": "API reference",
    "docs/encryption.md": "Secret fields",
    "docs/local.md": "On one machine",
    "docs/deploying.md": "From an empty account",
    "docs/settings.md": "Settings",
    "docs/edge.md": "Access from outside",
    "docs/costs.md": "Costs",
    "docs/idle-cost.md": "Costs at rest",
    "docs/healing.md": "Self-healing",
    "docs/sharding.md": "Shards that grow",
    "docs/requirements.md": "Requirements",
    "README.md": "First page",
}


def sources() -> list[Path]:
    """Every page of the project: all Markdown files but the site's own."""
    own = Path(__file__).parent
    pages = sorted((ROOT / "docs").rglob("*.md"))
    return [*sorted(ROOT.glob("*.md")), *(page for page in pages if page.parent != own)]


def below(page: str) -> list[str]:
    """The pages that stand below one."""
    folder = LISTS.get(page)
    if folder is None:
        return []
    return [
        str(found.relative_to(ROOT))
        for found in linked_pages(ROOT / page)
        if found.parent == ROOT / folder and found != ROOT / page
    ]


def reachable() -> Iterator[str]:
    """Every page that the navigation leads to."""
    for section in SECTIONS:
        for page in section.pages:
            yield page
            yield from below(page)
