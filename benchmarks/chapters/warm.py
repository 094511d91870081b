"""Warm requests of the sales API: the function's handler, over TLS, by the wire and by boto3."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.assembly import environment
from benchmarks.chapter import Chapter, ratio, table
from benchmarks.counting import UNIT, counted, counts, tell
from benchmarks.servers.canned import canned
from benchmarks.servers.certificates import authorities, certificate
from toolchain.paths import ROOT

REQUESTS: dict[str, tuple[str, dict[str, str], int]] = {
    "one sale": (
        "/sale",
        {"productId": "prod_123", "saleDate": "2025-12-29", "saleId": "s0000"},
        40,
    ),
    "a page of 20 over ten shards": ("/sales", {"category": "dress"}, 10),
}
TIMES = [times for _, _, times in REQUESTS.values()]
# Without the current folder: PYTHONPATH says which copy of the library runs.
COMMAND = (sys.executable, "-P", "-m", "benchmarks.chapters.warm")
_FIRST = 3
_SAYS = f"""\
{UNIT} of a request to the sales API, from the event of API Gateway to the answer and \
its log, in all threads: `lambdas/sales/handlers/api.py` with its calls over the wire, beside the \
same with `TABLEWRIGHT_CLIENT=boto3`. A local server answers at once, over TLS. A sale is one \
`GetItem`; the page is ten `Query`, one of each shard, and a `BatchGetItem` of what is shown. The \
rest of a request is the router's, the logger's and the store's, the same on both sides."""


class Context:
    """What Lambda says of an invocation, as far as handlers ask."""

    function_name = "function"
    aws_request_id = "request"
    memory_limit_in_mb = 256
    invoked_function_arn = "arn:aws:lambda:eu-west-1:111122223333:function:function"

    def get_remaining_time_in_millis(self) -> int:
        return 30_000


def run() -> Chapter:
    with sales_environment() as env:
        wire = counts(COMMAND, TIMES, env)
        boto3 = counts(COMMAND, TIMES, {**env, "TABLEWRIGHT_CLIENT": "boto3"})
    ratios = [ratio(own / theirs) for own, theirs in zip(wire, boto3, strict=True)]
    head = ("1 is the same by boto3", *REQUESTS)
    return Chapter(_SAYS, (table(*head, rows=(("over the wire", *ratios),)),))


@contextmanager
def sales_environment() -> Iterator[dict[str, str]]:
    """The environment of the function, with a server that lasts as long."""
    with TemporaryDirectory() as folder:
        own = certificate(Path(folder))
        with canned(own) as url:
            yield {
                **environment(ROOT),
                "AWS_CA_BUNDLE": str(authorities(Path(folder), own, "")),
                "AWS_ENDPOINT_URL": url,
                "SALES_INTELLIGENCE_TABLE_NAME": "sales",
                "CURSOR_SECRET_ARN": "secret",
                "EMBEDDING_BUCKET": "embeddings",
                "TENANT_ROLE_ARN": "arn:aws:iam::111122223333:role/tenants",
                "POWERTOOLS_SERVICE_NAME": "sales",
            }


def event(path: str, query: dict[str, str]) -> dict[str, Any]:
    """What API Gateway makes of a request."""
    claims = {"custom:tenant": "carousel-labs", "sub": "someone", "token_use": "id"}
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "&".join(f"{name}={value}" for name, value in query.items()),
        "queryStringParameters": query,
        "headers": {"content-type": "application/json"},
        "requestContext": {
            "http": {"method": "GET", "path": path},
            "authorizer": {"jwt": {"claims": claims}},
            "stage": "$default",
        },
        "isBase64Encoded": False,
    }


def main() -> None:
    # The log goes where nobody reads: its cost is in what is counted, on both sides.
    out, sys.stdout = sys.stdout, open(os.devnull, "w")  # noqa: SIM115
    from lambdas.sales.handlers.api import handler

    def request(asked: dict[str, Any]) -> None:
        found = handler(asked, Context())
        if found["statusCode"] != 200:
            raise SystemExit(f"{asked['rawPath']}: {json.dumps(found)}")

    events = [(event(path, query), times) for path, query, times in REQUESTS.values()]
    for asked, _ in events:
        # Connections are made before anything is counted: under valgrind they may take too long.
        for _ in range(_FIRST):
            handler(asked, Context())
    for asked, times in events:
        counted(partial(request, asked), times)
    sys.stdout = out
    tell()


if __name__ == "__main__":
    main()
