"""Enablement content: what there is, in which state, about which product, and whose.

Every write stores the whole item's index keys, so an item is always in the lists that it says it
is in. Beside the lists, `by_due` has the items that something is to happen to on a date.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from tablewright.model import (
    KEYS_ONLY,
    BatchGet,
    Check,
    Choice,
    Delete,
    Entity,
    Field,
    Flag,
    Get,
    Index,
    Key,
    Lines,
    ListOf,
    Name,
    Prose,
    Put,
    Query,
    Scan,
    Table,
    Text,
    TimestampText,
    Update,
    Whole,
)
from tablewright.model.fields.text import ProseField

DRAFT, APPROVED, DEPRECATED, EXPIRED = "Draft", "Approved", "Deprecated", "Expired"
STATUSES = (DRAFT, APPROVED, DEPRECATED, EXPIRED)
SOFT, HARD = "soft_expire", "hard_expire"
MAX_TAGS = 20
MAX_FILE_BYTES = 5 * 1024**3

# Ids are part of addresses, in which other characters do not arrive as they were sent.
ID = "[A-Za-z0-9][A-Za-z0-9._~:@-]*"
ID_FORM = "letters, digits and . _ ~ : @ -, beginning with a letter or digit"


def product() -> Field[str | None]:
    # Part of keys in which '#' sets fields apart.
    return Name(max_length=100, pattern=r"[^#]*", form="text without '#'", default=None)


def folded(text: str) -> str:
    r"""A text without what case, spaces and compatible forms of characters set apart.

    >>> folded(" Straße \u00a0 \uff21BC")
    'strasse abc'
    """
    once = unicodedata.normalize("NFKC", text).casefold()
    # Folding can undo what was normalized.
    return " ".join(unicodedata.normalize("NFKC", once).split())


class Tag(ProseField):
    """A word or two that content is found by: stored folded, however it was written."""

    __slots__ = ()

    def check(self, value: Any) -> str:
        return super().check(folded(value) if isinstance(value, str) else value)


TAG = Tag(max_length=50, pattern=r".*\S.*", form="text that is not blank")


class Content(
    Entity,
    key=Key("{content_id}"),
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
        "size_bytes": 482_113,
        "s3_bucket": "portal-files",
        "s3_key": "content/0194a211-7280-7abc-8def-0123456789ab/0194a212",
        "uploaded_at": "2025-01-26T09:58:00.000Z",
        "created_at": "2025-01-25T16:20:00.000Z",
        "approved_by": "9d4b1c7a-52d0-4b5e-8b58-6a1f0c2e7d11",
        "approved_at": "2025-01-26T10:04:00.000Z",
        "due_at": "2025-07-26T00:00:00.000Z",
    },
):
    """One piece of content: what it is about, its state, and where its file is."""

    content_id: Field[str] = Text(max_length=64, pattern=ID, form=ID_FORM)
    status: Field[str] = Choice(STATUSES)
    title: Field[str] = Prose(max_length=200)
    summary: Field[str] = Lines(max_length=2000)
    product_suite: Field[str | None] = product()
    product_concept: Field[str | None] = product()
    audience_role: Field[str | None] = Prose(max_length=100, default=None)
    lifecycle_stage: Field[str | None] = Prose(max_length=100, default=None)
    # A user's id is the subject of a token.
    owner_user_id: Field[str] = Text(max_length=128, pattern=ID, form=ID_FORM)
    tags: Field[tuple[str, ...]] = ListOf(TAG, max_items=MAX_TAGS)
    # Counts the changes that people and the calendar make: a write names the one it changes.
    version: Field[str] = Text(
        max_length=32,
        pattern="[A-Za-z0-9][A-Za-z0-9._-]*",
        form="letters, digits, '.', '_' and '-', beginning with a letter or digit",
    )
    last_updated: Field[str] = TimestampText()
    review_due_date: Field[str | None] = TimestampText(default=None)
    effective_date: Field[str | None] = TimestampText(default=None)
    expiry_date: Field[str | None] = TimestampText(default=None)
    expiry_policy: Field[str | None] = Choice((SOFT, HARD), default=None)
    s3_uri: Field[str | None] = Text(max_length=1100, default=None)
    file_name: Field[str | None] = Prose(max_length=200, default=None)
    content_type: Field[str | None] = Text(max_length=100, default=None)
    size_bytes: Field[int | None] = Whole(digits=13, default=None)
    s3_bucket: Field[str | None] = Text(max_length=63, default=None)
    s3_key: Field[str | None] = Text(max_length=1024, default=None)
    uploaded_at: Field[str | None] = TimestampText(default=None)
    created_at: Field[str] = TimestampText()
    # Who approved it; before its effective date it is a draft all the same.
    approved_by: Field[str | None] = Text(max_length=128, pattern=ID, form=ID_FORM, default=None)
    approved_at: Field[str | None] = TimestampText(default=None)
    # Of a draft that readers have seen in an earlier version.
    was_public: Field[bool | None] = Flag(default=None)
    # The next moment at which something is to be done to it, if there is one.
    due_at: Field[str | None] = TimestampText(default=None)
    # The review date that its owner was told of.
    review_told: Field[str | None] = TimestampText(default=None)
    # Keys of files that it no longer has, and whose objects are still to be removed.
    removing: Field[tuple[str, ...] | None] = ListOf(
        Text(max_length=1024), max_items=20, default=None
    )


# What lists show; not where the file is.
LISTED = (
    *(Content.content_id, Content.status),
    *(Content.title, Content.summary, Content.product_suite, Content.product_concept),
    *(Content.audience_role, Content.lifecycle_stage, Content.owner_user_id, Content.tags),
    *(Content.version, Content.last_updated, Content.effective_date, Content.expiry_date),
    *(Content.expiry_policy, Content.file_name),
)


class ContentRegistry(Table, pk="content_id", stream="NEW_AND_OLD_IMAGES"):
    """Enablement content by status, product and owner, newest first, and what is due when."""

    by_status_updated = Index(
        pk="status",
        sk="status#last_updated#content_id",
        projects=LISTED,
        keys={Content: Key("{status}", "{status}#{last_updated}#{content_id}")},
    )
    by_product = Index(
        pk="product_suite#product_concept",
        sk="last_updated#content_id",
        projects=LISTED,
        sparse=True,
        keys={Content: Key("{product_suite}#{product_concept}", "{last_updated}#{content_id}")},
    )
    # Of attributes that every item has: nothing is stored for it, and nothing is to be filled in.
    by_owner = Index(
        pk="owner_user_id",
        sk="last_updated",
        projects=LISTED,
        keys={Content: Key("{owner_user_id}", "{last_updated}")},
    )
    by_due = Index(
        pk="due",
        sk="due_at#content_id",
        projects=KEYS_ONLY,
        sparse=True,
        keys={Content: Key("due", "{due_at}#{content_id}")},
    )

    create_content = Put(Content, create=True, describes="Store new content.")
    get_content = Get(Content, consistent=True, describes="Read one content as it is now.")
    contents_by_id = BatchGet(Content, describes="Read what a search found.")
    check_content = Check(Content, describes="Index words that the content still has.")
    scan_contents = Scan(Content, describes="Every content, for a check of the search index.")
    update_content = Update(Content, describes="Change content, or its state.")
    delete_content = Delete(Content, describes="Remove content.")
    content_by_status = Query(
        Content,
        by_status_updated,
        range=Content.last_updated,
        descending=True,
        describes="Content of a status, last changed first.",
    )
    content_by_product = Query(
        Content,
        by_product,
        range=Content.last_updated,
        descending=True,
        describes="Content about a concept of a product suite, last changed first.",
    )
    content_by_owner = Query(
        Content,
        by_owner,
        range=Content.last_updated,
        descending=True,
        describes="Content of an owner, last changed first.",
    )
    due_content = Query(
        Content,
        by_due,
        range=Content.due_at,
        describes="Keys of the content that something is due for, longest due first.",
    )
