"""Financial news as deployed: what is lost on its way is asked for again, and arrives."""

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from lambdas.sentiment.ingestion.articles import article
from local.clients.api import Api
from local.clients.users import Users
from local.deployment import Deployment
from local.emulator.cloud import Cloud
from local.samples.items import ingest
from tablewright.catalog.news.design import News as NewsTable
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.store.store import Store
from tests.e2e.support.browser import browser, new_page, page, screenshot
from tests.e2e.support.lists import listed
from tests.e2e.support.polling import eventually
from tests.e2e.test_page import sign_in
from toolchain.paths import ROOT

__all__ = ["browser", "new_page", "page"]

_numbers = count(int(datetime.now(UTC).timestamp()) * 1000)


def new_article(text: str, age: timedelta = timedelta(hours=2)) -> dict[str, Any]:
    """An article that no other test has."""
    published = datetime.now(UTC) - age
    return {
        "source_id": f"tiingo:{next(_numbers)}",
        "source_type": "tiingo",
        "timestamp": f"{published:%Y-%m-%dT%H:%M:%S}Z",
        "text_for_analysis": text,
        "matched_tickers": ["XYZ"],
    }


PLAN = ("--plan", "tablewright.catalog.news.design:news_healing")


class News:
    """The deployed news, of which a test looks at its own articles only."""

    def __init__(self, cloud: Cloud, deployment: Deployment, api: Api) -> None:
        self._cloud = cloud
        self._deployment = deployment
        self._table = deployment.output("sentiment", "NewsTable")
        self.api = api

    def hand_in(self, text: str) -> str:
        """Have an article stored and analysed; gives its id."""
        one = new_article(text)
        assert ingest(self._cloud.connection, self._deployment, {"news": [one]}) == 1
        return str(one["source_id"])

    def lose(self, text: str, age: timedelta = timedelta(hours=2)) -> str:
        """Store an article as if its request had been lost; gives its id."""
        store = Store(
            NewsTable, self._table, Boto3Client(self._cloud.connection.client("dynamodb"))
        )
        moment = iso_utc(datetime.now(UTC))
        stored = store.put(NewsTable.put_news, article(new_article(text, age), moment))
        return stored.source_id

    def heal(self) -> dict[str, int]:
        answer = self._cloud.connection.client("lambda").invoke(
            FunctionName=self._deployment.output("sentiment", "HealFunction"), Payload=b"{}"
        )
        said: dict[str, int] = json.loads(answer["Payload"].read())
        assert "FunctionError" not in answer, said
        return said

    def stored(self, id: str) -> dict[str, Any]:
        found = self._cloud.connection.client("dynamodb").get_item(
            TableName=self._table,
            Key={"source_id": {"S": id}},
        )
        return {name: next(iter(value.values())) for name, value in found["Item"].items()}

    def is_analysed(self, id: str) -> bool:
        return bool(self.stored(id)["status"] == "analyzed")

    def events(self, last: str | None = None) -> tuple[str, list[str]]:
        """The id of an answer of the stream, and the articles in it."""
        headers = {"Last-Event-ID": last} if last else {}
        answer = self.api("GET", "/news/events", headers=headers)
        assert (answer.status, answer.headers["content-type"]) == (200, "text/event-stream")
        (id,) = re.findall(r"^id: (.+)$", answer.text, re.MULTILINE)
        data = re.findall(r"^data: (.+)$", answer.text, re.MULTILINE)
        return id, [one["source_id"] for text in data for one in json.loads(text)["items"]]

    def streamed(self, last: str, ids: Iterable[str]) -> bool:
        """Whether each of the articles arrives, once, in what follows an answer of the stream."""
        wanted, got = sorted(ids), list[str]()

        def arrived() -> bool:
            nonlocal last
            last, more = self.events(last)
            got.extend(id for id in more if id in wanted)
            return len(got) >= len(wanted)

        return eventually(arrived) and sorted(got) == wanted

    def parked(self, *options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tablewright", "parked", *PLAN, *options]
        command += ["--table", self._table]
        command += ["--endpoint-url", self._cloud.connection.endpoint, "--region", "eu-west-1"]
        credentials = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
        return subprocess.run(
            command, cwd=ROOT, env=credentials, capture_output=True, text=True, check=False
        )

    def exhaust(self, id: str) -> None:
        """Let an article look as if it had been asked for five times, long ago."""
        self._cloud.connection.client("dynamodb").update_item(
            TableName=self._table,
            Key={"source_id": {"S": id}},
            UpdateExpression="SET heal_attempts = :five, heal_after = :then",
            ExpressionAttributeValues={
                ":five": {"N": "5"},
                ":then": {"S": "2020-01-01T00:00:00.000Z"},
            },
        )


@pytest.fixture(scope="module")
def news(cloud: Cloud, deployment: Deployment, users: Users) -> News:
    return News(cloud, deployment, Api(deployment.api_url("sentiment"), users.token("acme")))


def test_an_article_is_analysed_listed_and_streamed(news: News) -> None:
    last, _ = news.events()
    id = news.hand_in("A wonderful, great success for XYZ!")
    assert news.streamed(last, [id])
    positive = listed(news.api, "/news", sentiment="positive")
    assert id in [one["source_id"] for one in positive]
    assert news.is_analysed(id)


def test_what_was_never_analysed_is_healed_once(news: News) -> None:
    last, _ = news.events()
    lost = [news.lose(f"A terrible disaster for XYZ, part {n}.") for n in range(3)]
    fresh = news.lose("A terrible start for XYZ.", age=timedelta(minutes=5))
    for _ in range(2):
        assert news.heal()["failed"] == 0
    assert eventually(lambda: all(map(news.is_analysed, lost)))
    # An attempt is counted once it was taken, unless the analysis was faster.
    assert {news.stored(id).get("heal_attempts", "0") for id in lost} <= {"0", "1"}
    assert news.streamed(last, lost)
    waiting = news.stored(fresh)
    assert (waiting["status"], "heal_after" in waiting) == ("pending", False)


def test_what_is_asked_for_in_vain_is_parked_listed_and_released(news: News) -> None:
    id = news.lose("A great comeback for XYZ.")
    news.exhaust(id)
    news.heal()
    assert news.stored(id)["status"] == "parked"
    parked = news.parked()
    assert parked.returncode == 0, parked.stderr
    assert id in [json.loads(line)["source_id"] for line in parked.stdout.splitlines()]
    released = news.parked("--release", id)
    assert (released.returncode, released.stderr) == (0, "1 released, 0 not parked\n")
    news.heal()
    assert eventually(lambda: news.is_analysed(id))


def test_news_want_a_token(deployment: Deployment) -> None:
    anyone = Api(deployment.api_url("sentiment"))
    for path in ("/news", "/news/events"):
        assert anyone("GET", path).status == 401


def test_healed_news_appear_on_the_page_by_themselves(
    news: News, page: Page, deployment: Deployment, users: Users
) -> None:
    sign_in(page, deployment, users.password("acme"))
    expect(page.get_by_role("heading", name="Financial news")).to_be_visible()
    text = f"A brilliant quarter for XYZ, number {next(_numbers)}."
    id = news.lose(text)
    shown = page.locator("#news > li").filter(has_text=text)
    assert news.stored(id)["status"] == "pending"
    expect(shown).to_have_count(0)
    news.heal()
    expect(shown).to_be_visible()
    expect(shown).to_contain_text("Positive")
    expect(shown).to_contain_text("2 hours ago")
    expect(page.locator("#summary")).to_have_attribute("aria-busy", "false")
    screenshot(page, "news", whole=False)
