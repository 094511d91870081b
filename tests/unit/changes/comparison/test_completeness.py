"""No difference of two descriptions is passed over, and each has a rule."""

import pytest

from tablewright.changes import compare
from tablewright.changes.comparison.described import Described
from tablewright.changes.comparison.rules.every import RULES
from tablewright.changes.comparison.rules.tables import NOT_KNOWN
from tablewright.changes.comparison.tables import described_form
from tablewright.designs import describe
from tablewright.model import Table
from tablewright.model.table_form import TableForm
from tests.every_design import EVERY_DESIGN
from tests.unit.changes.comparison.mutations import mutations
from tests.unit.designs.everything import Everything

pytestmark = pytest.mark.thorough

DESIGNS = pytest.mark.parametrize(
    "design", [Everything, *EVERY_DESIGN], ids=lambda one: one.__name__
)


@DESIGNS
def test_a_design_does_not_differ_from_itself(design: type[Table]) -> None:
    assert compare(describe(design), describe(design)) == []


@DESIGNS
def test_a_change_in_any_place_is_told_in_both_directions(design: type[Table]) -> None:
    description = describe(design)
    places = 0
    for path, mutated in mutations(description):
        places += 1
        for found in (compare(description, mutated), compare(mutated, description)):
            assert found, path
            for one in found:
                assert one.rule != NOT_KNOWN.id, (path, one)
                assert one.consequence is RULES[one.rule].consequence
                assert one.says
                assert one.reason == RULES[one.rule].reason
    assert places > 20


def test_what_no_rule_is_for_is_told_as_such() -> None:
    description = describe(Everything)
    for name in ("", "indexes", "entities", "patterns", "parts"):
        changed = describe(Everything)
        place = next(iter(changed[name].values())) if name else changed
        place["colour"] = "red"
        (found,) = compare(description, changed)
        assert found.rule == ("PATTERN_CHANGED" if name == "patterns" else NOT_KNOWN.id)


def test_a_format_that_is_not_known_is_refused() -> None:
    description = describe(Everything)
    with pytest.raises(ValueError, match="format 99 is not known"):
        compare({**description, "format": 99}, description)


@DESIGNS
def test_a_description_has_the_form_of_the_table_that_is_made_of_it(design: type[Table]) -> None:
    assert described_form(Described(describe(design))) == TableForm.of(design.__design__)
