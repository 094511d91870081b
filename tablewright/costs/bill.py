"""Bill of an application: what it uses in a month beside its tables, at the prices of a region."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from tablewright.costs.monthly_cost import Usage, bill
from tablewright.costs.prices import Prices

SECONDS_PER_MONTH = 30 * 24 * 3600
_MILLION = Decimal(10**6)
_THOUSAND = Decimal(1000)
_CENT = Decimal("0.01")


@dataclass(frozen=True, kw_only=True)
class ServiceUse:
    """What is used in a month; gigabytes and seconds are decimals, all else are numbers of calls.

    `text_units` are of 100 characters; `guarded_users` sign in, with threat protection.
    """

    requests: int = 0
    invocations: int = 0
    gb_seconds: Decimal = Decimal()
    events: int = 0
    pipe_requests: int = 0
    schedule_runs: int = 0
    topic_requests: int = 0
    queue_requests: int = 0
    emails: int = 0
    metrics: int = 0
    log_gb: Decimal = Decimal()
    log_months: int = 1
    traces: int = 0
    object_puts: int = 0
    object_gets: int = 0
    object_gb: Decimal = Decimal()
    key_calls: int = 0
    secret_calls: int = 0
    secrets: int = 0
    text_units: int = 0
    guarded_users: int = 0
    out_gb: Decimal = Decimal()
    between_regions_gb: Decimal = Decimal()

    def costs(self, prices: Prices) -> dict[str, Decimal]:
        """Dollars by service, not rounded."""
        per_million, security, watched = _MILLION, prices.security, prices.monitoring
        functions, events, messages = prices.functions, prices.events, prices.messages
        s3, network = prices.objects, prices.network
        return {
            "functions": self.invocations * functions.request_million / per_million
            + self.gb_seconds * functions.arm_gb_second,
            "API": self.requests * prices.api_million / per_million,
            "events and pipes": (
                self.events * events.event_million
                + self.pipe_requests * events.pipe_million
                + self.schedule_runs * events.schedule_million
            )
            / per_million,
            "topics, queues, e-mail": (
                self.topic_requests * messages.topic_million
                + self.queue_requests * messages.queue_million
            )
            / per_million
            + self.emails * messages.email_thousand / _THOUSAND,
            "logs": self.log_gb * (watched.log_gb + self.log_months * watched.log_gb_month),
            "metrics and traces": self.metrics * watched.metric_month
            + self.traces * watched.trace_million / per_million,
            "objects": (self.object_puts * s3.put_thousand + self.object_gets * s3.get_thousand)
            / _THOUSAND
            + self.object_gb * s3.gb_month,
            "secrets and keys": (
                self.secret_calls * security.secret_call_million
                + self.key_calls * security.key_call_million
            )
            / per_million
            + self.secrets * security.secret_month,
            "analysis of texts": self.text_units * prices.analysis.text_unit_million / per_million,
            "users": self.guarded_users * security.guarded_user_month,
            "transfer": self.out_gb * network.out_gb
            + self.between_regions_gb * network.between_regions_gb,
        }


def sampled(roots: int) -> int:
    """Traces that X-Ray records of so many requests a month: one a second, and 5 percent of the
    rest."""
    first = min(roots, SECONDS_PER_MONTH)
    return first + (roots - first) // 20


# Of the web ACL that is in front of the APIs: three groups that AWS maintains, and a rate.
FIREWALL_RULES = 4


def firewall_month(prices: Prices, requests: int = 0) -> Decimal:
    """Dollars for a web ACL, its rules, and the requests that CloudFront hands on through it."""
    security = prices.security
    standing = security.firewall_month + FIREWALL_RULES * security.firewall_rule_month
    each = (security.firewall_million + prices.network.edge_million) / _MILLION
    return standing + requests * each


def recovery(tables: Sequence[Usage], prices: Prices, *, copies: int) -> Decimal:
    """Dollars for continuous backups of tables and replicas, and for so many copies of each table.

    Indexes are in neither. AWS Backup copies a table whole each time.
    """
    continuous, copy = prices.dynamodb.pitr_gb_month, prices.dynamodb.backup_gb_month
    each = (
        one.backed_up_bytes * ((1 + one.replicas) * continuous + copies * copy) for one in tables
    )
    return sum(each, Decimal()) / 10**9


def whole_bill(
    *,
    fixed: Mapping[str, Decimal],
    tables: Sequence[Usage],
    services: ServiceUse,
    prices: Prices,
    copies: int = 0,
) -> dict[str, Decimal]:
    """Dollars a month by line, and in all: what stands, the tables, and what else is used.

    Lines that are nothing are left out.
    """
    lines = dict(fixed)
    for usage in tables:
        for name, cost in bill(usage, prices).items():
            if name != "total":
                lines[f"tables: {name}"] = lines.get(f"tables: {name}", Decimal()) + cost
    lines["tables: recovery and backups"] = recovery(tables, prices, copies=copies)
    lines |= services.costs(prices)
    rounded = {name: cost.quantize(_CENT) for name, cost in lines.items()}
    shown = {name: cost for name, cost in rounded.items() if cost}
    return {**shown, "in all": sum(shown.values(), Decimal())}
