"""Sphinx extension: what GitHub does with these pages and MyST does not.

Diagrams are drawn, links to source files lead to them, and the navigation is `navigation.py`'s.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from docs.site import source_files
from docs.site.navigation import SECTIONS, TITLES, below


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", add_navigation)
    app.connect("doctree-read", draw_diagrams)
    app.connect("html-page-context", load_diagrams)
    # Before Sphinx collects what is to be downloaded.
    app.connect("doctree-read", source_files.link, priority=100)
    app.connect("build-finished", source_files.write)
    return {"parallel_read_safe": False}


def add_navigation(app: Sphinx, name: str, content: list[str]) -> None:
    """The entries of the navigation, as Sphinx wants them: in the page that stands above."""
    if name == app.config.root_doc:
        content[0] += "".join(_toctree(one.pages, f":caption: {one.title}") for one in SECTIONS)
    elif found := below(f"{name}.md"):
        content[0] += _toctree(found)


def _toctree(pages: Sequence[str], *options: str) -> str:
    entries = [_entry(page) for page in pages]
    return "\n".join(("", "", "```{toctree}", ":hidden:", *options, "", *entries, "```", ""))


def _entry(page: str) -> str:
    place = f"/{page.removesuffix('.md')}"
    return f"{TITLES[page]} <{place}>" if page in TITLES else place


def draw_diagrams(app: Sphinx, doctree: nodes.document) -> None:
    for block in list(doctree.findall(nodes.literal_block)):
        if block.get("language") == "mermaid":
            drawn = f'<div class="mermaid">{escape(block.astext())}</div>'
            block.replace_self(nodes.raw("", drawn, format="html"))


def load_diagrams(
    app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """The drawing library is of three megabytes: only pages with a diagram load it."""
    if doctree and any('class="mermaid"' in raw.astext() for raw in doctree.findall(nodes.raw)):
        app.add_js_file("mermaid/mermaid.tiny.js")
        app.add_js_file("diagrams.js")
