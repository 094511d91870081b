"""Verifies domains: those that are due, on a schedule, and one at once where the admin API asks."""

import os
from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.forms.dns_proof import DnsProof, texts
from lambdas.forms.domain_claims import DomainClaims
from lambdas.forms.resources import Resources
from tablewright.model import Record
from tablewright.runtime.deadline import in_time
from tablewright.runtime.errors import NotFound

logger = Logger()

# What the claim being checked may need when time is nearly up.
RESERVED_MS = 20_000


@cache
def claims() -> DomainClaims:
    local = os.environ.get("LOCAL_DOMAINS") == "true"
    return DomainClaims(Resources.from_environment().store(), DnsProof(texts, local=local))


def _failed(claim: Record, error: Exception) -> None:
    about = {"tenant_id": claim["tenant_id"], "domain": claim["domain"]}
    kind = type(error).__name__
    logger.error("a domain could not be checked", **about, kind=kind, reason=str(error))


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """One run over what is due; with `tenant_id` and `domain`, a check of that claim."""
    now = datetime.now(UTC)
    if "domain" in event:
        try:
            state = claims().check(event["tenant_id"], event["domain"], now)["state"]
        except NotFound:
            return {"state": None}
        logger.info("domain checked", **event, state=state)
        return {"state": state}
    done = claims().run(
        now,
        in_time=lambda: context.get_remaining_time_in_millis() > RESERVED_MS,
        failed=_failed,
    )
    logger.info("domains checked", extra={"extra": done})
    return done
