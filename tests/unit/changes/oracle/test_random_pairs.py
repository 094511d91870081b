"""The verdict of a change, held against what versions read that run beside each other."""

from collections import Counter
from random import Random

import pytest

from tablewright.changes.compatibility.verdict import Outcome, compare
from tests.unit.changes.oracle.cases import CASES
from tests.unit.changes.oracle.changes import Pair, random_pair
from tests.unit.changes.oracle.trial import Trial

PAIRS = 3_000
TRIALS = 3
# Changes that the trials show to be safe, and that are not called compatible, of a hundred.
MOST_FALSE_ALARMS = 10


def problem(pair: Pair, outcome: Outcome, rng: Random) -> str | None:
    """What a version reads wrongly that the outcome lets run."""
    for _ in range(TRIALS):
        trial = Trial(pair, rng)
        is_ordered = outcome == Outcome.READERS_FIRST
        run = trial.run_readers_first if is_ordered else trial.run_in_any_order
        if text := next(run(), None):
            return text
    return None


def examine(seeds: range) -> tuple[list[str], list[str], Counter[str]]:
    """Wrong verdicts, false alarms, and the outcomes of random pairs."""
    wrong, alarms, outcomes = [], [], Counter[str]()
    for seed in seeds:
        rng = Random(seed)
        pair = random_pair(rng)
        outcome = compare(pair.old.table, pair.new.table, was=pair.was).outcome
        outcomes[outcome] += 1
        runs_together = outcome in (Outcome.COMPATIBLE, Outcome.READERS_FIRST)
        if runs_together and (text := problem(pair, outcome, rng)):
            wrong.append(f"seed {seed}, {pair.label}, {outcome}: {text}")
        if outcome == Outcome.COMPATIBLE or pair.is_another_table:
            continue
        if problem(pair, Outcome.COMPATIBLE, rng) is None:
            alarms.append(f"seed {seed}, {pair.label}: {outcome}")
    return wrong, alarms, outcomes


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(0, PAIRS, PAIRS // 4))
def test_versions_that_may_run_together_read_what_is_true(first: int) -> None:
    seeds = range(first, first + PAIRS // 4)
    wrong, alarms, outcomes = examine(seeds)
    report = f"{seeds}: {dict(outcomes)}, {len(alarms)} safe and not compatible"
    assert not wrong, "\n".join([report, *wrong[:10]])
    assert len(alarms) * 100 <= MOST_FALSE_ALARMS * len(seeds), "\n".join([report, *alarms[:20]])


@pytest.mark.parametrize("claim", CASES)
def test_claim(claim: str) -> None:
    pair = CASES[claim]
    verdict = compare(pair.old.table, pair.new.table, was=pair.was)
    if verdict.outcome not in (Outcome.COMPATIBLE, Outcome.READERS_FIRST):
        assert [*verdict.findings], "what is refused has a reason"
    elif not pair.is_another_table:
        assert problem(pair, verdict.outcome, Random(0)) is None


def test_claim_11_a_field_that_becomes_secret_is_not_silent() -> None:
    old = CASES["13 a key field may be renamed in Python"].old
    new = old.with_entity(old.by_meaning["order"].edited(note={"kind": "secret text"}))
    verdict = compare(old.table, new.table)
    assert verdict.outcome != Outcome.COMPATIBLE
    assert any("note" in str(one) for one in verdict.findings)
