"""`make bench`: measures everything and writes docs/performance.md.

`python -m benchmarks calls soak` measures these chapters alone and prints them; with `--page` they
are put into the page.
"""

import sys
import time
import traceback
from collections.abc import Callable, Mapping

from benchmarks.chapter import Chapter
from benchmarks.chapters import calls, native, others, soak, starts, warm
from benchmarks.page import PAGE, measured_on, page

# By what they are asked for, in the order of the page: title, and what measures it.
CHAPTERS: Mapping[str, tuple[str, Callable[[], Chapter]]] = {
    "calls": ("Calls", calls.run),
    "starts": ("Starts", starts.run),
    "warm": ("Warm requests", warm.run),
    "native": ("Native transport", native.run),
    "soak": ("Soak", soak.run),
    "encryption": ("Secret fields", others.encrypted),
    "imports": ("Imports", others.imported),
    "bundle": ("Bundle", others.bundled),
    "compression": ("Payloads of forms", others.compressed),
    "projection": ("Projection", others.projected),
    "insertion": ("Insertion", others.inserted),
}
TITLES = [title for title, _ in CHAPTERS.values()]


def main(arguments: list[str]) -> int:
    asked = [name for name in arguments if name != "--page"]
    if unknown := [name for name in asked if name not in CHAPTERS]:
        print(f"There is no chapter {unknown[0]}. Give some of: {', '.join(CHAPTERS)}")
        return 2
    broken: list[str] = []
    for name in asked or CHAPTERS:
        start = time.monotonic()
        title, measure = CHAPTERS[name]
        try:
            chapter = measure()
        except Exception as error:
            # The other chapters can be measured all the same.
            traceback.print_exc()
            broken.append(f"{name} was not measured: {error}")
            continue
        text = f"## {title}\n\n{chapter.markdown()}\n{measured_on()}\n"
        print(text, flush=True)
        print(f"({name} took {time.monotonic() - start:.0f} s)\n", file=sys.stderr, flush=True)
        if "--page" in arguments:
            old = PAGE.read_text() if PAGE.exists() else ""
            PAGE.write_text(page(old, {title: text}, TITLES))
        broken += chapter.broken
    for what in broken:
        print(f"Failed. {what}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
