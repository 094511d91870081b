"""Picture of a spread: for each place, the partitions of the tenant that has the hottest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol
from xml.sax.saxutils import escape

_WIDTH, _ROW, _TOP, _LEFT = 960, 120, 56, 70
_PANEL = 410
_BAR_HEIGHT = 80
_HIGHEST = 10.0  # even shares that fit into a row
_EVEN, _HOT, _INK, _PALE = "#2a7f62", "#c0392b", "#222222", "#bbbbbb"
_TOO_HOT = 1.10


class Row(Protocol):
    """What is drawn of one place."""

    @property
    def place(self) -> str: ...
    @property
    def hottest(self) -> str: ...
    @property
    def even(self) -> float: ...
    @property
    def ratio(self) -> float: ...
    @property
    def of_its_tenant(self) -> tuple[int, ...]: ...


def draw(schemes: Mapping[str, Sequence[Row]]) -> str:
    """The picture as SVG: a column for each scheme, a row for each place, a bar a partition."""
    places = list(dict.fromkeys(row.place for rows in schemes.values() for row in rows))
    height = _TOP + _ROW * len(places) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="sans-serif" font-size="13" role="img" '
        'aria-label="Load of the partitions of the hottest tenant, in even shares">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for column, (scheme, rows) in enumerate(schemes.items()):
        left = _LEFT + column * (_PANEL + 40)
        parts.append(_text(left, 28, scheme, size=17))
        by_place = {row.place: row for row in rows}
        for number, place in enumerate(places):
            base = _TOP + _ROW * number + _BAR_HEIGHT + 10
            if column == 0:
                parts.append(_text(12, base, place))
            row = by_place.get(place)
            parts += _bars(left, base, row) if row else [_text(left, base, "none", _PALE)]
    parts.append(
        _text(_LEFT, height - 10, "A bar is a partition, its height what it carries; the line is "
              "an even share of the tenant's submissions.", size=12)
    )  # fmt: skip
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _bars(left: int, base: int, row: Row) -> Iterator[str]:
    shown = row.of_its_tenant
    width = min(26.0, (_PANEL - 20) / max(10, len(shown)) - 4)
    for number, load in enumerate(shown):
        share = load / row.even
        height = min(share / _HIGHEST, 1) * _BAR_HEIGHT
        colour = _HOT if share > _TOO_HOT else _EVEN
        yield (
            f'<rect x="{left + number * (width + 4):.1f}" y="{base - height:.1f}" '
            f'width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'
        )
    even = base - _BAR_HEIGHT / _HIGHEST
    yield (
        f'<line x1="{left}" y1="{even:.1f}" x2="{left + _PANEL - 20}" y2="{even:.1f}" '
        f'stroke="{_INK}" stroke-dasharray="4 3"/>'
    )
    caption = f"hottest: {row.ratio:.2f} of an even share ({row.hottest})"
    yield _text(left, base + 16, caption, size=11)


def _text(x: int, y: int, text: str, colour: str = _INK, *, size: int = 13) -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}" font-size="{size}">{escape(text)}</text>'
