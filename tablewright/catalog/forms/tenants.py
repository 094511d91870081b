"""Tenants and what they have: configuration, shards, destinations, secrets, domains."""

from decimal import Decimal

from tablewright.catalog.forms.submissions import named_id, tenant_id
from tablewright.model import (
    IN_KEY,
    Choice,
    Document,
    Entity,
    EpochList,
    Key,
    Prose,
    Text,
    Timestamp,
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

_WHEN = (Timestamp("created_at"), Timestamp("updated_at"))
_NOW = {"created_at": "2025-01-26T10:00:00.000Z", "updated_at": "2025-01-26T10:00:00.000Z"}

CONFIG = Entity(
    "TenantConfig",
    describes="A tenant: its state, and how its forms are routed.",
    key=Key("TENANT#{tenant_id}", "CONFIG#main"),
    indexed={"GSI1": Key("CONFIG#{state}", "TENANT#{tenant_id}", shared=True)},
    fields=(
        tenant_id(),
        Choice("state", STATES),
        Prose("name", max_length=128),
        Document("forms", optional=True, max_bytes=100_000),
        Whole("retention_days", optional=True, digits=5, lowest=1),
        Whole("requests_per_minute", optional=True, digits=6),
        # The oldest form of signatures that is taken; without it the newest alone.
        Choice("oldest_signature", SIGNATURE_VERSIONS, optional=True),
        *_WHEN,
    ),
    example={
        "tenant_id": "acme",
        "state": "active",
        "name": "Acme",
        "forms": {"contact": {"destinations": ["crm", "archive"]}},
        **_NOW,
    },
)

SHARDS = Entity(
    "TenantShards",
    describes="How many shards a tenant has, since when; without it there is one.",
    # One item: it is read in one read, and two who change it cannot both succeed.
    key=Key("TENANT#{tenant_id}", "SHARDS#main"),
    fields=(
        tenant_id(IN_KEY),
        EpochList("shard_mapping"),
        Choice("distribution_strategy", STRATEGIES, optional=True),
    ),
    example={
        "tenant_id": "acme",
        "shard_mapping": [{"from": "2025-01-26T10:00:00.000Z", "count": Decimal(4)}],
        "distribution_strategy": "volume",
    },
)

DESTINATION = Entity(
    "Destination",
    describes="Where a tenant's submissions are delivered to.",
    key=Key("TENANT#{tenant_id}", "DEST#{destination_id}"),
    indexed={"GSI1": Key("TENANT#{tenant_id}", "DEST#{destination_type}#{created_at}")},
    fields=(
        tenant_id(),
        named_id("destination_id"),
        Choice("destination_type", DESTINATION_TYPES),
        Choice("state", STATES),
        Prose("name", optional=True, max_length=128),
        Document("settings", max_bytes=16_384),
        # By which the secret of a webhook is found, and the one before it while both sign.
        Text("key_id", optional=True, max_length=64),
        Text("previous_key_id", optional=True, max_length=64),
        Timestamp("previous_key_until", optional=True),
        # The breaker: failures in a row, the last that was counted, how long nothing is tried,
        # and who tries then.
        Whole("failures", optional=True),
        Text("last_failure", optional=True, max_length=64),
        Timestamp("breaker_until", optional=True),
        Text("probed_by", optional=True, max_length=64),
        Timestamp("paused_until", optional=True),
        *_WHEN,
    ),
    example={
        "tenant_id": "acme",
        "destination_id": "crm",
        "destination_type": "webhook",
        "state": "active",
        "settings": {"url": "https://crm.example.com/hooks/forms"},
        **_NOW,
    },
)

SECRET = Entity(
    "TenantSecret",
    describes="Where a secret is kept that a tenant's requests are signed with; never the secret.",
    key=Key("TENANT#{tenant_id}", "SECRET#{key_id}"),
    fields=(
        tenant_id(),
        named_id("key_id"),
        Text("secret_arn", max_length=2048, pattern="arn:.+", form="an ARN"),
        Choice("state", SECRET_STATES),
        Timestamp("valid_until", optional=True),
        *_WHEN,
    ),
    example={
        "tenant_id": "acme",
        "key_id": "k1",
        "secret_arn": "arn:aws:secretsmanager:eu-west-1:111122223333:secret:forms/acme/k1",
        "state": "current",
        **_NOW,
    },
)

DOMAIN = Entity(
    "DomainLookup",
    describes="Whose a web page's domain is, by which the tenant of a request is found.",
    key=Key("DOMAIN#{domain_hash}", "LOOKUP#{domain}", shared=True),
    fields=(
        Text("domain_hash", IN_KEY, pattern="[0-9a-f]{16}"),
        Text("domain", IN_KEY, max_length=253),
        tenant_id(),
        Timestamp("created_at"),
        # Without it the domain was assigned before proof was asked for: whoever proves it gets it.
        Timestamp("verified_at", optional=True),
    ),
    example={
        "domain_hash": "a379a6f6eeafb9a5",
        "domain": "example.com",
        "tenant_id": "acme",
        "created_at": _NOW["created_at"],
        "verified_at": _NOW["created_at"],
    },
)

CLAIM = Entity(
    "DomainClaim",
    describes="That a tenant says a domain is its own, and how far that is proven.",
    # In the tenant's own partition: any number of tenants may claim a domain, one proves it.
    key=Key("TENANT#{tenant_id}", "DOMAIN#{domain}"),
    indexed={"GSI1": Key("CLAIMS#{state}", "AT#{check_at}", shared=True)},
    fields=(
        tenant_id(IN_KEY),
        Text("domain", IN_KEY, max_length=253),
        Choice("state", CLAIM_STATES),
        # What the domain's owner publishes.
        Text("token", pattern="[0-9a-f]{32}"),
        Timestamp("check_at"),
        # In a row, without proof; since when; why.
        Whole("checks", digits=3),
        Timestamp("failing_since", optional=True),
        Prose("reason", optional=True, max_length=300),
        Timestamp("checked_at", optional=True),
        Timestamp("verified_at", optional=True),
        *_WHEN,
    ),
    example={
        "tenant_id": "acme",
        "domain": "example.com",
        "state": "PENDING",
        "token": "0" * 32,
        "check_at": _NOW["created_at"],
        "checks": Decimal(0),
        **_NOW,
    },
)
