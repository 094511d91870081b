"""Forms: bills of 1,000, 10,000 and 100,000 submissions a month."""

from docs.bills.system import (
    ANSWER_SECONDS,
    BATCH_SECONDS,
    DELIVERY_SECONDS,
    QUEUE_CALLS,
    BillScale,
    System,
    answers,
    logs,
    used,
)
from docs.scenarios.forms_scales import scale
from tablewright.catalog.forms.design import Forms
from tablewright.costs.bill import ServiceUse, sampled

# Calls of functions and of services, by one submission; a test holds them to a run.
CALLS = {"Deliver": 3, "Count": 3, "secretsmanager:GetSecretValue": 3, "sqs:SendMessageBatch": 1}
_SECRETS_OF_A_TENANT = 3


def _scale(monthly: int, tenants: int, published: str) -> BillScale:
    requests = monthly + monthly // 10
    deliver, count = CALLS["Deliver"] * monthly, CALLS["Count"] * monthly
    invocations = requests + deliver + count
    return BillScale(
        f"{monthly:,}",
        [used(Forms, scale(monthly))],
        ServiceUse(
            requests=requests,
            invocations=invocations,
            gb_seconds=requests * ANSWER_SECONDS
            + deliver * DELIVERY_SECONDS
            + count * BATCH_SECONDS,
            events=monthly,
            pipe_requests=monthly,
            queue_requests=QUEUE_CALLS * deliver,
            log_gb=logs(invocations, requests),
            traces=sampled(invocations),
            secret_calls=CALLS["secretsmanager:GetSecretValue"] * monthly,
            secrets=_SECRETS_OF_A_TENANT * tenants,
            guarded_users=tenants,
            out_gb=answers(requests + 2 * monthly),
        ),
        published=published,
    )


FORMS = System(
    "forms",
    "Submissions of two kilobytes, each delivered to two webhooks at the first attempt; every "
    "tenth is looked at. They are of 1, 3 and 10 tenants, each with a user and three secrets: one "
    "that signs, one for each webhook.",
    (
        _scale(1_000, 1, "12 to 21, and 15 to 20"),
        _scale(10_000, 3, "48 to 73"),
        _scale(100_000, 10, "310 to 445"),
    ),
    "The published sums have 2 to 8 dollars for KMS and 5 for a firewall, neither of which is "
    "here, and multiply by twenty what hardly grows. What stands is the most of a small bill: "
    "alarms of all kinds. With essential alarms alone it is four dollars less.",
)
