"""The portal as its people use it: an author, an approver, and a reader who subscribed."""

import hashlib
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

from local.clients.api import Answer, Api, put
from local.clients.users import APPROVER, AUTHOR, READER, Users
from local.deployment import Deployment
from local.emulator.home import LocalCloudError

SYSTEM = "portal"
SUITE, TAG = "Data", "demo"
DEADLINE_SECONDS = 120.0


class Portal:
    """What people do with the portal: a reader is told of what has a tag.

    Example::

        portal = Portal(deployment, users)
        made = portal.create("Positioning the data platform")
    """

    def __init__(
        self, deployment: Deployment, users: Users, *, reader: str = READER, tag: str = TAG
    ) -> None:
        self.reader = reader
        self.subscribed = {"product_suite": SUITE, "tags": [tag]}
        self._url = deployment.api_url(SYSTEM)
        self._users = users
        self._apis: dict[str, Api] = {}

    def api(self, who: str) -> Api:
        """The API with the token of a sample user."""
        if who not in self._apis:
            self._apis[who] = Api(self._url, self._users.token(who))
        return self._apis[who]

    def subscribe(self) -> None:
        """The reader wants to be told; once is enough."""
        done(self.api(self.reader)("POST", "/subscriptions", self.subscribed))

    def create(self, title: str, **more: Any) -> dict[str, Any]:
        """The author writes a draft."""
        draft = {"title": title, "summary": f"What there is to know: {title.lower()}.", **more}
        draft = {**self.subscribed, "product_concept": "Warehouse", **draft}
        return dict(done(self.api(AUTHOR)("POST", "/content", draft)).json)

    def attach(self, content_id: str, name: str, body: bytes) -> dict[str, Any]:
        """The author uploads the content's file; gives the content when it has the file."""
        asked = {
            "file_name": name,
            "content_type": "text/plain",
            "size_bytes": len(body),
            "sha256": hashlib.sha256(body).hexdigest(),
        }
        api = self.api(AUTHOR)
        upload = done(api("POST", f"/content/{content_id}/file", asked)).json
        put(upload["url"], body, upload["headers"])
        for _ in waiting(f"the file of {content_id} to arrive"):
            content = done(api("GET", f"/content/{content_id}")).json
            if content.get("s3_key", "").endswith(upload["upload_id"]):
                return dict(content)
        raise AssertionError

    def approve(self, content: dict[str, Any]) -> dict[str, Any]:
        version = content.get("latest_version", content["version"])
        move = {"status": "Approved", "version": version}
        path = f"/content/{content['content_id']}/status"
        return dict(done(self.api(APPROVER)("POST", path, move)).json)

    def notification(self, content_id: str) -> dict[str, Any]:
        """What the reader is told of a content, as soon as he is."""
        for _ in waiting(f"somebody to be told of {content_id}"):
            told = done(self.api(self.reader)("GET", "/notifications")).json["items"]
            mine = [one for one in told if one.get("content_id") == content_id]
            if mine:
                return dict(mine[0])
        raise AssertionError

    def download(self, content_id: str) -> bytes:
        """The content's file, as the reader gets it."""
        found = done(self.api(self.reader)("GET", f"/content/{content_id}/file")).json
        with urllib.request.urlopen(found["url"], timeout=30) as answer:
            return bytes(answer.read())


def waiting(what: str) -> Iterator[None]:
    """Again and again for two minutes, then LocalCloudError."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        yield
        time.sleep(0.2)
    raise LocalCloudError(f"Waited {DEADLINE_SECONDS:.0f} s in vain for {what}.")


def done(answer: Answer) -> Answer:
    if answer.status >= 400:
        raise LocalCloudError(f"The portal answered {answer.status}: {answer.text}")
    return answer
