"""Show what healing has parked, and let it be healed again.

    tablewright parked --table NAME --region REGION --plan MODULE:NAME
    tablewright parked … --release ID ID
    tablewright parked … --release-all

A released item is asked for by the next run of the healing, and has all of its attempts again.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError

from tablewright.commands.named import healing_plan
from tablewright.model import Record
from tablewright.model.errors import InvalidRecord
from tablewright.model.healing import HealingPlan
from tablewright.runtime.aws import connect
from tablewright.runtime.errors import StoreError
from tablewright.runtime.healing.parked import Parked
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.store import Store


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        plan: HealingPlan[Any] = options.plan
        session = boto3.session.Session(region_name=options.region)
        caller = connect(session, "dynamodb", endpoint_url=options.endpoint_url)
        # Why something is parked, and since when, is no secret.
        store = Store(plan.table, options.table, caller, secrets=Secrets.withheld())
        parked = Parked(store, plan)
        if options.release:
            return _release(parked, _named(plan, options.release))
        if options.release_all:
            return _release(parked, parked)
        return _list(parked, plan)
    except (LookupError, InvalidRecord) as error:
        parser.error(str(error))
    except (StoreError, BotoCoreError) as error:
        _say(f"Stopped: {error}")
        _say("What was released stays so; the same command goes on from here.")
        return 2
    except KeyboardInterrupt:
        return 130


def _list(parked: Parked[Any], plan: HealingPlan[Any]) -> int:
    """One line of JSON for each, so that it can be searched and counted by other tools."""
    entity = plan.design.entity(plan.read)
    told = (*entity.key.fields, plan.age, "heal_attempts", "parked_at")
    count = 0
    for item in parked:
        shown = {name: item[name] for name in told if name in item}
        print(json.dumps(shown, default=int))
        count += 1
    _say(f"{count} parked")
    return 0


def _release(parked: Parked[Any], items: Iterable[Record]) -> int:
    released, left = 0, 0
    for item in items:
        if parked.release(item):
            released += 1
        else:
            left += 1
            _say(f"Not parked: {json.dumps(item, default=str)}")
    _say(f"{released} released, {left} not parked")
    return 1 if left else 0


def _named(plan: HealingPlan[Any], texts: Iterable[str]) -> list[Record]:
    """The keys that the command line names."""
    fields = plan.design.entity(plan.mark).key.fields
    keys = [dict(zip(fields, text.split(","), strict=False)) for text in texts]
    short = [text for text, key in zip(texts, keys, strict=True) if len(key) < len(fields)]
    if short:
        raise LookupError(f"name an item by {', '.join(fields)}, separated by commas: {short[0]}")
    return keys


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablewright parked",
        description="Show what healing has parked, and let it be healed again.",
        epilog="For example: tablewright parked --table dev-news --region eu-west-1 --plan "
        "shop.news:healing --release-all",
    )
    parser.add_argument("--table", required=True, help="the table's name")
    parser.add_argument("--region", required=True, help="the table's region")
    parser.add_argument(
        "--plan",
        required=True,
        type=healing_plan,
        metavar="MODULE:NAME",
        help="how it is healed, such as tablewright.catalog.news.design:news_healing",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--release", nargs="+", metavar="ID", help="release these items")
    which.add_argument("--release-all", action="store_true", help="release every one")
    parser.add_argument("--endpoint-url", help="where to find AWS, for an emulator")
    return parser


def _say(text: str) -> None:
    print(text, file=sys.stderr)
