"""Examples of the README, the guide and `examples/`, as programs that need the wheel alone."""

from docs.site.markdown import blocks
from toolchain.paths import ROOT

# What each extra is for.
IMPORTED = {
    "": ("tablewright.model", "tablewright.designs", "tablewright.catalog.sales.design"),
    "constructs": (
        "tablewright.constructs.dax.accelerator",
        "tablewright.catalog.forms.constructs",
    ),
    "nag": ("tablewright.constructs.nag",),
    "runtime": ("tablewright.runtime.store.store", "tablewright.testing.tables"),
    "pages": ("tablewright.pages.html", "tablewright.pages.page", "tablewright.pages.cost_chapter"),
    "testing": ("tablewright.testing.faults",),
    "fast": ("tablewright.model", "orjson"),
    "secrets": ("tablewright.model", "cryptography"),
    "commands": (
        "tablewright.commands.changes.backfill",
        "tablewright.commands.changes.verify",
        "tablewright.commands.designs.cost",
        "tablewright.commands.designs.doc",
        "tablewright.commands.designs.explain",
        "tablewright.commands.designs.measure",
        "tablewright.commands.designs.table",
        "tablewright.commands.operations.redrive",
        "tablewright.commands.operations.audit_isolation",
    ),
}
# A file of tests.
TESTING = "docs/guide/testing.md"
_PAGES = {str(page.relative_to(ROOT)) for page in (ROOT / "docs" / "guide").glob("*.md")}
CHAPTERS = sorted(_PAGES - {TESTING})
# Pages with stacks, and pages with calls of a store.
STACKS = ("README.md", "docs/guide.md", "docs/guide/tenants.md", "docs/guide/regions.md")
CALLS = ("README.md", "docs/guide.md", "docs/healing.md", *CHAPTERS)
_CREATE = """
import boto3
from tablewright.testing.tables import create
create(boto3.client("dynamodb"), Orders, "dev-orders")
"""


def imports(extra: str) -> str:
    """A program that imports what an extra is for."""
    return "\n".join(f"import {name}" for name in IMPORTED[extra])


def python_blocks(page: str) -> list[str]:
    found = blocks((ROOT / page).read_text())
    return [block.code for block in found if block.language == "python"]


def stacks(page: str) -> str:
    """The blocks of a page up to its last for CDK, without those for a function."""
    found = python_blocks(page)
    last = max(at for at, block in enumerate(found) if _deploys(block))
    return "\n".join(block for block in found[: last + 1] if "tablewright.runtime" not in block)


def calls(page: str) -> str:
    """The blocks of a page that a function would have; they need an engine."""
    code = [block for block in python_blocks(page) if not _deploys(block)]
    if page == "README.md":
        code.insert(-1, _CREATE)
    return "\n".join(code)


def tests() -> str:
    """The blocks of the chapter on testing; they need an engine."""
    return "\n".join(python_blocks(TESTING))


def extras_of_calls(page: str) -> tuple[str, ...]:
    """The chapters show by pytest what is refused."""
    return ("testing", "secrets") if page in CHAPTERS else ("runtime",)


def _deploys(block: str) -> bool:
    return "aws_cdk" in block or "iam." in block
