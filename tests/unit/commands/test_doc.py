"""`tablewright doc`: pages of designs, as Markdown with a picture, or as one file of HTML."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from cdk_app.settings import ROOT
from tablewright.commands.command_line import main
from tablewright.model import Table
from tablewright.pages.html import html_page
from tests.every_design import EVERY_DESIGN

SALES = "tablewright.catalog.sales.design:Sales"
SHOP = "examples.designs.shop:Shop"
MEASURED = ROOT / "docs" / "tables"
VOID = {"meta", "br", "img", "hr"}
Told = pytest.CaptureFixture[str]


class Tags(HTMLParser):
    """The elements of a page that are open, and what was asked of other places."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.asked: list[str] = []
        self.scrolling: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.asked += [given[name] or "" for name in ("src", "href") if name in given]
        if tag in ("table", "svg"):
            assert self.open[-1] == "div"
            self.scrolling.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def refused(arguments: list[str], told: Told) -> str:
    with pytest.raises(SystemExit) as stop:
        main(["doc", *arguments])
    assert stop.value.code == 2
    return told.readouterr().err


@pytest.mark.parametrize("table", EVERY_DESIGN, ids=lambda table: table.__design__.id)
def test_every_design_has_a_page_that_needs_nothing_else(
    table: type[Table], tmp_path: Path
) -> None:
    place, id = f"{table.__module__}:{table.__name__}", table.__design__.id
    assert main(["doc", place, "-o", str(tmp_path), "--format", "html"]) == 0
    tags = Tags()
    tags.feed((tmp_path / f"{id}.html").read_text())
    assert (tags.open, tags.asked) == ([], [])
    assert tags.scrolling.count("svg") == 1
    assert tags.scrolling.count("table") > 3


def test_markdown_has_its_picture_beside_it(tmp_path: Path, capsys: Told) -> None:
    assert main(["doc", SALES, SHOP, "-o", str(tmp_path / "new")]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
    for id in ("sales", "shop"):
        text = (tmp_path / "new" / f"{id}.md").read_text()
        assert "*Made from the design by `tablewright doc`; do not edit.*" in text
        (picture,) = re.findall(r"!\[[^]]*\]\(([^)]*)\)", text)
        assert (tmp_path / "new" / picture).read_text().startswith("<svg ")


def test_measured_capacity_stands_on_the_page(tmp_path: Path) -> None:
    measured = str(MEASURED / "sales.capacity.json")
    main(["doc", SALES, "-o", str(tmp_path), "--measured", measured])
    assert "## Measured capacity" in (tmp_path / "sales.md").read_text()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "cannot be read: No such file or directory"),
        ("{", "is not JSON"),
        ("[{}]", "has no measurements: `tablewright measure"),
        (
            (MEASURED / "forms.capacity.json").read_text(),
            "which sales does not have",
        ),
    ],
)
def test_measurements_that_are_none_are_refused(
    content: str | None, says: str, tmp_path: Path, capsys: Told
) -> None:
    file = tmp_path / "measured.json"
    if content is not None:
        file.write_text(content)
    told = refused([SALES, "-o", str(tmp_path), "--measured", str(file)], capsys)
    assert says in told
    assert not (tmp_path / "sales.md").exists()


def test_measurements_are_of_one_design(tmp_path: Path, capsys: Told) -> None:
    told = refused([SALES, SHOP, "-o", str(tmp_path), "--measured", "any"], capsys)
    assert "--measured is of one design" in told


def test_a_folder_that_is_a_file_is_told_so(tmp_path: Path, capsys: Told) -> None:
    (tmp_path / "file").write_text("")
    told = refused([SALES, "-o", str(tmp_path / "file")], capsys)
    assert "cannot be written" in told


def test_designs_of_one_name_do_not_overwrite_each_other(tmp_path: Path, capsys: Told) -> None:
    told = refused([SALES, SALES, "-o", str(tmp_path)], capsys)
    assert "two designs are named sales" in told


def test_html_in_a_text_is_shown_and_not_taken(tmp_path: Path) -> None:
    text = html_page("# A\n\nSays <script>alert(1)</script>.", title="<A>", picture="")
    assert "<script>" not in text
    assert "<title>&lt;A&gt;</title>" in text
