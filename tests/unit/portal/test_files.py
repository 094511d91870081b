"""Addresses of files, and where files are kept."""

import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import boto3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.portal.clients import Clients
from lambdas.portal.content.files import Files, Place, RequestedFile, disposition
from lambdas.portal.content.requests import FILE, file_from
from tablewright.model import InvalidValue
from tablewright.runtime.ids import uuid7

NOW = datetime(2025, 1, 26, 12, tzinfo=UTC)
NAMES = st.text(min_size=1, max_size=200).filter(lambda name: _is_name(name))
ASKED = RequestedFile("a.pdf", "application/pdf", 15, "ab" * 32)


def _is_name(name: str) -> bool:
    try:
        return bool(FILE[0].check(name))
    except InvalidValue:
        return False


@given(name=NAMES)
def test_what_is_asked_for_comes_back_and_fits_into_metadata(name: str) -> None:
    asked = RequestedFile(name, "a/" + "b" * 98, 5 * 1024**3, "f" * 64)
    assert RequestedFile.from_text(asked.to_text()) == asked
    assert asked.to_text().isascii()


def test_the_longest_name_fits_into_metadata() -> None:
    asked = RequestedFile("\U0001f600" * 200, "a/" + "b" * 98, 5 * 1024**3, "f" * 64)
    assert len(asked.to_text()) + len("asked") <= 2048


@given(name=NAMES)
def test_a_file_is_saved_under_its_name_and_nothing_else_gets_into_the_header(name: str) -> None:
    # One quoted string that nothing ends early, and one of percent escapes (RFC 6266).
    form = r"""attachment; filename="([ -~]*)"; filename\*=UTF-8''([\w.~%-]*)"""
    header = re.fullmatch(form, disposition(name), re.ASCII)
    assert header
    plain, escaped = header.groups()
    assert not set(plain) & set('"\\%')
    assert len(plain) == len(name)
    assert unquote(escaped) == name


@pytest.mark.parametrize(
    "key",
    ["", "content/", "content/c1", "content/c1/x", "content/c#1/{id}", "x/c1/{id}", "c1/{id}"],
)
def test_other_keys_are_no_places(key: str) -> None:
    id = uuid7(NOW)
    assert Place.of(key.replace("{id}", id)) is None
    assert Place.of(f"content/c1/{id}") == Place("c1", id)
    assert Place.of(f"content/c1/{id.upper()}") is None


@pytest.fixture
def files() -> Files:
    keys = {"aws_access_key_id": "a", "aws_secret_access_key": "b"}
    clients = Clients(boto3.session.Session(region_name="eu-west-1", **keys))
    return Files.of(clients.s3, "portal-files")


def test_type_size_checksum_and_what_was_asked_are_signed(files: Files) -> None:
    upload = files.upload("c1", ASKED, NOW)
    address = urlsplit(upload["url"])
    assert address.hostname == "portal-files.s3.eu-west-1.amazonaws.com"
    signed = parse_qs(address.query)["X-Amz-SignedHeaders"][0].split(";")
    # Nothing that must be sent is unsigned, and nothing is signed that must not be sent.
    assert sorted(signed) == sorted([*upload["headers"], "host"])
    assert parse_qs(address.query)["X-Amz-Expires"] == ["900"]
    assert "x-amz-sdk-checksum-algorithm" not in address.query.lower()


def test_an_address_to_download_by_makes_browsers_save_the_file(files: Files) -> None:
    content: dict[str, Any] = {"s3_key": "content/c1/x", **ASKED._asdict()}
    query = parse_qs(urlsplit(files.download(content, NOW)["url"]).query)
    assert query["response-content-disposition"] == [disposition("a.pdf")]
    assert query["response-content-type"] == ["application/pdf"]
    assert query["X-Amz-Expires"] == ["300"]


FIELDS = ("file_name", "content_type", "size_bytes", "sha256")


def test_a_size_is_a_number_that_json_can_write() -> None:
    asked = file_from({**{n: getattr(ASKED, n) for n in FIELDS}, "size_bytes": 15})
    assert asked == ASKED
    assert type(asked.size_bytes) is int
