"""What is due of content at a moment, and that it comes to an end."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lambdas.portal.content.due_steps import EXPIRY, REMOVAL, due_step
from lambdas.portal.content.lifecycle import next_due
from tablewright.catalog.portal.content import DRAFT, EXPIRED, HARD, SOFT, STATUSES, Content
from tablewright.model.fields.time import iso_utc

NOW = datetime(2025, 1, 26, 12, tzinfo=UTC)
MOMENTS = [iso_utc(NOW + timedelta(seconds=seconds)) for seconds in (-2, -1, 0, 1)]

moments = st.none() | st.sampled_from(MOMENTS)
contents = st.fixed_dictionaries(
    {
        "status": st.sampled_from(STATUSES),
        "approved_at": moments,
        "effective_date": moments,
        "review_due_date": moments,
        "review_told": moments,
        "expiry_date": moments,
        "expiry_policy": st.sampled_from((None, SOFT, HARD)),
        "s3_key": st.sampled_from((None, "content/c/1")),
        "removing": st.sampled_from((None, ["content/c/0"])),
        "due_at": moments,
    }
)


def whole(values: dict[str, Any]) -> Content:
    plain = {**Content.__entity__.example, "created_at": MOMENTS[0], "version": "1"}
    return Content(**{**plain, **values})


def carried_out(content: Content) -> tuple[Content, list[str], list[str]]:
    """The content when nothing is due any more, the steps taken, the objects removed."""
    kinds: list[str] = []
    removed: list[str] = []
    while step := due_step(content, NOW):
        assert len(kinds) < 6
        kinds.append(step.kind)
        removed += step.removes
        content = Content(**{**content, **step.changes})
    return content, kinds, removed


@given(contents)
def test_what_is_due_is_done_in_a_few_steps_and_not_again(values: dict[str, Any]) -> None:
    content = whole(values)
    after, kinds, removed = carried_out(content)
    once = [kind for kind in kinds if kind != REMOVAL]  # of which there may be one left over
    assert len(set(once)) == len(once)
    assert after.due_at == next_due(after)
    assert after.due_at is None or after.due_at > iso_utc(NOW)
    assert int(after.version) - 1 == sum(kind in ("effective", "expiry") for kind in kinds)
    assert "removing" not in after
    if EXPIRY in kinds:
        assert after.status == EXPIRED
        hard = values["expiry_policy"] == HARD
        assert (values["s3_key"] in removed) == (hard and values["s3_key"] is not None)
        assert ("s3_key" in after) == (not hard and values["s3_key"] is not None)


@given(contents)
def test_what_is_found_as_due_is_never_passed_over(values: dict[str, Any]) -> None:
    """Nothing stays among what is due without a step that takes it out."""
    content = whole(values)
    if content.due_at is not None and content.due_at <= iso_utc(NOW):
        assert due_step(content, NOW) is not None


@given(contents)
def test_a_draft_that_was_not_approved_is_left_alone(values: dict[str, Any]) -> None:
    content = whole({**values, "status": DRAFT, "approved_at": None, "removing": None})
    after, kinds, _ = carried_out(content)
    assert after.status == DRAFT
    assert set(kinds) <= {"correction"}
