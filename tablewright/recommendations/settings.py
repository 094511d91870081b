"""Settings of a stage that carry recommendations out, as its file has them."""

import json
from collections.abc import Iterable

from tablewright.recommendations.options import Option
from tablewright.recommendations.recommendation import Change, Recommendation

# Keys of a stage file, some of them in the table of a system.
ACCELERATOR = "sentiment.accelerator"
CAPACITY = "capacity"
LOG_DAYS = "log_days"


def capacity_change(name: str, option: Option) -> Change:
    """The capacity of a table, by the name that settings have for it."""
    if not option.provisioned:
        return Change(words="on demand", setting=CAPACITY, value=f"{name}=on-demand")
    words = f"provisioned, reads {option.reads}, writes {option.writes}"
    value = f"{name}=provisioned:{option.reads}/{option.writes}"
    return Change(words=words, setting=CAPACITY, value=value)


def setting_lines(recommendations: Iterable[Recommendation], *, safe_only: bool) -> list[str]:
    """Lines of a stage file, one for each setting; values of the same setting are listed in it."""
    values: dict[str, list[str]] = {}
    for one in recommendations:
        for change in one.changes if one.safe or not safe_only else ():
            if change.setting and change.value:
                values.setdefault(change.setting, []).append(change.value)
    tables: dict[str, list[str]] = {}
    for name, some in values.items():
        table, _, key = name.rpartition(".")
        tables.setdefault(table, []).append(f"{key} = {_literal(some)}")
    # Keys after the head of a table would be that table's.
    return [
        line
        for table in sorted(tables)
        for line in (*([f"[{table}]"] if table else ()), *tables[table])
    ]


def _literal(values: list[str]) -> str:
    """Values of one setting in TOML: those by name in a table, else the last."""
    named = dict(value.split("=", 1) for value in values if "=" in value)
    if named:
        pairs = (f"{json.dumps(name)} = {json.dumps(value)}" for name, value in named.items())
        return f"{{{', '.join(pairs)}}}"
    value = values[-1]
    if value in ("on", "off"):
        return "true" if value == "on" else "false"
    return value if value.isdigit() else json.dumps(value)
