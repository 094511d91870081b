"""Compression of form payloads: sizes and costs of the standard library's compressors.

Two kinds of payloads: usual ones, whose field names are in the dictionary, and others, whose names
no dictionary could know. The published way, gzip as text in base64, is among the compressors.
"""

import bz2
import gzip
import lzma
import zlib
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from statistics import median
from time import process_time
from typing import NamedTuple

from benchmarks.chapters.form_payloads import SIZES, payload, unusual
from lambdas.forms.payload_compression import compress
from tablewright.catalog.forms.payload_dictionary import DICTIONARIES

_SAMPLES = 20
_MOST_BYTES = 4_000_000  # of all samples of a size together

Compressor = Callable[[bytes], bytes]


def _zlib(level: int, window: int = 15, dictionary: bytes = b"") -> Compressor:
    def run(data: bytes) -> bytes:
        extra = (dictionary,) if dictionary else ()
        compressor = zlib.compressobj(level, zlib.DEFLATED, window, 8, 0, *extra)
        return compressor.compress(data) + compressor.flush()

    return run


COMPRESSORS: dict[str, Compressor] = {
    "gzip in base64": lambda data: b64encode(gzip.compress(data, 6, mtime=0)),
    "gzip 6": lambda data: gzip.compress(data, 6, mtime=0),
    "zlib 1": _zlib(1),
    "zlib 6": _zlib(6),
    "zlib 9": _zlib(9),
    "deflate 6": _zlib(6, -15),
    "zlib 6, dict": lambda data: compress(data, DICTIONARIES),
    "zlib 9, dict": _zlib(9, dictionary=DICTIONARIES[0]),
    "bz2": bz2.compress,
    "lzma": lambda data: lzma.compress(data, lzma.FORMAT_ALONE),
}


class Result(NamedTuple):
    """What each compressor leaves of payloads of a size, and its CPU beside that of `zlib 6`."""

    size: int
    left: dict[str, float]
    cpu: dict[str, float]


@cache
def results() -> dict[str, list[Result]]:
    """The measurements by kind of payload, from the smallest to the largest."""
    kinds = {"usual": payload, "unusual": unusual}
    return {kind: [_measure(size, make) for size in SIZES] for kind, make in kinds.items()}


def _measure(size: int, make: Callable[[int, int], bytes]) -> Result:
    samples = max(1, min(_SAMPLES, _MOST_BYTES // size))
    payloads = [make(size, seed) for seed in range(samples)]
    total = sum(map(len, payloads))
    left, cpu = {}, {}
    for name, compressor in COMPRESSORS.items():
        sizes, times = [], []
        for data in payloads:
            begun = process_time()
            sizes.append(len(compressor(data)))
            times.append(process_time() - begun)
        left[name] = sum(sizes) / total
        cpu[name] = median(times)
    usual = cpu["zlib 6"] or 1e-9
    return Result(size, left, {name: seconds / usual for name, seconds in cpu.items()})
