"""Ids of time: what they tell, how they sort, what is refused."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.model import InvalidValue, TimeId
from tablewright.model.fields.time import iso_utc
from tablewright.model.time_ids import made_at, milliseconds, moment_of
from tablewright.runtime.ids import uuid7

moments = st.integers(0, 253_402_300_799_998).map(
    lambda n: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=n)
)
noise = st.binary(min_size=10, max_size=10)


@given(moments, noise)
def test_an_id_is_a_uuid_of_version_7_that_tells_its_millisecond(
    moment: datetime, random: bytes
) -> None:
    id = uuid7(moment, random)
    assert str(UUID(id)) == id
    assert (UUID(id).version, UUID(id).variant) == (7, "specified in RFC 4122")
    assert TimeId("id").check(id) == id
    assert moment_of(id) == iso_utc(moment)
    assert made_at(id) == milliseconds(moment) == milliseconds(iso_utc(moment))


@given(moments, noise, noise)
def test_ids_sort_by_their_millisecond(moment: datetime, one: bytes, two: bytes) -> None:
    assert uuid7(moment, one) < uuid7(moment + timedelta(milliseconds=1), two)


def test_all_random_bits_but_those_of_version_and_variant_are_used() -> None:
    moment = datetime(2025, 1, 26, tzinfo=UTC)
    zeros, ones = (UUID(uuid7(moment, bits * 10)).int for bits in (b"\0", b"\xff"))
    assert (zeros ^ ones).bit_count() == 74
    assert len({uuid7(moment) for _ in range(1000)}) == 1000


@pytest.mark.parametrize(
    "value",
    [
        "",
        7,
        None,
        "01949fc8-7ae8-4abc-8def-0123456789ab",  # version 4
        "01949fc8-7ae8-7abc-7def-0123456789ab",  # another variant
        "01949FC8-7AE8-7ABC-8DEF-0123456789AB",
        "01949fc87ae87abc8def0123456789ab",
        "ffffffff-ffff-7abc-8def-0123456789ab",  # after the year 9999
        "01949fc8-7ae8-7abc-8def-0123456789ab\n",
    ],
)
def test_anything_else_is_refused(value: object) -> None:
    with pytest.raises(InvalidValue, match="must be a UUID of version 7, in small letters"):
        TimeId("id").check(value)


def test_a_moment_without_a_time_zone_makes_no_id() -> None:
    with pytest.raises(TypeError):
        uuid7(datetime(2025, 1, 26))  # noqa: DTZ001 - that is the point
    with pytest.raises(ValueError, match="10 random bytes"):
        uuid7(datetime(2025, 1, 26, tzinfo=UTC), b"few")
