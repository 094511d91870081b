"""Audit run: compares, on a schedule, a stage with its templates, and writes a report."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger

from lambdas.audit.checks import Check, Clients, checks_of, isolation
from lambdas.audit.contract import AUDIT_FAILURES, REPORTS_PREFIX, AuditEnvironment
from lambdas.audit.promises import promises_of
from lambdas.audit.report import as_json, as_markdown
from lambdas.metrics import count
from tablewright.model import Design
from tablewright.runtime.aws import connect, own_session
from tablewright.runtime.deadline import in_time

logger = Logger()


class Resources(NamedTuple):
    """What a run works with, kept for the life of the function's environment."""

    environment: AuditEnvironment
    clients: Clients
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


@cache
def resources() -> Resources:
    session = own_session()
    return Resources(AuditEnvironment.read(), cache(lambda service: connect(session, service)))


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """One audit; repeated, it writes the report of that moment."""
    checks = audited(resources())
    wrong = [one for one in checks if not one.holds]
    for one in wrong:
        logger.error("not as promised", extra={"extra": one._asdict()})
    key = _write(checks, resources())
    count({AUDIT_FAILURES: len(wrong)})
    return {"checks": len(checks), "wrong": len(wrong), "report": key}


def audited(given: Resources) -> list[Check]:
    """Every promise of every stack, and every role of tenants."""
    cloudformation = given.clients("cloudformation")
    checks = [
        check
        for stack in given.environment.stack_names
        for promise in promises_of(cloudformation, stack)
        for check in checks_of(promise, given.clients)
    ]
    for role in given.environment.roles:
        checks.append(isolation(role, _design(role.design), given.clients))
    return checks


def _write(checks: list[Check], given: Resources) -> str:
    now, bucket = given.now(), given.environment.reports_bucket
    key = f"{REPORTS_PREFIX}{now:%Y-%m-%d/%H%M%S}"
    s3 = given.clients("s3")
    for ending, kind, text in (
        ("json", "application/json", as_json(checks, now)),
        ("md", "text/markdown; charset=utf-8", as_markdown(checks, now)),
    ):
        body = text.encode()
        s3.call(
            "PutObject",
            {"Bucket": bucket, "Key": f"{key}.{ending}", "Body": body, "ContentType": kind},
        )
    return f"{key}.md"


def _design(named: str) -> Design:
    """The design that a role is about: ``package.module:Name``."""
    module, _, name = named.partition(":")
    design: Design = getattr(import_module(module), name).__design__
    return design
