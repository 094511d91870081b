"""Encrypt what older keys encrypted, or what is still in clear, with the key that encrypts now.

    tablewright reencrypt --table NAME --region REGION \\
        --design yourapp.orders:Orders --ring SECRET --kms-key KEY --dry-run

Programs go on to read and write meanwhile. Values in clear are left alone and listed: somebody may
have put them in place of encrypted ones. ``--from-clear`` encrypts them, once, when encryption is
switched on. With ``--to-clear`` it is the other way round: for a table whose secret fields are no
longer to be encrypted. Can be stopped at any moment and started
again: it goes on where it was.
"""

import argparse
from collections import Counter
from typing import Any

from tablewright.commands.items import segments
from tablewright.commands.items.key_options import add_key_options, add_kms_key_option, data_keys
from tablewright.commands.items.segments import Rate
from tablewright.commands.named import table_design
from tablewright.model import Design, Digest
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Conflict, MalformedItem, SecretUnreadable, Throttled
from tablewright.runtime.secrets.cipher import key_id_of
from tablewright.runtime.secrets.secrets import Secrets, encrypted
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item, Records

# What can become of an item, and how it is put in the summary.
OUTCOMES = {
    "done": "encrypted",
    "current": "were as they should be",
    "gone": "removed meanwhile",
    "foreign": "have nothing secret",
    "unreadable": "CANNOT BE READ, left alone",
}
IN_CLEAR = {**OUTCOMES, "done": "stored in clear"}
_ATTEMPTS = 5


class Reencryption:
    """Stores the secret fields of each item as they would be stored now."""

    def __init__(
        self,
        design: Design,
        table: str,
        caller: Caller,
        secrets: Secrets,
        *,
        rate: Rate,
        dry_run: bool = False,
    ) -> None:
        self._design = design
        self._table = table
        self._caller = caller
        self._secrets = secrets
        self._rate = rate
        self._dry_run = dry_run
        self._kinds = [Records(design, one, secrets=secrets) for one in design.entity_list]

    @property
    def request(self) -> dict[str, Any]:
        """What is scanned."""
        return {"TableName": self._table, "ConsistentRead": True}

    def settle(self, items: list[Item]) -> Counter[str]:
        return Counter(self._settle(item) for item in items)

    def _settle(self, item: Item | None) -> str:
        """Store an item as it would be stored now; gives what became of it."""
        for _ in range(_ATTEMPTS):
            if item is None:
                return "gone"
            records = next((one for one in self._kinds if one.is_one(item, None)), None)
            if records is None or not records.entity.secrets:
                return "foreign"
            try:
                new = self._renewed(records, item)
            except (MalformedItem, SecretUnreadable) as error:
                segments.say(f"{error}: {_key_text(self._design, item)}")
                return "unreadable"
            if not new:
                return "current"
            if self._dry_run:
                return "done"
            try:
                self._write(item, new)
                return "done"
            except Conflict:
                item = self._read(item)  # changed meanwhile, or ours whose answer was lost
        raise Throttled("other writers changed an item on every attempt: retry later")

    def _renewed(self, records: Records, item: Item) -> Item:
        """The attributes that are not as they would be stored now, as they would be."""
        stored = [field.stored for field in records.entity.secrets if field.stored in item]
        stale = [name for name in stored if not self._secrets.is_current(item[name])]
        clear = records.decrypted(item)
        new = records.encrypted({name: clear[name] for name in stale}, key=item)
        digests = _digest_keys(self._design, records, item)
        return new | {name: wire for name, wire in digests.items() if item.get(name) != wire}

    def _write(self, item: Item, new: Item) -> None:
        expressions = Expressions()
        # Without the first part, an item removed since the scan would come back to life.
        conditions = [f"attribute_exists({expressions.name(self._design.pk)})"]
        conditions += [expressions.matches(name, item.get(name)) for name in new]
        params = {
            "TableName": self._table,
            "Key": {name: item[name] for name in self._design.key.names},
            "UpdateExpression": expressions.change(item, {**item, **new}),
            "ConditionExpression": " AND ".join(conditions),
        }
        self._rate.wait()
        self._caller.call("UpdateItem", expressions.into(params))

    def _read(self, item: Item) -> Item | None:
        key = {name: item[name] for name in self._design.key.names}
        params = {"TableName": self._table, "Key": key, "ConsistentRead": True}
        return self._caller.call("GetItem", params).get("Item")


class UsedKeys:
    """Finds the data keys that something in a table is encrypted with."""

    def __init__(self, design: Design, table: str) -> None:
        self._names = {f.stored for entity in design.entity_list for f in entity.secrets}
        self._table = table
        self.ids: set[str] = set()

    @property
    def request(self) -> dict[str, Any]:
        """What is scanned."""
        expressions = Expressions()
        projection = expressions.projection(sorted(self._names))
        asked = {"TableName": self._table, "ConsistentRead": True}
        return expressions.into({**asked, "ProjectionExpression": projection})

    def settle(self, items: list[Item]) -> Counter[str]:
        values = (encrypted(wire) for item in items for wire in item.values())
        self.ids |= {key_id_of(value).hex() for value in values if value}
        return Counter(looked_at=len(items))


def _digest_keys(design: Design, records: Records, item: Item) -> Item:
    """The index keys of an item that digests stand in, as they would be now."""
    own = records.entity.made.__entity__.computed
    digests = {name for name, one in own.items() if isinstance(one, Digest)}
    found: Item = {}
    for index, key in records.entity.indexed.items():
        if digests.isdisjoint(key.fields):
            continue
        inputs = records.entity.inputs(key)
        record = records.to_record(item)
        if all(record.get(name) is not None for name in inputs):
            texts = records.entity.texts(record, inputs)
            made = records.key_item(texts, index)
            found |= {name: wire for name, wire in made.items() if name not in design.key.names}
    return found


def _key_text(design: Design, item: Item) -> str:
    return ", ".join(f"{name} {next(iter(item[name].values()))}" for name in design.key.names)


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return segments.carry_out(lambda: _reencrypt(options))


def _reencrypt(options: argparse.Namespace) -> int:
    caller = segments.patient_caller(options)
    about = caller.call("DescribeTable", {"TableName": options.table})["Table"]
    secrets = Secrets(data_keys(options), writes=not options.to_clear, clear=options.from_clear)
    work = Reencryption(
        options.design.__design__,
        options.table,
        caller,
        secrets,
        rate=Rate(options.rate),
        dry_run=options.dry_run,
    )
    counts = segments.go_through(
        options,
        caller,
        work.request,
        work.settle,
        of=options.table,
        state=f"reencrypt-{options.table}.json",
        items=about["ItemCount"],
    )
    outcomes = IN_CLEAR if options.to_clear else OUTCOMES
    segments.summary(counts, outcomes, dry_run=options.dry_run)
    return 1 if counts["unreadable"] else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright reencrypt",
        description="Encrypt the secret fields of a table's items with the key that encrypts now. "
        "Stopped or killed, the same command goes on where it was.",
        epilog="For example: tablewright reencrypt --table dev-orders --region eu-west-1 "
        "--ring dev-orders-keys --kms-key alias/dev-orders-keys --design shop.orders:Orders",
    )
    add_key_options(parser)
    parser.add_argument(
        "--design", required=True, type=table_design, metavar="MODULE:NAME", help="its design"
    )
    add_kms_key_option(parser)
    direction = parser.add_mutually_exclusive_group()
    direction.add_argument(
        "--from-clear", action="store_true", help="encrypt values in clear, too: to switch it on"
    )
    direction.add_argument("--to-clear", action="store_true", help="store them in clear instead")
    segments.add_options(parser, state="reencrypt-TABLE.json")
    return parser
