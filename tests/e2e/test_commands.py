"""`python -m local` on a cloud that runs: what its commands say, and the faults they make."""

import io
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from threading import Timer

import pytest

from local.__main__ import main
from local.clients.api import Api
from local.clients.users import Users
from local.deployment import Deployment
from local.emulator.cloud import Cloud
from local.samples.items import PER_HOUR
from tests.e2e.support.polling import eventually
from tests.e2e.support.sales import new_sale
from toolchain.paths import ROOT

Run = Callable[..., str]
KINDS = ("sales", "items", "articles", "submissions", "contents")
SEEDED = "".join(rf"(\d+) {kind} stored\n" for kind in KINDS)


@pytest.fixture
def run(cloud: Cloud, deployment: Deployment, users: Users) -> Run:
    def run(*command: str, code: int = 0) -> str:
        told = io.StringIO()
        with redirect_stdout(told):
            ended = main(["--folder", str(cloud.home.root), *command])
        # A text is what `python -m local` ends with, by code 1.
        assert (1 if isinstance(ended, str) else ended) == code, ended
        return ended if isinstance(ended, str) else told.getvalue()

    return run


@pytest.fixture
def fault(run: Run, acme: Api) -> Iterator[Run]:
    def fault(*command: str) -> str:
        return run("fault", *command)

    yield fault
    run("fault", "clear")
    assert eventually(lambda: acme("GET", "/embeddings").status == 200)


def alarm_names(cloud: Cloud) -> list[str]:
    found = cloud.connection.client("cloudwatch").describe_alarms(StateValue="ALARM")
    return [alarm["AlarmName"] for alarm in found["MetricAlarms"]]


def test_status_says_what_runs_and_what_is_there_in_name_only(
    run: Run, cloud: Cloud, deployment: Deployment
) -> None:
    said = run("status")
    assert cloud.connection.endpoint in said
    assert deployment.api_url("sales") in said
    assert "tablewright-local-sales  CREATE_COMPLETE" in said
    assert re.search(r"AWS::CloudWatch::Alarm with metric math \(\d+\)", said)


def test_a_form_is_filled_in_and_content_is_published_by_command(run: Run) -> None:
    run("seed")
    assert "submission_id" in run("submit")
    said = run("publish", "By command")
    assert [line.split()[0] for line in said.splitlines()] == [
        *("author", "author", "approver", "reader", "reader")
    ]
    assert "By command: Version 3 was approved." in said
    assert "Take one of: acme, globex" in run("submit", "--tenant", "initech", code=1)


def test_an_address_is_printed_for_a_system_that_has_one(run: Run, deployment: Deployment) -> None:
    assert run("address").strip() == deployment.api_url("sales")
    assert "There are: forms, portal, sales" in run("address", "--system", "nothing", code=1)


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_readme_s_first_page_works_as_it_stands(run: Run, cloud: Cloud) -> None:
    page = (ROOT / "README.md").read_text()
    shell = re.search(r"```\n(\$ API=.*?)```", page, re.DOTALL)
    assert shell
    lines = [line.removeprefix("$ ") for line in shell[1].splitlines()]
    commands = "\n".join(lines[: next(n for n, line in enumerate(lines) if line[:2] == '{"')])
    here = f"{sys.executable} -m local --folder {cloud.home.root}"
    script = commands.replace(".venv/bin/python -m local", here)
    script = script.replace("curl ", "curl --silent --show-error --fail ")
    done = subprocess.run(
        ("/bin/sh", "-euc", script), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert '"saleId": "mine-1"' in done.stdout
    assert '"periods": [{' in done.stdout


def test_a_printed_token_opens_the_api(run: Run, deployment: Deployment) -> None:
    token = run("token", "--user", "globex").strip()
    assert Api(deployment.api_url("sales"), token)("GET", "/embeddings").status == 200


def test_a_second_seeding_stores_the_same_sales_and_no_item_twice(run: Run, acme: Api) -> None:
    first = run("seed")
    before = acme("GET", "/embeddings", limit=100).json["items"]
    assert re.fullmatch(SEEDED, first)
    again = re.fullmatch(SEEDED, run("seed"))
    assert again
    sales, items, articles, submissions, contents = map(int, again.groups())
    # When an hour begins in between, there are some new ones.
    assert items <= PER_HOUR
    assert articles <= 2
    assert (sales, submissions, contents) == (0, 0, 0)
    assert acme("GET", "/embeddings", limit=100).json["items"] == before


def test_tables_are_listed_with_their_items(run: Run, acme: Api) -> None:
    sale = new_sale()
    assert acme("POST", "/sales", sale).status == 201
    assert "indexes GSI1, GSI2, GSI3" in run("tables")
    listed = run("tables", "sales", "--key", sale["productId"])
    assert listed.splitlines()[0].startswith(f"TENANT#acme#PRODUCT#{sale['productId']} | SALE#")
    assert sale["saleId"] in listed


def test_logs_are_readable_and_follow_what_happens(run: Run, acme: Api, cloud: Cloud) -> None:
    follow = (sys.executable, "-m", "local", "--folder", str(cloud.home.root), "logs", "--follow")
    with subprocess.Popen(follow, cwd=ROOT, stdout=subprocess.PIPE, text=True) as following:
        assert following.stdout is not None
        stop = Timer(60, following.terminate)
        stop.start()
        try:
            sale = new_sale()
            assert acme("POST", "/sales", sale).status == 201
            wanted = f"Sale stored tenant=acme productId={sale['productId']}"
            assert any(wanted in line for line in following.stdout)
        finally:
            stop.cancel()
            following.terminate()
    assert wanted in run("logs", "--function", "sales-api")


def test_a_function_fails_on_demand_and_its_alarm_tells(
    fault: Run, acme: Api, cloud: Cloud
) -> None:
    assert acme("GET", "/embeddings").status == 200
    fault("fail", "sales-api", "--for", "5m")
    failed = acme("GET", "/embeddings")
    assert (failed.status, failed.json) == (500, {"message": "Internal Server Error"})
    assert eventually(lambda: any("ApiAlarmsErrors" in name for name in alarm_names(cloud)))
    assert not any("ApiAlarmsThrottles" in name for name in alarm_names(cloud))


def test_a_throttled_table_is_answered_with_try_again(fault: Run, acme: Api) -> None:
    sale = new_sale()
    fault("throttle", "sales", "--for", "5m")
    refused = acme("POST", "/sales", sale)
    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    fault("clear")
    assert acme("POST", "/sales", sale).status == 201


def test_a_fault_ends_by_itself(fault: Run, acme: Api) -> None:
    # On a busy machine it may be over before anybody has asked: then it is to last longer.
    for seconds in (2, 10, 60):
        started = time.monotonic()
        fault("fail", "sales-api", "--for", f"{seconds}s")
        if acme("GET", "/embeddings").status == 500:
            break
    else:
        pytest.fail("the fault is never met")
    assert eventually(lambda: acme("GET", "/embeddings").status == 200)
    assert time.monotonic() - started >= 1


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        (("token", "--user", "initech"), "Take one of: acme, globex, operator"),
        (("fault", "fail", "nothing"), "No function is called 'nothing'. There are:"),
        (("fault", "throttle", "sales", "--for", "soon"), "Give one like 60s, 5m or 1h"),
        (("fault", "fail"), "Say which one: fault fail FUNCTION --for 60s"),
        (("tables", "nothing"), "No table is called 'nothing'. There are:"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(
    run: Run, command: tuple[str, ...], advice: str
) -> None:
    assert advice in run(*command, code=1)


def test_a_mistake_ends_the_program_without_a_traceback(cloud: Cloud, users: Users) -> None:
    command = (sys.executable, "-m", "local", "--folder", str(cloud.home.root), "tables", "nothing")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("No table is called 'nothing'. There are:")
