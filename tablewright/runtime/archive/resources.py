"""Resources of an archive's functions: what their environment names."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from tablewright.model.archive import ArchivePlan
from tablewright.runtime.archive.objects import Objects
from tablewright.runtime.aws import Caller, connect, own_session


@cache
def plan() -> ArchivePlan:
    """What the construct told the function of its table."""
    return ArchivePlan.from_json(os.environ["ARCHIVE_PLAN"])


@cache
def objects() -> Objects:
    # A file is larger than what clients usually wait for.
    return Objects(client("s3", read_timeout=30), os.environ["ARCHIVE_BUCKET"])


def client(service: str, **settings: Any) -> Caller:
    return connect(own_session(), service, **settings)
