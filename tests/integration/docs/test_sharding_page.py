"""The page on sharding shows what the simulation finds."""

import pytest

from cdk_app.settings import ROOT
from tablewright.catalog.forms.shard_spread import LIMIT, main

DOCS = ROOT / "docs"


def test_the_picture_and_the_numbers_are_those_of_a_million_submissions(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path_factory.mktemp("picture") / "spread.svg"
    assert main(["--submissions", "1000000", "--picture", str(picture)]) == 0
    assert picture.read_text() == (DOCS / "images" / "shard-spread.svg").read_text()
    page = (DOCS / "sharding.md").read_text()
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "TENANT#" in line]
    for scheme, place, partitions, hottest, _, ratio, _ in rows:
        (line,) = (
            line
            for line in page.splitlines()
            if f"| {partitions} | {hottest} |" in line and place in line
        )
        assert ratio in line
        assert scheme == "published" or float(ratio) <= LIMIT
