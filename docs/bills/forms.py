"""Forms: bills of 1,000, 10,000 and 100,000 submissions a month."""

from collections.abc import Iterator
from decimal import Decimal

from docs.bills.system import (
    ANSWER_SECONDS,
    BATCH_SECONDS,
    DELIVERY_SECONDS,
    QUEUE_CALLS,
    BillScale,
    Dollars,
    Line,
    System,
    answers,
    logs,
    of_services,
    of_table,
    used,
)
from docs.scenarios.forms_scales import scale
from tablewright.catalog.forms.design import Forms
from tablewright.costs.bill import ServiceUse, firewall_month, sampled
from tablewright.costs.monthly_cost import Usage

# Calls of functions and of services, by one submission; a test holds them to a run.
CALLS = {"Deliver": 3, "Count": 3, "secretsmanager:GetSecretValue": 3, "sqs:SendMessageBatch": 1}
_SECRETS_OF_A_TENANT = 3


def _scale(
    monthly: int, tenants: int, published: str, figures: dict[str, str] | None = None
) -> BillScale:
    requests = monthly + monthly // 10
    deliver, count = CALLS["Deliver"] * monthly, CALLS["Count"] * monthly
    invocations = requests + deliver + count
    table = used(Forms, scale(monthly))
    services = ServiceUse(
        requests=requests,
        invocations=invocations,
        gb_seconds=requests * ANSWER_SECONDS + deliver * DELIVERY_SECONDS + count * BATCH_SECONDS,
        events=monthly,
        pipe_requests=monthly,
        queue_requests=QUEUE_CALLS * deliver,
        log_gb=logs(deliver + count, requests),
        traces=sampled(invocations),
        secret_calls=CALLS["secretsmanager:GetSecretValue"] * monthly,
        secrets=_SECRETS_OF_A_TENANT * tenants,
        guarded_users=tenants,
        out_gb=answers(requests + 2 * monthly),
    )
    return BillScale(
        f"{monthly:,}",
        [table],
        services,
        published=published,
        lines=list(_lines(monthly, table, services, figures or {})),
    )


def _lines(
    monthly: int, table: Usage, services: ServiceUse, figures: dict[str, str]
) -> Iterator[Line]:
    def line(name: str, dollars: Dollars, why: str) -> Line:
        return Line(name, figures.get(name, ""), dollars, why)

    def used(*parts: str) -> Dollars:
        return of_services(services, *parts)

    def standing(part: str) -> Dollars:
        return lambda _, fixed: fixed.get(part, Decimal())

    yield line(
        "DynamoDB, reads", of_table(table, "reads"), "Half a unit a look; the price was halved."
    )
    yield line(
        "DynamoDB, writes",
        of_table(table, "writes"),
        f"{table.write_units / monthly:.0f} units a submission with its two deliveries "
        "and all counts, at half the price.",
    )
    yield line("DynamoDB, storage", of_table(table, "storage"), "Payloads are compressed.")
    yield line("Lambda", used("functions"), "Seven runs a submission, on Graviton.")
    yield line("API Gateway", used("API", "transfer"), "An HTTP API, at a dollar a million.")
    yield line(
        "EventBridge, pipe, queue",
        used("events and pipes", "topics, queues, e-mail"),
        "An event of one kilobyte and two messages a submission.",
    )
    yield line(
        "KMS", standing("keys"), "One key, of the alarms' topic. Tables have AWS's keys by default."
    )
    yield line(
        "Secrets Manager",
        lambda prices, fixed: fixed["secrets"] + services.costs(prices)["secrets and keys"],
        "Each tenant has three secrets of 40 cents: one that signs, one for each webhook.",
    )
    if "WAF" in figures or not figures:
        yield line(
            "WAF",
            lambda prices, _: firewall_month(prices, services.requests),
            "The list, its four rules and CloudFront's requests. Off unless it is asked "
            "for, and then for all APIs.",
        )
    yield line(
        "CloudWatch",
        lambda prices, fixed: fixed["metrics of alarms"] + services.costs(prices)["logs"],
        "Essential alarms, and logs of a month.",
    )
    yield line(
        "X-Ray",
        used("metrics and traces"),
        "Each run is a trace while there is less than one a second.",
    )
    yield line("S3", used("objects"), "Two kilobytes fit into the item when compressed.")


_MVP = {
    "DynamoDB, reads": "2",
    "DynamoDB, writes": "3",
    "DynamoDB, storage": "1",
    "Lambda": "3",
    "API Gateway": "1.50",
    "EventBridge, pipe, queue": "0.50",
    "KMS": "2",
    "Secrets Manager": "1",
    "CloudWatch": "1",
    "X-Ray": "0.50",
    "S3": "0.70",
}
_GROWTH = {
    "DynamoDB, reads": "8",
    "DynamoDB, writes": "12",
    "DynamoDB, storage": "3",
    "Lambda": "8",
    "API Gateway": "5",
    "EventBridge, pipe, queue": "2",
    "KMS": "8",
    "Secrets Manager": "3",
    "WAF": "5",
    "CloudWatch": "3",
    "X-Ray": "2",
    "S3": "3",
}
FORMS = System(
    "forms",
    "Submissions of two kilobytes, each delivered to two webhooks at the first attempt; every "
    "tenth is looked at. They are of 1, 3 and 10 tenants, each with a user and three secrets: one "
    "that signs, one for each webhook. The parts of the third sum were not published.",
    (
        _scale(1_000, 1, "12 to 21, and 15 to 20", _MVP),
        _scale(10_000, 3, "48 to 73", _GROWTH),
        _scale(100_000, 10, "310 to 445"),
    ),
    "The whole bill has backups and users besides, and no firewall unless the "
    "stage has `firewall = true`. What stands is the most of a small bill.",
    stack="forms",
)
