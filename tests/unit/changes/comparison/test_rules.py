"""Rules: each has a case, and says what it is for and why."""

import re

from docs.changes_page import PAGE, page
from tablewright.changes import Consequence
from tablewright.changes.comparison.rules.every import RULES
from tests.unit.changes.comparison.test_entity_rules import ENTITIES, TOGETHER
from tests.unit.changes.comparison.test_field_rules import FIELD_CHANGES
from tests.unit.changes.comparison.test_index_rules import AT_ONCE, INDEXES
from tests.unit.changes.comparison.test_table_rules import TABLES


def test_every_rule_has_a_case() -> None:
    told = {case.rule for case in (*TABLES, *INDEXES, AT_ONCE, *ENTITIES, *FIELD_CHANGES)}
    together = {rule for _, _, rules in TOGETHER for rule, _ in rules}
    assert told | together | {"NOT_KNOWN"} == {*RULES}


def test_every_rule_says_what_it_is_for_and_why() -> None:
    for name, rule in RULES.items():
        assert re.fullmatch(r"[A-Z]+(_[A-Z]+)+", name)
        assert re.fullmatch(r"[a-z].*[^.]", rule.when)
        assert re.fullmatch(r"[A-Z].*\.", rule.reason)


def test_consequences_are_in_the_order_of_their_gravity() -> None:
    assert [*Consequence] == ["safe", "steps", "backfill", "new-index", "read-both", "impossible"]
    assert {rule.consequence for rule in RULES.values()} == {*Consequence}


def test_the_page_has_every_rule() -> None:
    assert PAGE.read_text() == page(), "run make docs"
