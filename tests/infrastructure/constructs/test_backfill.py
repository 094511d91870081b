"""A backfill by the clock: its rights, its schedule, what it is told, and what it refuses."""

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import Duration
from aws_cdk import aws_kms as kms

from tablewright.changes import NotBackfillable, NotInPlace
from tablewright.changes.backfill.scheduled.plan import BackfillPlan
from tablewright.constructs import Backfill, DesignTable, PythonCode
from tablewright.constructs.backfill import _SOURCES
from tablewright.model import Entity, Expiry, Field, Index, Key, Put, Shards, Table, Text, Timestamp
from tests.infrastructure.constructs.building_blocks import IN_IRELAND, findings
from tests.infrastructure.synthesis import (
    Template,
    allowed,
    environment,
    id_of,
    new_stack,
    one,
    only,
    template_of,
)


class Order(Entity, key=Key("ORDER#{order_id}", "ORDER")):
    order_id: Field[str] = Text()
    customer: Field[str] = Text()
    placed_at: Field[datetime] = Timestamp()


class Before(Table, id="orders", pk="PK", sk="SK", ttl="ttl"):
    place = Put(Order)


class Orders(Before, expires={Order: Expiry("placed_at", days=30)}):
    by_customer = Index(pk="C1", sk="C2", keys={Order: Key("C#{customer}", "{placed_at}")})


def own_hash(value: str, count: int) -> int:
    return len(value) % count


class OwnShards(Before):
    by_customer = Index(
        pk="C1", sk="C2",
        keys={
            Order: Key(
                "C#{customer}#{shard}", "{placed_at}",
                shards=Shards(4, by="order_id", function=own_hash),
            )
        },
    )  # fmt: skip


class Person(Entity, key=Key("PERSON#{person}", "PERSON")):
    person: Field[str] = Text()
    income: Field[str] = Text(secret=True)


class Hidden(Table, pk="PK", sk="SK"):
    put = Put(Person)


class Elsewhere(Table, id="orders", pk="other", sk="SK"):
    place = Put(Order)


SCAN_AND_UPDATE = {"dynamodb:Scan", "dynamodb:GetItem", "dynamodb:UpdateItem"}


def backfilled(design: type[Table] = Orders, **options: Any) -> Template:
    stack = new_stack(env=IN_IRELAND)
    table = DesignTable(stack, "Table", design=design)
    Backfill(stack, "Backfill", table=table, **{"before": Before, **options})
    return template_of(stack)


def of_table(template: Template, name: str) -> set[str]:
    """What the function may call of a table, as a whole or of parts of it."""
    arn = f"{{{id_of(template, 'AWS::DynamoDB::GlobalTable', name)}.Arn}}"
    pairs = allowed(template, "BackfillRunRole")
    assert not {pair for pair in pairs if pair[1].startswith(arn) and pair[1] != arn}
    return {action for action, resource in pairs if resource == arn}


def test_the_function_may_scan_read_and_update_alone() -> None:
    template = backfilled()
    assert of_table(template, "Table") == SCAN_AND_UPDATE
    assert of_table(backfilled(before=None), "Table") == SCAN_AND_UPDATE


def test_of_its_checkpoints_it_may_read_and_put() -> None:
    checkpoints = of_table(backfilled(), "BackfillCheckpoints")
    assert checkpoints == {"dynamodb:GetItem", "dynamodb:PutItem"}


def test_the_key_of_an_encrypted_table_is_granted_through_dynamodb() -> None:
    stack = new_stack(env=IN_IRELAND)
    key = kms.Key(stack, "Key", enable_key_rotation=True)
    table = DesignTable(stack, "Table", design=Orders, encryption_key=key)
    Backfill(stack, "Backfill", table=table, before=Before)
    of_keys = {a for a, _ in allowed(template_of(stack), "BackfillRunRole") if a[:4] == "kms:"}
    assert {"kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey"} <= of_keys


def test_a_run_ends_before_the_next_one_begins() -> None:
    template = backfilled(every=Duration.minutes(5))
    assert only(template, "AWS::Events::Rule")["ScheduleExpression"] == "rate(5 minutes)"
    (target,) = only(template, "AWS::Events::Rule")["Targets"]
    assert target["RetryPolicy"] == {"MaximumRetryAttempts": 0}
    function = one(template, "AWS::Lambda::Function", "BackfillRun")
    assert (function["Timeout"], function["MemorySize"]) == (300, 512)
    hourly = one(backfilled(every=Duration.hours(1)), "AWS::Lambda::Function", "BackfillRun")
    assert hourly["Timeout"] == 900, "Lambda's longest"


def test_the_function_is_told_both_tables_in_variables_and_both_designs_in_its_bundle() -> None:
    template = backfilled()
    told = environment(template, "BackfillRun")
    assert told.keys() - {one for one in told if one.startswith("POWERTOOLS")} == {
        "BACKFILL_TABLE",
        "BACKFILL_CHECKPOINTS",
    }
    code = one(template, "AWS::Lambda::Function", "BackfillRun")["Code"]
    for other in (backfilled(rate=200), backfilled(run=2), backfilled(before=None)):
        assert one(other, "AWS::Lambda::Function", "BackfillRun")["Code"] != code


def test_items_that_are_left_raise_an_alarm() -> None:
    found = one(backfilled(), "AWS::CloudWatch::Alarm", "BackfillLeft")
    assert (found["MetricName"], found["Threshold"]) == ("BackfillItemsLeft", 1)
    assert found["Dimensions"] == [{"Name": "service", "Value": "orders"}]
    assert found["Period"] == 300


def test_no_rule_is_broken() -> None:
    stack = new_stack(env=IN_IRELAND)
    Backfill(stack, "Backfill", table=DesignTable(stack, "Table", design=Orders), before=Before)
    assert findings(stack) == set()


@pytest.mark.parametrize(
    ("design", "options", "says"),
    [
        (Hidden, {"before": None}, "secret fields, whose keys it needs: run `tablewright backfill"),
        (OwnShards, {}, r"no code of own-shards: .*:own_hash': no design"),
        (Orders, {"before": Elsewhere}, "the key of a table never changes"),
    ],
)
def test_designs_that_a_function_cannot_follow_are_refused(
    design: type[Table], options: dict[str, Any], says: str
) -> None:
    with pytest.raises(NotBackfillable, match=says):
        backfilled(design, **options)


class Rekeyed(Before, keys={Order: Key("O#{order_id}", "ORDER")}):
    """Another key of the table."""


def test_a_change_that_needs_more_than_additions_is_refused() -> None:
    with pytest.raises(NotInPlace, match="`tablewright migration new` copies the items"):
        backfilled(Rekeyed)


@pytest.mark.parametrize(
    "options",
    [{"rate": 0}, {"every": Duration.seconds(90)}, {"every": Duration.days(2)}],
)
def test_a_rate_or_schedule_that_cannot_be_kept_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"a backfill (has|runs)"):
        backfilled(**options)


def test_progress_is_of_what_changes_items() -> None:
    def mark(new: type[Table], run: int = 1) -> str:
        return BackfillPlan.of(new.__design__, Before.__design__, rate=1, run=run).mark

    class Listed(Orders, id="orders", expires={Order: Expiry("placed_at", days=30)}):
        """The same items, and one more access pattern."""

        again = Put(Order)

    assert mark(Listed) == mark(Orders)
    assert len({mark(Orders), mark(Before), mark(Orders, run=2)}) == 3


def test_the_bundle_has_all_that_the_function_imports(tmp_path: Path) -> None:
    plan = BackfillPlan.of(Orders.__design__, Before.__design__, rate=1, run=1)
    texts = {"backfill.json": plan.to_json()}
    PythonCode(sources=_SOURCES, texts=texts, bytecode=False).write(tmp_path)
    assert json.loads((tmp_path / "backfill.json").read_text()) == plan._asdict()
    # Without site-packages: neither boto3 nor the rest of this library is there.
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n" + (
        "from pathlib import Path\n"
        "from tablewright.changes.backfill.scheduled import handler\n"
        "plan = handler.BackfillPlan.from_json(Path(sys.argv[1]).read_text())\n"
        "print([one.__name__ for one in plan.tables()], 'tablewright.catalog' in sys.modules)"
    )
    command = [sys.executable, "-I", "-S", "-c", program, str(tmp_path / "backfill.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "['Orders', 'Orders'] False\n"
