"""The page on settings is made from their declarations, and other pages name none that is not."""

import re
import shlex

from cdk_app.declared import SETTINGS
from cdk_app.setting import OTHERS
from cdk_app.settings import ROOT, read
from docs.settings_page import PAGE, page

KNOWN = {one.variable for settings in SETTINGS.values() for one in settings}


def test_the_page_is_what_is_declared() -> None:
    assert PAGE.read_text() == page(), "run `make docs`"


def test_a_stage_takes_all_that_the_page_shows_at_once() -> None:
    shown = [shlex.split(one) for one in re.findall(r"^\| `([^`]+)` \|", page(), re.MULTILINE)]
    environ = dict(words[0].split("=", 1) for words in shown)
    assert environ.keys() == KNOWN
    for stage in ("dev", "staging", "prod"):
        read({"stage": stage}.get, environ)


def test_pages_name_settings_that_there_are() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("guide/*.md")]
    for one in pages:
        named = set(re.findall(r"TABLEWRIGHT_[A-Z_]+", one.read_text()))
        assert named <= KNOWN | OTHERS, one.name
