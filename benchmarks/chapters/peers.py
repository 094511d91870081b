"""Libraries of others, as their own documents say to use them, with the items of the benchmark.

They run in a virtual environment of their own, so nothing is imported here before it is needed.
PynamoDB and pydynox's client know numbers as int and float alone; pydynox's model has decimals.
"""

import subprocess
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.chapters.items import TABLE, batch
from toolchain.install import peer_steps
from toolchain.paths import PEERS
from toolchain.steps import run_all

Work = dict[str, Callable[[], Any]]
_REGION = "eu-west-1"
_MODULES = {
    "PynamoDB": "pynamodb",
    "pydynox's client": "pydynox",
    "pydynox's model": "pydynox",
    "awscrt": "awscrt",
}


@cache
def install() -> bool:
    """Put them in place; False where that cannot be done."""
    return run_all(peer_steps())


def python(side: str) -> Path | None:
    """The Python that has this library, if there is one."""
    own = PEERS / "bin" / "python"
    has = [str(own), "-c", f"import {_MODULES[side]}"]
    if not install() or subprocess.run(has, capture_output=True, check=False).returncode:
        return None
    return own


def work(side: str, url: str) -> Work:
    return SIDES[side](url)


def _by_pynamodb(url: str) -> Work:
    from pynamodb.attributes import NumberAttribute, UnicodeAttribute
    from pynamodb.models import Model

    items = [_with_floats(item) for item in batch()]
    names = [name for name in items[0] if name not in ("PK", "SK")]
    settings = {"table_name": TABLE, "host": url, "region": _REGION}
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
    fields: dict[str, Any] = {
        "Meta": type("Meta", (), {**settings, **keys}),
        "PK": UnicodeAttribute(hash_key=True),
        "SK": UnicodeAttribute(range_key=True),
    }
    for name in names:
        text = isinstance(items[0][name], str)
        fields[name] = UnicodeAttribute(null=True) if text else NumberAttribute(null=True)
    model: Any = type("Sale", (Model,), fields)
    records = [model(**item) for item in items]
    one = items[0]

    def write() -> None:
        with model.batch_write() as writer:
            for record in records:
                writer.save(record)

    return {
        "put": lambda: records[0].save(condition=model.PK.does_not_exist()),
        "get": lambda: model.get(one["PK"], one["SK"]),
        "query of 100": lambda: list(
            model.query(one["PK"], model.SK.startswith("SALE#"), limit=100)
        ),
        "batch of 25": write,
    }


def _pydynox(url: str) -> Any:
    from pydynox import DynamoDBClient

    return DynamoDBClient(
        region=_REGION,
        access_key="key",
        secret_key="secret",  # noqa: S106
        endpoint_url=url,
    )


def _by_pydynox_client(url: str) -> Work:
    client = _pydynox(url)
    items = [_with_floats(item) for item in batch()]
    keys = {name: items[0][name] for name in ("PK", "SK")}
    return {
        "put": lambda: client.sync_put_item(
            TABLE, items[0], condition_expression="attribute_not_exists(PK)"
        ),
        "get": lambda: client.sync_get_item(TABLE, keys),
        "query of 100": lambda: list(
            client.sync_query(
                TABLE,
                "PK = :pk AND begins_with(SK, :sk)",
                expression_attribute_values={":pk": keys["PK"], ":sk": "SALE#"},
                limit=100,
            )
        ),
        "batch of 25": lambda: client.sync_batch_write(TABLE, put_items=items),
    }


def _by_pydynox_model(url: str) -> Work:
    from pydynox import Model, ModelConfig
    from pydynox.attributes import DecimalAttribute, StringAttribute

    client = _pydynox(url)
    items = batch()
    fields: dict[str, Any] = {"model_config": ModelConfig(table=TABLE, client=client)}
    for name, value in items[0].items():
        if isinstance(value, str):
            key = {"partition_key": name == "PK", "sort_key": name == "SK"}
            fields[name] = StringAttribute(**key)
        else:
            fields[name] = DecimalAttribute()
    model: Any = type("Sale", (Model,), fields)
    records = [model(**item) for item in items]
    keys = {name: items[0][name] for name in ("PK", "SK")}
    absent, begins = model.PK.not_exists(), model.SK.begins_with("SALE#")

    return {
        # Whole: what has not changed since the last time would not be sent.
        "put": lambda: records[0].sync_save(condition=absent, full_replace=True),
        "get": lambda: model.sync_get(**keys),
        "query of 100": lambda: list(
            model.sync_query(keys["PK"], sort_key_condition=begins, limit=100)
        ),
        "batch of 25": lambda: client.sync_batch_write(
            TABLE, put_items=[record.to_dict() for record in records]
        ),
    }


SIDES: dict[str, Callable[[str], Work]] = {
    "PynamoDB": _by_pynamodb,
    "pydynox's client": _by_pydynox_client,
    "pydynox's model": _by_pydynox_model,
}


def _with_floats(item: dict[str, Any]) -> dict[str, Any]:
    return {
        name: float(value) if isinstance(value, Decimal) else value for name, value in item.items()
    }
