"""Settings of the form system."""

import re

from cdk_app.declared.every import EMAIL
from cdk_app.parsers import listed, matching, or_empty, or_none, whole
from cdk_app.setting import Parser, Setting
from cdk_app.toml_form import JSON
from tablewright.catalog.forms.shard_rules import ShardRules

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_BUS = re.compile(r"[A-Za-z0-9._-]{1,256}|arn:[a-z-]+:events:[a-z0-9-]+:\d{12}:event-bus/\S{1,256}")


def _rules(text: str) -> str:
    # As the function will read them.
    ShardRules.parse(text)
    return text


FORM_MAIL_FROM = Setting(
    name="form_mail_from",
    parser=or_none(EMAIL),
    example="forms@example.com",
    default="none",
    says="The address that e-mail is sent from, verified in SES; without it none is sent.",
)
FORM_BUCKETS = Setting(
    name="form_buckets",
    parser=or_empty(listed(matching(_BUCKET, "a bucket's name"))),
    example="acme-forms,globex-forms",
    default="none",
    says="Buckets that tenants may have submissions delivered to; those of other accounts must "
    "allow it too.",
)
FORM_BUSES = Setting(
    name="form_buses",
    parser=or_empty(listed(matching(_BUS, "an event bus by name or ARN"))),
    example="acme",
    default="none",
    says="Event buses that they may be delivered to, beside the application's own.",
)
FORM_RETRY_SECONDS = Setting(
    name="form_retry_seconds",
    parser=whole("seconds", 1, 900),
    example="30",
    default="15",
    says="How long the first retry of a delivery waits.",
)
SUBMISSION_DAYS = Setting(
    name="submission_days",
    parser=or_none(whole("days", 1, 36_500)),
    example="365",
    default="none",
    says="How long submissions are kept of tenants whose configuration does not say; none: for "
    "good.",
)
SHARD_RULES = Setting(
    name="shard_rules",
    parser=Parser(f"rules as JSON, of {', '.join(ShardRules._fields)}", _rules, JSON),
    example='{"thresholds": [[100000, 4], [1000000, 10]], "most": 20}',
    default="{}",
    says="By what a tenant's [shards](sharding.md) are decided; what is not named is as published.",
)
PLAN_HOURS = Setting(
    name="plan_hours",
    parser=whole("hours", 1, 24),
    example="6",
    default="1",
    says="How often tenants' shards are decided.",
)
