"""Stages: where the tables of designs are, and how they are deployed, as pyproject.toml says.

[tool.tablewright.stages.prod]
region = "eu-west-1"
tables = { orders = "prod-orders" }                 # by the designs' ids
deploy = "npx cdk deploy Shop --require-approval never {context}"
"""

import argparse
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import boto3

from tablewright.runtime.aws import Caller, connect

_PROJECT = Path("pyproject.toml")
_KNOWN = {"region", "profile", "endpoint_url", "tables", "deploy"}


class UnknownStage(ValueError):
    """A stage, or a table of it, that pyproject.toml does not name."""


class Stage(NamedTuple):
    """A table of a stage: its name, where it is, and the command that deploys it, if any."""

    table: str
    region: str | None
    profile: str | None
    endpoint_url: str | None
    deploy: str | None

    @property
    def caller(self) -> Caller:
        session = boto3.session.Session(region_name=self.region, profile_name=self.profile)
        return connect(session, "dynamodb", endpoint_url=self.endpoint_url)


def add_stage(parser: argparse.ArgumentParser) -> None:
    """A table, by its stage or by its own name; `told_stage` gives it."""
    parser.add_argument("--stage", help="of [tool.tablewright.stages] in pyproject.toml")
    parser.add_argument("--table", metavar="NAME", help="the table's name, without a stage")
    parser.add_argument("--region", help="by default the stage's, or that of the profile")
    parser.add_argument("--profile", help="of the AWS configuration")
    parser.add_argument("--endpoint-url", help="of an engine, such as http://localhost:8000")


def told_stage(
    parser: argparse.ArgumentParser, options: argparse.Namespace, design: str
) -> Stage | None:
    """The table that the options name, None if they name none."""
    if not options.stage and not options.table:
        return None
    try:
        return named_stage(options.stage, options, design, table=options.table)
    except UnknownStage as error:
        parser.error(str(error))


def named_stage(
    name: str | None, options: argparse.Namespace, design: str, *, table: str | None = None
) -> Stage:
    """The table of a design in a stage, where what the options say comes first."""
    told: dict[str, Any] = _told(name) if name else {}
    table = table or told.get("tables", {}).get(design)
    if not table:
        raise UnknownStage(
            f"stage {name} says no table of {design}: add "
            f'tables = {{ {design} = "NAME" }} to it in {_PROJECT}, or name the table'
        )
    return Stage(
        table,
        options.region or told.get("region"),
        options.profile or told.get("profile"),
        options.endpoint_url or told.get("endpoint_url"),
        told.get("deploy"),
    )


def _told(name: str) -> dict[str, Any]:
    try:
        settings = tomllib.loads(_PROJECT.read_text())
    except FileNotFoundError:
        raise UnknownStage(f"stage {name} needs {_PROJECT} in this folder") from None
    except tomllib.TOMLDecodeError as error:
        raise UnknownStage(f"{_PROJECT} cannot be read: {error}") from None
    stages = settings.get("tool", {}).get("tablewright", {}).get("stages", {})
    if name not in stages:
        known = ", ".join(stages) or "none"
        raise UnknownStage(f"{_PROJECT} has no stage {name}; it has: {known}")
    found: dict[str, Any] = stages[name]
    if unknown := sorted(set(found) - _KNOWN):
        raise UnknownStage(
            f"{_PROJECT}: a stage has {', '.join(sorted(_KNOWN))}, not {', '.join(unknown)}"
        )
    return found
