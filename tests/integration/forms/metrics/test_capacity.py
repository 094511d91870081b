"""Cost of counting a submission, alone and together with others."""

from datetime import timedelta
from decimal import Decimal

import pytest

from tablewright.catalog.forms.design import Forms
from tablewright.testing.metering import FaithfulMeter
from tests.integration.forms.conftest import FormTable, submission
from tests.integration.forms.metrics.streaming import Stream
from tests.integration.forms.sharding.traffic import NIGHT

STREAMED = True

# By day: mark and count twice each, as transactions do, and the count's index entry; by hour the
# same without an index.
ALONE = Decimal(9)
HUNDRED = 100


@pytest.fixture
def stream(forms: FormTable) -> Stream:
    forms.clock.moment = NIGHT + timedelta(days=1)
    return Stream(forms)


def units(forms: FormTable, stream: Stream, number: int) -> tuple[Decimal, Decimal]:
    """Write and read units for each of so many submissions of one batch."""
    store = forms.store()
    for n in range(number):
        store.put(Forms.put_submission, submission(NIGHT, n))
    records = stream.records()[-number:]
    for record in records:
        # One second of the stream, whichever the machine's clock was in.
        record["dynamodb"]["ApproximateCreationDateTime"] = NIGHT.timestamp()
    meter = FaithfulMeter(stream.dynamo, Forms.__design__)
    stream.deliver(records, meter)
    return meter.write_units / number, meter.read_units / number


def test_a_submission_that_comes_alone(forms: FormTable, stream: Stream) -> None:
    assert units(forms, stream, 1) == (ALONE, Decimal(2))


def test_a_hundred_that_come_together_cost_a_fifth_of_a_unit_each(
    forms: FormTable, stream: Stream
) -> None:
    write, read = units(forms, stream, HUNDRED)
    assert write <= Decimal("0.25")
    assert read <= Decimal("0.02")


def test_a_repeated_delivery_writes_nothing(forms: FormTable, stream: Stream) -> None:
    forms.store().put(Forms.put_submission, submission(NIGHT))
    stream.deliver()
    meter = FaithfulMeter(stream.dynamo, Forms.__design__)
    stream.deliver(caller=meter)
    assert meter.write_units == 0
    assert meter.calls == 2
