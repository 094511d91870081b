"""Payloads: kept where it costs least, given back byte for byte, never blown up."""

import json
import zlib
from functools import partial
from io import BytesIO
from random import Random
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.chapters.form_payloads import payload as form_payload
from benchmarks.chapters.form_payloads import unusual
from tablewright.catalog.forms.payload_dictionary import DICTIONARIES
from tablewright.catalog.forms.submissions import PAYLOAD_ENCODINGS, Submission
from tablewright.runtime import payload as library
from tablewright.runtime.errors import AccessDenied, ObjectMissing, Unavailable, from_response
from tablewright.runtime.payload import (
    ITEM_BYTES,
    LARGEST,
    PLAIN,
    S3,
    S3_ZLIB,
    ZLIB,
    Packed,
    PayloadDamaged,
    Payloads,
    PayloadTooLarge,
    read_object,
)

# As forms use them.
pack = partial(library.pack, dictionaries=DICTIONARIES)
unpack = partial(library.unpack, dictionaries=DICTIONARIES)
compress = partial(library.compress, dictionaries=DICTIONARIES)
decompress = partial(library.decompress, dictionaries=DICTIONARIES)

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)
documents = st.dictionaries(st.text(), anything)


def noise(size: int) -> bytes:
    return Random(size).randbytes(size)


class Bucket:
    """S3, as far as payloads need it."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert params["Bucket"] == "bucket"
        if operation == "PutObject":
            self.objects[params["Key"]] = params["Body"]
            return {}
        assert operation == "GetObject"
        return {"Body": BytesIO(self.objects[params["Key"]])}


@settings(max_examples=60)
@given(documents, st.booleans(), st.integers(0, 20_000), st.sampled_from([600, ITEM_BYTES]))
def test_any_json_comes_back_byte_for_byte(
    document: Any, escaped: bool, beside: int, item_bytes: int
) -> None:
    text = json.dumps(document, ensure_ascii=escaped)
    payload = text.encode(errors="surrogatepass")
    packed = pack(payload, beside=beside, item_bytes=item_bytes)
    assert unpack(packed) == payload
    assert packed.encoding in PAYLOAD_ENCODINGS
    if not packed.outside:
        assert beside + len(packed.body) <= item_bytes


@given(st.binary(max_size=5000), st.integers(0, 3000))
def test_any_bytes_do(payload: bytes, beside: int) -> None:
    assert unpack(pack(payload, beside=beside)) == payload


@settings(max_examples=20)
@given(documents, st.sampled_from([ITEM_BYTES, 350_000]), st.integers(1, 4000))
def test_however_large_it_comes_back_through_item_or_bucket(
    document: Any, item_bytes: int, times: int
) -> None:
    payload = json.dumps([document] * times).encode()[:LARGEST]
    payloads = Payloads(Bucket(), "bucket", dictionaries=DICTIONARIES, item_bytes=item_bytes)
    fields = payloads.keep(payload, key="acme/1", beside=400)
    assert Submission.__entity__.check(fields, partial=True)["payload_bytes"] == len(payload)
    assert payloads.fetch(fields) == payload


@pytest.mark.parametrize("size", [LARGEST - 1, LARGEST])
@pytest.mark.parametrize("random", [False, True], ids=["compressible", "random"])
def test_ten_megabytes_are_neither_refused_nor_cut(size: int, random: bool) -> None:
    payload = noise(size) if random else (b'{"a":"' + b"x" * (size - 8) + b'"}')
    bucket = Bucket()
    payloads = Payloads(bucket, "bucket", dictionaries=DICTIONARIES)
    fields = payloads.keep(payload, key="acme/1", beside=400)
    assert fields["payload_encoding"] == (S3 if random else ZLIB)
    assert payloads.fetch(fields) == payload


def test_more_is_refused_with_what_is_taken() -> None:
    with pytest.raises(PayloadTooLarge, match="at most 10 bytes, not 11"):
        pack(b"x" * 11, beside=0, largest=10)


def test_the_ladder_goes_from_the_item_to_the_bucket() -> None:
    steps = [
        (b'{"q":1}', 400, PLAIN),  # nothing to be saved
        (form_payload(2_000, 1), 400, ZLIB),
        (form_payload(60_000, 1), 400, ZLIB),
        (form_payload(400_000, 1), 400, S3_ZLIB),
        (noise(15_000), 400, PLAIN),
        (noise(17_000), 400, S3),
        (form_payload(2_000, 1), ITEM_BYTES, S3_ZLIB),
    ]
    for payload, beside, encoding in steps:
        assert pack(payload, beside=beside).encoding == encoding


def test_a_write_unit_saved_is_enough_and_so_are_three_tenths() -> None:
    payload = unusual(200, 1)
    small = len(compress(payload))
    assert small > 0.7 * len(payload)
    # The same saving of bytes: at one size of the item it saves a unit, at another it does not.
    assert pack(payload, beside=1024 - small).encoding == ZLIB
    assert pack(payload, beside=400).encoding == PLAIN
    short = form_payload(200, 1)
    assert len(compress(short)) < 0.7 * len(short)
    assert pack(short, beside=0).encoding == ZLIB


def test_what_fits_only_compressed_is_compressed_though_it_saves_little() -> None:
    payload = noise(900) + b"a" * 100
    packed = pack(payload, beside=30, item_bytes=1000)
    assert packed.encoding == ZLIB
    assert len(packed.body) > 0.7 * len(payload)


def test_usual_payloads_shrink_to_less_than_half() -> None:
    for size, most in ((500, 0.5), (1_000, 0.5), (2_000, 0.4), (16_000, 0.26)):
        payloads = [form_payload(size, seed) for seed in range(20)]
        left = sum(len(compress(p)) for p in payloads) / sum(map(len, payloads))
        assert left < most, size


def test_a_bomb_is_not_set_off() -> None:
    bomb = compress(b"\0" * 50_000_000)
    assert len(bomb) < 60_000
    with pytest.raises(PayloadDamaged, match="does not end after 100 bytes"):
        decompress(bomb, 100)
    with pytest.raises(PayloadTooLarge):
        unpack(Packed(ZLIB, 50_000_000, bomb))


def test_damage_is_found() -> None:
    payload = form_payload(2_000, 1)
    body = compress(payload)
    for at in range(len(body)):
        damaged = body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]
        with pytest.raises(PayloadDamaged):
            unpack(Packed(ZLIB, len(payload), damaged))
    for other in (body[:-1], body + b"\0", b"", b"\x78"):
        with pytest.raises(PayloadDamaged):
            unpack(Packed(ZLIB, len(payload), other))
    with pytest.raises(PayloadDamaged, match="has 3 bytes, 2 were stored"):
        unpack(Packed(PLAIN, 2, b"abc"))
    with pytest.raises(PayloadDamaged, match="stored as 'lzma'"):
        unpack(Packed("lzma", 2, b"ab"))


def test_an_object_that_is_too_large_is_not_read_to_its_end() -> None:
    bucket = Bucket()
    payloads = Payloads(bucket, "bucket", largest=1000)
    bucket.objects["k"] = b"x" * 5000
    fields = {"payload_encoding": S3, "payload_bytes": 900, "payload_key": "k"}
    with pytest.raises(PayloadDamaged, match="larger than any payload"):
        payloads.fetch(fields)


class Answering:
    """Answers with an object, whatever is asked for."""

    def __init__(self, body: Any, size: int) -> None:
        self._answer = {"Body": body, "ContentLength": size}

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        return self._answer


class Breaking:
    """A body whose connection breaks while it is read."""

    def read(self, most: int) -> bytes:
        raise ReadTimeoutError(endpoint_url="https://bucket")


def test_an_object_that_does_not_arrive_whole_is_to_be_read_again() -> None:
    with pytest.raises(Unavailable, match="Read timeout"):
        read_object(Answering(Breaking(), 5), "bucket", "k", 10)
    with pytest.raises(Unavailable, match="ended before"):
        read_object(Answering(BytesIO(b"abc"), 5), "bucket", "k", 10)
    assert read_object(Answering(BytesIO(b"abcde"), 5), "bucket", "k", 3) == b"abc"


def test_a_missing_object_is_known_as_such() -> None:
    response = {"Error": {"Code": "NoSuchKey"}, "ResponseMetadata": {"HTTPStatusCode": 404}}
    assert type(from_response("GetObject", response)) is ObjectMissing
    assert type(from_response("GetObject", {"Error": {"Code": "AccessDenied"}})) is AccessDenied


def test_a_dictionary_is_for_ever() -> None:
    """What is stored was compressed with it: to change a byte of it is to lose payloads."""
    assert {hex(zlib.adler32(one)) for one in DICTIONARIES} >= {"0xb3825fad"}
    assert decompress(zlib.compress(b"plain zlib"), 10) == b"plain zlib"


def test_what_an_older_dictionary_compressed_is_read_beside_a_new_one() -> None:
    payload = form_payload(2_000, 1)
    newer = (b"of another time", *DICTIONARIES)
    assert library.decompress(compress(payload), len(payload), newer) == payload
    assert library.decompress(library.compress(payload, newer), len(payload), newer) == payload


def test_the_library_needs_no_dictionary_and_says_when_one_is_missing() -> None:
    payload = form_payload(2_000, 1)
    plain = library.compress(payload)
    assert library.decompress(plain, len(payload)) == decompress(plain, len(payload)) == payload
    with pytest.raises(PayloadDamaged, match="cannot be decompressed"):
        library.decompress(compress(payload), len(payload))
