"""Usage in a file of JSON: written by one machine, read by another."""

import json
from dataclasses import asdict
from pathlib import Path

from tablewright.recommendations.json_form import from_json
from tablewright.recommendations.usage import InvalidUsage, StageUsage
from tablewright.runtime.strict_json import InvalidJson, parse


def write_usage(usage: StageUsage, path: Path) -> None:
    """Write usage to a file; `read_usage` gives back an equal one."""
    path.write_text(usage_json(usage))


def read_usage(path: Path) -> StageUsage:
    """Usage that was written to a file; raises InvalidUsage where it is none."""
    return usage_from(path.read_bytes(), str(path))


def usage_json(usage: StageUsage) -> str:
    """Usage as JSON; numbers that may have decimals are texts, so that none is rounded."""
    return json.dumps(asdict(usage), default=str) + "\n"


def usage_from(text: str | bytes, name: str = "usage") -> StageUsage:
    """Usage that was made JSON of; `name` is what errors call the text."""
    try:
        given = parse(text)
    except InvalidJson as error:
        raise InvalidUsage(f"{name} {error}") from None
    return from_json(StageUsage, given, "usage")
