"""The pages of the designs say what the designs are today."""

import pytest

from docs.design_pages import FOLDER, INDEX, index, page_of, picture_of, text_of
from examples.designs import DESIGNS
from tablewright.model import Table
from tablewright.pages.collections.picture import collections_picture


@pytest.mark.parametrize("table", DESIGNS)
def test_a_design_s_page_is_up_to_date(table: type[Table]) -> None:
    assert text_of(table) == page_of(table).read_text(), "run `make docs`"


@pytest.mark.parametrize("table", DESIGNS)
def test_a_design_s_picture_is_up_to_date(table: type[Table]) -> None:
    drawn = collections_picture(table.__design__)
    assert drawn == picture_of(table).read_text(), "run `make docs`"


def test_the_index_of_designs_is_up_to_date() -> None:
    assert index() == INDEX.read_text(), "run `make docs`"


def test_there_is_no_page_of_a_design_that_is_gone() -> None:
    pages = {*map(page_of, DESIGNS), *map(picture_of, DESIGNS)}
    assert set(FOLDER.iterdir()) == {INDEX, *pages}
