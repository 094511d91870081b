"""Events that are counted of one change."""

from decimal import Decimal
from typing import Any

import pytest

from lambdas.forms.metrics.aggregation import error_rate, summary
from lambdas.forms.metrics.events import counted
from tablewright.catalog.forms.metrics import DailyMetrics
from tablewright.catalog.forms.submissions import DeliveryAttempt, Submission
from tablewright.model import InvalidRecord
from tablewright.runtime.store.attribute_values import encode
from tablewright.runtime.streams.changes import Change

ID = Submission.__entity__.example["submission_id"]
SUBMISSION_KEY = {"PK": {"S": "TENANT#acme#0"}, "SK": {"S": f"SUB#{ID}"}}
ATTEMPT_KEY = {"PK": {"S": f"TENANT#acme#SUB#{ID}"}, "SK": {"S": "DEST#crm#ATTEMPT#001"}}
MADE = 1_737_885_841


def change(key: Any, old: Any = None, new: Any = None) -> Change:
    images = {"OldImage": old, "NewImage": new}
    dynamodb = {
        "Keys": key,
        "SequenceNumber": "1",
        "ApproximateCreationDateTime": MADE,
        **{name: {**key, **image} for name, image in images.items() if image is not None},
    }
    return Change({"eventID": "e1", "dynamodb": dynamodb})


def submission(**changes: Any) -> Any:
    names = ("tenant_id", "timestamp", "form_id", "domain")
    values = {**{name: Submission.__entity__.example[name] for name in names}, **changes}
    return {name: encode(value) for name, value in values.items() if value is not None}


def attempt(status: str, **changes: Any) -> Any:
    values = {
        "status": status,
        "timestamp": DeliveryAttempt.__entity__.example["timestamp"],
        **changes,
    }
    return {name: encode(value) for name, value in values.items()}


def sums(key: Any, old: Any = None, new: Any = None) -> list[Any]:
    events = counted(change(key, old, new))
    return events.day.sums if events else []


def test_what_tries_a_destination_counts_neither_as_submitted_nor_as_delivered() -> None:
    assert counted(change(SUBMISSION_KEY, new=submission(purpose="test"))) is None
    made = attempt("PENDING", purpose="test"), attempt("SUCCEEDED", purpose="test")
    assert counted(change(ATTEMPT_KEY, *made)) is None


def test_a_submission_counts_for_its_tenant_its_form_and_its_domain() -> None:
    sizes = {"original_size": 67, "storage_size": 60}
    events = counted(change(SUBMISSION_KEY, new=submission(**sizes)))
    assert events is not None
    numbers = {
        "submission_count": 1,
        "form_stats": {"contact": 1},
        "domain_stats": {"example.com": 1},
        "bytes_sent": 67,
        "bytes_stored": 60,
    }
    assert events.day.sums == [({"tenant_id": "acme", "date": "2025-01-26"}, numbers)]
    assert events.hour.sums == [({"tenant_id": "acme", "datetime": "2025-01-26-10"}, numbers)]
    assert events.day.id == events.hour.id == "e1"
    assert [events.day.group["period"], events.hour.group["period"]] == ["DAY", "HOUR"]
    assert int(events.day.group["second"].timestamp()) == MADE


@pytest.mark.parametrize(
    ("key", "new"),
    [(SUBMISSION_KEY, submission()), (ATTEMPT_KEY, attempt("SUCCEEDED"))],
    ids=["submission", "attempt"],
)
def test_what_was_counted_is_remembered_by_the_tenants_shard(key: Any, new: Any) -> None:
    events = counted(change(key, new={**new, "GSI1PK": {"S": "TENANT#acme#7"}}))
    assert events is not None
    assert events.day.group["part"] == events.hour.group["part"] == "7"
    unsharded = counted(change(key, new=new))
    assert unsharded is not None
    assert unsharded.day.group["part"] == "0"


@pytest.mark.parametrize(
    ("key", "new"),
    [(SUBMISSION_KEY, submission()), (ATTEMPT_KEY, attempt("SUCCEEDED"))],
    ids=["submission", "attempt"],
)
def test_what_comes_back_from_a_backup_was_counted_before(key: Any, new: Any) -> None:
    assert sums(key, new=new)
    assert sums(key, new={**new, "restored_from": {"S": "backup"}}) == []


def test_what_becomes_of_an_attempt_that_came_back_counts() -> None:
    mark = {"restored_from": {"S": "backup"}}
    old, new = {**attempt("PENDING"), **mark}, {**attempt("SUCCEEDED"), **mark}
    assert sums(ATTEMPT_KEY, old=old, new=new)


def test_a_submission_without_a_domain_counts_for_none() -> None:
    ((_, numbers),) = sums(SUBMISSION_KEY, new=submission(domain=None))
    assert "domain_stats" not in numbers


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("SUCCEEDED", {"delivery_count": 1, "destination_stats": {"crm": 1}}),
        ("RETRYING", {"error_count": 1, "destination_errors": {"crm": 1}}),
        (
            "FAILED",
            {
                "error_count": 1,
                "destination_errors": {"crm": 1},
                "destination_failures": {"crm": 1},
            },
        ),
    ],
)
def test_an_attempt_counts_for_its_destination_as_what_came_of_it(
    status: str, expected: Any
) -> None:
    ((place, numbers),) = sums(ATTEMPT_KEY, attempt("PENDING"), attempt(status))
    assert place == {"tenant_id": "acme", "date": "2025-01-26"}
    assert numbers == expected
    assert sums(ATTEMPT_KEY, None, attempt(status)) == [(place, expected)]


def test_an_attempt_under_way_counts_nothing() -> None:
    assert sums(ATTEMPT_KEY, None, attempt("PENDING")) == []


def test_an_outcome_that_was_unsound_before_has_nothing_to_be_taken_back() -> None:
    assert len(sums(ATTEMPT_KEY, attempt("RETRYING"), attempt("FAILED"))) == 2
    unsound = attempt("RETRYING", timestamp="soon")
    assert len(sums(ATTEMPT_KEY, unsound, attempt("FAILED"))) == 1


@pytest.mark.parametrize(
    ("pk", "sk"),
    [
        ("TENANT#acme", "CONFIG#main"),
        ("TENANT#acme", "DEST#crm"),
        ("TENANT#acme", "METRICS#DAY#2025-01-26"),
        ("TENANT#acme#COUNTED#DAY#2025-01-26T10:04:00Z#0", "COUNTED"),
        ("DOMAIN#a379a6f6eeafb9a5", "LOOKUP#example.com"),
    ],
)
def test_other_items_are_not_the_business_of_counts(pk: str, sk: str) -> None:
    key = {"PK": {"S": pk}, "SK": {"S": sk}}
    image = {**submission(), **attempt("FAILED")}
    assert counted(change(key, new=image)) is None


def test_only_the_insert_of_a_submission_counts() -> None:
    assert sums(SUBMISSION_KEY, submission(), submission()) == []
    assert sums(SUBMISSION_KEY, submission(), None) == []


@pytest.mark.parametrize("changes", [{"form_id": None}, {"timestamp": "soon"}, {"tenant_id": "#"}])
def test_an_unsound_submission_is_refused(changes: Any) -> None:
    with pytest.raises(InvalidRecord):
        counted(change(SUBMISSION_KEY, new=submission(**changes)))


def test_the_rate_of_errors_is_that_of_all_attempts() -> None:
    assert str(error_rate(3, 1)) == "0.2500"
    assert error_rate(0, 0) is None
    assert error_rate(0, 5) == 1


def test_days_without_submissions_are_shown_when_something_was_delivered() -> None:
    day = DailyMetrics(tenant_id="acme", date="2025-01-26", delivery_count=Decimal(2))
    assert summary([day])["daily_breakdown"] == {"2025-01-26": 0}
