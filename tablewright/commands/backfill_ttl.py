"""Give expiry to items that were stored before their table had it.

    python -m tablewright.commands.backfill_ttl --table NAME --region REGION \\
        --design tablewright.catalog.sales.design:Sales --dry-run

Never shortens an item's life: an expiry that is missing or earlier than the design's is set, a
later one is left alone. Can be stopped at any moment and started again: it goes on where it was.
"""

import argparse
import sys
from collections import Counter
from typing import Any

from tablewright.commands import segments
from tablewright.commands.named import table_design
from tablewright.commands.segments import Rate
from tablewright.model import Design, EntityModel
from tablewright.model.errors import InvalidValue, KeyMismatch
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Conflict
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item

# What can become of an item, and how it is put in the summary.
OUTCOMES = {
    "set": "expiry set",
    "right": "had the right expiry",
    "later": "kept a later expiry",
    "changed": "changed or deleted meanwhile, left alone",
    "foreign": "not of an entity that expires",
    "unreadable": "without a readable date",
    "endless": "of a date that no expiry can be computed from",
    "not_a_number": "with a non-numeric ttl, left alone",
}
# What somebody has to look at.
UNSETTLED = ("unreadable", "endless", "not_a_number")
IF_IT_WERE_DONE = {**OUTCOMES, "set": "expiry would be set"}


class Backfill:
    """Sets the expiry of each item that needs it."""

    def __init__(
        self, design: Design, table: str, caller: Caller, *, rate: Rate, dry_run: bool
    ) -> None:
        self._design = design
        self._table = table
        self._caller = caller
        self._rate = rate
        self._dry_run = dry_run
        self._expiring = [entity for entity in design.entity_list if entity.expires]

    @property
    def request(self) -> dict[str, Any]:
        """What is scanned."""
        expressions = Expressions()
        names = [*self._design.key.names, self._design.ttl]
        for entity in self._expiring:
            names.append(_expiry_field(entity).stored)
        projection = expressions.projection([name for name in names if name])
        return expressions.into({"TableName": self._table, "ProjectionExpression": projection})

    def settle(self, items: list[Item]) -> Counter[str]:
        return Counter(self._settle(item) for item in items)

    def _settle(self, item: Item) -> str:
        """Set the item's expiry if it needs it; gives what became of it."""
        entity = self._entity_of(item)
        if entity is None or entity.expires is None or self._design.ttl is None:
            return "foreign"
        field = _expiry_field(entity)
        try:
            since = field.check(item.get(field.stored, {}).get("S"))
        except InvalidValue:
            return "unreadable"
        if entity.expires.refuses(since):
            return "endless"
        expiry = entity.expires.at(since)
        there = item.get(self._design.ttl)
        if there is not None:
            if "N" not in there:
                return "not_a_number"
            if float(there["N"]) >= expiry:
                return "right" if float(there["N"]) == expiry else "later"
        if self._dry_run:
            return "set"
        return self._write(item, field.stored, expiry)

    def _write(self, item: Item, seen: str, expiry: int) -> str:
        expressions, new = Expressions(), {"N": str(expiry)}
        pk, ttl = self._design.pk, expressions.name(str(self._design.ttl))
        value = expressions.value(new)
        params = {
            "TableName": self._table,
            "Key": {n: item[n] for n in self._design.key.names},
            "UpdateExpression": f"SET {ttl} = {value}",
            # Without the first part, an item deleted since the scan would come back to life.
            "ConditionExpression": f"attribute_exists({expressions.name(pk)}) AND "
            f"{expressions.equal(seen, item[seen])} AND "
            f"(attribute_not_exists({ttl}) OR {ttl} < {value})",
        }
        self._rate.wait()
        try:
            self._caller.call("UpdateItem", expressions.into(params))
        except Conflict:
            return "changed"
        return "set"

    def _entity_of(self, item: Item) -> EntityModel | None:
        for entity in self._expiring:
            try:
                for attribute, template in self._design.key.of(entity.key):
                    template.parse(item[attribute]["S"])
            except KeyMismatch:
                continue
            return entity
        return None


def _expiry_field(entity: EntityModel) -> Any:
    return entity.by_name[entity.expires.field] if entity.expires else None


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return segments.carry_out(lambda: _backfill(options))


def _backfill(options: argparse.Namespace) -> int:
    design: Design = options.design.__design__
    caller = segments.patient_caller(options)
    about = caller.call("DescribeTable", {"TableName": options.table})["Table"]
    backfill = Backfill(
        design, options.table, caller, rate=Rate(options.rate), dry_run=options.dry_run
    )
    counts = segments.go_through(
        options,
        caller,
        backfill.request,
        backfill.settle,
        of=options.table,
        state=f"backfill-{options.table}.json",
        items=about["ItemCount"],
    )
    outcomes = IF_IT_WERE_DONE if options.dry_run else OUTCOMES
    segments.summary(counts, outcomes, dry_run=options.dry_run)
    return 1 if any(counts[outcome] for outcome in UNSETTLED) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="backfill_ttl",
        description="Give expiry to items that were stored before their table had it. "
        "Stopped or killed, the same command goes on where it was.",
    )
    parser.add_argument("--table", required=True, help="the table's name")
    parser.add_argument("--region", required=True, help="the table's region")
    parser.add_argument(
        "--design",
        required=True,
        type=table_design,
        metavar="MODULE:NAME",
        help="its design, such as tablewright.catalog.sales.design:Sales",
    )
    segments.add_options(parser, state="backfill-TABLE.json")
    return parser


if __name__ == "__main__":
    sys.exit(main())
