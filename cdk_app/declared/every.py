"""Settings of every system: where it is, who is told, what is kept, how much it takes."""

import re
from pathlib import Path

from aws_cdk import aws_logs as logs
from aws_cdk.aws_dynamodb import ContributorInsightsMode

from cdk_app.capacity import CAPACITY as CAPACITY_PARSER
from cdk_app.origins import origins
from cdk_app.parsers import (
    by_name,
    choice,
    either,
    listed,
    matching,
    numbers_by_name,
    one_of,
    one_or_two,
    or_empty,
    or_none,
    pair,
    some_of,
    switch,
    whole,
)
from cdk_app.setting import Setting
from cdk_app.toml_form import INTEGER, NUMBER
from lambdas.contract import PAGE_LIMIT as ENTRIES
from lambdas.contract import SYSTEMS
from stacks.shared.stage import TABLES, Throttle
from tablewright.constructs import AlarmLevel, Backups

EMAIL = matching(re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"), "an e-mail address")
_REGION = matching(re.compile(r"[a-z]{2,4}(-[a-z]+)+-\d"), "a region")
_DOLLARS = matching(re.compile(r"(?!0+(\.0+)?$)\d{1,7}(\.\d{1,2})?"), "dollars a month", NUMBER)
_FOLDER = Path(__file__).resolve().parents[2] / "lambdas"
FUNCTIONS = tuple(
    f"{system}.{path.stem}"
    for system in SYSTEMS
    for path in sorted((_FOLDER / system / "handlers").glob("[a-z]*.py"))
)
# As many days as CloudWatch can keep logs for.
_LOG_DAYS = {
    "1": logs.RetentionDays.ONE_DAY,
    "3": logs.RetentionDays.THREE_DAYS,
    "5": logs.RetentionDays.FIVE_DAYS,
    "7": logs.RetentionDays.ONE_WEEK,
    "14": logs.RetentionDays.TWO_WEEKS,
    "30": logs.RetentionDays.ONE_MONTH,
    "60": logs.RetentionDays.TWO_MONTHS,
    "90": logs.RetentionDays.THREE_MONTHS,
    "180": logs.RetentionDays.SIX_MONTHS,
    "365": logs.RetentionDays.ONE_YEAR,
    "731": logs.RetentionDays.TWO_YEARS,
    "1827": logs.RetentionDays.FIVE_YEARS,
    "3653": logs.RetentionDays.TEN_YEARS,
}
_RATE = pair(10_000, "requests a second and at once, RATE/BURST").then(lambda two: Throttle(*two))
_BACKUPS = one_or_two(36_500, "days that daily copies are kept, or DAILY/MONTHLY").then(
    lambda days: Backups(*days)
)

ACCOUNT = Setting(
    name="account",
    parser=or_none(matching(re.compile(r"\d{12}"), "the twelve digits of an account")),
    example="123456789012",
    default="none",
    instead="CDK_DEFAULT_ACCOUNT",
    says="The account that the stage is for; that of the credentials in use unless told.",
)
REGION = Setting(
    name="region",
    parser=or_none(_REGION),
    example="eu-west-1",
    default="none",
    instead="CDK_DEFAULT_REGION",
    says="The region that the stage is in; that of the profile in use unless told.",
)
ALARM_EMAIL = Setting(
    name="alarm_email",
    parser=or_none(EMAIL),
    example="ops@example.com",
    default="none",
    says="Who is told of alarms and costs; without it nobody is.",
)
ALARMS = Setting(
    name="alarms",
    parser=choice({level.value: level for level in AlarmLevel}),
    example="all",
    default="essential",
    says="[How many alarms](operations.md) there are.",
)
CONTRIBUTOR_INSIGHTS = Setting(
    name="contributor_insights",
    parser=choice(
        {
            "none": None,
            "throttled": ContributorInsightsMode.THROTTLED_KEYS,
            "all": ContributorInsightsMode.ACCESSED_AND_THROTTLED_KEYS,
        }
    ),
    example="throttled",
    default="none",
    says="Keys that CloudWatch Contributor Insights shows: throttled ones, or the most used too. "
    "It [charges](idle-cost.md) for every key attribute of every table, index and replica.",
)
COST_LIMITS = Setting(
    name="cost_limits",
    parser=or_empty(listed(_DOLLARS.then(float))),
    example="50,75,100",
    default="20,30,40",
    says="US dollars a month. Each is reported when it is reached and when it is forecast. An idle "
    "stage in one region [costs less](idle-cost.md).",
)
CAPACITY = Setting(
    name="capacity",
    parser=by_name(CAPACITY_PARSER, "on-demand", (*SYSTEMS, *TABLES)),
    example="on-demand,sales=provisioned:5-100@70,portal.events=on-demand:1000/4000",
    default="on-demand",
    says="What tables take, each index the same again and each replica too: as much as comes, up "
    "to a limit if one is named, or units that scale. What is warm can be asked of a table at "
    "once, is paid once, and never falls.",
)
API_RATE = Setting(
    name="api_rate",
    parser=by_name(_RATE, "100/200", SYSTEMS),
    example="100/200,forms=2000/4000",
    default="100/200",
    says="What an API takes before it answers 429. The account's own quota is 10,000 a second and "
    "5,000 at once unless AWS has raised it. Forms: a tenant's "
    "[shards](sharding.md) follow from what comes through.",
)
FIREWALL = Setting(
    name="firewall",
    parser=switch(),
    example="on",
    default="off",
    says="Whether CloudFront and [a firewall](edge.md#a-firewall) are in front of the APIs.",
)
CONCURRENCY = Setting(
    name="concurrency",
    parser=numbers_by_name(whole("calls at once", 2, 1000), FUNCTIONS),
    example="forms.deliver=20,sentiment.ingest=5",
    default="none",
    says="Concurrency reserved for functions, each named by its system and its file in "
    "`lambdas/SYSTEM/handlers`: as many calls run at once, and no more. The account must keep 100 "
    "that nothing has reserved; its quota is 1,000 unless AWS has raised it.",
)
OPEN_CONCURRENCY = Setting(
    name="open_concurrency",
    parser=or_none(whole("calls at once", 1, 9999)),
    example="50",
    default="none",
    says="Concurrency reserved for each function that wants no token: "
    "[under attack](edge.md#under-attack).",
)
PAGE_LIMIT = Setting(
    name="page_limit",
    parser=whole("entries", 1, 100),
    example="50",
    default=str(ENTRIES),
    says="How many entries a page of a list has when the request does not say.",
)
CORS_ORIGINS = Setting(
    name="cors_origins",
    parser=or_empty(listed(origins())),
    example="https://app.example.com",
    default="none",
    says="Pages that may call the APIs, upload and download: "
    "[the edge](edge.md#pages-of-other-origins).",
)
REPLICAS = Setting(
    name="replicas",
    parser=or_empty(listed(_REGION)),
    example="us-west-2,ap-south-1",
    default="none",
    says="[Other regions](regions.md) that tables are in, and that the sentiment system runs from "
    "([how they change](deploying.md#change-a-stage)).",
)
REPLICATED = Setting(
    name="replicated",
    parser=listed(one_of(*SYSTEMS)),
    example="sentiment,sales",
    default="sentiment",
    says="The systems whose tables are in these regions.",
)
CUSTOMER_KEYS = Setting(
    name="customer_keys",
    parser=some_of(SYSTEMS),
    example="sales,forms",
    default="off",
    says="Systems whose tables are encrypted with a key of the account's own, one for each system, "
    "which KMS rotates every year: [how](encryption.md#keys-of-tables). Off: with DynamoDB's key "
    "in the account.",
)
LOG_DAYS = Setting(
    name="log_days",
    parser=choice(_LOG_DAYS, f"days: {either(_LOG_DAYS)}", INTEGER),
    example="90",
    default="30",
    says="How long logs are kept.",
)
CALL_LOGS = Setting(
    name="call_logs",
    parser=switch(),
    example="on",
    default="on",
    says="Whether Lambda logs the start and the report of each call. What functions log "
    "themselves, and calls that fail, are logged in any case.",
)
TRACES = Setting(
    name="traces",
    parser=by_name(switch(), "on", SYSTEMS),
    example="off,forms=on",
    default="on",
    says="Whether X-Ray traces functions, by system: one call a second and 5 percent of the rest. "
    "Lambda has no other rate.",
)
RECOVERY_DAYS = Setting(
    name="recovery_days",
    parser=or_none(whole("days", 1, 35)),
    example="35",
    default="7",
    says="How far back tables and buckets can be taken. Not none where data outlives its stack.",
)
BACKUP_DAYS = Setting(
    name="backup_days",
    parser=or_none(_BACKUPS),
    example="35/365",
    default="none",
    says="Copies of tables by AWS Backup: one each day, and one each month if that is set.",
)
ARCHIVE = Setting(
    name="archive",
    parser=switch(),
    example="on",
    default="on",
    says="Whether what expires, and events, are [archived](archive.md).",
)
AUDIT = Setting(
    name="audit",
    parser=switch(),
    example="on",
    default="on",
    says="Whether what is deployed is [compared with its templates](operations.md#read-an-audit) "
    "every night.",
)
ARCHIVE_WINDOW = Setting(
    name="archive_window",
    parser=whole("seconds", 0, 300),
    example="60",
    default="300",
    says="How long an archive waits for more to put into one object.",
)
RECOMMENDATIONS = Setting(
    name="recommendations",
    parser=or_none(whole("dollars a month", 1, 99_999)),
    example="25",
    default="none",
    says="Whether [what would cost less](recommendations.md) is looked for every week; the alarm "
    "topic is told of savings of so much.",
)
STREAM_WINDOW = Setting(
    name="stream_window",
    parser=whole("seconds", 0, 300),
    example="5",
    default="5",
    says="How long records of streams are gathered before a function gets them.",
)
STREAM_OUTAGE = Setting(
    name="stream_outage",
    parser=whole("hours", 1, 23),
    example="6",
    default="6",
    says="How long the consumers of streams may be down without anything being left to do by hand.",
)
CLIENT = Setting(
    name="client",
    parser=choice({"wire": None, "boto3": "boto3"}),
    example="boto3",
    default="wire",
    says="By which client functions call DynamoDB and the other services that speak JSON: "
    "[their own](decisions/0129-calls-over-the-wire.md), or boto3's.",
)
CONNECTIONS = Setting(
    name="connections",
    parser=whole("calls at once", 1, 500).then(lambda most: None if most == 64 else str(most)),
    example="128",
    default="64",
    says="How many calls a function makes side by side at most, such as those to the shards of a "
    "list; each needs a connection and a thread.",
)
THREAT_PROTECTION = Setting(
    name="threat_protection",
    parser=switch(),
    example="on",
    default="off",
    says="Whether Cognito watches for stolen passwords, which is paid for by the user.",
)
