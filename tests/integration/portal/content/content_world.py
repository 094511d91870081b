"""The content API as API Gateway calls it: the table on the real engine, the bucket in memory."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest

from lambdas.portal.content.files import Files
from lambdas.portal.content.lists import Lists
from lambdas.portal.content.registry import Registry
from lambdas.portal.content.uploads import Uploads
from lambdas.portal.contract import ROLE
from lambdas.portal.handlers import complete_uploads, content_api
from lambdas.portal.openapi import document
from lambdas.portal.search.index import ContentIndex
from lambdas.portal.search.search import EXAMINED, WINDOW, IndexSearch
from tablewright.catalog.portal.content import (
    APPROVED,
    DEPRECATED,
    EXPIRED,
    Content,
    ContentRegistry,
)
from tablewright.catalog.portal.search import ContentSearch
from tablewright.model import Record
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.errors import ObjectMissing
from tablewright.runtime.store.records import Records
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.conftest import KEYS
from tests.integration.http import Answer, Context, Contract

NOW = datetime(2025, 1, 26, 12, tzinfo=UTC)
BUCKET = "files"
WORDS = ("Alpha", "beta", "Gamma", "alphabet", "delta")
SEARCH_TABLE = "search"
CONTRACT = Contract(document())
conforms, problem = CONTRACT.conforms, CONTRACT.problem


def claims(user: str, *groups: str) -> dict[str, str]:
    return {"sub": user, "cognito:groups": f"[{' '.join(groups)}]"}


ADA = claims("ada", "authors")
BEN = claims("ben", "authors")
PAM = claims("pam", "approvers")
OLA = claims("ola", "admins")
RON = claims("ron", "readers")
NEW = {"content_id": "c1", "title": "Positioning", "summary": "What to say."}
PDF = b"%PDF-1.7 a file"


class Bucket:
    """S3, as far as the functions call it, and as an uploader meets it."""

    def __init__(self) -> None:
        self.objects: dict[str, dict[str, Any]] = {}
        self.signed: dict[str, dict[str, Any]] = {}
        self.page = 1000

    def presign(self, operation: str, params: dict[str, Any], seconds: int) -> str:
        url = f"https://{params['Bucket']}.s3/{params['Key']}?{operation}&{seconds}"
        self.signed[url] = params
        return url

    def put(self, upload: Any, body: bytes, now: datetime) -> str | None:
        """Send a file to an address: its key, or None when it is not what was signed."""
        params, headers = self.signed[upload["url"]], upload["headers"]
        checksum = b64encode(sha256(body).digest()).decode()
        sent = (headers["content-type"], len(body), checksum, headers["x-amz-meta-asked"])
        signed = ("ContentType", "ContentLength", "ChecksumSHA256")
        if sent != (*(params[name] for name in signed), params["Metadata"]["asked"]):
            return None
        self.objects[params["Key"]] = {
            **{name: params[name] for name in (*signed, "Metadata")},
            "LastModified": now,
        }
        return str(params["Key"])

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert params["Bucket"] == BUCKET
        if operation == "HeadObject":
            if params["Key"] not in self.objects:
                raise ObjectMissing("HeadObject: 404")
            head = dict(self.objects[params["Key"]])
            if params.get("ChecksumMode") != "ENABLED":
                head.pop("ChecksumSHA256", None)
            return head
        if operation == "DeleteObject":
            self.objects.pop(params["Key"], None)
            return {}
        assert operation == "ListObjectsV2", operation
        after = params.get("StartAfter", "")
        keys = sorted(k for k in self.objects if k.startswith(params["Prefix"]) and k > after)
        found = [{"Key": key} for key in keys[: self.page]]
        return {"IsTruncated": len(keys) > self.page, **({"Contents": found} if found else {})}


class Edge:
    """Table and bucket behind one caller, so that a fault can strike at either."""

    def __init__(self, dynamo: Caller, bucket: Bucket) -> None:
        self._dynamo = dynamo
        self._bucket = bucket

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        ours = self._bucket if "Object" in operation else self._dynamo
        return ours.call(operation, params)


class World:
    """The registry and its bucket, and the functions that work on them."""

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        database.table(ContentRegistry)
        database.table(ContentSearch, SEARCH_TABLE)
        self.database = database
        self.bucket = Bucket()
        self.edge = Edge(database.caller, self.bucket)
        self.now = NOW
        self.listed_at_once = 500
        self.review = ROLE
        self.searched = {"window": WINDOW, "examined": EXAMINED}
        self._monkeypatch = monkeypatch
        self.start()

    def start(self, caller: Caller | None = None) -> None:
        """New environments of the functions."""
        edge = caller or self.edge
        cursors = Cursors(KEYS, clock=lambda: self.now.timestamp())
        self.store = self.database.store(ContentRegistry, edge, cursors=cursors)
        self.files = Files(edge, self.bucket.presign, BUCKET)
        self.uploads = Uploads(self.store, self.files)
        registry = Registry(self.store, self.files, self.review)
        self.words = Store(ContentSearch, SEARCH_TABLE, edge)
        self.index = ContentIndex(self.store, self.words)
        lists = Lists(self.store, self.listed_at_once)
        search = IndexSearch(self.store, self.words, cursors, **self.searched)
        made = content_api.Resources(registry, self.files, lists, search, lambda: self.now)
        completing = complete_uploads.Resources(self.uploads, lambda: self.now)
        self._monkeypatch.setattr(content_api, "resources", lambda: made)
        self._monkeypatch.setattr(complete_uploads, "resources", lambda: completing)

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        user: dict[str, str] = ADA,
        headers: dict[str, str] | None = None,
        **query: Any,
    ) -> Answer:
        event = CONTRACT.event(method, path, body, claims=user, query=query, headers=headers)
        return Answer(content_api.handler(event, Context()))

    def wait(self, **span: float) -> None:
        self.now += timedelta(**span)

    def make(self, content_id: str = "c1", user: dict[str, str] = ADA, **fields: Any) -> Any:
        made = self("POST", "/content", {**NEW, "content_id": content_id, **fields}, user=user)
        assert made.status == 201, made.text
        return made.json

    def read(self, content_id: str = "c1") -> Any:
        return self("GET", f"/content/{content_id}", user=OLA).json

    def latest(self, content_id: str = "c1") -> str:
        """The version that a change has to name."""
        found = self.read(content_id)
        return str(found.get("latest_version", found["version"]))

    def move(self, status: str, content_id: str = "c1", user: dict[str, str] = OLA) -> Answer:
        """Bring content into a status, as it is now."""
        version = self.latest(content_id)
        body = {"status": status, "version": version}
        return self("POST", f"/content/{content_id}/status", body, user=user)

    def bring(self, status: str, content_id: str = "c1") -> None:
        """Bring a draft into a status, by the way that leads there."""
        way = {APPROVED: [APPROVED], DEPRECATED: [APPROVED, DEPRECATED]}
        for step in way.get(status, [APPROVED, EXPIRED] if status == EXPIRED else []):
            assert self.move(step, content_id).status == 200

    def ask(
        self, body: bytes = PDF, name: str = "a.pdf", content_id: str = "c1", **more: Any
    ) -> Answer:
        """Ask for an address to upload a file by."""
        return self("POST", f"/content/{content_id}/file", file_of(body, name), **more)

    def send(self, body: bytes = PDF, name: str = "a.pdf", content_id: str = "c1") -> str:
        """Upload a file, of which nobody is told yet; gives its key."""
        asked = self.ask(body, name, content_id)
        assert asked.status == 200, asked.text
        key = self.bucket.put(asked.json, body, self.now)
        assert key
        return key

    def upload(self, body: bytes = PDF, name: str = "a.pdf", content_id: str = "c1") -> str:
        key = self.send(body, name, content_id)
        self.tell(key)
        return key

    def tell(self, *keys: str) -> list[str]:
        """S3 tells of objects."""
        records = [{"s3": {"bucket": {"name": BUCKET}, "object": {"key": key}}} for key in keys]
        return [complete_uploads.settle(record) for record in records]

    def items(self) -> list[Record]:
        return self.database.items(ContentRegistry)

    def empty(self) -> None:
        self.database.empty(ContentRegistry)
        self.database.empty(SEARCH_TABLE)
        self.bucket.objects.clear()
        self.bucket.signed.clear()
        self.now = NOW

    def indexed(self) -> None:
        """Index all content, as the stream's function does."""
        for item in self.items():
            self.index.refresh(item["content_id"]["S"])

    def pages(self, limit: int, user: dict[str, str] = OLA, **query: Any) -> Iterator[Any]:
        """A list, or with `q` what is found, page by page, each as the document says."""
        path, form = ("/search", "SearchPage") if "q" in query else ("/content", "ContentPage")
        cursor: dict[str, Any] = {}
        for _ in range(300):
            page = self("GET", path, user=user, limit=limit, **cursor, **query)
            assert page.status == 200, page.text
            assert conforms(page, form)
            assert len(page.json["items"]) <= limit
            yield page.json
            if page.json["next_cursor"] is None:
                return
            cursor = {"cursor": page.json["next_cursor"]}
        raise AssertionError("the list does not end")

    def listed(self, limit: int = 100, user: dict[str, str] = OLA, **query: Any) -> list[str]:
        pages = self.pages(limit, user, **query)
        return [one["content_id"] for page in pages for one in page["items"]]


def file_of(body: bytes = PDF, name: str = "a.pdf") -> dict[str, Any]:
    digest = sha256(body).hexdigest()
    sized = {"size_bytes": len(body), "sha256": digest}
    return {"file_name": name, "content_type": "application/pdf", **sized}


def later(**span: float) -> str:
    return iso_utc(NOW + timedelta(**span))


def stored(world: World, count: int, **fields: Any) -> list[Content]:
    """So many contents, a minute apart, the last changed one first."""
    records = Records(ContentRegistry.__design__, Content.__entity__)
    made = []
    for n in range(count):
        example = {
            "content_id": f"c{n:04}",
            "status": APPROVED,
            "title": f"{WORDS[n % 5]} {n}",
            "summary": f"number {n} {WORDS[n % 3]}",
            "product_suite": "Data",
            "product_concept": "Lake",
            "owner_user_id": ("ada", "ben")[n % 2],
            "tags": [f"tag{n % 7}"],
            "version": "1",
            "last_updated": NOW + timedelta(minutes=n),
            "created_at": NOW,
        }
        varied = {name: v[n % len(v)] if isinstance(v, list) else v for name, v in fields.items()}
        made.append(Content(**{**example, **varied}))
    world.database.write([records.to_item(one) for one in made], ContentRegistry)
    return made[::-1]


def ids(contents: Sequence[Mapping[str, Any]]) -> list[str]:
    return [one["content_id"] for one in contents]
