"""`make bench`: measures everything and writes docs/performance.md.

`python -m benchmarks calls soak` measures these chapters alone, and prints them.
"""

import sys
import time
from collections.abc import Callable, Mapping

from benchmarks import calls, others, soak, starts, warm
from benchmarks.chapter import Chapter
from benchmarks.page import PAGE, page

CHAPTERS: Mapping[str, Callable[[], Chapter]] = {
    "calls": calls.run,
    "starts": starts.run,
    "warm": warm.run,
    "soak": soak.run,
    "encryption": others.encrypted,
    "imports": others.imported,
    "bundle": others.bundled,
    "compression": others.compressed,
    "projection": others.projected,
    "insertion": others.inserted,
}


def main(asked: list[str]) -> int:
    if unknown := [name for name in asked if name not in CHAPTERS]:
        print(f"There is no chapter {unknown[0]}. Give some of: {', '.join(CHAPTERS)}")
        return 2
    chapters = []
    for name in asked or CHAPTERS:
        start = time.monotonic()
        chapters.append(CHAPTERS[name]())
        print(chapters[-1].markdown(), flush=True)
        print(f"({name} took {time.monotonic() - start:.0f} s)\n", file=sys.stderr, flush=True)
    if not asked:
        PAGE.write_text(page(chapters))
    broken = [what for chapter in chapters for what in chapter.broken]
    for what in broken:
        print(f"A bound is broken. {what}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
