"""Enablement content: what there is, in which state, about which product.

Every write stores the whole item's index keys, so an item is always in the lists that it says it
is in. Beside the lists, `by_due` has the items that something is to happen to on a date.
"""

import unicodedata
from decimal import Decimal
from typing import Any

from tablewright.model import (
    KEYS_ONLY,
    Choice,
    Delete,
    Entity,
    Flag,
    Get,
    Index,
    Key,
    Lines,
    Name,
    Prose,
    Put,
    Query,
    Table,
    Text,
    TextList,
    Timestamp,
    Update,
    Whole,
)

DRAFT, APPROVED, DEPRECATED, EXPIRED = "Draft", "Approved", "Deprecated", "Expired"
STATUSES = (DRAFT, APPROVED, DEPRECATED, EXPIRED)
SOFT, HARD = "soft_expire", "hard_expire"
MAX_TAGS = 20
MAX_FILE_BYTES = 5 * 1024**3

_ID = "[A-Za-z0-9][A-Za-z0-9._~:@-]*"
_ID_FORM = "letters, digits and . _ ~ : @ -, beginning with a letter or digit"


def content_id(*, optional: bool = False) -> Text:
    """Part of addresses, in which other characters do not arrive as they were sent."""
    return Text("content_id", max_length=64, pattern=_ID, form=_ID_FORM, optional=optional)


def user_id(name: str = "user_id", stored: str | None = None, *, optional: bool = False) -> Text:
    """The subject of a token."""
    return Text(name, stored, max_length=128, pattern=_ID, form=_ID_FORM, optional=optional)


def product(name: str) -> Name:
    # Part of keys in which '#' sets fields apart.
    form = "text without '#'"
    return Name(name, max_length=100, optional=True, pattern=r"[^#]*", form=form)


def folded(text: str) -> str:
    r"""A text without what case, spaces and compatible forms of characters set apart.

    >>> folded(" Straße \u00a0 \uff21BC")
    'strasse abc'
    """
    once = unicodedata.normalize("NFKC", text).casefold()
    # Folding can undo what was normalized.
    return " ".join(unicodedata.normalize("NFKC", once).split())


class Tag(Prose):
    """A word or two that content is found by: stored folded, however it was written."""

    __slots__ = ()

    def check(self, value: Any) -> str:
        return super().check(folded(value) if isinstance(value, str) else value)


def tags(*, optional: bool = False) -> TextList:
    tag = Tag("tag", max_length=50, pattern=r".*\S.*", form="text that is not blank")
    return TextList("tags", of=tag, max_items=MAX_TAGS, optional=optional)


CONTENT = Entity(
    "Content",
    describes="One piece of content: what it is about, its state, and where its file is.",
    key=Key("{content_id}"),
    indexed={
        "by_status_updated": Key("{status}", "{status}#{last_updated}#{content_id}"),
        "by_product": Key("{product_suite}#{product_concept}", "{last_updated}#{content_id}"),
        "by_due": Key("due", "{due_at}#{content_id}"),
    },
    fields=(
        content_id(),
        Choice("status", STATUSES),
        Prose("title", max_length=200),
        Lines("summary", max_length=2000),
        product("product_suite"),
        product("product_concept"),
        Prose("audience_role", max_length=100, optional=True),
        Prose("lifecycle_stage", max_length=100, optional=True),
        user_id("owner_user_id"),
        tags(),
        # Counts the changes that people and the calendar make: a write names the one it changes.
        Text("version", max_length=10, pattern="[1-9][0-9]*", form="a whole number from 1"),
        Timestamp("last_updated"),
        Timestamp("review_due_date", optional=True),
        Timestamp("effective_date", optional=True),
        Timestamp("expiry_date", optional=True),
        Choice("expiry_policy", (SOFT, HARD), optional=True),
        Text("s3_uri", optional=True, max_length=1100),
        Prose("file_name", optional=True, max_length=200),
        Text("content_type", optional=True, max_length=100),
        Whole("size_bytes", optional=True, digits=13),
        Text("s3_bucket", optional=True, max_length=63),
        Text("s3_key", optional=True, max_length=1024),
        Timestamp("uploaded_at", optional=True),
        Timestamp("created_at"),
        # Who approved it; before its effective date it is a draft all the same.
        user_id("approved_by", optional=True),
        Timestamp("approved_at", optional=True),
        # Of a draft that readers have seen in an earlier version.
        Flag("was_public", optional=True),
        # The next moment at which something is to be done to it, if there is one.
        Timestamp("due_at", optional=True),
        # The review date that its owner was told of.
        Timestamp("review_told", optional=True),
        # Keys of files that it no longer has, and whose objects are still to be removed.
        TextList("removing", of=Text("key", max_length=1024), optional=True, max_items=20),
    ),
    example={
        "content_id": "0194a211-7280-7abc-8def-0123456789ab",
        "status": APPROVED,
        "title": "Positioning the data platform",
        "summary": "What to say to a customer who already has a warehouse, with two demos.",
        "product_suite": "Data",
        "product_concept": "Warehouse",
        "audience_role": "Sales engineer",
        "lifecycle_stage": "Evaluate",
        "owner_user_id": "4f1c2a9e-0d51-4f61-9f0e-3c5d8a1b7e20",
        "tags": ["demo", "warehouse"],
        "version": "3",
        "last_updated": "2025-01-26T10:04:00.000Z",
        "review_due_date": "2025-07-26T00:00:00.000Z",
        "expiry_date": "2026-01-26T00:00:00.000Z",
        "expiry_policy": SOFT,
        "s3_uri": "s3://portal-files/content/0194a211-7280-7abc-8def-0123456789ab/0194a212",
        "file_name": "positioning.pdf",
        "content_type": "application/pdf",
        "size_bytes": Decimal(482_113),
        "s3_bucket": "portal-files",
        "s3_key": "content/0194a211-7280-7abc-8def-0123456789ab/0194a212",
        "uploaded_at": "2025-01-26T09:58:00.000Z",
        "created_at": "2025-01-25T16:20:00.000Z",
        "approved_by": "9d4b1c7a-52d0-4b5e-8b58-6a1f0c2e7d11",
        "approved_at": "2025-01-26T10:04:00.000Z",
        "due_at": "2025-07-26T00:00:00.000Z",
    },
)

# What lists show and a text is looked for in; not where the file is.
_LISTED = (
    *("status", "title", "summary", "product_suite", "product_concept", "audience_role"),
    *("lifecycle_stage", "owner_user_id", "tags", "version", "last_updated", "effective_date"),
    *("expiry_date", "expiry_policy", "file_name"),
)

CONTENT_REGISTRY = Table(
    "content-registry",
    describes="Enablement content by status and by product, newest first, and what is due when.",
    pk="content_id",
    stream="NEW_AND_OLD_IMAGES",
    entities=(CONTENT,),
    indexes=(
        Index(
            "by_status_updated",
            pk="status",
            sk="status#last_updated#content_id",
            projects=tuple(name for name in _LISTED if name != "status"),
        ),
        Index(
            "by_product",
            pk="product_suite#product_concept",
            sk="last_updated#content_id",
            projects=_LISTED,
            sparse=True,
        ),
        Index("by_due", pk="due", sk="due_at#content_id", projects=KEYS_ONLY, sparse=True),
    ),
    patterns=(
        Put("create_content", "Content", create=True, describes="Store new content."),
        Get("get_content", "Content", consistent=True, describes="Read one content as it is now."),
        Update("update_content", "Content", describes="Change content, or its state."),
        Delete("delete_content", "Content", describes="Remove content."),
        Query(
            "content_by_status",
            "Content",
            index="by_status_updated",
            range="last_updated",
            descending=True,
            describes="Content of a status, last changed first.",
        ),
        Query(
            "content_by_product",
            "Content",
            index="by_product",
            range="last_updated",
            descending=True,
            describes="Content about a concept of a product suite, last changed first.",
        ),
        Query(
            "due_content",
            "Content",
            index="by_due",
            range="due_at",
            describes="Keys of the content that something is due for, longest due first.",
        ),
    ),
)
