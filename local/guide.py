"""The text that `make local` ends with: the five systems, their tables, and commands to paste."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from local.clients.users import TENANTS, email_of
from local.deployment import STAGE, Deployment
from local.emulator.home import DEFAULT, Home


class System(NamedTuple):
    """One of the five published designs, as it is deployed."""

    title: str
    # The stack whose API serves it.
    stack: str
    tables: tuple[str, ...]
    # A subcommand of `python -m local` that shows it at work.
    command: str = ""


SYSTEMS = (
    System(
        "Interactive Dashboard",
        "sentiment",
        (f"{STAGE}-sentiment-items-primary", f"{STAGE}-sentiment-items-dashboard"),
    ),
    System("Self-Healing Ingestion", "sentiment", (f"{STAGE}-sentiment-items",), "heal"),
    System("Form-Bridge", "forms", (f"{STAGE}-FormBridgeData",), "submit"),
    System(
        "Enablement portal",
        "portal",
        tuple(
            f"{STAGE}-{name}"
            for name in ("content_registry", "notifications", "subscriptions", "events")
        ),
        "publish",
    ),
    System("Sales Intelligence", "sales", (f"bg-remover-{STAGE}-sales-intelligence",)),
)
# The body of the published handler: date and embedding are made when they are left out.
SALE = {
    "productId": "prod_123",
    "saleId": "sale_abc",
    "price": 99.99,
    "originalPrice": 199.99,
    "category": "dress",
    "brand": "Nike",
}


def guide(home: Home, deployment: Deployment) -> str:
    command = ".venv/bin/python -m local"
    command += "" if home.root == DEFAULT else f" --folder {home.root}"
    tenant = TENANTS[0]
    password = json.loads(home.users.read_text())[tenant]
    url = deployment.api_url("sales")
    systems = "\n".join(line for one in SYSTEMS for line in _lines(one, deployment, command))
    return f"""\
{systems}

Open the dashboard: {deployment.api_url("sentiment")}/
  sign in as {email_of(tenant)} with {password}

Sign in as {tenant} (or {TENANTS[1]}), store a sale, read a trend:

  TOKEN=$({command} token --user {tenant})

  curl '{url}/sales' \\
    -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{json.dumps(SALE)}'

  curl '{url}/trend?category=dress&by=month' \\
    -H "Authorization: Bearer $TOKEN"

Deliver a form to a webhook that fails twice: run this first, in another terminal:

  {command} receive --fail 2

The items of a table: {command} tables NAME
All commands: {command} --help
AWS_ENDPOINT_URL is {deployment.endpoint}; access key and secret are "test"."""


def _lines(system: System, deployment: Deployment, command: str) -> Iterator[str]:
    yield system.title
    yield f"  API     {deployment.api_url(system.stack)}"
    yield from (
        f"  {'Tables' if number == 0 else '':7} {name}" for number, name in enumerate(system.tables)
    )
    if system.command:
        yield f"  Try     {command} {system.command}"
