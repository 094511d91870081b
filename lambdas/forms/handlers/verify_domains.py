"""Verification of domains: on a schedule, and of one at once where the admin API asks."""

from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.errors import log_text
from lambdas.forms.clients import Clients
from lambdas.forms.contract import ON, DomainCheck, VerifyEnvironment
from lambdas.forms.tenants.dns_proof import DnsProof, texts
from lambdas.forms.tenants.domain_claims import DomainClaims
from tablewright.catalog.forms.tenants import DomainClaim
from tablewright.runtime.deadline import in_time
from tablewright.runtime.errors import NotFound

logger = Logger()

# What the claim being checked may need when time is nearly up.
RESERVED_MS = 20_000


@cache
def claims() -> DomainClaims:
    environment = VerifyEnvironment.read()
    proof = DnsProof(texts, local=environment.local_domains == ON)
    return DomainClaims(Clients.of(environment).store(), proof)


def _failed(claim: DomainClaim, error: Exception) -> None:
    logger.error(
        "a domain could not be checked",
        tenant_id=claim.tenant_id,
        domain=claim.domain,
        kind=type(error).__name__,
        reason=log_text(error),
    )


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """One run over what is due; with `tenant_id` and `domain`, a check of that claim."""
    now = datetime.now(UTC)
    if "domain" in event:
        asked = DomainCheck(event["tenant_id"], event["domain"])
        try:
            state = claims().check(*asked, now).state
        except NotFound:
            return {"state": None}
        logger.info("domain checked", **asked._asdict(), state=state)
        return {"state": state}
    done = claims().run(
        now,
        in_time=lambda: context.get_remaining_time_in_millis() > RESERVED_MS,
        failed=_failed,
    )
    logger.info("domains checked", extra={"extra": done})
    return done
