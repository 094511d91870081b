"""Work of one call: the store, and clients of others, against a server that answers at once.

Counted in instructions where valgrind is there, in CPU otherwise: of a process that makes some
calls, and of one that makes more; the difference is of the calls alone. Everybody starts from
Python's values and ends with them.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import boto3
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.config import Config

from benchmarks.canned import sale, values
from tablewright.catalog.sales.design import Sales
from tablewright.model import key_of
from tablewright.runtime.aws import connect
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.store.store import Store

OPERATIONS = {"put": 40, "get": 40, "query of 100": 10, "batch of 25": 10}
CLIENT = "boto3's client and its serializers"
SIDES = (CLIENT, "boto3's resource", "the store by boto3", "the store")
TABLE = "sales"
ROUNDS = 5

Work = dict[str, Callable[[], Any]]


def run() -> tuple[str, list[tuple[str, list[float]]]]:
    """What is counted, and for each side its work over that of boto3's client, by operation."""
    count, unit = (_instructions, "instructions") if shutil.which("valgrind") else (_cpu, "CPU")
    with _Canned() as url:
        found = {side: [count(side, name, url) for name in OPERATIONS] for side in SIDES}
    base = found[CLIENT]
    return unit, [
        (side, [own / theirs for own, theirs in zip(costs, base, strict=True)])
        for side, costs in found.items()
    ]


class _Canned:
    """The server, in a process of its own."""

    def __enter__(self) -> str:
        command = [sys.executable, "-m", "benchmarks.canned"]
        self._server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        port = (self._server.stdout or sys.stdin).readline()
        return f"http://127.0.0.1:{int(port)}"

    def __exit__(self, *_: object) -> None:
        self._server.kill()
        self._server.wait()


def _instructions(side: str, name: str, url: str) -> float:
    few = OPERATIONS[name]

    def counted(times: int) -> int:
        tool = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null")
        own = (sys.executable, "-m", "benchmarks.calls", side, name, str(times), url)
        done = subprocess.run([*tool, *own], check=True, capture_output=True, text=True)
        (line,) = (line for line in done.stderr.splitlines() if "Collected" in line)
        return int(line.rpartition(":")[2])

    return (counted(3 * few) - counted(few)) / (2 * few)


def _cpu(side: str, name: str, url: str) -> float:
    times = 10 * OPERATIONS[name]
    command = [sys.executable, "-m", "benchmarks.calls", side, name, str(times), url]
    rounds = [
        float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(ROUNDS)
    ]
    return median(rounds)


def _work(side: str, url: str) -> Work:
    session = boto3.session.Session("key", "secret", region_name="eu-west-1")
    if side == CLIENT:
        return _by_client(session.client("dynamodb", endpoint_url=url, config=Config()))
    if side == "boto3's resource":
        return _by_resource(session.resource("dynamodb", endpoint_url=url).Table(TABLE))
    if side == "the store by boto3":
        return _by_store(Boto3Client(session.client("dynamodb", endpoint_url=url)))
    return _by_store(connect(session, "dynamodb", endpoint_url=url))


def _by_store(caller: Any) -> Work:
    store = Store(Sales, TABLE, caller)
    one, batch = sale(0), [sale(number) for number in range(25)]
    key, where = key_of(one), {"tenant": one.tenant, "product_id": one.product_id}
    return {
        "put": lambda: store.put(Sales.put_sale, one),
        "get": lambda: store.get(Sales.get_sale, key),
        "query of 100": lambda: store.query(Sales.product_sales, where, limit=100),
        "batch of 25": lambda: store.put_many(Sales.put_sales, batch),
    }


def _by_client(client: Any) -> Work:
    to, back = TypeSerializer().serialize, TypeDeserializer().deserialize
    batch = [values(sale(number)) for number in range(25)]
    keys = {name: batch[0][name] for name in ("PK", "SK")}

    def wire(item: dict[str, Any]) -> dict[str, Any]:
        return {name: to(value) for name, value in item.items()}

    def python(item: dict[str, Any]) -> dict[str, Any]:
        return {name: back(value) for name, value in item.items()}

    def put() -> None:
        client.put_item(
            TableName=TABLE, Item=wire(batch[0]), ConditionExpression="attribute_not_exists(PK)"
        )

    def query() -> list[dict[str, Any]]:
        found = client.query(
            TableName=TABLE,
            KeyConditionExpression="PK = :pk AND begins_with(SK, :sk)",
            ExpressionAttributeValues=wire({":pk": keys["PK"], ":sk": "SALE#"}),
            Limit=100,
        )
        return [python(item) for item in found["Items"]]

    def write() -> None:
        requests = [{"PutRequest": {"Item": wire(item)}} for item in batch]
        client.batch_write_item(RequestItems={TABLE: requests})

    return {
        "put": put,
        "get": lambda: python(client.get_item(TableName=TABLE, Key=wire(keys))["Item"]),
        "query of 100": query,
        "batch of 25": write,
    }


def _by_resource(table: Any) -> Work:
    batch = [values(sale(number)) for number in range(25)]
    keys = {name: batch[0][name] for name in ("PK", "SK")}

    def query() -> Any:
        return table.query(
            KeyConditionExpression="PK = :pk AND begins_with(SK, :sk)",
            ExpressionAttributeValues={":pk": keys["PK"], ":sk": "SALE#"},
            Limit=100,
        )["Items"]

    def write() -> None:
        with table.batch_writer() as writer:
            for item in batch:
                writer.put_item(Item=item)

    return {
        "put": lambda: table.put_item(
            Item=batch[0], ConditionExpression="attribute_not_exists(PK)"
        ),
        "get": lambda: table.get_item(Key=keys)["Item"],
        "query of 100": query,
        "batch of 25": write,
    }


def main() -> None:
    side, name, times, url = sys.argv[1:]
    work = _work(side, url)[name]
    for _ in range(10):
        work()
    start = process_time()
    for _ in range(int(times)):
        work()
    sys.stdout.write(str(process_time() - start))


if __name__ == "__main__":
    main()
