"""Contract of the form system: routes, environments, events, for stack, functions and document."""

from typing import NamedTuple

from lambdas.contract import Environment, PagesEnvironment, Route

_DOMAIN = "/domains/{domain}"
_DESTINATION = "/destinations/{destination_id}"
_SUBMISSION = "/submissions/{submission_id}"

SUBMIT = Route("POST", "/forms/{form_id}/submissions")
ANNOUNCE_UPLOAD = Route("POST", "/forms/{form_id}/uploads")
SUBMIT_ROUTES = (SUBMIT, ANNOUNCE_UPLOAD)

LIST_TENANTS = Route("GET", "/tenants")
CREATE_TENANT = Route("POST", "/tenants")
GET_CONFIG = Route("GET", "/config")
CHANGE_CONFIG = Route("PATCH", "/config")
LIST_DOMAINS = Route("GET", "/domains")
CLAIM_DOMAIN = Route("POST", "/domains")
VERIFY_DOMAIN = Route("POST", f"{_DOMAIN}/verify")
GIVE_UP_DOMAIN = Route("DELETE", _DOMAIN)
LIST_DESTINATIONS = Route("GET", "/destinations")
CREATE_DESTINATION = Route("POST", "/destinations")
GET_DESTINATION = Route("GET", _DESTINATION)
CHANGE_DESTINATION = Route("PATCH", _DESTINATION)
DELETE_DESTINATION = Route("DELETE", _DESTINATION)
ROTATE_HOOK_SECRET = Route("POST", f"{_DESTINATION}/secret")
TEST_DESTINATION = Route("POST", f"{_DESTINATION}/test")
DESTINATION_ATTEMPTS = Route("GET", f"{_DESTINATION}/attempts")
LIST_SUBMISSIONS = Route("GET", "/submissions")
GET_SUBMISSION = Route("GET", _SUBMISSION)
SUBMISSION_ATTEMPTS = Route("GET", f"{_SUBMISSION}/attempts")
REDELIVER = Route("POST", f"{_SUBMISSION}/redeliver")
LIST_SECRETS = Route("GET", "/secrets")
ROTATE_SECRET = Route("POST", "/secrets")
REVOKE_SECRET = Route("DELETE", "/secrets/{key_id}")
METRICS = Route("GET", "/metrics")
TENANTS_METRICS = Route("GET", "/metrics/tenants")
OPENAPI = Route("GET", "/openapi.json")
ADMIN_ROUTES = (
    *(LIST_TENANTS, CREATE_TENANT, GET_CONFIG, CHANGE_CONFIG),
    *(LIST_DOMAINS, CLAIM_DOMAIN, VERIFY_DOMAIN, GIVE_UP_DOMAIN),
    *(LIST_DESTINATIONS, CREATE_DESTINATION),
    *(GET_DESTINATION, CHANGE_DESTINATION, DELETE_DESTINATION),
    *(ROTATE_HOOK_SECRET, TEST_DESTINATION, DESTINATION_ATTEMPTS),
    *(LIST_SUBMISSIONS, GET_SUBMISSION, SUBMISSION_ATTEMPTS, REDELIVER),
    *(LIST_SECRETS, ROTATE_SECRET, REVOKE_SECRET),
    *(METRICS, TENANTS_METRICS, OPENAPI),
)

# What sessions of the tenants' role are tagged with.
SESSION_TAG = "tenant_id"
# The event of a created submission, and what it says: what the submission is found by.
SOURCE, CREATED = "tablewright.forms", "submission.created"
REFERENCES = ("tenant_id", "submission_id", "form_id", "timestamp", "original_size")
# Counted by the shard planner, and watched by an alarm.
PLANNER_FAILURES = "ShardPlannerFailures"
# What switches have that are on.
ON = "true"


class DomainCheck(NamedTuple):
    """Asks the function that verifies domains to check one claim at once."""

    tenant_id: str
    domain: str


class TableEnvironment(Environment):
    """Variables of every function."""

    forms_table: str


class DestinationEnvironment(Environment):
    """Variables that decide which destinations a tenant may name: not the bucket of the payloads.

    `local_webhooks` is on where nothing runs but tests and trials: webhooks may be on this machine.
    """

    payloads_bucket: str | None = None
    local_webhooks: str | None = None


class SubmitEnvironment(TableEnvironment):
    """Variables of the function that takes submissions in.

    `submission_days` are of tenants whose configuration does not say; without it, for good.
    """

    payloads_bucket: str
    secrets_prefix: str
    submission_days: str | None = None


class DeliverEnvironment(SubmitEnvironment):
    """Variables of the function that delivers submissions."""

    deliveries_queue_url: str
    event_bus_name: str
    mail_from: str = ""
    retry_first_seconds: str | None = None
    local_webhooks: str | None = None


class CountEnvironment(TableEnvironment):
    """Variables of the function that counts changes and removes payloads."""

    payloads_bucket: str


class PlanEnvironment(TableEnvironment):
    """Variables of the shard planner: its rules, as JSON, where they are not as published."""

    shard_rules: str


class VerifyEnvironment(TableEnvironment):
    """Variables of the function that verifies domains.

    `local_domains` is on where nothing runs but tests and trials: reserved ones need no proof.
    """

    local_domains: str | None = None


class AdminEnvironment(SubmitEnvironment, PagesEnvironment):
    """Variables of the function of the admin API."""

    deliveries_queue_url: str
    cursor_secret_arn: str
    verify_function: str
    tenant_role_arn: str
    local_webhooks: str | None = None
