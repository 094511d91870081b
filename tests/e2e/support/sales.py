"""Sales that the tests send to the deployed API."""

import itertools
from typing import Any

from local.samples.sales import YEAR

_numbers = itertools.count()


def new_sale(**changes: Any) -> dict[str, Any]:
    """A sale that no other test has."""
    number = next(_numbers)
    return {
        "productId": f"product-{number}",
        "saleId": f"sale-{number}",
        "saleDate": f"{YEAR}-03-01",
        "salePrice": 10.5,
        "originalPrice": 20,
        "category": "tested",
        "embeddingId": f"embedding-{number}",
        "embeddingS3Key": f"s3://embeddings/{number}.json",
        **changes,
    }


def key_of(sale: dict[str, Any]) -> dict[str, Any]:
    """The query that names a sale."""
    return {name: sale[name] for name in ("productId", "saleDate", "saleId")}
