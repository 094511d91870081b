"""Intake function of an archive: keeps what the stream brings, until it is compacted."""

from __future__ import annotations

from typing import Any

from tablewright.runtime.archive.intake import Intake
from tablewright.runtime.archive.resources import objects, plan
from tablewright.runtime.deadline import in_time


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Records of the stream, or of a redrive of what was given up."""
    return Intake(objects(), plan()).take(event["Records"])
