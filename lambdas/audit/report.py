"""Report of an audit: for programs in JSON, for people in Markdown."""

import json
from collections.abc import Sequence
from datetime import datetime

from lambdas.audit.checks import Check
from tablewright.model.fields.time import iso_utc


def as_json(checks: Sequence[Check], now: datetime) -> str:
    """Everything that was looked at."""
    wrong = sum(not one.holds for one in checks)
    listed = [{**one._asdict(), "holds": one.holds} for one in checks]
    whole = {"audited_at": iso_utc(now), "checks": len(checks), "wrong": wrong, "listed": listed}
    return json.dumps(whole, indent=2)


def as_markdown(checks: Sequence[Check], now: datetime) -> str:
    """What is wrong first, then how much was looked at of what."""
    wrong = [one for one in checks if not one.holds]
    lines = [f"# Audit of {iso_utc(now)}", "", f"{len(checks)} checks, {len(wrong)} wrong."]
    if wrong:
        lines += ["", "| | point | promised | found |", "|---|---|---|---|"]
        lines += [f"| {o.subject} | {o.point} | {o.promised} | {_short(o.found)} |" for o in wrong]
    points = sorted({one.point for one in checks})
    lines += ["", "| looked at | holds | wrong |", "|---|---|---|"]
    for point in points:
        those = [one.holds for one in checks if one.point == point]
        lines.append(f"| {point} | {sum(those)} | {len(those) - sum(those)} |")
    return "\n".join(lines) + "\n"


def _short(found: object) -> str:
    if isinstance(found, list):
        return "; ".join(map(str, found[:3])) + (f"; {len(found)} in all" if len(found) > 3 else "")
    return str(found)
