"""Tenants and what they have: configuration, shards, destinations, secrets, domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from tablewright.catalog.forms.submissions import named_id, tenant
from tablewright.model import (
    IN_KEY,
    Choice,
    Document,
    Entity,
    EpochList,
    Field,
    Key,
    Prose,
    Text,
    TimestampText,
    Whole,
)

DESTINATION_TYPES = ("webhook", "email", "s3", "eventbridge")
STATES = ("active", "disabled")
SECRET_STATES = ("current", "previous", "revoked")
CLAIM_STATES = ("PENDING", "VERIFIED", "FAILED")
SIGNATURE_VERSIONS = ("v1", "v2")
# How the ids of keys begin that a tenant's requests are signed with, and those to its webhooks: by
# their names in Secrets Manager, each function reads the ones that it needs.
SIGNING_KEYS, HOOK_KEYS = "k", "hook"
# What decided the number of shards.
STRATEGIES = ("volume", "rate", "manual")

_NOW = {"created_at": "2025-01-26T10:00:00.000Z", "updated_at": "2025-01-26T10:00:00.000Z"}


class TenantConfig(
    Entity,
    key=Key("TENANT#{tenant_id}", "CONFIG#main"),
    example={
        "tenant_id": "acme",
        "state": "active",
        "name": "Acme",
        "forms": {"contact": {"destinations": ["crm", "archive"]}},
        **_NOW,
    },
):
    """A tenant: its state, and how its forms are routed."""

    tenant_id: Field[str] = tenant()
    state: Field[str] = Choice(STATES)
    name: Field[str] = Prose(max_length=128)
    forms: Field[Mapping[str, Any] | None] = Document(max_bytes=100_000, default=None)
    retention_days: Field[int | None] = Whole(digits=5, lowest=1, default=None)
    requests_per_minute: Field[int | None] = Whole(digits=6, default=None)
    # The oldest form of signatures that is taken; without it the newest alone.
    oldest_signature: Field[str | None] = Choice(SIGNATURE_VERSIONS, default=None)
    created_at: Field[str] = TimestampText(resolution="ms")
    updated_at: Field[str] = TimestampText(resolution="ms")


class TenantShards(
    Entity,
    # One item: it is read in one read, and two who change it cannot both succeed.
    key=Key("TENANT#{tenant_id}", "SHARDS#main"),
    example={
        "tenant_id": "acme",
        "shard_mapping": [{"from": "2025-01-26T10:00:00.000Z", "count": Decimal(4)}],
        "distribution_strategy": "volume",
    },
):
    """How many shards a tenant has, since when; without it there is one."""

    tenant_id: Field[str] = tenant(IN_KEY)
    shard_mapping: Field[Sequence[Mapping[str, Any]]] = EpochList()
    distribution_strategy: Field[str | None] = Choice(STRATEGIES, default=None)


class Destination(
    Entity,
    key=Key("TENANT#{tenant_id}", "DEST#{destination_id}"),
    example={
        "tenant_id": "acme",
        "destination_id": "crm",
        "destination_type": "webhook",
        "state": "active",
        "settings": {"url": "https://crm.example.com/hooks/forms"},
        **_NOW,
    },
):
    """Where a tenant's submissions are delivered to."""

    tenant_id: Field[str] = tenant()
    destination_id: Field[str] = named_id()
    destination_type: Field[str] = Choice(DESTINATION_TYPES)
    state: Field[str] = Choice(STATES)
    name: Field[str | None] = Prose(max_length=128, default=None)
    settings: Field[Mapping[str, Any]] = Document(max_bytes=16_384)
    # By which the secret of a webhook is found, and the one before it while both sign.
    key_id: Field[str | None] = Text(max_length=64, default=None)
    previous_key_id: Field[str | None] = Text(max_length=64, default=None)
    previous_key_until: Field[str | None] = TimestampText(default=None, resolution="ms")
    # The breaker: failures in a row, the last that was counted, how long nothing is tried,
    # and who tries then.
    failures: Field[int | None] = Whole(default=None)
    last_failure: Field[str | None] = Text(max_length=64, default=None)
    breaker_until: Field[str | None] = TimestampText(default=None, resolution="ms")
    probed_by: Field[str | None] = Text(max_length=64, default=None)
    paused_until: Field[str | None] = TimestampText(default=None, resolution="ms")
    created_at: Field[str] = TimestampText(resolution="ms")
    updated_at: Field[str] = TimestampText(resolution="ms")


class TenantSecret(
    Entity,
    key=Key("TENANT#{tenant_id}", "SECRET#{key_id}"),
    example={
        "tenant_id": "acme",
        "key_id": "k1",
        "secret_arn": "arn:aws:secretsmanager:eu-west-1:111122223333:secret:forms/acme/k1",
        "state": "current",
        **_NOW,
    },
):
    """Where a secret is kept that a tenant's requests are signed with; never the secret."""

    tenant_id: Field[str] = tenant()
    key_id: Field[str] = named_id()
    secret_arn: Field[str] = Text(max_length=2048, pattern="arn:.+", form="an ARN")
    state: Field[str] = Choice(SECRET_STATES)
    valid_until: Field[str | None] = TimestampText(default=None, resolution="ms")
    created_at: Field[str] = TimestampText(resolution="ms")
    updated_at: Field[str] = TimestampText(resolution="ms")


class DomainLookup(
    Entity,
    key=Key("DOMAIN#{domain_hash}", "LOOKUP#{domain}", shared=True),
    example={
        "domain_hash": "a379a6f6eeafb9a5",
        "domain": "example.com",
        "tenant_id": "acme",
        "created_at": _NOW["created_at"],
        "verified_at": _NOW["created_at"],
    },
):
    """Whose a web page's domain is, by which the tenant of a request is found."""

    domain_hash: Field[str] = Text(IN_KEY, pattern="[0-9a-f]{16}")
    domain: Field[str] = Text(IN_KEY, max_length=253)
    tenant_id: Field[str] = tenant()
    created_at: Field[str] = TimestampText(resolution="ms")
    # Without it the domain was assigned before proof was asked for: whoever proves it gets it.
    verified_at: Field[str | None] = TimestampText(default=None, resolution="ms")


class DomainClaim(
    Entity,
    # In the tenant's own partition: any number of tenants may claim a domain, one proves it.
    key=Key("TENANT#{tenant_id}", "DOMAIN#{domain}"),
    example={
        "tenant_id": "acme",
        "domain": "example.com",
        "state": "PENDING",
        "token": "0" * 32,
        "check_at": _NOW["created_at"],
        "checks": 0,
        **_NOW,
    },
):
    """That a tenant says a domain is its own, and how far that is proven."""

    tenant_id: Field[str] = tenant(IN_KEY)
    domain: Field[str] = Text(IN_KEY, max_length=253)
    state: Field[str] = Choice(CLAIM_STATES)
    # What the domain's owner publishes.
    token: Field[str] = Text(pattern="[0-9a-f]{32}")
    check_at: Field[str] = TimestampText(resolution="ms")
    # In a row, without proof; since when; why.
    checks: Field[int] = Whole(digits=3)
    failing_since: Field[str | None] = TimestampText(default=None, resolution="ms")
    reason: Field[str | None] = Prose(max_length=300, default=None)
    checked_at: Field[str | None] = TimestampText(default=None, resolution="ms")
    verified_at: Field[str | None] = TimestampText(default=None, resolution="ms")
    created_at: Field[str] = TimestampText(resolution="ms")
    updated_at: Field[str] = TimestampText(resolution="ms")
