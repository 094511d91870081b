"""Addresses of the portal's files, used: whoever verifies signatures takes the signed file only."""

import http.client
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from urllib.parse import urlsplit

import boto3
import pytest

from lambdas.portal.clients import Clients
from lambdas.portal.content.files import Files, Place, RequestedFile
from tablewright.runtime.errors import ObjectMissing
from tests.integration.gaps.clouds import HOME, Cloud

PDF = b"%PDF-1.7 a file"
ASKED = RequestedFile("Überblick.pdf", "application/pdf", len(PDF), sha256(PDF).hexdigest())


@pytest.fixture
def files(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> Iterator[Files]:
    s3 = cloud.client("s3")
    s3.create_bucket(Bucket="portal-files", CreateBucketConfiguration={"LocationConstraint": HOME})
    monkeypatch.setenv("AWS_ENDPOINT_URL", cloud.endpoint)
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    clients = Clients(boto3.session.Session(region_name=HOME, **keys))
    made = Files.of(clients.s3, "portal-files")
    yield made
    for place in made.places():
        made.remove(place.key)
    s3.delete_bucket(Bucket="portal-files")


def request(
    method: str, url: str, body: bytes | None = None, headers: dict[str, str] | None = None
) -> tuple[int, bytes, http.client.HTTPMessage]:
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.netloc, timeout=20)
    try:
        connection.request(method, f"{address.path}?{address.query}", body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers
    finally:
        connection.close()


def test_only_the_file_that_was_asked_for_can_be_uploaded(files: Files) -> None:
    upload = files.upload("c1", ASKED, datetime.now(UTC))
    url, headers = upload["url"], upload["headers"]
    place = Place("c1", upload["upload_id"])
    longer = {**headers, "content-length": str(len(PDF) + 1)}
    refused = {
        "another length": (PDF + b"!", longer),
        "other bytes": (PDF[::-1], headers),
        "another type": (PDF, {**headers, "content-type": "text/html"}),
        "another checksum": (PDF, {**headers, "x-amz-checksum-sha256": "A" * 43 + "="}),
        "another name": (PDF, {**headers, "x-amz-meta-asked": "e30="}),
    }
    refused |= {
        f"without {name}": (PDF, {n: v for n, v in headers.items() if n != name})
        for name in headers
        if name != "content-length"
    }
    for what, (body, sent) in refused.items():
        status, _, _ = request("PUT", url, body, sent)
        assert status in (400, 403), what
    other = url.replace(upload["upload_id"], upload["upload_id"][::-1])
    assert request("PUT", other, PDF, headers)[0] == 403
    with pytest.raises(ObjectMissing):
        files.uploaded(place.key)
    assert list(files.places()) == []
    assert request("PUT", url, PDF, headers)[0] == 200
    found = files.uploaded(place.key)
    assert found
    _, recorded = found
    assert (recorded["file_name"], recorded["size_bytes"]) == (ASKED.file_name, len(PDF))
    assert list(files.places()) == [place]


def test_a_file_is_downloaded_under_its_name_by_a_signed_address(files: Files) -> None:
    upload = files.upload("c1", ASKED, datetime.now(UTC))
    assert request("PUT", upload["url"], PDF, upload["headers"])[0] == 200
    recorded = files.uploaded(Place("c1", upload["upload_id"]).key)
    assert recorded
    url = files.download(recorded[1], datetime.now(UTC))["url"]
    status, body, headers = request("GET", url)
    assert (status, body) == (200, PDF)
    assert headers["content-type"] == "application/pdf"
    assert headers["content-disposition"].startswith("attachment; ")
    assert request("GET", url.replace("attachment", "inline"))[0] == 403


def test_older_uploads_are_removed_and_newer_ones_kept(files: Files) -> None:
    asked = [files.upload("c1", ASKED, datetime(2025, 1, day, tzinfo=UTC)) for day in (1, 2, 3)]
    other = files.upload("c10", ASKED, datetime(2025, 1, 1, tzinfo=UTC))
    for upload in (*asked, other):
        assert request("PUT", upload["url"], PDF, upload["headers"])[0] == 200
    ids = [upload["upload_id"] for upload in asked]
    files.clear_before("c1", ids[1])
    theirs = Place("c10", other["upload_id"])
    assert set(files.places()) == {Place("c1", ids[1]), Place("c1", ids[2]), theirs}
    assert list(files.places(after=Place("c1", ids[1]).key)) == [Place("c1", ids[2]), theirs]
    for _ in range(2):
        files.clear("c1", asked_until=datetime(2025, 1, 3, tzinfo=UTC))
    assert list(files.places()) == [theirs]
