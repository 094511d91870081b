"""Example of a traffic file: every pattern and entity of a design, with numbers to change."""

from collections.abc import Iterator

from tablewright.costs.estimates.pattern_units import PAGE, item_size
from tablewright.costs.prices import HOURS_PER_MONTH
from tablewright.model import Design
from tablewright.model.patterns import Listing, Query, Scan

_UNTOLD_BYTES = 1000


def traffic_example(design: Design) -> str:
    """A traffic file for a design, as text."""
    return "\n".join(_lines(design)) + "\n"


def _lines(design: Design) -> Iterator[str]:
    yield from (
        f"# Traffic of {design.id}, for `tablewright cost`. A month has {HOURS_PER_MONTH} hours.",
        "# Every number is to be changed. How often: one of per_second, per_day, per_month.",
        "",
        'region = "us-east-1"',
        "peak = 2                       # busy hours have so many times the average",
        "peak_hours = 4                 # of each day",
        "utilization = 70               # percent of provisioned capacity, for auto-scaling",
        "point_in_time_recovery = true",
        "copies = 0                     # whole backups that are kept",
        "alarms = 0                     # metrics that alarms watch",
        '# replicas = ["eu-west-1"]     # each takes every write and keeps every item',
        f'# measured = "{design.id}.capacity.json"  # of `tablewright measure`; else computed',
    )
    if design.stream:
        yield "stream_readers = 0             # others than Lambda, which reads for nothing"
    for pattern in design.pattern_list:
        yield ""
        kinds = ", ".join(pattern.entities)
        place = f" by {pattern.index}" if pattern.index else ""
        yield f"[patterns.{pattern.name}]  # {type(pattern).__name__} of {kinds}{place}"
        yield "per_day = 1_000"
        if isinstance(pattern, Query):
            yield f"items = {PAGE}                     # of a page"
        elif pattern.verb.startswith("Batch"):
            yield "items = 1                      # of a batch"
        if isinstance(pattern, Listing) and design.epochs:
            yield "# shards = 1                   # that a list is spread over"
        if isinstance(pattern, Scan):
            yield "# reads all that is kept, see below"
        if pattern.verb == "UpdateItem" and design.entities[pattern.entity].indexed:
            name = next(iter(design.entities[pattern.entity].indexed))
            yield f'# moves = ["{name}"]  # indexes in which the change gives it another place'
    for entity in design.entity_list:
        yield ""
        yield f"[items.{entity.name}]"
        yield "number = 100_000               # or: per_day, and for how many days they are kept"
        if entity.example:
            size = item_size(design, entity).table
            yield f"# size = {size}  # bytes; by default those of the example"
        else:
            yield f"size = {_UNTOLD_BYTES}                    # bytes: there is no example to go by"
    yield from (
        "",
        "# [functions.api]              # any number of functions that use the table",
        "# per_day = 1_000",
        "# ms = 50",
        "# mb = 512",
    )
