"""Sales to look at: last year's of each sample tenant, the same every time."""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

from local.clients.api import Api
from local.emulator.home import LocalCloudError

# A whole year that is over, and recent enough that its sales have not expired.
YEAR = datetime.now(UTC).year - 1
SALES = 240
BRANDS = ("Nordwind", "Alba", "Kite & Co", "Maison Été")
# Category, its usual price and how much that moves over the year.
CATEGORIES = (("dress", 80, 30), ("shoe", 110, -20), ("coat", 190, 60), ("bag", 60, 0))


def sales_of(tenant: str) -> list[dict[str, Any]]:
    # Of the tenant's name, so that tenants differ and a second load changes nothing.
    chance = random.Random(tenant)
    return [_sale(number, chance) for number in range(SALES)]


def load(api: Api, tenant: str) -> int:
    """Store the tenant's sales through the API; those that are there already stay as they are."""
    answer = api("POST", "/sales/batch", {"sales": sales_of(tenant)})
    if answer.status not in (200, 201):
        raise LocalCloudError(f"The sales API answered {answer.status}: {answer.text}")
    return int(answer.json["stored"])


def is_loaded(api: Api) -> bool:
    answer = api("GET", "/embeddings", limit=1)
    return answer.status == 200 and bool(answer.json["items"])


def _sale(number: int, chance: random.Random) -> dict[str, Any]:
    day = chance.randrange(365)
    category, usual, drift = chance.choice(CATEGORIES)
    original = round(usual + drift * day / 365 + chance.uniform(-15, 15), 2)
    product = f"{category}-{chance.randrange(1, 13):02}"
    sale = {
        "productId": product,
        "saleId": f"sale-{number:04}",
        "saleDate": (date(YEAR, 1, 1) + timedelta(days=day)).isoformat(),
        "originalPrice": original,
        "price": round(original * chance.choice((1, 0.9, 0.8, 0.5)), 2),
        "category": category,
    }
    # Some sales have no brand, and stay out of the index on it.
    return {**sale, "brand": chance.choice(BRANDS)} if number % 4 else sale
