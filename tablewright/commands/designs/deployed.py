"""Deployed table that a command's options name."""

import argparse

from botocore.exceptions import BotoCoreError

from tablewright.commands.designs.before import NothingBefore
from tablewright.commands.designs.table import account, missing, refusal
from tablewright.runtime.deployed_table import DeployedTable, find_table
from tablewright.runtime.errors import StoreError


def deployed(name: str, options: argparse.Namespace) -> DeployedTable:
    """The table of this name; raises NothingBefore where it cannot be described."""
    try:
        there = find_table(account(options), name)
    except (StoreError, BotoCoreError, ValueError) as error:
        raise NothingBefore(refusal(error, options)) from None
    if there is None:
        raise NothingBefore(missing(name, options))
    return there
