"""Makes the pages that are made from designs: `make docs`."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import boto3

from docs.measure import measure
from docs.page import page
from local.dynamodb_local import DynamoDbLocal
from local.tables import create
from tablewright.designs.cost import US_EAST_1, Workload
from tablewright.designs.sales import SALES
from tablewright.runtime.dynamo import Dynamo, client_config

TABLES = Path(__file__).parent / "tables"
MEASURED = TABLES / "sales.capacity.json"
PAGE = TABLES / "sales.md"

_WORKLOAD = Workload(items_per_day=100_000, read_units_per_day=Decimal(500_000), years=2)
_READS = "1,000,000 reads of one sale a day"


def sales_page(measured: dict[str, Any]) -> str:
    return page(SALES, measured, workload=_WORKLOAD, reads=_READS, prices=US_EAST_1)


def main() -> None:
    with DynamoDbLocal() as engine:
        client = boto3.client(
            "dynamodb",
            endpoint_url=engine.endpoint,
            region_name="eu-west-1",
            config=client_config(),
            **engine.credentials(),
        )
        measured = measure(Dynamo(client), create(client, SALES, "measured"))
    MEASURED.write_text(json.dumps(measured, indent=2) + "\n")
    PAGE.write_text(sales_page(measured))
    print(f"wrote {PAGE.relative_to(TABLES.parent.parent)}")  # noqa: T201


if __name__ == "__main__":
    main()
