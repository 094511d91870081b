"""What the audit concludes from the answer to a call that must not do anything."""

import pytest

from tablewright.isolation.session import reaches
from tablewright.runtime.errors import (
    AccessDenied,
    Conflict,
    ResourceMissing,
    StoreError,
    Throttled,
)


def call(error: StoreError | None) -> None:
    if error:
        raise error


@pytest.mark.parametrize(
    ("error", "reached"),
    [(None, True), (Conflict("not met"), True), (AccessDenied("not allowed"), False)],
)
def test_a_call_is_allowed_or_not(error: StoreError | None, reached: bool) -> None:
    assert reaches(lambda: call(error)) is reached


@pytest.mark.parametrize("error", [ResourceMissing("no such table"), Throttled("too often")])
def test_an_answer_that_tells_neither_stops_the_audit(error: StoreError) -> None:
    with pytest.raises(type(error)):
        reaches(lambda: call(error))


def test_a_secret_that_is_not_there_was_looked_for() -> None:
    assert reaches(lambda: call(ResourceMissing("no such secret")), ResourceMissing)
