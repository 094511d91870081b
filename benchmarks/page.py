"""The page of what was measured, docs/performance.md: each chapter is of one run."""

import os
import platform
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from toolchain.paths import ROOT

PAGE = ROOT / "docs" / "performance.md"
_HEAD = """\
# Performance

`make bench` measures this and writes this page; `python -m benchmarks --page calls` does it for one
chapter. Machines differ and ratios hardly do, so figures are ratios within one run where there is
something to be compared with: 0.10 is a tenth of its work.

Not measured: AWS itself and the network. Servers are local, and answer at once. CPU is what a
function needs while it works; the time that it waits for DynamoDB is the same for every client.
Instructions are those of the process; what the kernel does for its sockets is in CPU alone.
"""


def measured_on() -> str:
    """When, and on what kind of machine."""
    machine = f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores"
    day = datetime.now(UTC).date().isoformat()
    return f"Measured on {day}: {machine}, Python {platform.python_version()}."


def page(old: str, new: Mapping[str, str], titles: Iterable[str]) -> str:
    """The page with new chapters in the place of old ones, by title, in this order."""
    parts = re.split(r"^(?=## )", old, flags=re.MULTILINE)[1:]
    chapters = {part.partition("\n")[0].removeprefix("## "): part for part in parts}
    chapters |= new
    kept = (chapters[title].strip() + "\n" for title in titles if title in chapters)
    return "\n".join((_HEAD, *kept))
