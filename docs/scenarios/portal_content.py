"""One run of each access pattern of the portal's content."""

from decimal import Decimal
from functools import partial
from typing import Any

from stacks.shared.stage import PortalSettings
from tablewright.catalog.portal.content import DRAFT, Content, ContentRegistry
from tablewright.costs.measuring import Measuring
from tablewright.model import Query
from tablewright.model.capacity import TRANSACTION_WRITES, read_floor, update_floor, write_floor
from tablewright.model.sizes import item_bytes
from tablewright.pages.cost_chapter import Kept, Scale, Use
from tablewright.runtime.store.store import Store

STORED = 100
PAGE = 50
# A filter that finds nothing among what it looks at.
RARE = f"{STORED} looked at by a filter"
_BEFORE = "2025-01-01T00:00:00.000Z"
DESIGN, CONTENT = ContentRegistry.__design__, Content.__entity__
WAREHOUSE = {"product_suite": "Data", "product_concept": "Warehouse"}
SAYS = (
    "A small portal has 1,000 pieces of content, of which each is changed once a month, and a "
    "hundred people; a large one a hundred times as much. Each person looks at ten lists and at "
    "thirty pieces of content on each of twenty days."
)
LEAVES_OUT = (
    f"What is due is looked for every {PortalSettings.calendar_minutes} minutes, whatever the "
    "size. Files are in a bucket and not in these figures, nor are backups, the stream and "
    "contributor insights."
)


def content(number: int, **changes: Any) -> Content:
    """One of the stored contents, approved; what is due differs."""
    return Content(
        **{
            **CONTENT.example,
            "content_id": f"0194a211-7280-7abc-8def-{number:012x}",
            "last_updated": f"2025-01-26T{number // 60:02}:{number % 60:02}:00.000Z",
            "due_at": f"2025-07-26T{number // 60:02}:{number % 60:02}:00.000Z",
            **changes,
        }
    )


def draft(number: int) -> Content:
    nobody = {"approved_by": None, "approved_at": None, "due_at": None}
    return content(number, status=DRAFT, version="1", **nobody)


def measure(measuring: Measuring) -> None:
    """Run each pattern on a table of a hundred approved contents, all of one product."""
    store = measuring.store()
    for number in range(STORED):
        store.put(ContentRegistry.create_content, content(number))
    _one(measuring, store)
    _lists(measuring, store)


def _one(measuring: Measuring, store: Store) -> None:
    new = draft(STORED)
    renamed = {"title": "Another title", "version": "2", "last_updated": "2025-01-27T09:00:00.000Z"}
    approval = {
        "status": "Approved",
        "version": "3",
        "approved_by": CONTENT.example["approved_by"],
        **dict.fromkeys(("approved_at", "last_updated"), "2025-01-27T10:00:00.000Z"),
        "due_at": CONTENT.example["due_at"],
    }
    edited = Content(**{**new, **renamed})
    approved = Content(**{**edited, **approval})
    done = Content(**{**approved, "due_at": None})
    measuring.run(
        "create_content",
        "one draft",
        lambda: store.put(ContentRegistry.create_content, new),
        write=write_floor(DESIGN, CONTENT, new),
    )
    measuring.run(
        "get_content",
        "one content",
        lambda: store.get(ContentRegistry.get_content, content_id=new.content_id),
        read=read_floor([_bytes(new)], consistent=True),
    )
    unchanged = {"version": new.version, "last_updated": new.last_updated}
    measuring.run(
        "check_content",
        "one content, in a transaction",
        lambda: store.transact_write(
            store.to_check(ContentRegistry.check_content, new, when=unchanged)
        ),
        write=TRANSACTION_WRITES * Decimal(-(-_bytes(new) // 1024)),
    )
    update = ContentRegistry.update_content
    for what, before, changes, after, reads in (
        ("a title", new, renamed, edited, 1),
        ("an approval", edited, approval, approved, 1),
        ("what is due", approved, {"due_at": None}, done, 0),
    ):
        measuring.run(
            "update_content",
            what,
            partial(store.update, update, new, changes, when={"version": before.version}),
            read=reads * read_floor([_bytes(before)], consistent=True),
            write=update_floor(DESIGN, CONTENT, before, after),
        )
    measuring.run(
        "delete_content",
        "one content",
        lambda: store.delete(ContentRegistry.delete_content, new),
        write=write_floor(DESIGN, CONTENT, done),
    )


def _lists(measuring: Measuring, store: Store) -> None:
    newest = [content(STORED - 1 - number) for number in range(PAGE)]
    due = [content(number) for number in range(STORED)]
    lists: tuple[tuple[Query[Content], dict[str, str]], ...] = (
        (ContentRegistry.list_content_by_status, {"status": "Approved"}),
        (ContentRegistry.list_content_by_product, WAREHOUSE),
        (
            ContentRegistry.list_content_by_owner,
            {"owner_user_id": CONTENT.example["owner_user_id"]},
        ),
    )
    for pattern, where in lists:
        measuring.run(
            pattern.name,
            f"a page of {PAGE}",
            partial(store.query, pattern, where, limit=PAGE, caller="meter"),
            read=read_floor(_entry(one, pattern.index) for one in newest),
        )
    measuring.run(
        "list_content_by_status",
        RARE,
        lambda: store.query(
            ContentRegistry.list_content_by_status,
            {"status": "Approved"},
            where=Content.audience_role == "Partner",
            examine=STORED,
            limit=PAGE,
            caller="meter",
        ),
        read=read_floor(_entry(one, "by_status_updated") for one in due),
    )
    keys = [{"content_id": one.content_id} for one in newest]
    measuring.run(
        "contents_by_id",
        f"{PAGE} that a search found",
        lambda: store.get_many(ContentRegistry.contents_by_id, keys),
        read=sum((read_floor([_bytes(one)]) for one in newest), Decimal(0)),
    )
    measuring.run(
        "scan_contents",
        f"{STORED} contents",
        lambda: list(store.scan(ContentRegistry.scan_contents)),
        read=read_floor(_bytes(one) for one in due),
    )
    measuring.run(
        "due_content",
        f"the keys of {STORED} that are due",
        lambda: list(store.each(ContentRegistry.due_content)),
        read=read_floor(_entry(one, "by_due") for one in due),
    )
    measuring.run(
        "due_content",
        "nothing due",
        lambda: list(store.each(ContentRegistry.due_content, until=_BEFORE)),
        read=read_floor([]),
    )


def _bytes(record: Content) -> int:
    return item_bytes(DESIGN.attributes(CONTENT, record))


def _entry(record: Content, index: str | None) -> int:
    stored = DESIGN.attributes(CONTENT, record)
    held = DESIGN.projected(CONTENT, stored, DESIGN.indexes[index or ""])
    return item_bytes(held or {})


def _scale(name: str, contents: int, people: int) -> Scale:
    looks = 20 * people
    return Scale(
        name,
        uses=(
            Use("create_content", "one draft", contents // 20),
            Use("update_content", "a title", contents),
            Use("update_content", "an approval", contents // 10),
            Use("update_content", "what is due", contents // 10),
            Use("get_content", "one content", 30 * looks),
            Use("list_content_by_status", f"a page of {PAGE}", 5 * looks),
            Use("list_content_by_product", f"a page of {PAGE}", 4 * looks),
            Use("list_content_by_owner", f"a page of {PAGE}", looks),
            Use("list_content_by_status", RARE, looks),
            Use("due_content", "nothing due", 30 * 24 * 60 // PortalSettings.calendar_minutes),
        ),
        kept=(Kept("Content", dict(content(0)), contents),),
    )


SCALES = (_scale("small", 1_000, 100), _scale("large", 100_000, 10_000))
