"""The walks that CONTRIBUTING shows lead through files that are there, and not through many."""

import re

import pytest

from cdk_app.settings import ROOT

# Files, and changes of folder.
MOST = {"A sale": (16, 8), "A sentiment item": (22, 8), "A form": (22, 8), "An item": (11, 4)}
_WALK = re.compile(
    r"\*\*(?P<title>[^*]+)\*\*[^|]*\|[^|]+\|[^|]+\|\n\|---\|---\|\n(?P<rows>(?:\|.*\n)+)"
)


def walks() -> dict[str, list[tuple[str, list[str]]]]:
    """Each walk's folders in order, with the files in them."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return {
        walk["title"]: [
            (folder, re.findall(r"`([^`]+)`", files))
            for folder, files in re.findall(r"\| `([^`]+)` \| (.*) \|", walk["rows"])
        ]
        for walk in _WALK.finditer(text)
    }


def test_every_file_of_a_walk_is_there() -> None:
    found = walks()
    assert len(found) == 6
    for steps in found.values():
        for folder, files in steps:
            assert [name for name in files if not (ROOT / folder / name).is_file()] == []


@pytest.mark.parametrize("walk", MOST)
def test_a_walk_is_short(walk: str) -> None:
    (steps,) = (steps for title, steps in walks().items() if title.startswith(walk))
    files, changes = sum(len(files) for _, files in steps), len(steps) - 1
    assert files <= MOST[walk][0]
    assert changes <= MOST[walk][1]
