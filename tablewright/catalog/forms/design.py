"""Form table: submissions of many tenants on one table, in as many shards as each needs.

The number of a tenant's shards changes by epochs, and nothing is moved when it does
(`tablewright.model.sharding.epochs`). Every partition key that a tenant can reach begins with the
tenant. The lookup of domains and the lists over all tenants do not, and no tenant's session reaches
them.
"""

from tablewright.catalog.forms.metrics import COUNTED, DAILY, HOURLY
from tablewright.catalog.forms.submissions import ATTEMPT, REQUEST, SUBMISSION, WINDOW
from tablewright.catalog.forms.tenants import CLAIM, CONFIG, DESTINATION, DOMAIN, SECRET, SHARDS
from tablewright.model import (
    Count,
    Delete,
    Get,
    Index,
    Put,
    Query,
    Table,
    Update,
)

_SUBMISSIONS = (
    Put("put_submission", "Submission", create=True, describes="Store a new submission."),
    Get("get_submission", "Submission", describes="Read a submission by its id."),
    Update("update_submission", "Submission", describes="Change a submission's status."),
    Delete("delete_submission", "Submission", describes="Remove a submission."),
    Query(
        "submissions",
        "Submission",
        index="GSI1",
        range="timestamp",
        filters=("form_id", "status"),
        descending=True,
        describes="A tenant's submissions, newest first.",
    ),
    Query(
        "submissions_by_status",
        "Submission",
        index="GSI2",
        range="timestamp",
        filters=("form_id",),
        descending=True,
        describes="A tenant's submissions of one status, newest first.",
    ),
    Query(
        "submissions_by_form",
        "Submission",
        index="GSI3",
        range="timestamp",
        filters=("status",),
        descending=True,
        describes="The submissions of one form, newest first.",
    ),
    Put("claim_request", "Request", create=True, describes="Take an idempotency key, once."),
    Get("get_request", "Request", consistent=True, describes="Who took an idempotency key."),
    Update("finish_request", "Request", describes="Store what has a payload in the bucket, once."),
    Update("count_request", "RequestWindow", describes="Count a request, up to a limit."),
)

_DELIVERIES = (
    Put("put_attempt", "DeliveryAttempt", create=True, describes="Begin an attempt."),
    Get("get_attempt", "DeliveryAttempt", consistent=True, describes="Read one attempt."),
    Update("update_attempt", "DeliveryAttempt", describes="Say what came of an attempt."),
    Query(
        "submission_attempts",
        "DeliveryAttempt",
        # Of two deliveries that end at once, the later must see that there is nothing left.
        consistent=True,
        describes="The attempts of a submission, by destination, in order.",
    ),
    Query(
        "destination_attempts",
        "DeliveryAttempt",
        index="GSI2",
        range="timestamp",
        descending=True,
        describes="The attempts of a destination by status, newest first.",
    ),
    Query(
        "attempts_by_status",
        "DeliveryAttempt",
        index="GSI1",
        range="timestamp",
        descending=True,
        describes="A tenant's attempts of one status, newest first.",
    ),
)

_TENANTS = (
    Put("put_config", "TenantConfig", create=True, describes="Store a new tenant."),
    Get("get_config", "TenantConfig", describes="Read a tenant's configuration."),
    Update("update_config", "TenantConfig", describes="Change a tenant's configuration."),
    Query(
        "tenants",
        "TenantConfig",
        index="GSI1",
        range="tenant_id",
        # By the index alone: who reads it needs no right to any tenant's own items.
        describes="The ids of all tenants of a state. Not for a tenant's session.",
    ),
    Get("get_shards", "TenantShards", consistent=True, describes="Read a tenant's epochs."),
    Put("begin_shards", "TenantShards", create=True, describes="Store a tenant's first epoch."),
    Update("append_shards", "TenantShards", describes="Add an epoch to a tenant's."),
    Put("put_destination", "Destination", create=True, describes="Store a new destination."),
    Get("get_destination", "Destination", consistent=True, describes="Read a destination."),
    Update("update_destination", "Destination", describes="Change, pause or disable one."),
    Delete("delete_destination", "Destination", describes="Remove a destination."),
    Query("destinations", "Destination", consistent=True, describes="A tenant's destinations."),
    Query(
        "destinations_by_type",
        "Destination",
        index="GSI1",
        hydrate=True,
        describes="A tenant's destinations of one type, oldest first.",
    ),
    Put("put_secret", "TenantSecret", create=True, describes="Store where a secret is kept."),
    Get("get_secret", "TenantSecret", describes="Read where a secret is kept."),
    Update("update_secret", "TenantSecret", describes="Rotate or revoke a secret."),
    Query("secrets", "TenantSecret", describes="Where a tenant's secrets are kept."),
    Put("put_domain", "DomainLookup", create=True, describes="Give a domain to a tenant."),
    Get("get_domain", "DomainLookup", describes="Whose a domain is. Not for a tenant's session."),
    Update("update_domain", "DomainLookup", describes="Give one to whoever has proven it."),
    Delete("delete_domain", "DomainLookup", describes="Take a domain from its tenant."),
    Put("put_claim", "DomainClaim", create=True, describes="Claim a domain for a tenant."),
    Get("get_claim", "DomainClaim", consistent=True, describes="How far a domain is proven."),
    Update("update_claim", "DomainClaim", describes="Say what came of a check of a domain."),
    Delete("delete_claim", "DomainClaim", describes="Give up a domain."),
    Query("tenant_domains", "DomainClaim", describes="A tenant's domains."),
    Query(
        "due_claims",
        "DomainClaim",
        index="GSI1",
        range="check_at",
        describes="Domains of a state by when they are to be checked. Not for a tenant's session.",
    ),
)

_METRICS = (
    Count("count_daily", "DailyMetrics", marker="Counted", describes="Count events by day."),
    Count("count_hourly", "HourlyMetrics", marker="Counted", describes="Count events by hour."),
    Query("daily_metrics", "DailyMetrics", range="date", describes="A tenant's counts by day."),
    Query(
        "hourly_metrics", "HourlyMetrics", range="datetime", describes="A tenant's counts by hour."
    ),
    Query(
        "day_of_tenants",
        "DailyMetrics",
        index="GSI1",
        select=("tenant_id", "date", "submission_count", "delivery_count", "error_count"),
        describes="The counts of all tenants on a day. Not for a tenant's session.",
    ),
)

FORMS = Table(
    "forms",
    describes="Submissions of forms by many tenants, their deliveries, and what a tenant has.",
    pk="PK",
    sk="SK",
    ttl="ttl",
    stream="NEW_AND_OLD_IMAGES",
    tenant="tenant_id",
    epochs="get_shards",
    entities=(
        *(SUBMISSION, ATTEMPT, REQUEST, WINDOW),
        *(CONFIG, SHARDS, DESTINATION, SECRET, DOMAIN, CLAIM),
        *(DAILY, HOURLY, COUNTED),
    ),
    # What lists show, when it expires, and never the payload: an index that carried it would
    # store it again, and be written again with it.
    indexes=(
        Index(
            "GSI1",
            pk="GSI1PK",
            sk="GSI1SK",
            projects=(
                *("form_id", "status", "payload_bytes", "response_status", "error", "expires_at"),
                *("submission_count", "delivery_count", "error_count"),
            ),
        ),
        Index(
            "GSI2",
            pk="GSI2PK",
            sk="GSI2SK",
            projects=("form_id", "payload_bytes", "response_status", "error", "expires_at"),
        ),
        Index("GSI3", pk="GSI3PK", sk="GSI3SK", projects=("status", "payload_bytes", "expires_at")),
    ),
    patterns=(*_SUBMISSIONS, *_DELIVERIES, *_TENANTS, *_METRICS),
)
