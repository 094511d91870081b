"""HTML of a table's page: one file that needs nothing else, to be opened or sent."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from markdown_it import MarkdownIt

_STYLE = """
:root{color-scheme:light dark;
--back:#fff;--text:#1c2430;--dim:#56606c;--line:#d5dbe1;--code:#f0f3f6}
@media (prefers-color-scheme:dark){
:root{--back:#14181d;--text:#e6eaee;--dim:#a5b0bc;--line:#343d48;--code:#222930}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1.5rem clamp(1rem,4vw,3rem) 4rem;
background:var(--back);color:var(--text);
font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;overflow-wrap:break-word}
h1{font-size:1.9rem;line-height:1.2;margin:.5rem 0 1rem}
h2{font-size:1.35rem;margin:2.5rem 0 .75rem;padding-bottom:.3rem;
border-bottom:1px solid var(--line)}
h3{font-size:1.1rem;margin:1.75rem 0 .5rem}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.86em}
code{background:var(--code);border-radius:4px;padding:.1em .3em}
pre{background:var(--code);border-radius:6px;padding:1rem;overflow-x:auto}pre code{padding:0}
.scroll{overflow-x:auto;margin:1rem 0;border:1px solid var(--line);border-radius:6px}
.scroll:focus-visible{outline:2px solid #0072b2;outline-offset:2px}
table{border-collapse:collapse;width:max-content;min-width:100%;font-size:.92rem}
th,td{padding:.4rem .7rem;max-width:34rem;text-align:left;vertical-align:top;
border-top:1px solid var(--line)}
td code{white-space:nowrap}thead th{border-top:0;color:var(--dim);font-weight:600}
tbody tr:first-child td{border-top:1px solid var(--line)}
.scroll>svg{display:block;width:100%;min-width:52rem;height:auto}
summary{cursor:pointer;color:var(--dim)}
"""
_PICTURE = re.compile(r'<p><img src="[^"]*" alt="([^"]*)" ?/?></p>')


def html_page(markdown: str, *, title: str, picture: str) -> str:
    """The page as HTML, with its style and its picture in it.

    Example::

        text = html_page(page(design), title=design.id, picture=collections_picture(design))
    """
    # Of the HTML that texts may have, only line breaks of tables are taken as such.
    body = _parser().render(markdown).replace("&lt;br&gt;", "<br>")
    drawn = _PICTURE.sub(lambda found: _scrolling(picture, found[1]), body)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE.strip()}</style>",
            "</head>",
            f"<body><main>\n{drawn}</main></body>",
            "</html>\n",
        ]
    )


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    parser.add_render_rule("fence", _fence)
    return parser


def _scrolling(inner: str, label: str) -> str:
    # Reached by the keyboard, since it may be wider than the screen.
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">{inner}</div>'


def _table_open(*_: Any) -> str:
    return '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>\n'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"


def _fence(_self: Any, tokens: Any, at: int, *_: Any) -> str:
    """A block of code; what a browser cannot draw by itself is folded."""
    code = f"<pre><code>{escape(tokens[at].content)}</code></pre>\n"
    if tokens[at].info.strip() != "mermaid":
        return code
    return f"<details><summary>What writes and reads what, as Mermaid</summary>{code}</details>\n"
