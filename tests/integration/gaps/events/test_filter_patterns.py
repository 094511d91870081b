"""A filter on what is absent holds where AWS's would."""

import json
from pathlib import Path

from tests.integration.gaps.clouds import script

MATCHES = """
import json
from ministack.services import lambda_svc
from local.gaps.events import filter_patterns

{close}
for image, pattern in json.loads({cases!r}):
    record = {{"dynamodb": {{"NewImage": image}}}}
    filters = [{{"Pattern": json.dumps({{"dynamodb": {{"NewImage": pattern}}}})}}]
    criteria = {{"FilterCriteria": {{"Filters": filters}}}}
    print(len(lambda_svc._apply_filter_criteria([record], criteria)))
"""
UNMARKED = {"mark": {"S": [{"exists": False}]}}
NEW = {"kind": {"S": "sale"}}
CASES = (
    (NEW, UNMARKED, True),
    ({**NEW, "mark": {"N": "1"}}, UNMARKED, True),
    ({**NEW, "mark": {"S": "x"}}, UNMARKED, False),
    (NEW, {"kind": {"S": ["sale"]}, **UNMARKED}, True),
    (NEW, {"kind": {"S": ["other"]}, **UNMARKED}, False),
    (NEW, {"mark": {"S": [{"exists": True}]}}, False),
    (NEW, {"mark": {"S": [{"anything-but": ["x"]}]}}, False),
)


def matched(folder: Path, close: str) -> list[bool]:
    """Which of the cases match, as the emulator's own interpreter finds."""
    cases = json.dumps([case[:2] for case in CASES])
    done = script(MATCHES.format(close=close, cases=cases), folder)
    assert done.returncode == 0, done.stderr
    return [line == "1" for line in done.stdout.split()]


def test_what_is_asked_to_be_absent_may_be_so_with_all_that_would_hold_it(tmp_path: Path) -> None:
    assert matched(tmp_path, "filter_patterns.close()") == [case[2] for case in CASES]


def test_with_the_gap_open_it_may_not(tmp_path: Path) -> None:
    assert matched(tmp_path, "")[0] is False
