"""Give expiry to items that were stored before their table had it.

    tablewright backfill-ttl --table NAME --region REGION \\
        --design tablewright.catalog.sales.design:Sales --dry-run

Never shortens an item's life: an expiry that is missing or earlier than the design's is set, a
later one is left alone. Can be stopped at any moment and started again: it goes on where it was.
"""

import argparse
from collections import Counter
from typing import Any

from tablewright.commands import segments
from tablewright.commands.named import table_design
from tablewright.commands.segments import Rate
from tablewright.model import Design, EntityModel
from tablewright.model.errors import InvalidValue
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Conflict
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item, Records

# What can become of an item, and how it is put in the summary.
OUTCOMES = {
    "set": "expiry set",
    "right": "had the right expiry",
    "later": "kept a later expiry",
    "changed": "changed or deleted meanwhile, left alone",
    "endless": "that do not expire",
    "unreadable": "without a readable date",
    "impossible": "of a date that no expiry can be computed from",
    "not_a_number": "with a non-numeric ttl, left alone",
}
# What somebody has to look at.
UNSETTLED = ("unreadable", "impossible", "not_a_number")
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
        self._records = [Records(design, entity) for entity in design.entity_list]

    @property
    def request(self) -> dict[str, Any]:
        """What is scanned."""
        expressions = Expressions()
        design = self._design
        names = [*design.key.names, design.ttl, design.entity_type]
        names += [_expiry_field(entity).stored for entity in design.entity_list if entity.expires]
        once = dict.fromkeys(name for name in names if name)
        projection = expressions.projection([*once])
        return expressions.into({"TableName": self._table, "ProjectionExpression": projection})

    def settle(self, items: list[Item]) -> Counter[str]:
        return Counter(self._settle(item) for item in items)

    def _settle(self, item: Item) -> str:
        """Set the item's expiry if it needs it; gives what became of it."""
        records = next((one for one in self._records if one.is_one(item, None)), None)
        expires = records.entity.expires if records else None
        if records is None or expires is None or self._design.ttl is None:
            return "endless"
        field = _expiry_field(records.entity)
        since = records.to_record(item).get(field.name)
        if since is None and field.optional:
            return "endless"
        try:
            text = records.entity.text(field.name, field.check(since))
        except InvalidValue:
            return "unreadable"
        if expires.refuses(text):
            return "impossible"
        expiry = expires.at(text)
        there = item.get(self._design.ttl)
        if there is not None:
            if "N" not in there:
                return "not_a_number"
            if float(there["N"]) >= expiry:
                return "right" if float(there["N"]) == expiry else "later"
        if self._dry_run:
            return "set"
        return self._write(item, field.stored, expiry)

    def _write(self, item: Item, seen: str | None, expiry: int) -> str:
        expressions, new = Expressions(), {"N": str(expiry)}
        pk, ttl = self._design.pk, expressions.name(str(self._design.ttl))
        value = expressions.value(new)
        conditions = [
            # Without it, an item deleted since the scan would come back to life.
            f"attribute_exists({expressions.name(pk)})",
            f"(attribute_not_exists({ttl}) OR {ttl} < {value})",
        ]
        if seen:
            conditions.append(expressions.equal(seen, item[seen]))
        params = {
            "TableName": self._table,
            "Key": {n: item[n] for n in self._design.key.names},
            "UpdateExpression": f"SET {ttl} = {value}",
            "ConditionExpression": " AND ".join(conditions),
        }
        self._rate.wait()
        try:
            self._caller.call("UpdateItem", expressions.into(params))
        except Conflict:
            return "changed"
        return "set"


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
        prog="tablewright backfill-ttl",
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
