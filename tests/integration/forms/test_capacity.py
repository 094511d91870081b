"""Capacity of a page over many shards, beside the same page of one partition."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tablewright.catalog.forms.design import Forms
from tablewright.testing.metering import FaithfulMeter
from tests.integration.forms.conftest import NOON, FormTable, ids, key_of, submission

PAGE = 20
SHARDS = 10
FLOOR = Decimal("0.5")


def stored(forms: FormTable, tenant: str, number: int = 400) -> list[Any]:
    forms.clock.moment = NOON + timedelta(hours=1)
    store = forms.store()
    made = [
        submission(NOON + timedelta(seconds=n), n, tenant_id=tenant, data=b"x" * 700)
        for n in range(number)
    ]
    for record in made:
        store.put(Forms.put_submission, record)
    return made


def page_units(
    forms: FormTable, tenant: str, pattern: Any, **where: str
) -> tuple[Decimal, list[str]]:
    meter = FaithfulMeter(forms.database.caller)
    store = forms.store(meter)
    example = submission(NOON, tenant_id=tenant)
    store.get(Forms.get_submission, key_of(example))  # so that the epochs are known
    meter.reset()
    page = store.query(pattern, {"tenant_id": tenant, **where}, limit=PAGE)
    return meter.read_units, ids(page.items)


@pytest.mark.parametrize(
    ("pattern", "where"),
    [
        (Forms.submissions, {}),
        (Forms.submissions_by_status, {"status": "PENDING"}),
        (Forms.submissions_by_form, {"form_id": "contact"}),
    ],
)
def test_a_page_over_ten_shards_costs_little_more_than_asking_each(
    forms: FormTable, pattern: Any, where: dict[str, str]
) -> None:
    forms.set_epochs("many", (NOON - timedelta(days=1), SHARDS))
    made = {tenant: stored(forms, tenant) for tenant in ("one", "many")}
    single, newest = page_units(forms, "one", pattern, **where)
    merged, found = page_units(forms, "many", pattern, **where)
    assert newest == found == ids(made["many"])[::-1][:PAGE]
    assert merged <= Decimal("1.25") * single + SHARDS * FLOOR
