"""The page of all that was measured in one run: docs/performance.md."""

import os
import platform
from collections.abc import Iterable
from datetime import UTC, datetime

from benchmarks.chapter import Chapter
from toolchain.paths import ROOT

PAGE = ROOT / "docs" / "performance.md"
_HEAD = """\
# Performance

Measured on {date} in one run of `make bench`, which writes this page; \
`python -m benchmarks calls` measures one chapter. The machine: {machine}, {cores} cores, {system}, Python {python}. Machines \
differ and ratios hardly do, so figures are ratios within the run wherever there is something to \
be compared with: 0.10 is a tenth of its work.

Not measured: AWS itself and the network. Servers are local, and answer at once. CPU is what a \
function is billed for while it works; the time it waits for DynamoDB is the same for every client.
"""


def page(chapters: Iterable[Chapter]) -> str:
    head = _HEAD.format(
        date=datetime.now(UTC).date().isoformat(),
        machine=platform.machine(),
        cores=os.cpu_count(),
        system=platform.system(),
        python=platform.python_version(),
    )
    return "\n".join((head, *(chapter.markdown() for chapter in chapters)))
