"""The pages of the designs say what the designs are today."""

import pytest

from docs.design_pages import FOLDER, INDEX, index, page_of, text_of
from examples.designs import DESIGNS
from tablewright.model import Table


@pytest.mark.parametrize("table", DESIGNS)
def test_a_design_s_page_is_up_to_date(table: type[Table]) -> None:
    assert text_of(table) == page_of(table).read_text(), "run `make docs`"


def test_the_index_of_designs_is_up_to_date() -> None:
    assert index() == INDEX.read_text(), "run `make docs`"


def test_there_is_no_page_of_a_design_that_is_gone() -> None:
    assert set(FOLDER.iterdir()) == {INDEX, *map(page_of, DESIGNS)}
