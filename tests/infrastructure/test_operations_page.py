"""Whoever is woken finds the alarm on the page."""

import re

from cdk_app.settings import ROOT
from tests.infrastructure.synthesis import Assembly, resources


def test_every_kind_of_alarm_is_explained(prod: Assembly) -> None:
    page = (ROOT / "docs" / "operations.md").read_text()
    ids = resources(prod.template("sales"), "AWS::CloudWatch::Alarm")
    kinds = {re.split(r"Alarms(?:Table|GSI\d)?", id)[1][:-8] for id in ids}
    assert {kind for kind in kinds if f"`{kind}`" not in page} == set()
    assert len(kinds) == 9


def test_the_page_has_the_stage_s_real_periods(prod: Assembly) -> None:
    (table,) = resources(prod.template("sales"), "AWS::DynamoDB::GlobalTable").values()
    (replica,) = table["Replicas"]
    days = replica["PointInTimeRecoverySpecification"]["RecoveryPeriodInDays"]
    assert f"the last {days} days" in (ROOT / "docs" / "operations.md").read_text()
