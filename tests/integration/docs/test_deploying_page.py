"""The page on deploying names targets, variables and settings that there are."""

import re
from pathlib import Path

import pytest

from cdk_app.setting import SettingError
from cdk_app.settings import ROOT, read
from cdk_app.stage_file import StageFile
from deployment.guard import GUARDED

PAGE = (ROOT / "docs" / "deploying.md").read_text()
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()


def test_every_command_is_a_target_and_takes_its_variables() -> None:
    # At the beginning of a line or of code, behind settings: elsewhere it is a verb.
    form = r"(?:^|`|: )(?:\w+=\S+ )*make ([a-z]+)((?: [A-Z_]+=[^ `\n]+)*)"
    used = re.findall(form, PAGE + README, re.MULTILINE)
    assert {target for target, _ in used} >= {"bootstrap", "deploy", "destroy", "user", "cdk"}
    for target, variables in used:
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target
        for name in re.findall(r"([A-Z_]+)=", variables):
            assert f"$({name})" in MAKEFILE, name


def test_the_settings_shown_are_accepted(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "prod.toml").write_text(text)
    stage = read({"stage": "prod"}.get, {}, folder=tmp_path)
    assert (stage.alarm_email, stage.environment.region) == ("ops@example.com", "eu-west-1")
    assert stage.sentiment.accelerated


def test_an_override_is_reported_as_shown() -> None:
    (variable, value, line) = re.findall(r"^\$ (TABLEWRIGHT_\w+)=(\S+) make .*\n(.*)$", PAGE, re.M)[
        0
    ]
    lines: list[str] = []
    read({"stage": "prod"}.get, {variable: value}, report=lines.append)
    assert lines == [line]


def test_problems_of_a_file_are_reported_as_shown(tmp_path: Path) -> None:
    shown = re.findall(r"^stages/prod.toml: .* (?:is no|it takes) .*$", PAGE, re.MULTILINE)
    (tmp_path / "prod.toml").write_text("log_day = 7\n[sentiment]\nitem_days = 9\n")
    with pytest.raises(SettingError) as caught:
        read({"stage": "prod"}.get, {}, folder=tmp_path)
    assert str(caught.value).splitlines() == shown


def test_a_removal_is_shown_as_by_the_guard() -> None:
    (shown,) = re.findall(r"^- (tablewright-\S+): (AWS::\S+) \((\S+)\) is deleted$", PAGE, re.M)
    name, type, _ = shown
    assert type in GUARDED
    assert PAGE.count(f'  "{name}",') == 1
    file = StageFile("prod", {"removals": [name]})
    assert name in file.removals
    message = "Nothing was changed. To keep what is listed"
    assert message in PAGE
    assert message in (ROOT / "deployment" / "guard.py").read_text()
