"""Form table: submissions of many tenants on one table, in as many shards as each needs.

The number of a tenant's shards changes by epochs, and nothing is moved when it does
(`tablewright.model.sharding.epochs`). Every partition key that a tenant can reach begins with the
tenant. The lookup of domains and the lists over all tenants do not, and no tenant's session reaches
them.
"""

from tablewright.catalog.forms.metrics import DAY_SHARDS, Counted, DailyMetrics, HourlyMetrics
from tablewright.catalog.forms.submissions import (
    OF_DELIVERY,
    OF_SUBMISSION,
    DeliveryAttempt,
    Request,
    RequestWindow,
    Submission,
)
from tablewright.catalog.forms.tenants import (
    Destination,
    DomainClaim,
    DomainLookup,
    TenantConfig,
    TenantSecret,
    TenantShards,
)
from tablewright.model import (
    Count,
    Delete,
    Get,
    Index,
    Key,
    Put,
    Query,
    Shards,
    Table,
    Update,
    Upsert,
)

_SHARDS = Get(TenantShards, consistent=True, describes="Read a tenant's epochs.")


class Forms(
    Table,
    pk="PK",
    sk="SK",
    ttl="ttl",
    stream="NEW_AND_OLD_IMAGES",
    tenant="tenant_id",
    epochs=_SHARDS,
):
    """Submissions of forms by many tenants, their deliveries, and what a tenant has."""

    # What lists show, when it expires, and never the payload: an index that carried it would
    # store it again, and be written again with it.
    by_time = Index(
        "GSI1",
        pk="GSI1PK",
        sk="GSI1SK",
        projects=(
            *(Submission.form_id, Submission.status, Submission.original_size),
            *(DeliveryAttempt.response_status, DeliveryAttempt.error, Submission.expires_at),
            DailyMetrics.submission_count,
            DailyMetrics.delivery_count,
            DailyMetrics.error_count,
        ),
        keys={
            Submission: Key("TENANT#{tenant_id}#{shard}", "TS#{timestamp}", shards=OF_SUBMISSION),
            DeliveryAttempt: Key(
                "TENANT#{tenant_id}#{shard}", "DELIVERY#{status}#{timestamp}", shards=OF_DELIVERY
            ),
            TenantConfig: Key("CONFIG#{state}", "TENANT#{tenant_id}", shared=True),
            Destination: Key("TENANT#{tenant_id}", "DEST#{destination_type}#{created_at}"),
            DomainClaim: Key("CLAIMS#{state}", "AT#{check_at}", shared=True),
            DailyMetrics: Key(
                "METRICS#DAY#{date}#{shard}",
                "TENANT#{tenant_id}",
                shards=Shards(DAY_SHARDS, by="tenant_id"),
                shared=True,
            ),
        },
    )
    by_status = Index(
        "GSI2",
        pk="GSI2PK",
        sk="GSI2SK",
        projects=(
            *(Submission.form_id, Submission.original_size),
            *(DeliveryAttempt.response_status, DeliveryAttempt.error, Submission.expires_at),
        ),
        keys={
            Submission: Key(
                "TENANT#{tenant_id}#STATUS#{shard}", "{status}#{timestamp}", shards=OF_SUBMISSION
            ),
            DeliveryAttempt: Key(
                "TENANT#{tenant_id}#DEST#{destination_id}#{shard}",
                "STATUS#{status}#{timestamp}",
                shards=OF_DELIVERY,
            ),
        },
    )
    by_form = Index(
        "GSI3",
        pk="GSI3PK",
        sk="GSI3SK",
        projects=(Submission.status, Submission.original_size, Submission.expires_at),
        keys={
            Submission: Key(
                "TENANT#{tenant_id}#FORM#{form_id}#{shard}", "TS#{timestamp}", shards=OF_SUBMISSION
            )
        },
    )

    put_submission = Put(Submission, create=True, describes="Store a new submission.")
    get_submission = Get(Submission, describes="Read a submission by its id.")
    update_submission = Update(Submission, describes="Change a submission's status.")
    delete_submission = Delete(Submission, describes="Remove a submission.")
    submissions = Query(
        Submission,
        by_time,
        range=Submission.timestamp,
        filters=(Submission.form_id, Submission.status),
        descending=True,
        describes="A tenant's submissions, newest first.",
    )
    submissions_by_status = Query(
        Submission,
        by_status,
        range=Submission.timestamp,
        filters=(Submission.form_id,),
        descending=True,
        describes="A tenant's submissions of one status, newest first.",
    )
    submissions_by_form = Query(
        Submission,
        by_form,
        range=Submission.timestamp,
        filters=(Submission.status,),
        descending=True,
        describes="The submissions of one form, newest first.",
    )
    claim_request = Put(Request, create=True, describes="Take an idempotency key, once.")
    get_request = Get(Request, consistent=True, describes="Who took an idempotency key.")
    finish_request = Update(Request, describes="Store what has a payload in the bucket, once.")
    count_request = Upsert(RequestWindow, describes="Count a request, up to a limit.")

    put_attempt = Put(DeliveryAttempt, create=True, describes="Begin an attempt.")
    get_attempt = Get(DeliveryAttempt, consistent=True, describes="Read one attempt.")
    update_attempt = Update(DeliveryAttempt, describes="Say what came of an attempt.")
    submission_attempts = Query(
        DeliveryAttempt,
        # Of two deliveries that end at once, the later must see that there is nothing left.
        consistent=True,
        describes="The attempts of a submission, by destination, in order.",
    )
    destination_attempts = Query(
        DeliveryAttempt,
        by_status,
        range=DeliveryAttempt.timestamp,
        descending=True,
        describes="The attempts of a destination by status, newest first.",
    )
    attempts_by_status = Query(
        DeliveryAttempt,
        by_time,
        range=DeliveryAttempt.timestamp,
        descending=True,
        describes="A tenant's attempts of one status, newest first.",
    )

    put_config = Put(TenantConfig, create=True, describes="Store a new tenant.")
    get_config = Get(TenantConfig, consistent=True, describes="Read a tenant's configuration.")
    update_config = Update(TenantConfig, describes="Change a tenant's configuration.")
    tenants = Query(
        TenantConfig,
        by_time,
        range=TenantConfig.tenant_id,
        # By the index alone: who reads it needs no right to any tenant's own items.
        describes="The ids of all tenants of a state. Not for a tenant's session.",
    )
    get_shards = _SHARDS
    begin_shards = Put(TenantShards, create=True, describes="Store a tenant's first epoch.")
    append_shards = Update(TenantShards, describes="Add an epoch to a tenant's.")
    put_destination = Put(Destination, create=True, describes="Store a new destination.")
    get_destination = Get(Destination, consistent=True, describes="Read a destination.")
    update_destination = Update(Destination, describes="Change, pause or disable one.")
    delete_destination = Delete(Destination, describes="Remove a destination.")
    destinations = Query(Destination, consistent=True, describes="A tenant's destinations.")
    destinations_by_type = Query(
        Destination,
        by_time,
        hydrate=True,
        describes="A tenant's destinations of one type, oldest first.",
    )
    put_secret = Put(TenantSecret, create=True, describes="Store where a secret is kept.")
    get_secret = Get(TenantSecret, consistent=True, describes="Read where a secret is kept.")
    update_secret = Update(TenantSecret, describes="Rotate or revoke a secret.")
    secrets = Query(TenantSecret, describes="Where a tenant's secrets are kept.")
    put_domain = Put(DomainLookup, create=True, describes="Give a domain to a tenant.")
    get_domain = Get(DomainLookup, describes="Whose a domain is. Not for a tenant's session.")
    update_domain = Update(DomainLookup, describes="Give one to whoever has proven it.")
    delete_domain = Delete(DomainLookup, describes="Take a domain from its tenant.")
    put_claim = Put(DomainClaim, create=True, describes="Claim a domain for a tenant.")
    get_claim = Get(DomainClaim, consistent=True, describes="How far a domain is proven.")
    update_claim = Update(DomainClaim, describes="Say what came of a check of a domain.")
    delete_claim = Delete(DomainClaim, describes="Give up a domain.")
    tenant_domains = Query(DomainClaim, describes="A tenant's domains.")
    due_claims = Query(
        DomainClaim,
        by_time,
        range=DomainClaim.check_at,
        describes="Domains of a state by when they are to be checked. Not for a tenant's session.",
    )

    count_daily = Count(DailyMetrics, marker=Counted, describes="Count events by day.")
    count_hourly = Count(HourlyMetrics, marker=Counted, describes="Count events by hour.")
    daily_metrics = Query(
        DailyMetrics, range=DailyMetrics.date, describes="A tenant's counts by day."
    )
    hourly_metrics = Query(
        HourlyMetrics, range=HourlyMetrics.datetime, describes="A tenant's counts by hour."
    )
    day_of_tenants = Query(
        DailyMetrics,
        by_time,
        select=(
            DailyMetrics.tenant_id,
            DailyMetrics.date,
            DailyMetrics.submission_count,
            DailyMetrics.delivery_count,
            DailyMetrics.error_count,
        ),
        describes="The counts of all tenants on a day. Not for a tenant's session.",
    )
