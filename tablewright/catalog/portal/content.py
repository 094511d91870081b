"""Enablement content: what there is, in which state, about which product, and whose.

Every write stores the whole item's index keys, so an item is always in the lists that it says it
is in. Beside the lists, `by_due` has the items that something is to happen to on a date.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.catalog.portal.fields import TAG, key_id, moment, path_id, product
from tablewright.model import (
    KEYS_ONLY,
    BatchGet,
    Check,
    Choice,
    Delete,
    Document,
    Entity,
    Field,
    Flag,
    Get,
    Index,
    Key,
    Lines,
    ListOf,
    Prose,
    Put,
    Query,
    Scan,
    Table,
    Text,
    Update,
    Whole,
)

DRAFT, APPROVED, DEPRECATED, EXPIRED = "Draft", "Approved", "Deprecated", "Expired"
STATUSES = (DRAFT, APPROVED, DEPRECATED, EXPIRED)
SOFT, HARD = "soft_expire", "hard_expire"
MAX_TAGS = 20
MAX_FILE_BYTES = 5 * 1024**3


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

    content_id: Field[str] = path_id()
    status: Field[str] = Choice(STATUSES)
    title: Field[str] = Prose(max_length=200)
    summary: Field[str] = Lines(max_length=2000)
    product_suite: Field[str | None] = product()
    product_concept: Field[str | None] = product()
    audience_role: Field[str | None] = Prose(max_length=100, default=None)
    lifecycle_stage: Field[str | None] = Prose(max_length=100, default=None)
    # A user's id is the subject of a token.
    owner_user_id: Field[str] = key_id()
    tags: Field[tuple[str, ...]] = ListOf(TAG, max_items=MAX_TAGS)
    # Counts on with every change that readers see: a write names the one it changes.
    version: Field[str] = Prose(max_length=64)
    last_updated: Field[str] = moment()
    review_due_date: Field[str | None] = moment(default=None)
    effective_date: Field[str | None] = moment(default=None)
    # A date is the last day on which the content is valid.
    expiry_date: Field[str | None] = moment(default=None, end_of_day=True)
    expiry_policy: Field[str | None] = Choice((SOFT, HARD), default=None)
    s3_uri: Field[str | None] = Text(max_length=1100, default=None)
    file_name: Field[str | None] = Prose(max_length=200, default=None)
    content_type: Field[str | None] = Text(max_length=100, default=None)
    size_bytes: Field[int | None] = Whole(digits=13, default=None)
    s3_bucket: Field[str | None] = Text(max_length=63, default=None)
    s3_key: Field[str | None] = Text(max_length=1024, default=None)
    uploaded_at: Field[str | None] = moment(default=None)
    # Items of earlier programs do not have it.
    created_at: Field[str | None] = moment(default=None)
    # Changes that wait for approval, by field; null removes a field.
    draft: Field[Mapping[str, Any] | None] = Document(max_bytes=32_768, default=None)
    # Who last changed what is not approved yet.
    draft_by: Field[str | None] = key_id(default=None)
    # The last version given to a draft: one that was withdrawn is never used again.
    latest_version: Field[str | None] = Prose(max_length=64, default=None)
    # Who approved it; before its effective date it is a draft all the same.
    approved_by: Field[str | None] = key_id(default=None)
    approved_at: Field[str | None] = moment(default=None)
    # Of a draft that readers have seen in an earlier version.
    was_public: Field[bool | None] = Flag(default=None)
    # The next moment at which something is to be done to it, if there is one.
    due_at: Field[str | None] = moment(default=None)
    # The review date that its owner was told of.
    review_told: Field[str | None] = moment(default=None)
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
    *(Content.expiry_policy, Content.file_name, Content.draft_by),
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
    list_content_by_status = Query(
        Content,
        by_status_updated,
        range=Content.last_updated,
        descending=True,
        describes="Content of a status, last changed first.",
    )
    list_content_by_product = Query(
        Content,
        by_product,
        range=Content.last_updated,
        descending=True,
        describes="Content about a concept of a product suite, last changed first.",
    )
    list_content_by_owner = Query(
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
