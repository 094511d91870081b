"""Whoever is woken finds the alarm on the page, and commands that fit what is deployed."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import botocore.session
import pytest
from botocore import xform_name

from cdk_app.settings import ROOT, read
from lambdas.sentiment.sources.settings import CREDENTIALS, FINANCIAL_CREDENTIALS
from tests.infrastructure.synthesis import IN_VIRGINIA, STAGES, Assembly, one, resources

Stage = Callable[[str], Assembly]
PAGE = (ROOT / "docs" / "operations.md").read_text()
SECTIONS = {
    "sales": "Sales",
    "sentiment": "Sentiment",
    "forms": "Forms",
    "portal": "Portal",
    "operations": "Cost recommendations",
    "audit": "Audit",
}
# Sections whose commands take names from a stack.
NAMING = (
    ("sentiment", "Sentiment"),
    ("forms", "Forms"),
    ("portal", "Portal"),
    ("operations", "Cost recommendations"),
    ("forms", "Get data back"),
    ("sales", "Look at a table"),
    ("audit", "Audit"),
)


def kinds(assembly: Assembly) -> dict[str, set[str]]:
    """What each system's alarms are called, without the index, source or region they are of."""
    tree = json.loads((assembly.folder / "tree.json").read_text())["tree"]
    found: dict[str, set[str]] = {}
    for node in nodes(tree):
        if (
            node.get("attributes", {}).get("aws:cdk:cloudformation:type")
            == "AWS::CloudWatch::Alarm"
        ):
            stack, *parts, name, _ = node["path"].split("/")
            system = stack.split("-")[2]
            ending = re.search(r"Stopped$|NotRun$", name)
            kind = "Replication" if "Replication" in parts[-1:] else ending[0] if ending else name
            found.setdefault(system, set()).add(kind)
    return found


def nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield tree
    for child in tree.get("children", {}).values():
        yield from nodes(child)


def explained(section: str) -> list[str]:
    """The alarms that a section of the page explains."""
    (text,) = re.findall(rf"^## {section}.*?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", text, re.MULTILINE)
    return re.findall(r"\w+", " ".join(rows))


@pytest.mark.thorough
def test_every_kind_of_alarm_is_explained_once_where_it_is_looked_for(stage: Stage) -> None:
    ringing = kinds(stage("prod-accelerated"))
    # One of them is there only while there is no accelerator.
    ringing["sentiment"] |= kinds(stage("prod-us-east-1"))["sentiment"]
    everywhere = explained("Tables")
    assert len(everywhere) == len(set(everywhere))
    assert set(everywhere) <= set.union(*ringing.values())
    for system, found in ringing.items():
        own = explained(SECTIONS[system]) if system in SECTIONS else []
        assert sorted(own) == sorted(found - set(everywhere)), system


@pytest.mark.parametrize("name", STAGES)
def test_every_alarm_of_every_stage_is_on_the_page(name: str, stage: Stage) -> None:
    everywhere = set(explained("Tables"))
    for system, found in kinds(stage(name)).items():
        own = set(explained(SECTIONS[system])) if system in SECTIONS else set()
        assert found <= everywhere | own, system


def test_the_page_names_the_essential_alarms(prod: Assembly) -> None:
    (listed,) = re.findall(r"`essential`: [^.]*\. These\sare ([^.]*)\.", PAGE)
    assert re.findall(r"`(\w+)`", listed) == sorted(set.union(*kinds(prod).values()))


def test_the_page_has_the_stage_s_real_periods(prod: Assembly) -> None:
    sentiment = prod.template("sentiment")
    table = one(sentiment, "AWS::DynamoDB::GlobalTable", "Items")
    days = table["Replicas"][0]["PointInTimeRecoverySpecification"]["RecoveryPeriodInDays"]
    assert f"the last {days} days" in PAGE
    bucket = one(sentiment, "AWS::S3::Bucket", "ProjectionFailures")
    (rule,) = bucket["LifecycleConfiguration"]["Rules"]
    assert f"in the failures bucket, for {rule['ExpirationInDays']} days" in PAGE
    dead = one(sentiment, "AWS::SQS::Queue", "AnalysisDeadLetters")
    assert f"They wait {dead['MessageRetentionPeriod'] // 86400} days" in PAGE
    failed = one(sentiment, "AWS::SQS::Queue", "EventFailures")
    assert f"kept whole for {failed['MessageRetentionPeriod'] // 86400} days" in PAGE
    config = one(sentiment, "AWS::Lambda::EventInvokeConfig", "EventFailuresConfig")
    assert (config["MaximumRetryAttempts"], "an event failed three times" in PAGE) == (2, True)
    mapping = one(sentiment, "AWS::Lambda::EventSourceMapping", "Projection")
    assert (mapping["MaximumRecordAgeInSeconds"], "longer than six hours" in PAGE) == (21_600, True)


@pytest.mark.parametrize(("system", "section"), NAMING)
def test_commands_take_names_that_the_stack_gives(system: str, section: str, stage: Stage) -> None:
    (text,) = re.findall(rf"^## {section}.*?(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    used = set(re.findall(r"\(out (\w+)", text))
    assert used
    # In a region of which others know, as whoever moves to one of those is.
    assert used <= stage("prod-us-east-1").template(system)["Outputs"].keys()


def test_every_table_that_can_be_restored_is_named(prod: Assembly) -> None:
    (named,) = re.findall(r"^For others: (.*?)\n\n", PAGE, re.MULTILINE | re.DOTALL)
    assert "`TableName` of the sales stack" in named.replace("\n", " ")
    assert "TableName" in prod.template("sales")["Outputs"]
    assert {"ItemsTable", "NewsTable"} <= prod.template("sentiment")["Outputs"].keys()


@pytest.mark.thorough
def test_periods_of_backups_are_those_of_the_stages(prod: Assembly, stage: Stage) -> None:
    rules = [
        rule["Lifecycle"]["DeleteAfterDays"]
        for plan in resources(prod.template("forms"), "AWS::Backup::BackupPlan").values()
        for rule in plan["BackupPlan"]["BackupPlanRule"]
    ]
    assert rules == [7]
    assert "Daily copies by AWS Backup, which outlive the table, go a week back" in PAGE.replace(
        "\n", " "
    )
    forms = one(stage("staging").template("forms"), "AWS::DynamoDB::GlobalTable", "Forms")
    spec = forms["Replicas"][0]["PointInTimeRecoverySpecification"]
    assert f"(staging: {spec['RecoveryPeriodInDays']})" in PAGE


def test_operations_of_aws_have_the_options_that_the_page_gives_them() -> None:
    blocks = "".join(re.findall(r"^```\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
    lines = re.findall(r"\baws ([^|&\n]*)", blocks.replace("\\\n", " "))
    assert len(lines) > 20
    for line in lines:
        service, action, *rest = line.split()
        if action == "wait":
            action = {"table-exists": "describe-table"}[rest[0]]
        known = options_of(service, action) | {"query", "output", "region", "cli-binary-format"}
        # A command within a command is looked at by itself.
        own = re.sub(r"\$\(aws .*", "", line)
        assert set(re.findall(r"(?<!\S)--([\w-]+)", own)) <= known, line


def options_of(service: str, action: str) -> set[str]:
    """The options of an operation, as the AWS CLI makes them from the service's model."""
    loader = botocore.session.get_session()
    model = loader.get_service_model({"s3api": "s3"}.get(service, service))
    names = {xform_name(name, "-"): name for name in model.operation_names}
    shape = model.operation_model(names[action]).input_shape
    return {xform_name(name, "-") for name in shape.members}


def test_settings_are_taken_as_the_page_writes_them(tmp_path: Path) -> None:
    shown = re.findall(r"`(\w+ = [^`]+)`(?: in `(\[\w+\])`)?(?: of| in) `stages/(\w+).toml`", PAGE)
    assert len(shown) == 4
    for line, table, stage in shown:
        (tmp_path / f"{stage}.toml").write_text(f"{table}\n{line}\n")
        read({"stage": stage}.get, IN_VIRGINIA, folder=tmp_path)


def test_the_page_shows_the_keys_of_all_sources() -> None:
    (shown,) = re.findall(r"cat > keys.json +# (.*)", PAGE)
    known = (*CREDENTIALS.values(), *FINANCIAL_CREDENTIALS.values())
    assert json.loads(shown) == dict.fromkeys((key for keys in known for key in keys), "")


@pytest.mark.parametrize(
    "command", ["redrive", "backfill", "parked", "bring-back", "active-region", "recommend"]
)
def test_commands_have_the_options_that_the_page_gives_them(command: str) -> None:
    lines = re.findall(rf"tablewright {command} ([^`\n]*)", PAGE)
    options = {word for line in lines for word in shlex.split(line) if word.startswith("--")}
    told = subprocess.run(
        [sys.executable, "-m", "tablewright", command, "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert options
    assert options <= set(re.findall(r"--[\w-]+", told.stdout))


def test_links_within_the_page_lead_somewhere() -> None:
    headings = re.findall(r"^#+ (.*)$", PAGE, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    links = set(re.findall(r"\]\(#([\w-]+)\)", PAGE))
    assert links
    assert links <= anchors
    for path in re.findall(r"\]\(\.\./([\w/.]+)\)", PAGE):
        assert (ROOT / path).exists()
