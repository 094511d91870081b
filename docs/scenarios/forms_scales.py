"""The sizes at which the form table is reckoned: those that were published."""

from docs.scenarios.forms_records import attempt, like, submission
from tablewright.catalog.forms.metrics import Counted
from tablewright.catalog.forms.submissions import Request
from tablewright.pages.cost_chapter import Kept, Scale, Use

DESTINATIONS = 2
SAYS = (
    "The sizes that were published: 1,000, 10,000 and 100,000 submissions a month. A submission "
    f"has two kilobytes, is delivered to {DESTINATIONS} destinations at the first attempt, and is "
    "read for each of them; its status changes once. Each submission and each delivery is counted "
    "by day and by hour, as if none came together with another. Every tenth submission is looked "
    "at in a page of a list over ten shards."
)


def _scale(monthly: int) -> Scale:
    deliveries = DESTINATIONS * monthly
    year = 12
    return Scale(
        f"{monthly:,}",
        uses=(
            Use("claim_request", "one key", monthly),
            Use("put_submission", "one of two kilobytes, compressed", monthly),
            Use("get_submission", "one submission", deliveries),
            Use("update_submission", "a submission's status", monthly),
            Use("put_attempt", "one attempt", deliveries),
            Use("count_daily", "one event", monthly + deliveries),
            Use("count_hourly", "one event", monthly + deliveries),
            Use("get_config", "one tenant", monthly),
            Use("get_domain", "one domain", monthly),
            Use("submissions", "a page of 20 over 10 shards", monthly // 10),
        ),
        kept=(
            Kept("Submission", dict(submission(0)), year * monthly),
            Kept("DeliveryAttempt", dict(attempt(0)), year * deliveries),
            Kept("Request", dict(like(Request)), monthly // 4),
            Kept("Counted", dict(like(Counted)), 2 * (monthly + deliveries)),
        ),
    )


SCALES = tuple(map(_scale, (1_000, 10_000, 100_000)))
