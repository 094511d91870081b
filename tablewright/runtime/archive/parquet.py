"""Parquet files of an archive, written and read by DuckDB: the same bytes for the same rows.

A column is what its type can make of an attribute, or nothing; all of the item is in a column of
its own, so that what Athena has no type for is lost to no reader.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from tablewright.model.archive import ITEM, SEQUENCE, TIME, ArchivePlan, Column
from tablewright.runtime.archive.rows import Row
from tablewright.runtime.store.attribute_values import Wire
from tablewright.runtime.store.records import Item

_OWN = (
    Column(SEQUENCE, "", "string"),
    Column(TIME, "", "timestamp"),
    Column(ITEM, "", "string"),
)
_AT_ONCE = 2000
# One thread writes the rows in their order; nothing is fetched from elsewhere.
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "threads": "1",
    "autoinstall_known_extensions": "false",
}


def all_columns(plan: ArchivePlan) -> tuple[Column, ...]:
    """Every column of the files, in order."""
    return (*plan.columns, *_OWN)


def to_parquet(rows: Iterable[Row], plan: ArchivePlan) -> bytes:
    """A file of these rows."""
    columns = all_columns(plan)
    with TemporaryDirectory() as folder:
        lines, file = Path(folder, "rows.jsonl"), Path(folder, "rows.parquet")
        with lines.open("w") as out:
            out.writelines(json.dumps(_values(row, plan.columns)) + "\n" for row in rows)
        texts = {column.name: _text_type(column) for column in columns}
        chosen = ", ".join(
            f'TRY_CAST("{column.name}" AS {_type(column)}) AS "{column.name}"' for column in columns
        )
        _engine().execute(
            f"COPY (SELECT {chosen} FROM read_json('{lines}', format='newline_delimited', "  # noqa: S608
            f"columns={texts})) TO '{file}' (FORMAT parquet, COMPRESSION zstd)"
        )
        return file.read_bytes()


def from_parquet(body: bytes, keys: Sequence[str] = ()) -> Iterator[Row]:
    """The rows of a file, in its order."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "rows.parquet")
        file.write_bytes(body)
        found = _engine().execute(
            f"SELECT {SEQUENCE}, strftime({TIME}, '%Y-%m-%dT%H:%M:%SZ'), {ITEM} "  # noqa: S608
            f"FROM read_parquet('{file}')"
        )
        while page := found.fetchmany(_AT_ONCE):
            for sequence, at, item in page:
                yield Row.stored(sequence, at, item, keys)


@cache
def _database() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config=_SETTINGS)


def _engine() -> duckdb.DuckDBPyConnection:
    """For one statement: several files are read at once."""
    return _database().cursor()


def _values(row: Row, columns: Iterable[Column]) -> dict[str, Any]:
    image = row.image
    values = {column.name: _value(image, column) for column in columns}
    return {**values, SEQUENCE: str(row.sequence), TIME: row.at, ITEM: row.item}


def _value(image: Item, column: Column) -> Any:
    """An attribute as a text that can be cast to its column's type, or a list of texts."""
    wire = image.get(column.stored)
    if wire is None:
        return None
    ((kind, value),) = wire.items()
    if column.type.startswith("array"):
        return _texts(kind, value)
    return value if kind in ("S", "N", "B") else _as_json(wire)


def _as_json(wire: Wire) -> str:
    """A value as JSON, with numbers as they are: a double would round those of many digits."""
    ((kind, value),) = wire.items()
    if kind in ("N", "NS"):
        return value if kind == "N" else f"[{','.join(value)}]"
    if kind == "M":
        pairs = (f"{json.dumps(name)}:{_as_json(inner)}" for name, inner in value.items())
        return "{" + ",".join(pairs) + "}"
    if kind == "L":
        return f"[{','.join(map(_as_json, value))}]"
    return json.dumps(None if kind == "NULL" else value, separators=(",", ":"))


def _texts(kind: str, value: Any) -> list[str] | None:
    if kind in ("SS", "NS"):
        return list(value)
    if kind == "L":
        return [text for one in value for text in one.values() if isinstance(text, str)]
    return None


def _text_type(column: Column) -> str:
    return "VARCHAR[]" if column.type.startswith("array") else "VARCHAR"


def _type(column: Column) -> str:
    """Athena's type in the words of DuckDB."""
    if column.type.startswith("array<"):
        return f"{_word(column.type[6:-1])}[]"
    return _word(column.type)


def _word(athena: str) -> str:
    return "VARCHAR" if athena == "string" else athena.upper()
