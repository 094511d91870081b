"""Price lists of the commercial regions: two by themselves, the others by what differs there.

`US_EAST_1` and `EU_WEST_1` are as published up to 2026-06; of Ireland only what differs.

Held against published sources: on-demand and provisioned throughput, storage, Standard-IA of
us-east-1, the discounts of reserved capacity (54 and 77 percent), dax.t3.small, Lambda, HTTP
APIs, EventBridge. Not confirmed, and to be looked up before they decide anything: the other
nodes of DAX; in eu-west-1 Standard-IA, backups, exports and streams (taken
for 13 percent more, as throughput is), nodes of DAX, HTTP APIs and logs; in both S3, KMS, SNS, SQS,
Cognito, WAF, CloudFront, Athena, X-Ray and endpoints.

Reserved capacity of eu-west-1 is of 2024-11. The prices of all other regions, and how they are
known: `tablewright.costs.regional_prices`.
"""

from tablewright.costs.prices import Prices
from tablewright.costs.regional_prices import regional_prices

US_EAST_1 = Prices.of(
    {
        "region": "us-east-1",
        "dated": "2026-06",
        "sources": "as published, but for those that the list marks as not confirmed",
        "dynamodb": {
            "standard": {
                # On demand has cost half of what it did since November 2024, and a write that
                # is replicated costs what any other does.
                "write_million": "0.625",
                "read_million": "0.125",
                "replicated_write_million": "0.625",
                "write_unit_hour": "0.00065",
                "read_unit_hour": "0.00013",
                "replicated_write_unit_hour": "0.00065",
                "gb_month": "0.25",
            },
            "infrequent_access": {
                "write_million": "0.78",
                "read_million": "0.155",
                "replicated_write_million": "0.78",
                "write_unit_hour": "0.00081",
                "read_unit_hour": "0.00016",
                "replicated_write_unit_hour": "0.00081",
                "gb_month": "0.10",
            },
            "reserved_1_year": {
                "write_upfront": "150",
                "write_hour": "0.0128",
                "read_upfront": "30",
                "read_hour": "0.0025",
            },
            "reserved_3_years": {
                "write_upfront": "180",
                "write_hour": "0.0081",
                "read_upfront": "36",
                "read_hour": "0.0016",
            },
            "pitr_gb_month": "0.20",
            "backup_gb_month": "0.10",
            "restore_gb": "0.15",
            "export_gb": "0.10",
            "import_gb": "0.15",
            "stream_read_million": "0.20",
        },
        "dax_node_hour": {
            "dax.t3.small": "0.04",
            "dax.t3.medium": "0.08",
            "dax.r5.large": "0.255",
            "dax.r5.xlarge": "0.509",
            "dax.r5.2xlarge": "1.017",
        },
        "functions": {
            "request_million": "0.20",
            "arm_gb_second": "0.0000133334",
            "x86_gb_second": "0.0000166667",
        },
        "api_million": "1.00",
        "events": {"event_million": "1.00", "schedule_million": "1.00", "pipe_million": "0.40"},
        "messages": {"topic_million": "0.50", "queue_million": "0.40", "email_thousand": "0.10"},
        "monitoring": {
            "metric_month": "0.30",
            "alarm_metric_month": "0.10",
            "insights_rule_month": "0.50",
            "log_gb": "0.50",
            "log_gb_month": "0.03",
            "trace_million": "5.00",
        },
        "objects": {
            "gb_month": "0.023",
            "infrequent_gb_month": "0.0125",
            "glacier_gb_month": "0.004",
            "put_thousand": "0.005",
            "get_thousand": "0.0004",
        },
        "security": {
            "key_month": "1",
            "key_call_million": "3.00",
            "secret_month": "0.40",
            "secret_call_million": "5.00",
            "firewall_month": "5",
            "firewall_rule_month": "1",
            "firewall_million": "0.60",
            "user_month": "0.015",
            "guarded_user_month": "0.02",
        },
        "network": {
            "endpoint_hour": "0.01",
            "endpoint_gb": "0.01",
            "out_gb": "0.09",
            "between_regions_gb": "0.02",
            "edge_million": "1.00",
        },
        "analysis": {"text_unit_million": "100", "scanned_tb": "5"},
    }
)

EU_WEST_1 = Prices.of(
    {
        "region": "eu-west-1",
        "sources": "throughput and storage as published, backups, streams and what else the list "
        "names taken for 13 percent more than in us-east-1",
        "dynamodb": {
            "standard": {
                "write_million": "0.7065",
                "read_million": "0.1415",
                "replicated_write_million": "0.7065",
                "write_unit_hour": "0.000735",
                "read_unit_hour": "0.000147",
                "replicated_write_unit_hour": "0.000735",
                "gb_month": "0.283",
            },
            "infrequent_access": {
                "write_million": "0.8825",
                "read_million": "0.1765",
                "replicated_write_million": "0.8825",
                "write_unit_hour": "0.00092",
                "read_unit_hour": "0.000183",
                "replicated_write_unit_hour": "0.00092",
                "gb_month": "0.1132",
            },
            "reserved_1_year": {
                "write_upfront": "169.5",
                "write_hour": "0.0145",
                "read_upfront": "33.9",
                "read_hour": "0.0029",
            },
            "reserved_3_years": {
                "write_upfront": "203.4",
                "write_hour": "0.0092",
                "read_upfront": "40.68",
                "read_hour": "0.0018",
            },
            "pitr_gb_month": "0.2264",
            "backup_gb_month": "0.1132",
            "restore_gb": "0.1698",
            "export_gb": "0.1132",
            "import_gb": "0.1698",
            "stream_read_million": "0.226",
        },
        "dax_node_hour": {
            "dax.t3.small": "0.043",
            "dax.t3.medium": "0.087",
            "dax.r5.large": "0.285",
            "dax.r5.xlarge": "0.57",
            "dax.r5.2xlarge": "1.139",
        },
        "api_million": "1.11",
        "monitoring": {"log_gb": "0.57"},
        "network": {"endpoint_hour": "0.011", "edge_million": "1.20"},
    },
    base=US_EAST_1,
)

PRICE_LISTS = {
    prices.region: prices for prices in (US_EAST_1, EU_WEST_1, *regional_prices(US_EAST_1))
}


class UnknownRegion(ValueError):
    """A region that there are no prices of."""


def price_list(region: str) -> Prices:
    """The prices of a region; raises UnknownRegion, which names the known ones."""
    try:
        return PRICE_LISTS[region]
    except KeyError:
        raise UnknownRegion(
            f"there are no prices of '{region}' here, but of {', '.join(sorted(PRICE_LISTS))}. "
            "Others are given as a file of JSON that replaces those of one of these"
        ) from None
