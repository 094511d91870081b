"""The page on deploying names targets, variables and settings that there are."""

import re

from cdk_app.settings import ROOT, read

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


def test_every_setting_is_one() -> None:
    lines = re.findall(r"^export (.*)", PAGE, re.MULTILINE)
    words = (word.split("=") for line in lines for word in line.split())
    given = {name: value for name, value in words if name.startswith("TABLEWRIGHT_")}
    stage = read({"stage": "prod"}.get, given)
    assert stage.alarm_email == "ops@example.com"
    assert stage.cost_limits == (10, 15, 20)
    assert stage.environment.region == "eu-west-1"
