"""Picture of item collections: partitions, and in them items by sort key, as SVG.

It has colours of its own for light and dark, and a background, so that it can stand anywhere. What
does not fit is cut, and whole in the title that a pointer or a screen reader finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import east_asian_width
from xml.sax.saxutils import escape, quoteattr

from tablewright.model import Design
from tablewright.pages.collections.item_collections import Entry, ItemCollection, Place, places

WIDTH = 920
_MARGIN = 16
# Columns: the partition key, then stripe, entity, and the sort key with attributes below it.
_PARTITION, _STRIPE, _ENTITY, _SORT = 16, 312, 326, 446
_ROW, _GAP = 42, 6
# Of 12 pixels' monospaced type; a little more than fonts have, so that nothing runs over.
_CHARACTER, _SMALL_CHARACTER = 7.5, 6.9
_LINES = 2
# Okabe and Ito's colours, which people with any kind of colour vision tell apart.
_COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#f0e442",
    "#999999",
)
_STYLE = """
.tw{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
.tw-back{fill:#ffffff}.tw-box{fill:#f4f6f8;stroke:#c4ccd4}.tw-row{fill:#ffffff;stroke:#d5dbe1}
.tw text{font-size:12px;fill:#1c2430}
.tw .tw-head{font:600 15px system-ui,sans-serif}.tw .tw-note{font:12px system-ui,sans-serif}
.tw .tw-note,.tw .tw-small{fill:#56606c}.tw .tw-small{font-size:11px}
.tw .tw-entity{font:600 12px system-ui,sans-serif}.tw-stripe{stroke:#1c2430;stroke-opacity:.35}
@media (prefers-color-scheme:dark){
.tw-back{fill:#14181d}.tw-box{fill:#1f252c;stroke:#3d4753}.tw-row{fill:#181d23;stroke:#343d48}
.tw text{fill:#e6eaee}.tw .tw-note,.tw .tw-small{fill:#a5b0bc}.tw-stripe{stroke:#e6eaee}}
"""


def collections_picture(design: Design) -> str:
    """The picture of a design: its table and each index, one below the other.

    Example::

        Path("orders.svg").write_text(collections_picture(Orders.__design__))
    """
    stripes = {entity.name: at for at, entity in enumerate(design.entity_list)}
    shown = places(design)
    lines: list[str] = []
    top = _MARGIN
    for place in shown:
        drawn, top = _place(place, stripes, top)
        lines += drawn
    title, says = f"Item collections of {design.id}", _described(shown)
    ids = quoteattr(f"{design.id}-collections")[1:-1]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="tw" viewBox="0 0 {WIDTH} {top}" '
            f'width="{WIDTH}" height="{top}" role="group" '
            f'aria-labelledby="{ids}-title" aria-describedby="{ids}-desc">',
            f'<title id="{ids}-title">{escape(title)}</title>',
            f'<desc id="{ids}-desc">{escape(says)}</desc>',
            f"<style>{_STYLE.strip()}</style>",
            f'<rect class="tw-back" width="{WIDTH}" height="{top}"/>',
            *lines,
            "</svg>\n",
        ]
    )


def _described(shown: list[Place]) -> str:
    parts = []
    for place in shown:
        number = sum(len(one.entries) for one in place.collections)
        items, collections = _many(number, "item"), _many(len(place.collections), "partition")
        parts.append(f"{_name(place)}: {items} in {collections}")
    return "; ".join(parts) + ". Each item has its entity's colour and name."


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _name(place: Place) -> str:
    return f"Index {place.of.name}" if place.of else "Table"


def _place(place: Place, stripes: dict[str, int], top: int) -> tuple[list[str], int]:
    """The lines of a table or index that begins at a height, and the height that it ends at."""
    width = WIDTH - 2 * _MARGIN
    keys = f"partition key {', '.join(place.key.partition)}"
    if place.key.sort:
        keys += f", sort key {', '.join(place.key.sort)}"
    lines = [
        f'<text class="tw-head" x="{_MARGIN}" y="{top + 16}">{escape(_name(place))}</text>',
        _text(_MARGIN, top + 36, keys, "tw-note", int(width / _SMALL_CHARACTER)),
    ]
    top += 48
    if not place.collections:
        lines.append(_text(_MARGIN, top + 12, "none of the example items", "tw-note", 80))
        top += 22
    for collection in place.collections:
        height = len(collection.entries) * (_ROW + _GAP) + _GAP
        lines += [
            "<g>",
            f"<title>{escape(collection.partition)}</title>",
            f'<rect class="tw-box" x="{_MARGIN}" y="{top}" width="{width}" height="{height}" '
            'rx="6"/>',
            *_partition(collection, top),
            "</g>",
        ]
        for at, entry in enumerate(collection.entries):
            lines += _entry(entry, stripes[entry.entity], top + _GAP + at * (_ROW + _GAP))
        top += height + 10
    return lines, top + 14


def _partition(collection: ItemCollection, top: int) -> Iterator[str]:
    most = int((_STRIPE - _PARTITION - 20) / _CHARACTER)
    for at, line in enumerate(_wrapped(collection.partition, most)):
        yield f'<text x="{_PARTITION + 10}" y="{top + 23 + at * 16}">{escape(line)}</text>'


def _entry(entry: Entry, stripe: int, top: int) -> Iterator[str]:
    width = WIDTH - _MARGIN - _GAP - _STRIPE
    room = WIDTH - _MARGIN - _GAP - _SORT - 8
    attributes = ", ".join(f"{name}: {text}" for name, text in entry.attributes.items())
    title = "\n".join(filter(None, (entry.entity, entry.sort, attributes)))
    yield "<g>"
    yield f"<title>{escape(title)}</title>"
    yield f'<rect class="tw-row" x="{_STRIPE}" y="{top}" width="{width}" height="{_ROW}" rx="4"/>'
    yield from _stripe(stripe, top)
    most = int((_SORT - _ENTITY - 6) / _CHARACTER)
    yield _text(_ENTITY, top + 25, entry.entity, "tw-entity", most)
    if entry.sort:
        yield _text(_SORT, top + 17, entry.sort, "", int(room / _CHARACTER))
    height = top + (34 if entry.sort else 25)
    yield _text(_SORT, height, attributes, "tw-small", int(room / _SMALL_CHARACTER))
    yield "</g>"


def _stripe(number: int, top: int) -> Iterator[str]:
    """The mark of an entity: a colour and, where these are used up, in several pieces."""
    around, colour = divmod(number, len(_COLOURS))
    height = _ROW / (around + 1)
    for piece in range(around + 1):
        at = top + piece * height
        yield (
            f'<rect class="tw-stripe" x="{_STRIPE}" y="{at + bool(piece) * 2:g}" width="7" '
            f'height="{height - bool(piece) * 2:g}" rx="2" fill="{_COLOURS[colour]}"/>'
        )


def _text(x: int, y: int, text: str, kind: str, most: int) -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text{style} x="{x}" y="{y}">{escape(_cut(text, most))}</text>'


def _wrapped(text: str, most: int) -> list[str]:
    """A text in lines; what does not fit into the last of them is cut."""
    lines: list[str] = []
    while text and len(lines) < _LINES - 1 and _columns(text) > most:
        line = _head(text, most)
        # Keys are read by their parts.
        at = max(line.rfind(mark) for mark in "#|/: ") + 1
        line = line[:at] if at > most // 2 else line
        lines.append(line)
        text = text[len(line) :]
    return [*lines, _cut(text, most)]


def _cut(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if _columns(text) <= most else _head(text, most - 1) + "…"


def _head(text: str, most: int) -> str:
    """As much of a text as fits into so many columns."""
    taken = 0
    for at, character in enumerate(text):
        taken += _columns(character)
        if taken > most:
            return text[:at]
    return text


def _columns(text: str) -> int:
    return sum(2 if east_asian_width(one) in "WF" else 1 for one in text)
