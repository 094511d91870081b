"""CPU of a cold start, and of a start with its first answer: every function, from its bundle.

Lambda's folder of code cannot be written to, so what a bundle lacks of bytecode is compiled at
every start; a checkout, which has it, shows nothing of that. Each start is a process of its own,
from which the interpreter's own start is taken away; rounds alternate. A function is told its
variables as its template has them, so that it makes its clients while it starts.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.assembly import Function, environment, synthesized
from benchmarks.chapter import Chapter, Table, ratio, table
from benchmarks.counting import UNIT, instructions
from benchmarks.servers.canned import canned
from benchmarks.servers.certificates import authorities, certificate, of_botocore

ROUNDS = 5
SALES = "lambdas.sales.handlers.api"
_KEY = '{"PK": {"S": "p"}, "SK": {"S": "s"}}'
_NOTED = "from time import process_time; started = process_time()\n"
EMPTY = _NOTED
_BOTO3 = f"""
import boto3
client = boto3.client("dynamodb")
{_NOTED}
client.get_item(TableName="sales", Key={_KEY})
"""
_OURS = f"""
import MODULE
from tablewright.runtime import connect, own_session
caller = connect(own_session(), "dynamodb")
{_NOTED}
caller.call("GetItem", {{"TableName": "sales", "Key": {_KEY}}})
"""
# What is ours of it, without the router, the logger and the metrics of Powertools.
_STORE = f"""
from tablewright.catalog.sales.design import Sales
from tablewright.runtime import Store
store = Store(Sales, "sales")
{_NOTED}
store.get(Sales.get_sale, tenant="acme", product_id="p", sale_date="2026-01-31", sale_id="s")
"""
# Of a function that calls no AWS.
_ALONE = f"import MODULE\n{_NOTED}"
# Not by the package alone: Powertools looks whether it is there, which costs next to nothing.
_TELL = """
ended = process_time()
import json, sys
print(json.dumps([started, ended, "botocore.client" in sys.modules]))
"""
_SAYS = f"""\
CPU of a process that imports a function's handler and makes its clients, from the bundle as it is \
synthesized and with the variables of its template, less that of an empty process: medians of \
{ROUNDS} rounds, for every function. 1 is `import boto3` and its client of DynamoDB from source: \
Lambda cannot keep the bytecode that it compiles. The last column goes on to the first answer of a \
`GetItem` over TLS; 1 is the same by boto3. Both read the authorities that botocore has, and \
the server's beside them. The second column says whether botocore's client was loaded by then."""


class Cost(NamedTuple):
    """CPU of a start, and of it with the first answer; whether botocore was imported."""

    start: float
    answer: float
    botocore: bool

    def over(self, base: "Cost", empty: "Cost") -> "Cost":
        start = (self.start - empty.start) / (base.start - empty.start)
        answer = (self.answer - empty.start) / (base.answer - empty.start)
        return Cost(start, answer, self.botocore)


class Tls(NamedTuple):
    """Address of the server, and the file of authorities that clients trust."""

    url: str
    ca_bundle: str

    @property
    def variables(self) -> dict[str, str]:
        return {"AWS_ENDPOINT_URL": self.url, "AWS_CA_BUNDLE": self.ca_bundle}


class Case(NamedTuple):
    where: Path
    code: str
    told: Mapping[str, str]
    calls: bool = True


def run() -> Chapter:
    with tempfile.TemporaryDirectory() as made, synthesized() as functions:
        folder = Path(made)
        sources = folder / "sources"
        sales = next(one for one in functions if one.module == SALES)
        shutil.copytree(sales.bundle, sources, ignore=shutil.ignore_patterns("__pycache__"))
        own = certificate(folder)
        with canned(own) as url:
            tls = Tls(url, str(authorities(folder, own, of_botocore())))
            alone = ("a store alone", Case(sales.bundle, _STORE, {}))
            cases = [_with_bytecode(sales), alone, *map(case_of, functions)]
            tables = [_every(cases, sources, tls)]
            if UNIT != "CPU":
                tables.append(_in_instructions(sales, sources, tls))
    return Chapter(_SAYS, tuple(tables))


def case_of(one: Function) -> tuple[str, Case]:
    calls = (one.bundle / "tablewright").exists()
    code = (_OURS if calls else _ALONE).replace("MODULE", one.module)
    return one.name, Case(one.bundle, code, one.variables, calls)


def _with_bytecode(sales: Function) -> tuple[str, Case]:
    return "boto3's client, with bytecode", Case(sales.bundle, _BOTO3, {})


def _every(cases: list[tuple[str, Case]], sources: Path, tls: Tls) -> Table:
    empty, base = Case(sources, EMPTY, {}), Case(sources, _BOTO3, {})
    costs: dict[str, list[Cost]] = {name: [] for name, _ in cases}
    for _ in range(ROUNDS):
        for name, case in cases:
            # One after another, so that a noisy moment hits all three.
            nothing, theirs, own = (cost(each, tls) for each in (empty, base, case))
            costs[name].append(own.over(theirs, nothing))
    rows = (
        (
            name,
            "yes" if costs[name][0].botocore else "no",
            ratio(median(one.start for one in costs[name])),
            ratio(median(one.answer for one in costs[name]) if case.calls else None),
        )
        for name, case in cases
    )
    head = ("1 is boto3's client, from source", "botocore", "start", "and first answer")
    return table(*head, rows=rows)


def cost(case: Case, tls: Tls) -> Cost:
    told = {**environment(case.where), **case.told, **tls.variables}
    command = [sys.executable, "-S", "-c", case.code + _TELL]
    ran = subprocess.run(
        command, env=told, cwd=case.where, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise RuntimeError(f"a start failed: {case.code}{ran.stderr[-2000:]}")
    return Cost(*json.loads(ran.stdout.splitlines()[-1]))


def work(case: Case, tls: Tls) -> float:
    """Instructions of a start with its first answer; without valgrind the median of its CPU."""
    if UNIT == "CPU":
        return median(cost(case, tls).answer for _ in range(ROUNDS))
    told = {**environment(case.where), **case.told, **tls.variables}
    return instructions([sys.executable, "-S", "-c", case.code], told, case.where)


def _in_instructions(sales: Function, sources: Path, tls: Tls) -> Table:
    """Of a store and of one function: each takes as long as a hundred by CPU."""
    _, (_, code, told, _) = case_of(sales)
    cases = [
        Case(sources, EMPTY, {}),
        Case(sources, _BOTO3, {}),
        Case(sales.bundle, _BOTO3, {}),
        Case(sales.bundle, _STORE, {}),
        Case(sources, _STORE, {}),
        Case(sales.bundle, code, told),
        Case(sources, code, told),
    ]
    counted = [work(case, tls) for case in cases]
    empty, base = counted[:2]
    boto3, *ours = (ratio((own - empty) / (base - empty)) for own in counted[2:])
    return table(
        "instructions of a start and first answer",
        "with bytecode",
        "from source",
        rows=(
            ("boto3's client", boto3, ratio(1.0)),
            ("a store alone", *ours[:2]),
            (sales.name, *ours[2:]),
        ),
    )
