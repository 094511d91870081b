"""Payload compression: the published thresholds, every byte back, damage and bombs found."""

import json
import zlib
from decimal import Decimal
from functools import partial
from io import BytesIO
from random import Random
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.chapters.form_payloads import payload as form_payload
from lambdas.forms import payload_compression as module
from lambdas.forms.payload_compression import (
    ITEM_BYTES,
    LARGEST,
    PayloadCompressionManager,
    PayloadDamaged,
    PayloadTooLarge,
    ProcessedPayload,
    read_object,
)
from tablewright.catalog.forms.payload_dictionary import DICTIONARIES
from tablewright.catalog.forms.submissions import Submission
from tablewright.runtime.errors import AccessDenied, ObjectMissing, Unavailable, from_response

# As forms use them.
compress = partial(module.compress, dictionaries=DICTIONARIES)
decompress = partial(module.decompress, dictionaries=DICTIONARIES)

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


def manager(bucket: Bucket | None = None, **limits: Any) -> PayloadCompressionManager:
    return PayloadCompressionManager(bucket or Bucket(), "bucket", **limits)


def process(payload: bytes, beside: int = 400, **limits: Any) -> ProcessedPayload:
    return manager(**limits).process_payload(payload, beside=beside)


@settings(max_examples=60)
@given(documents, st.booleans(), st.integers(0, 20_000), st.sampled_from([600, ITEM_BYTES]))
def test_any_json_comes_back_byte_for_byte(
    document: Any, escaped: bool, beside: int, item_bytes: int
) -> None:
    text = json.dumps(document, ensure_ascii=escaped)
    payload = text.encode(errors="surrogatepass")
    payloads = manager(item_bytes=item_bytes)
    processed = payloads.process_payload(payload, beside=beside)
    assert payloads.fetch(payloads.store(processed, key="acme/1")) == payload
    assert processed.in_bucket or beside + len(processed.data) <= item_bytes
    assert processed.storage_size == len(processed.data)


@given(st.binary(max_size=5000), st.integers(0, 3000))
def test_any_bytes_do(payload: bytes, beside: int) -> None:
    payloads = manager()
    fields = payloads.store(payloads.process_payload(payload, beside=beside), key="acme/1")
    assert payloads.fetch(fields) == payload


@settings(max_examples=20)
@given(documents, st.sampled_from([ITEM_BYTES, 350_000]), st.integers(1, 4000))
def test_however_large_it_comes_back_through_item_or_bucket(
    document: Any, item_bytes: int, times: int
) -> None:
    payload = json.dumps([document] * times).encode()[:LARGEST]
    payloads = manager(item_bytes=item_bytes)
    fields = payloads.store(payloads.process_payload(payload, beside=400), key="acme/1")
    assert Submission.__entity__.check(fields, partial=True)["original_size"] == len(payload)
    assert payloads.fetch(fields) == payload


@pytest.mark.parametrize("size", [LARGEST - 1, LARGEST])
@pytest.mark.parametrize("random", [False, True], ids=["compressible", "random"])
def test_ten_megabytes_are_neither_refused_nor_cut(size: int, random: bool) -> None:
    payload = noise(size) if random else (b'{"a":"' + b"x" * (size - 8) + b'"}')
    payloads = manager()
    fields = payloads.store(payloads.process_payload(payload, beside=400), key="acme/1")
    assert fields["compressed"] is not random
    assert ("payload_key" in fields) is random
    assert payloads.fetch(fields) == payload


def test_a_larger_payload_is_refused_with_the_limit() -> None:
    with pytest.raises(PayloadTooLarge, match=r"has 11 bytes\. Send at most 10 bytes"):
        process(b"x" * 11, largest=10)


def test_the_ladder_goes_from_the_item_to_the_bucket() -> None:
    steps = [
        # payload, bytes beside it, compressed, in the bucket
        (b'{"q":1}', 400, False, False),
        (form_payload(2_000, 1), 400, True, False),
        (form_payload(60_000, 1), 400, True, False),
        (form_payload(400_000, 1), 400, True, True),
        (noise(15_000), 400, False, False),
        (noise(17_000), 400, False, True),
        (form_payload(2_000, 1), ITEM_BYTES, True, True),
    ]
    for payload, beside, compressed, in_bucket in steps:
        processed = process(payload, beside)
        assert (processed.compressed, processed.in_bucket) == (compressed, in_bucket)


def compressible(size: int, left: float) -> bytes:
    """A payload of which compression leaves about this share."""
    return noise(int(size * left)) + b"a" * (size - int(size * left))


def test_compression_is_tried_from_1024_bytes_on() -> None:
    payload = compressible(1024, 0.1)
    assert process(payload[:1023]) == (payload[:1023], False, 1023, 1023, *[None] * 3, False)
    processed = process(payload)
    assert (processed.compressed, processed.compression_algorithm) == (True, "zlib")
    assert (processed.original_size, processed.storage_size) == (1024, len(processed.data))
    ratio = Decimal(len(processed.data)) / 1024
    assert processed.compression_ratio == ratio.quantize(Decimal("0.0001"))
    assert processed.compression_note is None


def test_a_payload_stays_compressed_below_a_ratio_of_seven_tenths_or_for_a_write_unit() -> None:
    good, poor = compressible(1100, 0.6), compressible(1100, 0.75)
    assert len(compress(good)) < 0.7 * 1100 < len(compress(poor)) < 1024
    # Beside 900 bytes, compression saves no write unit.
    assert process(good, beside=900).compressed
    assert process(poor, beside=900) == (
        *(poor, False, 1100, 1100),
        *(None, None, "poor_compression_ratio", False),
    )
    assert process(poor, beside=0).compressed


def test_what_fits_only_compressed_is_compressed_though_it_saves_little() -> None:
    payload = noise(900) + b"a" * 100
    processed = process(payload, beside=30, item_bytes=1000)
    assert processed.compressed
    assert not processed.in_bucket
    assert len(processed.data) > 0.7 * len(payload)


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
    with pytest.raises(PayloadTooLarge, match="has 50000000 bytes"):
        manager().fetch(stored(bomb, 50_000_000))


def stored(data: bytes, size: int, compressed: bool = True, algorithm: str = "zlib") -> Any:
    about = {"data": data, "original_size": size, "compressed": compressed}
    return {**about, **({"compression_algorithm": algorithm} if compressed else {})}


def test_damage_is_found() -> None:
    payload, payloads = form_payload(2_000, 1), manager()
    body = compress(payload)
    for at in range(len(body)):
        damaged = body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]
        with pytest.raises(PayloadDamaged):
            payloads.fetch(stored(damaged, len(payload)))
    for other in (body[:-1], body + b"\0", b"", b"\x78"):
        with pytest.raises(PayloadDamaged):
            payloads.fetch(stored(other, len(payload)))
    with pytest.raises(PayloadDamaged, match="has 3 bytes; 2 were stored"):
        payloads.fetch(stored(b"abc", 2, compressed=False))
    with pytest.raises(PayloadDamaged, match="compressed by 'lzma'"):
        payloads.fetch(stored(b"ab", 2, algorithm="lzma"))


def test_an_object_that_is_too_large_is_not_read_to_its_end() -> None:
    bucket = Bucket()
    bucket.objects["k"] = b"x" * 5000
    fields = {"compressed": False, "original_size": 900, "payload_key": "k"}
    with pytest.raises(PayloadDamaged, match="more than 1000 bytes"):
        manager(bucket, largest=1000).fetch(fields)


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
    assert module.decompress(compress(payload), len(payload), newer) == payload
    assert module.decompress(module.compress(payload, newer), len(payload), newer) == payload


def test_the_library_needs_no_dictionary_and_says_when_one_is_missing() -> None:
    payload = form_payload(2_000, 1)
    plain = module.compress(payload)
    assert module.decompress(plain, len(payload)) == decompress(plain, len(payload)) == payload
    with pytest.raises(PayloadDamaged, match="cannot be decompressed"):
        module.decompress(compress(payload), len(payload))
