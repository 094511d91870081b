"""Show which region of a system is active, or make another one active.

    tablewright active-region --table NAME --region REGION --system NAME
    tablewright active-region … --to REGION --dry-run
    tablewright active-region … --to REGION

`--region` is where the switch is read and written: any region that answers. The others learn of it
by replication, functions within five seconds more. Whoever changed it since it was read is not
overruled: the command ends with 1, and shows on the next run what is there now.
"""

import argparse
import getpass
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError

from tablewright.model.errors import InvalidRecord
from tablewright.model.fields.time import iso_utc
from tablewright.model.regions import ActiveRegion, RegionSwitch
from tablewright.runtime.aws import Caller, connect
from tablewright.runtime.errors import AlreadyExists, Conflict, StoreError
from tablewright.runtime.store.store import Store


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        session = boto3.session.Session(region_name=options.region)
        caller = connect(session, "dynamodb", endpoint_url=options.endpoint_url)
        return _run(options, caller)
    except InvalidRecord as error:
        _say(f"Refused: {error}")
        return 1
    except (AlreadyExists, Conflict):
        _say("Somebody else moved it meanwhile: nothing was changed. Look at it again.")
        return 1
    except (StoreError, BotoCoreError) as error:
        _say(f"Stopped: {error}")
        _say("If it was changed is not certain; the same command says it, or does it again.")
        return 2
    except KeyboardInterrupt:
        return 130


def _run(options: argparse.Namespace, caller: Caller) -> int:
    store = Store(RegionSwitch, options.table, caller)
    now = store.get(RegionSwitch.active_region, system=options.system)
    _say(_told(options.system, now))
    if options.to is None:
        return 0
    regions = _replicas(caller, options.table, options.region)
    if options.to not in regions:
        _say(f"Refused: {options.table} has no replica in {options.to}, only in {_list(regions)}.")
        return 1
    if now and now.region == options.to:
        _say("Nothing is to be changed.")
        return 0
    if options.dry_run:
        _say(f"Would make {options.to} active. Nothing was changed.")
        return 0
    _say(_told(options.system, _moved(store, options, now)))
    _say(f"Every region that replication reaches knows it within seconds: {_list(regions)}.")
    return 0


def _moved(store: Store, options: argparse.Namespace, now: ActiveRegion | None) -> ActiveRegion:
    chosen = ActiveRegion(
        system=options.system,
        region=options.to,
        version=now.version + 1 if now else 1,
        since=iso_utc(datetime.now(UTC)),
        by=options.by,
    )
    if now is None:
        try:
            return store.put(RegionSwitch.first_move, chosen)
        except AlreadyExists:
            # By an attempt of ours whose answer was lost, or by somebody else.
            if store.get(RegionSwitch.active_region, chosen) == chosen:
                return chosen
            raise
    changes = {name: chosen[name] for name in ("region", "version", "since", "by")}
    same = ActiveRegion.version == now.version
    try:
        return store.update(RegionSwitch.move, now, changes, when=same)
    except Conflict as error:
        if error.is_own(changes):
            return chosen
        raise


def _replicas(caller: Caller, table: str, own: str) -> list[str]:
    described: dict[str, Any] = caller.call("DescribeTable", {"TableName": table})["Table"]
    return sorted({own, *(one["RegionName"] for one in described.get("Replicas") or ())})


def _told(system: str, now: ActiveRegion | None) -> str:
    if now is None:
        return f"{system} is active at home: it was never moved."
    return (
        f"{system} is active in {now.region} since {now.since}, version {now.version}, by {now.by}."
    )


def _list(regions: Sequence[str]) -> str:
    return ", ".join(regions)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright active-region",
        description="Show or choose the active region of a system.",
        epilog="For example: tablewright active-region --table dev-switch --region "
        "eu-west-1 --system sentiment --to us-east-1",
    )
    parser.add_argument("--table", required=True, help="the name of the switch's table")
    parser.add_argument("--region", required=True, help="where to read and write: one that answers")
    parser.add_argument("--system", required=True, help="the system, such as sentiment")
    parser.add_argument("--to", metavar="REGION", help="the region that is to be active")
    parser.add_argument("--by", default=getpass.getuser(), help="who asks for it (default: you)")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done")
    parser.add_argument("--endpoint-url", help="where to find AWS, for an emulator")
    return parser


def _say(text: str) -> None:
    print(text, flush=True)
