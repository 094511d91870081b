"""A stage is a file: its settings, its problems, its overrides, and a new one."""

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App

from cdk_app.declared import SECTIONS, SETTINGS, every, sentiment
from cdk_app.setting import Setting, SettingError
from cdk_app.settings import ROOT, read
from cdk_app.stage_file import FOLDER, StageFile, stage_names
from cdk_app.values import StageValues
from stacks.identity import IdentityStack
from stacks.operations import OperationsStack
from stacks.shared.stage import Stage
from tests.infrastructure.synthesis import STAGES, Assembly, context, resources

SECTION_OF = {one: section for section, settings in SECTIONS.items() for one in settings}


def stage_of(text: str, folder: Path, environ: dict[str, str] | None = None, **asked: str) -> Stage:
    """The stage of a file `qa.toml` in a folder of its own."""
    (folder / "qa.toml").write_text(text)
    return read({"stage": "qa", **asked}.get, environ or {}, folder=folder)


def problems(text: str, folder: Path, environ: dict[str, str] | None = None) -> list[str]:
    with pytest.raises(SettingError) as caught:
        stage_of(text, folder, environ)
    return str(caught.value).splitlines()


@pytest.mark.parametrize("name", STAGES)
def test_the_files_of_all_stages_are_accepted(name: str) -> None:
    assert read({"stage": name}.get, {}).name == name


def test_a_file_says_in_one_place_what_people_look_up_first() -> None:
    common = {"data", "alarms", "cost_limits", "log_days", "recovery_days", "backup_days"}
    for name in ("dev", "staging", "prod"):
        content = StageFile.load(name).content
        assert common | {"replicas", "archive", "audit"} <= content.keys(), name
        assert "accelerator" in content["sentiment"], name


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
@pytest.mark.parametrize("text", ["example", "default"])
def test_a_file_and_a_variable_say_the_same_of_every_setting(
    setting: Setting[Any], text: str, tmp_path: Path
) -> None:
    written = getattr(setting, text)
    section = SECTION_OF[setting]
    table = f"[{section}]\n" if section else ""
    (tmp_path / "qa.toml").write_text(f"{table}{setting.name} = {setting.in_toml(written)}\n")
    asked = StageValues(StageFile.load("qa", tmp_path), SECTIONS, lambda _: None, {})
    asked.check()
    value = setting.parser.read(written)
    addresses = re.compile(r" at 0x\w+")
    assert addresses.sub("", repr(asked[setting])) == addresses.sub("", repr(value))


def test_an_empty_file_is_a_stage_whose_data_is_protected(tmp_path: Path) -> None:
    stage = stage_of("", tmp_path)
    assert stage.protection.deletion_protection
    assert not stage.password_sign_in
    assert StageFile.load("qa", tmp_path).protects_data


def test_names_of_systems_and_tables_can_be_a_table(tmp_path: Path) -> None:
    stage = stage_of(
        """
        [api_rate]
        all = "50/80"
        forms = "2000/4000"
        [concurrency]
        forms.deliver = 20
        [capacity]
        sales = "provisioned:5-100@70:warm=900/300"
        "portal.events" = "on-demand:500/600"
        [forms.shard_rules]
        thresholds = [[100000, 4], [1000000, 10]]
        most = 20
        """,
        tmp_path,
    )
    rates = {name: stage.api_rate.of(name).burst for name in ("sales", "forms")}
    assert rates == {"sales": 80, "forms": 4000}
    assert stage.concurrency == {"forms.deliver": 20}
    assert stage.capacity.of("sales") != stage.capacity.of("forms")
    assert stage.capacity.of("portal", "events") != stage.capacity.of("portal")
    assert json.loads(stage.forms.shard_rules)["most"] == 20


def test_all_problems_of_a_file_are_reported_at_once(tmp_path: Path) -> None:
    text = """
        log_day = 7
        alarms = ["all"]
        log_days = 8
        item_days = 30
        portal = "on"
        archive = "on"
        [sentiment]
        item_days = 9
        tickers = ["AAPL", 5]
        log_days = 7
        [colours]
        red = 1
        """
    found = problems(text, tmp_path, {"TABLEWRIGHT_LOG_DAY": "7"})
    at = "stages/qa.toml:"
    assert {line.split(" is ")[0] for line in found} == {
        "TABLEWRIGHT_LOG_DAY",
        f"{at} log_day",
        f"{at} item_days",
        f"{at} portal",
        f"{at} sentiment.log_days",
        f"{at} colours",
        f"{at} log_days",
        f"{at} archive",
        f"{at} alarms",
        f"{at} sentiment.tickers",
        f"{at} sentiment.item_days",
    }
    said = "\n".join(found)
    for line in (
        f"{at} log_day is no setting: did you mean log_days? All of them are in docs/settings.md",
        f"{at} item_days is not here: move item_days to [sentiment]",
        f"{at} sentiment.log_days is not here: move log_days to the top of the file",
        f'{at} portal is "on": it must be a table, [portal]',
        f"{at} sentiment.item_days is 9: it takes days, 10 to 9999, or none, for example "
        "item_days = 60",
        f'{at} archive is "on": it must be true or false; it takes true or false, for example '
        "archive = true",
        f'{at} alarms is ["all"]: it must be a string; it takes none, essential or all, for '
        'example alarms = "all"',
    ):
        assert line in said.splitlines(), line
    assert f'{at} sentiment.tickers is ["AAPL", 5]: it must be a string; it takes a list' in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("log_days = true", "log_days is true: it must be an integer"),
        ("log_days = 30.5", "log_days is 30.5: it must be an integer"),
        ('log_days = "30"', 'log_days is "30": it must be an integer'),
        ('data = "kept"', 'data is "kept": it takes throw-away, recoverable or protected'),
        ('[sentiment]\nwatch_tags = ["AI, ML"]', '"AI, ML" cannot be part of a list'),
        ("log_days = ", "stages/qa.toml is not TOML: Invalid value (at end of document)"),
        ('recovery_days = "none"', "data of qa is kept; it takes days, 1 to 35"),
        ('removals = ["*"]', "it takes a list, each a stack, or a stack/resource"),
    ],
)
def test_a_wrong_value_is_reported_with_its_file(text: str, said: str, tmp_path: Path) -> None:
    (line,) = problems(text, tmp_path)
    assert said in line
    assert line.startswith("stages/qa.toml")


def test_a_wrong_value_is_reported_although_a_variable_hides_it(tmp_path: Path) -> None:
    (line,) = problems("log_days = 8", tmp_path, {"TABLEWRIGHT_LOG_DAYS": "7"})
    assert line.startswith("stages/qa.toml: log_days is 8: it takes days: 1, 3")


def test_a_stage_without_a_file() -> None:
    with pytest.raises(SettingError) as caught:
        read({"stage": "stagin"}.get, {})
    names = ", ".join(stage_names())
    assert str(caught.value) == (
        "stage 'stagin' has no file stages/stagin.toml: did you mean staging? there are "
        f"{names}. To make a stage, add its file (docs/deploying.md#a-new-stage)"
    )


@pytest.mark.parametrize("name", ["Dev", "dev-eu", "9lives", "a" * 17, "../dev", "dev\n"])
def test_a_name_that_resources_cannot_have(name: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="1 to 16 lower-case letters and digits"):
        StageFile.load(name, tmp_path)


def overrides(environ: dict[str, str], **asked: str) -> list[str]:
    lines: list[str] = []
    read({"stage": "prod", **asked}.get, environ, report=lines.append)
    return lines


def test_an_override_is_reported_beside_the_file_s_value() -> None:
    assert overrides({"TABLEWRIGHT_LOG_DAYS": "7"}) == [
        "stage prod: log_days = 7 from TABLEWRIGHT_LOG_DAYS (stages/prod.toml: 30)"
    ]
    assert overrides({"TABLEWRIGHT_LOG_DAYS": "7"}, log_days="14") == [
        "stage prod: log_days = 14 from -c log_days (stages/prod.toml: 30)"
    ]
    assert overrides({"TABLEWRIGHT_PAGE_LIMIT": "50"}) == [
        "stage prod: page_limit = 50 from TABLEWRIGHT_PAGE_LIMIT (stages/prod.toml does not set "
        f"it; default: {every.PAGE_LIMIT.default})"
    ]


def test_what_changes_nothing_is_not_reported() -> None:
    same = {"TABLEWRIGHT_LOG_DAYS": "30", "TABLEWRIGHT_STREAM_WINDOW": "5"}
    credentials = {"CDK_DEFAULT_REGION": "us-east-1", "CDK_DEFAULT_ACCOUNT": "111122223333"}
    target = {"TABLEWRIGHT_REGION": "us-east-1", "TABLEWRIGHT_ACCOUNT": "111122223333"}
    assert overrides({**same, **credentials, **target}) == []


def test_a_file_s_region_is_taken_before_that_of_the_credentials(tmp_path: Path) -> None:
    credentials = {"CDK_DEFAULT_REGION": "us-east-1"}
    stage = stage_of('region = "eu-west-1"', tmp_path, credentials)
    assert stage.environment.region == "eu-west-1"


def test_a_region_of_the_credentials_is_checked_too(tmp_path: Path) -> None:
    (line,) = problems("", tmp_path, {"CDK_DEFAULT_REGION": "mars"})
    assert line.startswith("CDK_DEFAULT_REGION is 'mars': it takes a region, or none")


@pytest.mark.parametrize("name", ["data", "target", "removals"])
def test_no_variable_says_what_becomes_of_data(name: str, tmp_path: Path) -> None:
    said = f"TABLEWRIGHT_{name.upper()} is not read: set {name} in stages/qa.toml"
    assert problems("", tmp_path, {f"TABLEWRIGHT_{name.upper()}": "none"}) == [said]
    with pytest.raises(SettingError, match=said):
        read({"stage": "qa", name: "throw-away"}.get, {}, folder=tmp_path)


def test_make_takes_the_stages_that_have_a_file() -> None:
    def make(name: str) -> subprocess.CompletedProcess[str]:
        command = ("make", "--silent", "stage", f"STAGE={name}")
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert [make(name).returncode for name in STAGES] == [0] * len(STAGES)
    refused = make("nowhere")
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        f"STAGE=nowhere has no file stages/nowhere.toml. There are: {' '.join(STAGES)}\n"
    )


@pytest.mark.parametrize("source", ["dev", "prod"])
def test_a_new_stage_is_one_new_file(source: str, tmp_path: Path) -> None:
    stage = stage_of((FOLDER / f"{source}.toml").read_text(), tmp_path)
    assert stage_names(tmp_path) == ("qa",)
    folder = tmp_path / "cdk.out"
    app = App(context=context(), outdir=str(folder))
    OperationsStack(app, stage=stage)
    IdentityStack(app, stage=stage)
    app.synth()
    templates = Assembly(folder).templates
    assert templates.keys() == {"tablewright-qa-operations", "tablewright-qa-identity"}
    (pool,) = resources(templates["tablewright-qa-identity"], "AWS::Cognito::UserPool").values()
    assert (pool.get("DeletionProtection") == "ACTIVE") is (source == "prod")


def test_the_files_have_no_setting_that_is_only_written_there_by_habit() -> None:
    """Comments and values of a file name what there is."""
    known = {one.name for one in SETTINGS}
    for name in stage_names():
        text = (FOLDER / f"{name}.toml").read_text()
        assert text.startswith(f"# Settings of {name}")
        shown = set(re.findall(r"^(?:# )?(\w+) = ", text, re.MULTILINE))
        assert shown <= known
        assert tomllib.loads(re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE))
    assert sentiment.ITEM_DAYS.name in known


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"log_days = " + 5000 * b"9", "is not TOML: "),
        (b"replicas = " + 3000 * b"[" + 3000 * b"]", "is not TOML: "),
        (b'alarms = "\xff"', "is not TOML: "),
        (b"[forms]\nshard_rules = {most = 2020-01-01}", "it must have no dates or times; "),
    ],
)
def test_what_python_cannot_read_or_write_is_one_clear_problem(
    content: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / "qa.toml").write_bytes(content)
    with pytest.raises(SettingError, match=f"^stages/qa.toml.*{said}"):
        read({"stage": "qa"}.get, {}, folder=tmp_path)


def test_a_folder_in_the_place_of_a_file_is_a_clear_problem(tmp_path: Path) -> None:
    (tmp_path / "qa.toml").mkdir()
    with pytest.raises(SettingError, match=r"stages/qa.toml cannot be read: Is a directory"):
        read({"stage": "qa"}.get, {}, folder=tmp_path)


def test_a_byte_order_mark_is_no_problem(tmp_path: Path) -> None:
    (tmp_path / "qa.toml").write_bytes(b'\xef\xbb\xbfdata = "recoverable"')
    assert not StageFile.load("qa", tmp_path).protects_data
