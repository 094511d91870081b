"""Markdown as GitHub reads it: links, anchors, fenced blocks."""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

_FENCE = re.compile(
    r"^(?P<marks>`{3,})(?P<language>\S*)[^\n]*\n(?P<code>.*?)^(?P=marks)$", re.M | re.S
)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: its language, if it says one, and what is in it."""

    language: str
    code: str


def blocks(text: str) -> list[Block]:
    return [Block(found["language"], found["code"]) for found in _FENCE.finditer(text)]


def prose(text: str) -> str:
    """All but code, in which nothing is a link or a heading."""
    return re.sub(r"`[^`\n]+`", "", _FENCE.sub("", text))


def links(text: str) -> list[str]:
    """What the links of a page lead to, in their order, images included."""
    return _LINK.findall(prose(text))


def anchors(text: str) -> set[str]:
    """What a link can name on a page: its headings; of equal ones the later have a number."""
    slugs = [
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in _HEADING.findall(_FENCE.sub("", text))
    ]
    seen: Counter[str] = Counter()
    found = set()
    for slug in slugs:
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def linked_pages(page: Path) -> list[Path]:
    """The Markdown files that a page links to, each once, in the order of the links."""
    targets = (link.partition("#")[0] for link in links(page.read_text()) if "://" not in link)
    pages = ((page.parent / target).resolve() for target in targets if target.endswith(".md"))
    return list(dict.fromkeys(pages))
