"""The sentiment functions as AWS calls them, with both tables on the real engine."""

import io
import json
from typing import Any

import pytest

from lambdas.sentiment.dashboard import Dashboards
from lambdas.sentiment.handlers import api, ingest
from lambdas.sentiment.openapi import document
from tablewright.runtime.aws import Caller
from tests.integration.conftest import CURSORS
from tests.integration.http import Answer, Context, Contract
from tests.integration.sentiment.conftest import DASHBOARD_TABLE, World
from tests.integration.sentiment.moments import NOW

CONTRACT = Contract(document())
conforms, problem = CONTRACT.conforms, CONTRACT.problem

SIGN_IN = "https://cognito-idp.eu-west-1.amazonaws.com/"
CONFIG = {
    "stage": "dev",
    "signIn": {"url": SIGN_IN, "clientId": "c", "userPoolId": "eu-west-1_p", "password": True},
    "refreshSeconds": 5,
}
ADA = {"sub": "ada", "cognito:groups": "[readers writers]"}
READER = {"sub": "grace", "cognito:groups": "[readers]"}


class Http:
    """Sends requests to the function that each leads to, on behalf of somebody signed in."""

    def __init__(
        self,
        world: World,
        monkeypatch: pytest.MonkeyPatch,
        caller: Caller | None = None,
        **options: Any,
    ) -> None:
        dashboards = Dashboards(
            DASHBOARD_TABLE,
            caller or world.dynamo,
            CURSORS,
            now=lambda: NOW,
            secrets=world.secrets[1],
            **options,
        )
        metered(monkeypatch)
        monkeypatch.setattr(api, "dashboards", lambda: dashboards)
        monkeypatch.setattr(ingest, "item_ingestion", lambda: world.ingestion(caller))

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        claims: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
        **query: Any,
    ) -> Answer:
        claims = ADA if claims is None else claims
        event = CONTRACT.event(method, path, body, claims=claims, query=query, headers=headers)
        handler = ingest.handler if method == "POST" else api.handler
        return Answer(handler(event, Context()))


def metered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Name the metrics as the stack does."""
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Tablewright/dev")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "sentiment")


class Logs:
    """What the functions write into their logs from now on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._stream = io.StringIO()
        monkeypatch.setattr(ingest.logger.registered_handler, "stream", self._stream)

    @property
    def text(self) -> str:
        return self._stream.getvalue()

    def of(self, message: str) -> list[dict[str, Any]]:
        """The entries with this message."""
        entries = [json.loads(line) for line in self.text.splitlines()]
        return [entry for entry in entries if entry["message"] == message]


def metrics(printed: str) -> list[dict[str, Any]]:
    """The metrics in what a function printed: each by its name, values and sets of dimensions."""
    documents = [json.loads(line) for line in printed.splitlines() if line.startswith('{"_aws"')]
    return [
        {
            "name": metric["Name"],
            "values": document[metric["Name"]],
            "namespace": group["Namespace"],
            "dimensions": [{n: document[n] for n in names} for names in group["Dimensions"]],
        }
        for document in documents
        for group in document["_aws"]["CloudWatchMetrics"]
        for metric in group["Metrics"]
    ]
