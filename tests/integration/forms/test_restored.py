"""Restored items are not delivered and not counted again; what follows is."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.stream import COUNTED_CHANGES, CREATED_SUBMISSIONS
from tablewright.commands.items.bring_back import BringBack, Live
from tablewright.commands.items.segments import Rate
from tablewright.model.restored import RESTORED_FROM
from tablewright.runtime.store.store import Store
from tests.integration.forms.conftest import NOON, FormTable, key_of
from tests.integration.forms.metrics.streaming import Stream, everything, passes
from tests.integration.forms.sharding.traffic import NIGHT, Traffic, begin, end

STREAMED = True

LIVE = Live("forms", ("PK", "SK"), "ttl")


@pytest.fixture
def store(forms: FormTable) -> Store:
    forms.clock.moment = NIGHT + timedelta(days=30)
    return forms.store()


def lose(stream: Stream) -> list[dict[str, Any]]:
    """Delete all submissions and attempts; gives what a backup would have of them."""
    client = stream.database.client()
    lost = [one for one in stream.database.items() if one["SK"]["S"][:4] in ("SUB#", "DEST")]
    for one in lost:
        client.delete_item(TableName="forms", Key={name: one[name] for name in ("PK", "SK")})
    return lost


def bring_back(stream: Stream, items: list[dict[str, Any]]) -> None:
    def marked(item: dict[str, Any]) -> dict[str, Any]:
        return {**item, RESTORED_FROM: {"S": "backup"}}

    work = BringBack(stream.dynamo, LIVE, marked, rate=Rate(1000), dry_run=False, now=NOON)
    assert work.settle(items) == Counter(missing=len(items))


def test_what_is_brought_back_reaches_no_consumer(store: Store, forms: FormTable) -> None:
    stream, traffic = Stream(forms), Traffic(store)
    made = traffic.send(4)
    traffic.deliver(made[0], "RETRYING", "SUCCEEDED")
    assert stream.deliver() == []
    records = [store.get(Forms.get_submission, key_of(one)) for one in made]
    backup, before = lose(stream), len(everything(forms.database))
    bring_back(stream, backup)
    new = everything(forms.database)[before:]
    assert [one["eventName"] for one in new] == ["INSERT"] * 6
    assert [one for one in new if passes(one, (*COUNTED_CHANGES, *CREATED_SUBMISSIONS))] == []
    assert stream.deliver(new) == []  # nor would the function count it
    assert stream.counts() == traffic.expected
    assert [store.get(Forms.get_submission, key_of(one)) for one in made] == records


def test_what_becomes_of_it_later_is_counted(store: Store, forms: FormTable) -> None:
    stream, traffic = Stream(forms), Traffic(store)
    (made,) = traffic.send(1)
    key = begin(store, made, "crm", 1, NIGHT)
    stream.deliver()
    backup, before = lose(stream), len(everything(forms.database))
    bring_back(stream, backup)
    end(store, key, "SUCCEEDED", NIGHT)
    store.update(Forms.update_submission, key_of(made), {"status": "DELIVERED"})
    marks = [one.get("restored_from") for one in forms.database.items()]
    assert marks.count({"S": "backup"}) == 2
    stream.deliver([one for one in everything(forms.database)[before:] if passes(one)])
    (day,) = (one for (_, period), one in stream.counts().items() if len(period) == 10)
    assert (day["submission_count"], day["delivery_count"]) == (1, 1)
