"""Random changes of tables on the engine: every version sees what is true after every step."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tablewright.testing import Database
from tests.integration.changes.oracle.copies import change_by_copy
from tests.integration.changes.oracle.in_place import change_in_place
from tests.integration.changes.oracle.live import Trouble
from tests.integration.changes.oracle.scale import complete_through_kills
from tests.unit.changes.oracle.cases import CASES
from tests.unit.changes.oracle.changes import Pair, random_pair

PAIRS, PART = 300, 20


def change(
    database: Database, pair: Pair, seed: int, folder: Path, *, is_copied: bool
) -> tuple[str, list[str]]:
    """Change a table that is in use; gives how it ended, and what went wrong."""
    database.reusable = False  # streams stay when their tables go
    trouble, name = Trouble(database, pair, seed), f"orders-{seed}-{is_copied}"
    ending = change_by_copy(trouble, name, folder) if is_copied else change_in_place(trouble, name)
    for table in database.caller.call("ListTables", {})["TableNames"]:
        if table.startswith(name):
            database.caller.call("DeleteTable", {"TableName": table})
    return ending, [f"seed {seed}, {pair.label}, {ending}: {text}" for text in trouble.problems]


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(0, PAIRS, PART))
def test_versions_see_what_is_true_at_every_step(
    dynamodb: Database, tmp_path: Path, first: int
) -> None:
    problems, endings = [], Counter[str]()
    for seed in range(first, first + PART):
        is_copied = bool(seed % 2)
        pair = random_pair(Random(seed), is_additive=not is_copied)
        ending, some = change(dynamodb, pair, seed, tmp_path, is_copied=is_copied)
        problems += some
        if ending.startswith("unfinished"):
            problems.append(f"seed {seed}, {pair.label}: {ending}")
        endings[ending.partition(":")[0]] += 1
    assert not problems, "\n".join([f"{dict(endings)}", *problems[:10]])


@pytest.mark.parametrize("claim", CASES)
def test_claim_holds_in_two_tables(dynamodb: Database, tmp_path: Path, claim: str) -> None:
    for seed, is_copied in ((1, False), (2, False), (3, True)):
        ending, problems = change(dynamodb, CASES[claim], seed, tmp_path, is_copied=is_copied)
        assert not problems
        assert not ending.startswith("unfinished")


def test_items_are_completed_exactly_through_twenty_kills(dynamodb: Database) -> None:
    complete_through_kills(dynamodb, items=5_000, kills=20)
