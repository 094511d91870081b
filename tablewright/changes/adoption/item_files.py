"""Files of items in DynamoDB's JSON: exports to S3, and what `aws dynamodb scan` prints."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import IO, Any

from tablewright.model.errors import TablewrightError
from tablewright.runtime.store.records import Item

_TYPES = {"S": str, "B": str, "BOOL": bool, "NULL": bool}
_LEVELS = 32  # of a value in DynamoDB
_NUMBER = r"-?\d{1,40}(\.\d{1,130})?([eE][+-]?\d{1,3})?"
_FORMS = (
    'lines such as {"Item": {…}}, as an export to S3 has them, or what `aws dynamodb scan` prints'
)


class UnreadableItems(TablewrightError):
    """A file holds no items in DynamoDB's JSON."""


def read_items(place: Path, most: int) -> tuple[Item, ...]:
    """At most so many items of a file or of an export's folder, from all over it.

    Files may be compressed (.gz). The same file gives the same items each time.
    """
    kept: list[dict[str, Any]] = []
    chance = Random(0)  # noqa: S311 - chosen, not hidden
    for at, found in enumerate(_every(place)):
        # Each is kept with the same probability, however many there are (reservoir sampling).
        if at < most:
            kept.append(found)
        elif (slot := chance.randrange(at + 1)) < most:
            kept[slot] = found
    if not kept:
        raise UnreadableItems(f"{place} has no items: it must have {_FORMS}")
    return tuple(_checked(place, one) for one in kept)


def _every(place: Path) -> Iterator[dict[str, Any]]:
    for file in _files(place):
        with _opened(file) as text:
            yield from _in_file(file, text)


def _files(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    found = [*place.rglob("*.json"), *place.rglob("*.json.gz")]
    # Beside the data of an export lie lists of its files.
    return sorted(file for file in found if not file.name.startswith("manifest-"))


def _opened(file: Path) -> IO[str]:
    if file.suffix == ".gz":
        return gzip.open(file, "rt", encoding="utf-8")
    return file.open(encoding="utf-8")


def _in_file(file: Path, text: IO[str]) -> Iterator[dict[str, Any]]:
    try:
        for number, line in enumerate(text):
            if not line.strip():
                continue
            try:
                data = json.loads(line)
            except ValueError:
                if number:
                    raise
                # Not a line of its own: a document over several.
                data = json.loads(line + text.read())
            yield from _items_of(file, data)
    except (ValueError, EOFError, RecursionError, gzip.BadGzipFile) as error:
        raise UnreadableItems(f"{file} cannot be read, {error}: it must have {_FORMS}") from None


def _items_of(file: Path, data: object) -> Iterator[dict[str, Any]]:
    if isinstance(data, dict) and isinstance(data.get("Item"), dict):
        yield data["Item"]
    elif isinstance(data, dict) and isinstance(data.get("Items"), list):
        yield from data["Items"]
    else:
        raise UnreadableItems(f"{file} has something else than items: it must have {_FORMS}")


def _checked(place: Path, item: Any) -> Item:
    if not isinstance(item, dict):
        raise UnreadableItems(f"{place} has an item that is no object: it must have {_FORMS}")
    for name, value in item.items():
        if not _is_value(value):
            raise UnreadableItems(
                f"{place} has an item with {name!r} without a type of DynamoDB: it must have "
                f"{_FORMS}"
            )
    return dict(item)


def _is_value(value: Any, level: int = 0) -> bool:
    """True for a value in DynamoDB's JSON."""
    if not isinstance(value, dict) or len(value) != 1 or level > _LEVELS:
        return False
    ((kind, content),) = value.items()
    if kind == "M":
        members = content.values() if isinstance(content, dict) else [None]
        return all(_is_value(member, level + 1) for member in members)
    if kind in ("L", "SS", "NS", "BS"):
        elements = content if isinstance(content, list) else [None]
        wrapped = elements if kind == "L" else [{kind[0]: element} for element in elements]
        return all(_is_value(element, level + 1) for element in wrapped)
    if kind == "N":
        return isinstance(content, str) and re.fullmatch(_NUMBER, content, re.ASCII) is not None
    return kind in _TYPES and isinstance(content, _TYPES[kind])
