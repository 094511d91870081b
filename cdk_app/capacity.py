"""Capacity of tables as a setting writes it: ``on-demand:1000/4000``, ``provisioned:5-100@70``."""

import re

from cdk_app.setting import Parser
from tablewright.constructs import Capacity, Scaling

_UNITS = r"[1-9]\d{0,6}"
_PAIR = re.compile(rf"({_UNITS})/({_UNITS})")
_RANGE = re.compile(rf"({_UNITS})-({_UNITS})(?:@(\d{{1,3}}))?")
_WARM = "warm="
# What a table on demand takes at once when it is new.
_LEAST_READ, _LEAST_WRITE = 12_000, 4_000


def _read(text: str) -> Capacity:
    kind, *options = text.split(":")
    warm = _units("warm", options.pop()[len(_WARM) :]) if _is_warm(options) else {}
    if kind == "on-demand" and len(options) <= 1:
        if warm and (warm["warm_read"] < _LEAST_READ or warm["warm_write"] < _LEAST_WRITE):
            raise ValueError(f"a new table is warm for {_LEAST_READ}/{_LEAST_WRITE} by itself")
        limits = _units("max", options[0]) if options else {}
        return Capacity.on_demand(**limits, **warm)
    if kind == "provisioned" and len(options) == 1:
        read, _, write = options[0].partition("/")
        scaling = _scaling(read)
        return Capacity.provisioned(
            read=scaling, write=_scaling(write) if write else scaling, **warm
        )
    raise ValueError


def _is_warm(options: list[str]) -> bool:
    return bool(options) and options[-1].startswith(_WARM)


def _units(what: str, text: str) -> dict[str, int]:
    if not (match := _PAIR.fullmatch(text)):
        raise ValueError
    return {f"{what}_read": int(match[1]), f"{what}_write": int(match[2])}


def _scaling(text: str) -> Scaling:
    if not (match := _RANGE.fullmatch(text)):
        raise ValueError
    low, high, target = match.groups()
    return Scaling(
        min=int(low), max=int(high), target_percent=int(target or Scaling.target_percent)
    )


CAPACITY = Parser(
    "on-demand, on-demand:READ/WRITE with the most units a second, or "
    "provisioned:LEAST-MOST@PERCENT (of reads and writes, or the two with a slash between), each "
    "with :warm=READ/WRITE if wanted",
    _read,
)
