"""Bring items back that a table has lost, from a copy of it that was restored from a backup.

    tablewright bring-back --from RESTORED --to LIVE --region REGION --dry-run

Only creates: what is in the live table stays as it is, also what is written there meanwhile. What
has expired is not brought back. What is brought back is marked, so that consumers of the table's
stream can tell it from what is new. Can be stopped at any moment and started again.

A dry run prints the key of each item that is missing, or that both tables have but not alike.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from tablewright.commands.items import segments
from tablewright.commands.items.segments import Rate
from tablewright.model.restored import RESTORED_FROM
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Conflict, ItemTooLarge, StoreError
from tablewright.runtime.segments.progress import ProgressMismatch
from tablewright.runtime.store.attribute_values import Wire
from tablewright.runtime.store.batches import read_all
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item
from tablewright.runtime.transport import Transport

# What can become of an item, and how it is put in the summary.
OUTCOMES = {
    "missing": "brought back",
    "same": "there already, and the same",
    "differs": "there already, and not the same: left alone",
    "appeared": "written by others meanwhile: left alone",
    "expired": "expired: not brought back",
    "refused": "refused by the table",
}
IF_IT_WERE_DONE = {**OUTCOMES, "missing": "would be brought back"}
_SHOWN = ("missing", "differs")


class BringBack:
    """Puts those items into the live table that it does not have; `prepare` gives each the form in
    which it is put, with its mark."""

    def __init__(
        self,
        caller: Caller,
        live: "Live",
        prepare: Callable[[Item], Item],
        *,
        rate: Rate,
        dry_run: bool,
        now: datetime,
    ) -> None:
        self._caller = caller
        self._live = live
        self._prepare = prepare
        self._rate = rate
        self._dry_run = dry_run
        self._now = now.timestamp()

    def settle(self, items: list[Item]) -> Counter[str]:
        there = self._there(items)
        prepared = map(self._prepare, items)
        return Counter(self._settle(item, there.get(self._id(item))) for item in prepared)

    def _there(self, items: list[Item]) -> dict[str, Item]:
        """What the live table has of these items. Read first: a refused put costs as much as one
        that is carried out."""
        keys = [self._key(item) for item in items]
        name = self._live.name
        found = read_all(Transport(self._caller), name, keys, consistent=True)
        return {self._id(item): item for item in found}

    def _settle(self, item: Item, there: Item | None) -> str:
        """Bring the item back if it is missing; gives what became of it."""
        outcome = self._judge(item, there)
        if self._dry_run:
            if outcome in _SHOWN:
                line = json.dumps({"outcome": outcome, "key": self._key(item)})
                sys.stdout.write(f"{line}\n")
            return outcome
        return self._put(item) if outcome == "missing" else outcome

    def _judge(self, item: Item, there: Item | None) -> str:
        if there is not None:
            return "same" if _plain(item) == _plain(there) else "differs"
        expiry = item.get(self._live.ttl or "", {}).get("N")
        return "expired" if expiry and float(expiry) <= self._now else "missing"

    def _put(self, item: Item) -> str:
        expressions = Expressions()
        params = {
            "TableName": self._live.name,
            "Item": item,
            # What came into being since it was looked for is newer.
            "ConditionExpression": expressions.matches(self._live.keys[0], None),
        }
        self._rate.wait()
        try:
            self._caller.call("PutItem", expressions.into(params))
        except Conflict:
            return "appeared"
        except StoreError as error:
            if type(error) not in (StoreError, ItemTooLarge):
                raise  # no fault of the item's
            segments.say(f"Refused: {json.dumps(self._key(item))}: {error}")
            return "refused"
        return "missing"

    def _key(self, item: Item) -> Item:
        return {name: item[name] for name in self._live.keys}

    def _id(self, item: Item) -> str:
        return repr([item[name] for name in self._live.keys])


class Live:
    """The table that items are brought back to."""

    def __init__(self, name: str, keys: Sequence[str], ttl: str | None) -> None:
        self.name = name
        self.keys = keys
        self.ttl = ttl


def _plain(item: Item) -> Item:
    """The item without the mark, with sets in one order: DynamoDB gives them in any."""
    return {
        name: {kind: sorted(value) if kind in ("SS", "NS", "BS") else value}
        for name, wire in item.items()
        if name != RESTORED_FROM
        for kind, value in wire.items()
    }


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return segments.carry_out(lambda: _bring_back(options, datetime.now(UTC)))


def _bring_back(options: argparse.Namespace, now: datetime) -> int:
    caller = segments.patient_caller(options)
    live, items = _compared(caller, options.restored, options.live)
    request = {"TableName": options.restored, **_chosen(options, live.keys[0])}
    only = (*options.key, *(f"{prefix}…" for prefix in options.key_prefix))
    mark: Wire = {"S": options.restored}
    work = BringBack(
        caller,
        live,
        lambda item: {**item, RESTORED_FROM: mark},
        rate=Rate(options.rate),
        dry_run=options.dry_run,
        now=now,
    )
    counts = segments.go_through(
        options,
        caller,
        request,
        work.settle,
        of=" ".join((options.restored, "to", live.name, *only)),
        state=f"bring-back-{live.name}.json",
        items=items,
    )
    outcomes = IF_IT_WERE_DONE if options.dry_run else OUTCOMES
    segments.summary(counts, outcomes, dry_run=options.dry_run)
    return 1 if counts["refused"] else 0


def _compared(caller: Caller, restored: str, live: str) -> tuple[Live, int]:
    """The live table, and how many items the restored one has; refuses tables that do not fit."""
    if restored == live:
        raise ProgressMismatch("--from and --to are the same table")
    copy, original = (
        caller.call("DescribeTable", {"TableName": name})["Table"] for name in (restored, live)
    )
    if copy["TableStatus"] != "ACTIVE":
        raise ProgressMismatch(
            f"{restored} is still {copy['TableStatus']}: wait until it is ACTIVE"
        )
    theirs, ours = ", ".join(_keys(copy)), ", ".join(_keys(original))
    if theirs != ours:
        raise ProgressMismatch(
            f"{restored} is no copy of {live}: its keys are {theirs}, and not {ours}"
        )
    return live_table(caller, live), copy["ItemCount"]


def live_table(caller: Caller, name: str) -> Live:
    """A table, with its keys and the attribute that items expire by."""
    found = caller.call("DescribeTable", {"TableName": name})["Table"]
    expiry = caller.call("DescribeTimeToLive", {"TableName": name})["TimeToLiveDescription"]
    enabled = expiry["TimeToLiveStatus"] in ("ENABLED", "ENABLING")
    keys = [key["AttributeName"] for key in _schema(found)]
    return Live(name, keys, expiry.get("AttributeName") if enabled else None)


def _keys(table: dict[str, Any]) -> Iterator[str]:
    kinds = {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]}
    for key in _schema(table):
        yield f"{key['AttributeName']} ({kinds[key['AttributeName']]})"


def _schema(table: dict[str, Any]) -> list[dict[str, str]]:
    """The partition key, then the sort key."""
    return sorted(table["KeySchema"], key=lambda key: key["KeyType"])


def _chosen(options: argparse.Namespace, pk: str) -> dict[str, Any]:
    """The scan's filter, where only some keys are asked for."""
    expressions = Expressions()
    conditions = [expressions.equal(pk, {"S": key}) for key in options.key]
    for prefix in options.key_prefix:
        value = expressions.value({"S": prefix})
        conditions.append(f"begins_with({expressions.name(pk)}, {value})")
    if not conditions:
        return {}
    return expressions.into({"FilterExpression": " OR ".join(conditions)})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright bring-back",
        description="Bring items back that a table has lost, from a copy of it that was restored "
        "from a backup. Nothing that is there is changed. Stopped or killed, the same command "
        "goes on where it was.",
        epilog="For example: tablewright bring-back --from dev-orders-restored --to "
        "dev-orders --region eu-west-1 --dry-run",
    )
    source, target = "the restored table", "the table that lost items"
    parser.add_argument("--from", dest="restored", required=True, metavar="TABLE", help=source)
    parser.add_argument("--to", dest="live", required=True, metavar="TABLE", help=target)
    parser.add_argument("--region", required=True, help="the region of both")
    for option, chosen in (
        ("--key", "only items with this partition key; can be given more than once"),
        ("--key-prefix", "only items whose partition key begins so; the same"),
    ):
        parser.add_argument(option, action="append", default=[], metavar="TEXT", help=chosen)
    segments.add_options(parser, state="bring-back-TABLE.json")
    return parser
