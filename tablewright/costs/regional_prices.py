"""Regional prices: what is listed of each region, and what is derived from that.

Provisioned and reserved capacity are those that AWS's own amazon-dynamodb-tools listed in 2024-11.
Its figures of us-east-1 and eu-west-1 are those of the lists of 2026-06; whether any other changed
since is not known here. All else of DynamoDB is derived: it is taken to differ from us-east-1 as
the price of a provisioned write unit does, which holds within half a percent where both are known
(Ireland, Tokyo). Other services are at us-east-1's prices, and do differ: logs cost more in Tokyo.

Not as listed: a replicated write is taken to cost what any other does, also in ap-east-1, for which
alone the list has another price (0.00105735), as it seems a left-over. Doubtful: three years of
ap-south-1, listed with the figures of eu-west-1. Regions that are missing are not in the list.
"""

from collections.abc import Iterator
from decimal import Decimal

from tablewright.costs.prices import Prices, ReservedPrices, ThroughputPrices

DATED = "2024-11"
# Region; a write unit and a read unit for an hour; then a hundred reserved for one year and, where
# that is listed, for three: upfront and by the hour, of writes and of reads.
_LISTED = """
af-south-1     0.00087465 0.00017493 201.705 0.0173 40.341 0.0035
ap-east-1      0.000814   0.0001628  188.1   0.0161 37.62  0.0032
ap-northeast-1 0.000742   0.0001484  171.4   0.0147 34.2   0.0029 205.6  0.0093 41.0  0.0018
ap-northeast-2 0.0007049  0.00014098 162.83  0.014  32.49  0.0028 195.32 0.0088 38.95 0.0017
ap-northeast-3 0.000742   0.0001484  171.4   0.0147 34.2   0.0029
ap-south-1     0.00074    0.000148   171.0   0.0146 34.2   0.0029 203.4  0.0092 40.68 0.0018
ap-southeast-1 0.00074    0.000148   171.0   0.0146 34.2   0.0029 205.2  0.0093 41.04 0.0018
ap-southeast-2 0.00074    0.000148   171.0   0.0146 34.2   0.0029 205.2  0.0093 41.04 0.0018
ca-central-1   0.000715   0.000143   165.0   0.0141 33.0   0.0028 198.0  0.009  39.6  0.0018
eu-central-1   0.000793   0.0001586  183.0   0.0157 36.6   0.0032 219.6  0.0099 43.8  0.0019
eu-north-1     0.000698   0.00014    161.0   0.0138 32.2   0.0028
eu-south-1     0.00077175 0.00015435 177.975 0.0152 35.595 0.003
eu-west-2      0.000772   0.0001544  178     0.0153 35.6   0.0031 213.57 0.0097 42.72 0.0019
eu-west-3      0.000772   0.0001544  178.0   0.0153 35.6   0.0031
il-central-1   0.000882   0.0001764  203.40  0.0174 40.68  0.0035
me-central-1   0.0008085  0.0001617  186.45  0.016  37.29  0.0032
me-south-1     0.0008085  0.0001617  186.45  0.016  37.29  0.0032
sa-east-1      0.000975   0.000195   225.0   0.0193 45.0   0.0038 270.0  0.0122 54.0  0.0024
us-east-2      0.00065    0.00013    150.0   0.0128 30.0   0.0025
us-west-1      0.000725   0.000145   168.0   0.0144 33.6   0.0028 201.6  0.0091 40.32 0.0018
us-west-2      0.00065    0.00013    150     0.0128 30     0.0025 180    0.0081 36    0.0016
"""
# Of Tokyo, as public code quotes the price list: on demand in 2026-09, storage without a date.
_QUOTED = {
    "ap-northeast-1": {
        "write_million": Decimal("0.715"),
        "read_million": Decimal("0.1425"),
        "replicated_write_million": Decimal("0.715"),
        "gb_month": Decimal("0.285"),
    }
}


def regional_prices(base: Prices) -> Iterator[Prices]:
    """The prices of each region, by those of us-east-1."""
    for line in _LISTED.strip().splitlines():
        region, *texts = line.split()
        yield _prices(base, region, [Decimal(text) for text in texts])


def _prices(base: Prices, region: str, listed: list[Decimal]) -> Prices:
    known = base.dynamodb
    write, read, *reserved = listed
    factor = write / known.standard.write_unit_hour

    def there(price: Decimal) -> Decimal:
        """To four digits, as many as AWS publishes."""
        derived = price * factor
        return derived.quantize(Decimal(1).scaleb(derived.adjusted() - 3)).normalize()

    hours = {"write_unit_hour": write, "read_unit_hour": read, "replicated_write_unit_hour": write}
    also = _QUOTED.get(region, {})
    dynamodb = known._replace(
        standard=ThroughputPrices(*map(there, known.standard))._replace(**hours, **also),
        infrequent_access=ThroughputPrices(*map(there, known.infrequent_access)),
        reserved_1_year=ReservedPrices(*reserved[:4]),
        reserved_3_years=ReservedPrices(*reserved[4:]) if reserved[4:] else None,
        pitr_gb_month=there(known.pitr_gb_month),
        backup_gb_month=there(known.backup_gb_month),
        restore_gb=there(known.restore_gb),
        export_gb=there(known.export_gb),
        import_gb=there(known.import_gb),
        stream_read_million=there(known.stream_read_million),
    )
    quoted = "on demand and storage as others quote them, " if also else ""
    sources = (
        f"provisioned and reserved capacity as AWS listed it, {quoted}the rest of DynamoDB derived "
        f"from it by the prices of {base.region}, other services as in {base.region}"
    )
    return base._replace(region=region, dated=DATED, sources=sources, dynamodb=dynamodb)
