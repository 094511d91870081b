"""The sizes at which the form table is reckoned: those that were published."""

from docs.scenarios.forms_records import attempt, like, submission
from tablewright.catalog.forms.metrics import Counted
from tablewright.catalog.forms.submissions import Request
from tablewright.pages.cost_chapter import Kept, Scale, Use

DESTINATIONS = 2
SAYS = (
    "The sizes that were published: 1,000, 10,000 and 100,000 submissions a month. A submission "
    f"has two kilobytes, comes from a page of the tenant's domain, and is delivered to "
    f"{DESTINATIONS} destinations at the first attempt; its status changes once. Each submission "
    "and each delivery is counted by day and by hour, as if none came together with another, and "
    "nothing is found in a function's cache. Every tenth submission is looked at in a page of a "
    "list over ten shards. A test holds these counts to a run of the functions."
)


def scale(monthly: int) -> Scale:
    deliveries = DESTINATIONS * monthly
    year = 12
    return Scale(
        f"{monthly:,}",
        uses=(
            Use("get_domain", "one domain", monthly),
            Use("secrets", "one secret", monthly),
            Use("get_config", "one tenant", 2 * monthly),
            Use("get_shards", "a tenant's epochs", 2 * monthly),
            Use("count_request", "one request", monthly),
            Use("claim_request", "one key", monthly),
            Use("put_submission", "one of two kilobytes, compressed", monthly),
            Use("get_submission", "one submission", monthly + deliveries),
            Use("submission_attempts", "two attempts", monthly + deliveries),
            Use("put_attempt", "one attempt", deliveries),
            Use("get_attempt", "one attempt", deliveries),
            Use("get_destination", "one destination", deliveries),
            Use("update_attempt", "a claim", deliveries),
            Use("update_attempt", "what came of one", deliveries),
            Use("update_submission", "a submission's status", monthly),
            Use("count_daily", "one event", monthly + deliveries),
            Use("count_hourly", "one event", monthly + deliveries),
            Use("submissions", "a page of 20 over 10 shards", monthly // 10),
        ),
        kept=(
            Kept("Submission", dict(submission(0)), year * monthly),
            Kept("DeliveryAttempt", dict(attempt(0)), year * deliveries),
            Kept("Request", dict(like(Request)), monthly // 4),
            Kept("Counted", dict(like(Counted)), 2 * (monthly + deliveries)),
        ),
    )


SCALES = tuple(map(scale, (1_000, 10_000, 100_000)))
