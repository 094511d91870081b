"""Financial news as deployed: what is lost on its way is asked for again, and arrives."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from local.api import Api
from local.cloud import Cloud
from local.deployment import Deployment
from local.faults import Faults, target_of
from local.sample_items import ingest
from local.users import Users
from tests.e2e.browser import browser, new_page, page, screenshot
from tests.e2e.polling import eventually
from tests.e2e.test_page import sign_in
from toolchain.paths import ROOT

__all__ = ["browser", "new_page", "page"]

_numbers = count(int(datetime.now(UTC).timestamp()) * 1000)


class News:
    """The deployed system, and its analysis to be stopped and started."""

    def __init__(self, cloud: Cloud, deployment: Deployment, api: Api) -> None:
        self._cloud = cloud
        self._deployment = deployment
        self._faults = Faults(cloud.home)
        self._analyse = target_of(cloud.connection, "fail", "AnalyseFunction")
        self.api = api

    def hand_in(self, text: str, age: timedelta = timedelta(hours=2)) -> str:
        """An article that no other test has; gives its id."""
        published = datetime.now(UTC) - age
        id = f"tiingo:{next(_numbers)}"
        one = {
            "source_id": id,
            "source_type": "tiingo",
            "timestamp": f"{published:%Y-%m-%dT%H:%M:%S}Z",
            "text_for_analysis": text,
            "matched_tickers": ["XYZ"],
        }
        assert ingest(self._cloud.connection, self._deployment, {"news": [one]}) == 1
        return id

    def lose(self, text: str, **options: Any) -> str:
        """An article whose request fails while the analysis is stopped; gives its id."""
        before = self._failures()
        id = self.hand_in(text, **options)
        assert eventually(lambda: self._failures() > before)
        return id

    def _failures(self) -> float:
        """How often the analysis has failed so far."""
        now = datetime.now(UTC)
        found = self._cloud.connection.client("cloudwatch").get_metric_statistics(
            Namespace="AWS/Lambda",
            MetricName="Errors",
            Dimensions=[{"Name": "FunctionName", "Value": self._analyse}],
            StartTime=now - timedelta(hours=1),
            EndTime=now + timedelta(minutes=1),
            Period=3600,
            Statistics=["Sum"],
        )
        return float(sum(point["Sum"] for point in found["Datapoints"]))

    def stop_analysis(self) -> None:
        self._faults.add("fail", self._analyse, seconds=120)

    def start_analysis(self) -> None:
        self._faults.clear()

    def heal(self) -> dict[str, int]:
        answer = self._cloud.connection.client("lambda").invoke(
            FunctionName=self._deployment.output("sentiment", "HealFunction"), Payload=b"{}"
        )
        said: dict[str, int] = json.loads(answer["Payload"].read())
        assert "FunctionError" not in answer, said
        return said

    def stored(self, id: str) -> dict[str, Any]:
        found = self._cloud.connection.client("dynamodb").get_item(
            TableName=self._deployment.output("sentiment", "NewsTable"),
            Key={"source_id": {"S": id}},
        )
        return {name: next(iter(value.values())) for name, value in found["Item"].items()}

    def is_analysed(self, id: str) -> bool:
        return bool(self.stored(id)["status"] == "analyzed")

    def events(self, last: str | None = None, **asked: Any) -> tuple[str, list[str]]:
        """The id of an answer of the stream, and the articles in it."""
        headers = {"Last-Event-ID": last} if last else {}
        answer = self.api("GET", "/news/events", headers=headers, **asked)
        assert (answer.status, answer.headers["content-type"]) == (200, "text/event-stream")
        (id,) = re.findall(r"^id: (.+)$", answer.text, re.MULTILINE)
        data = re.findall(r"^data: (.+)$", answer.text, re.MULTILINE)
        return id, [one["source_id"] for text in data for one in json.loads(text)["items"]]

    def parked(self, *options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tablewright.commands.parked", *options]
        command += ["--table", self._deployment.output("sentiment", "NewsTable")]
        command += ["--endpoint-url", self._cloud.connection.endpoint, "--region", "eu-west-1"]
        credentials = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
        return subprocess.run(
            command, cwd=ROOT, env=credentials, capture_output=True, text=True, check=False
        )

    def exhaust(self, id: str) -> None:
        """Let an article look as if it had been asked for five times, long ago."""
        self._cloud.connection.client("dynamodb").update_item(
            TableName=self._deployment.output("sentiment", "NewsTable"),
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


@pytest.fixture
def stopped(news: News) -> Iterator[News]:
    news.stop_analysis()
    yield news
    news.start_analysis()


def test_an_article_is_analysed_listed_and_streamed(news: News) -> None:
    last, _ = news.events()
    id = news.hand_in("A wonderful, great success for XYZ!")
    last, arrived = news.events(last)
    assert arrived == [id]
    listed = news.api("GET", "/news", sentiment="positive", limit=100).json["items"]
    assert id in [one["source_id"] for one in listed]
    assert news.stored(id)["status"] == "analyzed"


def test_what_was_never_analysed_is_healed_once(stopped: News) -> None:
    last, _ = stopped.events()
    lost = [stopped.lose(f"A terrible disaster for XYZ, part {n}.") for n in range(3)]
    fresh = stopped.lose("A terrible start for XYZ.", age=timedelta(minutes=5))
    stopped.start_analysis()
    healed = stopped.heal()
    assert (healed["found"], healed["republished"], healed["failed"]) == (3, 3, 0)
    assert stopped.heal()["found"] == 0
    assert eventually(lambda: all(map(stopped.is_analysed, lost)))
    got: list[str] = []
    while len(got) < len(lost):
        last, arrived = stopped.events(last)
        got += arrived
    assert sorted(got) == sorted(lost)
    assert stopped.stored(fresh)["status"] == "pending"


def test_what_is_asked_for_in_vain_is_parked_listed_and_released(stopped: News) -> None:
    id = stopped.lose("A great comeback for XYZ.")
    stopped.exhaust(id)
    assert stopped.heal()["parked"] == 1
    listed = stopped.parked()
    assert listed.returncode == 0, listed.stderr
    assert json.loads(listed.stdout)["source_id"] == id
    stopped.start_analysis()
    released = stopped.parked("--release", id)
    assert (released.returncode, released.stderr) == (0, "1 released, 0 not parked\n")
    assert stopped.heal()["republished"] == 1
    assert eventually(lambda: stopped.is_analysed(id))


def test_news_want_a_token(deployment: Deployment) -> None:
    anyone = Api(deployment.api_url("sentiment"))
    for path in ("/news", "/news/events"):
        assert anyone("GET", path).status == 401


def test_healed_news_appear_on_the_page_by_themselves(
    stopped: News, page: Page, deployment: Deployment, users: Users
) -> None:
    sign_in(page, deployment, users.password("acme"))
    expect(page.get_by_role("heading", name="Financial news")).to_be_visible()
    text = f"A brilliant quarter for XYZ, number {next(_numbers)}."
    id = stopped.lose(text)
    shown = page.locator("#news > li").filter(has_text=text)
    assert stopped.stored(id)["status"] == "pending"
    expect(shown).to_have_count(0)
    stopped.start_analysis()
    assert stopped.heal()["republished"] == 1
    expect(shown).to_be_visible()
    expect(shown).to_contain_text("Positive")
    expect(shown).to_contain_text("2 hours ago")
    expect(page.locator("#summary")).to_have_attribute("aria-busy", "false")
    screenshot(page, "news", whole=False)
