"""Source files that pages link to: each shown on a page of its own, outside of the navigation."""

import posixpath
from html import escape
from pathlib import Path
from string import Template

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

from docs.site.navigation import ROOT

_FOLDER = "sources"
_LANGUAGES = {".py": "python", ".js": "javascript", ".json": "json"}
# Plain: with the navigation of the whole site, hundreds of them would take minutes to build.
_PAGE = Template((Path(__file__).parent / "source.html").read_text())


def link(app: Sphinx, doctree: nodes.document) -> None:
    """Turns links to files and folders that are no pages into links to what shows them."""
    page = app.env.docname
    kinds = (addnodes.download_reference, addnodes.pending_xref)
    for found in [one for kind in kinds for one in doctree.findall(kind)]:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), found["reftarget"]))
        if path.endswith(".md") or path.startswith(".") or not (ROOT / path).exists():
            continue
        shown = _address(path, posixpath.dirname(page))
        reference = nodes.reference("", "", *found.children, refuri=shown, internal=True)
        found.replace_self(reference)
        _linked(app).add(path)


def write(app: Sphinx, failed: Exception | None) -> None:
    """Writes a page for everything linked to, and for what is in linked folders."""
    if failed:
        return
    bridge = PygmentsBridge("html", "default")
    waiting = sorted(_linked(app))
    written: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path in written:
            continue
        written.add(path)
        source = ROOT / path
        if source.is_dir():
            files = sorted(str(file.relative_to(ROOT)) for file in source.rglob("*.py"))
            waiting += files
            body = _list(files, posixpath.dirname(_page(path)))
        else:
            language = _LANGUAGES.get(source.suffix, "none")
            body = bridge.highlight_block(source.read_text(), language)
        place = Path(app.outdir, _page(path))
        place.parent.mkdir(parents=True, exist_ok=True)
        home = posixpath.relpath(".", posixpath.dirname(_page(path)))
        place.write_text(_PAGE.substitute(path=escape(path), home=home, body=body))


def _linked(app: Sphinx) -> set[str]:
    found: set[str] = app.env.__dict__.setdefault("linked_sources", set())
    return found


def _page(path: str) -> str:
    return f"{_FOLDER}/{path}.html"


def _address(path: str, folder: str) -> str:
    return posixpath.relpath(_page(path), folder or ".")


def _list(files: list[str], folder: str) -> str:
    lines = (f'<li><a href="{_address(file, folder)}">{escape(file)}</a></li>' for file in files)
    return f"<ul>{''.join(lines)}</ul>"
