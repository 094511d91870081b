"""Portal: bills of a small and a large one."""

from decimal import Decimal

from docs.bills.system import (
    BATCH_SECONDS,
    LIST_SECONDS,
    QUEUE_CALLS,
    RUNS_A_MONTH,
    BillScale,
    System,
    answers,
    logs,
    used,
)
from docs.scenarios import portal_content, portal_events, portal_inbox
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.events import Events
from tablewright.catalog.portal.notifications import Notifications
from tablewright.catalog.portal.subscriptions import Subscriptions
from tablewright.costs.bill import ServiceUse, sampled

# Of one approval with subscribers of one topic; a test holds them to a run.
CALLS_OF_AN_APPROVAL = {"sqs:SendMessageBatch": 1, "Notify": 1}
_EVENT_BYTES = 320
_EVENTS_TOGETHER = 10
_FILE_GB_OF_1000 = 1


def _scale(at: int, users: int, contents: int) -> BillScale:
    name = portal_content.SCALES[at].name
    daily = portal_events.DAILY[name]
    looks = users * 20
    # Lists and contents, notifications, events, and changes of content.
    requests = looks * (10 + 30 + 20) + 30 * daily // _EVENTS_TOGETHER + 2 * contents
    notify = contents // 10 * CALLS_OF_AN_APPROVAL["Notify"]
    others = contents + notify + RUNS_A_MONTH
    return BillScale(
        name,
        [
            used(ContentRegistry, portal_content.SCALES[at]),
            used(Notifications, portal_inbox.NOTIFICATION_SCALES[at]),
            used(Subscriptions, portal_inbox.SUBSCRIPTION_SCALES[at]),
            used(Events, portal_events.scales(Events)[at]),
        ],
        ServiceUse(
            requests=requests,
            invocations=requests + others,
            gb_seconds=requests * LIST_SECONDS + others * BATCH_SECONDS,
            queue_requests=QUEUE_CALLS * (notify + contents // 20),
            log_gb=logs(others, requests),
            traces=sampled(requests) + sampled(others),
            object_puts=contents // 20,
            object_gets=looks * 3,
            object_gb=Decimal(contents) / 1000 * _FILE_GB_OF_1000,
            guarded_users=users,
            out_gb=answers(requests),
        ),
        archived=(daily, _EVENT_BYTES),
        published="none",
    )


PORTAL = System(
    "portal",
    "The small portal has 100 users, 1,000 pieces of content and 10,000 events a day, the large "
    "one 10,000, 100,000 and a million. Users look at ten lists, thirty pieces of content and "
    "their notifications twenty times on each of twenty days; events come ten at a time.",
    (_scale(0, 100, 1_000), _scale(1, 10_000, 100_000)),
    "Nothing was published. Most of the large one is backups, and users, whose sign-in "
    "Cognito guards in prod.",
    stack="portal",
)
