"""Pages of the example designs, and their index: what each is about and what it shows."""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from examples.designs import DESIGNS
from tablewright.model import (
    BatchDelete,
    BatchWrite,
    Check,
    Collection,
    Count,
    Design,
    EpochShards,
    Reversed,
    Scan,
    Table,
    Upsert,
)
from tablewright.model.patterns import Pattern
from tablewright.pages.collections.picture import collections_picture
from tablewright.pages.fields import parts_of
from tablewright.pages.markdown import table
from tablewright.pages.page import page, picture_name

FOLDER = Path(__file__).parent / "designs"
INDEX = FOLDER / "README.md"
_PATTERNS: dict[type[Pattern[Any]], str] = {
    Collection: "item collections",
    Scan: "scans",
    Upsert: "upserts",
    BatchWrite: "batches of several entities",
    BatchDelete: "batches of removals",
    Count: "exact counters",
    Check: "checks in transactions",
}


def page_of(design: type[Table]) -> Path:
    return FOLDER / f"{design.__design__.id}.md"


def picture_of(design: type[Table]) -> Path:
    return FOLDER / picture_name(design.__design__)


def text_of(design: type[Table]) -> str:
    """The page of a design: what its module says of it, and what follows from the declaration."""
    module = design.__module__.replace(".", "/")
    declared = f"Declared in [`{module}.py`](../../{module}.py)."
    return page(design.__design__, about=[*_said(design), declared], made_by="make docs")


def index() -> str:
    """The index of all designs."""
    rows = [
        (f"[{one.__design__.id}]({page_of(one).name})", _said(one)[0], ", ".join(_shows(one)))
        for one in DESIGNS
    ]
    parts = [
        "# Well-known designs",
        "*Made from the designs by `make docs`; do not edit.*",
        "Tables that books, talks and the documentation of DynamoDB explain, declared with "
        "tablewright: a module each, which is all that there is to write. Every access pattern is "
        "one call of a store, or one transaction, and is run on DynamoDB Local by a test.",
        table(("design", "what it is for", "what it shows"), rows),
    ]
    return "\n\n".join(parts) + "\n"


def write() -> Iterator[Path]:
    """Write all pages."""
    for design in DESIGNS:
        page_of(design).write_text(text_of(design))
        picture_of(design).write_text(collections_picture(design.__design__))
        yield page_of(design)
    INDEX.write_text(index())
    yield INDEX


def _said(design: type[Table]) -> list[str]:
    """The paragraphs of a module's docstring, each on one line."""
    text = inspect.cleandoc(sys.modules[design.__module__].__doc__ or "")
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def _shows(of: type[Table]) -> Iterator[str]:
    """What a newcomer finds in a design."""
    design = of.__design__
    yield from _of_keys(design)
    fields = [field for entity in design.entity_list for field in entity.fields]
    if any(True for field in fields for _ in parts_of(field)):
        yield "parts"
    if any(entity.expires for entity in design.entity_list):
        yield "expiry"
    if "transact_write" in inspect.getsource(sys.modules[of.__module__]):
        yield "transactions"
    for kind, words in _PATTERNS.items():
        if any(type(pattern) is kind for pattern in design.pattern_list):
            yield words


def _of_keys(design: Design) -> Iterator[str]:
    keys = [key for entity in design.entity_list for key in entity.keys]
    computed = [one for entity in design.entity_list for one in entity.computed.values()]
    found = {
        "tenants": design.tenant,
        "entity types": design.entity_type,
        "sparse indexes": any(index.sparse for index in design.index_list),
        "local indexes": any(index.local for index in design.index_list),
        "keys of several attributes": any(len(index.key.names) > 2 for index in design.index_list),
        "shards": any(key.shards for key in keys),
        "shards that grow": any(isinstance(key.shards, EpochShards) for key in keys),
        "computed keys": any(not isinstance(one, Reversed) for one in computed),
        "reversed keys": any(isinstance(one, Reversed) for one in computed),
    }
    yield from (words for words, there in found.items() if there)
