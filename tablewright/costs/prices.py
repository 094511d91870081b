"""Prices of AWS in US dollars: of one region, of the first tier, without free allowances.

Those of the regions are `tablewright.costs.price_lists.PRICE_LISTS`. A file of JSON replaces any
of them: ``Prices.from_file(Path("ours.json"), base=EU_WEST_1)``.
"""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

from tablewright.runtime.strict_json import InvalidJson, parse

HOURS_PER_MONTH = 730
# Reserved capacity is sold in hundreds of units.
UNITS_RESERVED_TOGETHER = 100


class InvalidPrices(ValueError):
    """A price list that lacks a price, or has one that nobody asks for or that is no number."""


class ThroughputPrices(NamedTuple):
    """Throughput and storage of tables of one class: a million request units, a unit for an hour.

    A replicated write is one that reaches a region from another one; it is paid for there.
    """

    write_million: Decimal
    read_million: Decimal
    replicated_write_million: Decimal
    write_unit_hour: Decimal
    read_unit_hour: Decimal
    replicated_write_unit_hour: Decimal
    gb_month: Decimal


class ReservedPrices(NamedTuple):
    """A hundred units of a provisioned table of the standard class, reserved for a term."""

    write_upfront: Decimal
    write_hour: Decimal
    read_upfront: Decimal
    read_hour: Decimal


class DynamoDbPrices(NamedTuple):
    """Tables by class, reserved capacity by term, and what can be switched on."""

    standard: ThroughputPrices
    infrequent_access: ThroughputPrices
    reserved_1_year: ReservedPrices
    # Sold in some regions only: None where no price is known.
    reserved_3_years: ReservedPrices | None
    pitr_gb_month: Decimal
    backup_gb_month: Decimal
    restore_gb: Decimal
    export_gb: Decimal
    import_gb: Decimal
    # By other readers than Lambda and global tables.
    stream_read_million: Decimal


class FunctionPrices(NamedTuple):
    """Lambda."""

    request_million: Decimal
    arm_gb_second: Decimal
    x86_gb_second: Decimal


class EventPrices(NamedTuple):
    """EventBridge: events of one's own, runs of its scheduler, requests of pipes."""

    event_million: Decimal
    schedule_million: Decimal
    pipe_million: Decimal


class MessagePrices(NamedTuple):
    """SNS, SQS, SES."""

    topic_million: Decimal
    queue_million: Decimal
    email_thousand: Decimal


class MonitoringPrices(NamedTuple):
    """CloudWatch and X-Ray. An alarm is paid for by each metric that it takes."""

    metric_month: Decimal
    alarm_metric_month: Decimal
    # Of Contributor Insights, in each of its modes.
    insights_rule_month: Decimal
    log_gb: Decimal
    log_gb_month: Decimal
    trace_million: Decimal


class ObjectPrices(NamedTuple):
    """S3: standard, infrequent access, Glacier with instant retrieval."""

    gb_month: Decimal
    infrequent_gb_month: Decimal
    glacier_gb_month: Decimal
    put_thousand: Decimal
    get_thousand: Decimal


class SecurityPrices(NamedTuple):
    """KMS, Secrets Manager, WAF, and users of Cognito in a month that they sign in: of its plan
    Essentials, and of Plus, which guards them."""

    key_month: Decimal
    key_call_million: Decimal
    secret_month: Decimal
    secret_call_million: Decimal
    firewall_month: Decimal
    firewall_rule_month: Decimal
    firewall_million: Decimal
    user_month: Decimal
    guarded_user_month: Decimal


class NetworkPrices(NamedTuple):
    """Interface endpoints, in each zone that they stand in, transfer, and CloudFront's requests."""

    endpoint_hour: Decimal
    endpoint_gb: Decimal
    out_gb: Decimal
    between_regions_gb: Decimal
    edge_million: Decimal


class AnalysisPrices(NamedTuple):
    """Comprehend, by units of 100 characters and at least three a request; Athena."""

    text_unit_million: Decimal
    scanned_tb: Decimal


class Prices(NamedTuple):
    """Prices of one region; `dated` is the month that they are of, `sources` how they are known."""

    region: str
    dated: str
    sources: str
    dynamodb: DynamoDbPrices
    dax_node_hour: Mapping[str, Decimal]
    functions: FunctionPrices
    api_million: Decimal
    events: EventPrices
    messages: MessagePrices
    monitoring: MonitoringPrices
    objects: ObjectPrices
    security: SecurityPrices
    network: NetworkPrices
    analysis: AnalysisPrices

    @classmethod
    def of(cls, values: Mapping[str, Any], *, base: "Prices | None" = None) -> "Prices":
        """These prices, which are texts or numbers; what is not named is the base's."""
        return _read(cls, values, base, "prices")

    @classmethod
    def from_file(cls, path: Path, *, base: "Prices | None" = None) -> "Prices":
        """Prices in a file of JSON; what it does not name is the base's."""
        try:
            values = parse(path.read_bytes())
        except InvalidJson as error:
            raise InvalidPrices(f"{path} {error}") from None
        if base and isinstance(values, Mapping):
            told = f"{path.name}; what it does not name: {base.sources}"
            values = {"sources": told, **values}
        return cls.of(values, base=base)


_G = TypeVar("_G", bound=tuple[Any, ...])


def _read(kind: type[_G], values: object, base: _G | None, path: str) -> _G:
    """A group of prices, its groups likewise."""
    if not isinstance(values, Mapping):
        raise InvalidPrices(f"{path} is an object of names and prices, not {values!r}")
    hints = get_type_hints(kind)
    if unknown := sorted(set(values) - set(hints)):
        raise InvalidPrices(f"{path} has no {', '.join(unknown)}")
    read = {}
    for name, hint in hints.items():
        known = getattr(base, name, None)
        if name in values:
            read[name] = _value(hint, values[name], known, f"{path}.{name}")
        elif base is not None:
            read[name] = known
        else:
            raise InvalidPrices(f"{path} lacks {name}")
    return kind(**read)


def _value(hint: Any, value: object, base: Any, path: str) -> Any:
    if hint is str:
        return str(value)
    if hint is Decimal:
        return _price(value, path)
    if isinstance(hint, UnionType):
        if value is None:
            return None
        (hint,) = (one for one in get_args(hint) if one is not NoneType)
    if isinstance(hint, type):
        return _read(hint, value, base, path)
    if not isinstance(value, Mapping):
        raise InvalidPrices(f"{path} is an object of names and prices, not {value!r}")
    return {**(base or {}), **{key: _price(one, f"{path}.{key}") for key, one in value.items()}}


def _price(value: object, path: str) -> Decimal:
    try:
        price = Decimal(str(value))
    except InvalidOperation:
        price = Decimal("NaN")
    if not price.is_finite() or price < 0:
        raise InvalidPrices(f"{path} is no price: {value!r}")
    return price
