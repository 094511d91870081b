"""Options of commands about data keys: whose they are, and where their ring is."""

import argparse

import boto3

from tablewright.runtime.aws import Caller, connect
from tablewright.runtime.secrets.keys import DataKeys


def add_key_options(parser: argparse.ArgumentParser) -> None:
    """The options that these commands share, but for the cloud."""
    parser.add_argument("--table", required=True, help="the table's name")
    parser.add_argument("--region", required=True, help="the table's region")
    parser.add_argument("--ring", required=True, metavar="SECRET", help="the secret with its keys")
    parser.add_argument(
        "--bound-to", metavar="NAME", help="the table that this one is a restored copy of"
    )


def add_kms_key_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kms-key",
        required=True,
        metavar="KEY",
        help="the key of KMS that wraps them: its ARN or alias",
    )


def data_keys(options: argparse.Namespace) -> DataKeys:
    """The keys that the options name."""
    return DataKeys(
        options.bound_to or options.table,
        options.ring,
        options.kms_key,
        secretsmanager=lambda: service(options, "secretsmanager"),
        kms=lambda: service(options, "kms"),
    )


def service(options: argparse.Namespace, name: str) -> Caller:
    """A service of the cloud that the options name."""
    session = boto3.session.Session(region_name=options.region)
    return connect(session, name, endpoint_url=options.endpoint_url)
