"""The page on settings is made from their declarations, and other pages name none that is not."""

import re
from pathlib import Path

from cdk_app.declared import SECTIONS, SETTINGS
from cdk_app.setting import OTHERS
from cdk_app.settings import ROOT, read
from docs.settings_page import PAGE, page

KNOWN = {one.variable for one in SETTINGS if not one.file_only}


def test_the_page_is_what_is_declared() -> None:
    assert PAGE.read_text() == page(), "run `make docs`"


def test_a_stage_takes_all_that_the_page_shows_at_once(tmp_path: Path) -> None:
    shown = re.findall(r"^\| `(\w+ = [^`]+)` \||^\| in `(\[\w+\])` \|", page(), re.MULTILINE)
    lines = [line or section for line, section in shown]
    assert len(lines) == len(SETTINGS) + len(SECTIONS) - 1
    text = "\n".join(lines).replace('"this-machine"', '"aws"')
    (tmp_path / "qa.toml").write_text(text)
    read({"stage": "qa"}.get, {}, folder=tmp_path)


def test_pages_name_settings_that_there_are() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("guide/*.md")]
    for one in pages:
        named = set(re.findall(r"TABLEWRIGHT_[A-Z_]+", one.read_text()))
        assert named <= KNOWN | OTHERS, one.name
