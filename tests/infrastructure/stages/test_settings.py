"""A wrong setting stops the synthesis with one sentence that says what to do."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from cdk_app.asking import SettingError
from cdk_app.settings import ROOT, read
from cdk_app.watch_tags import WATCH_TAGS
from lambdas.sentiment.ingestion.watch_tags import MAX_TAGS, InvalidTag, Watch
from stacks.sentiment.regions import standby_regions
from stacks.shared.stage import Replicas, SentimentSettings
from tests.infrastructure.synthesis import IN_VIRGINIA, context

NOTHING: dict[str, object] = {}
HOME = {"TABLEWRIGHT_REGION": "us-east-1"}


def sentiment(environ: dict[str, str] | None = None, **asked: str) -> SentimentSettings:
    return read(asked.get, environ or {}).sentiment


def message(environ: dict[str, str] | None = None, **asked: str) -> str:
    with pytest.raises(SettingError) as caught:
        read(asked.get, environ or {})
    return str(caught.value)


def test_a_stage_that_does_not_exist() -> None:
    assert message(stage="qa") == (
        "stage 'qa' is not one of local, dev, staging, prod: choose one with -c stage=dev"
    )


@pytest.mark.parametrize(
    ("setting", "wrong", "example"),
    [
        ("TABLEWRIGHT_ACCOUNT", "1234", "123456789012"),
        ("TABLEWRIGHT_REGION", "Ireland", "eu-west-1"),
        ("TABLEWRIGHT_ALARM_EMAIL", "ops", "ops@example.com"),
        ("TABLEWRIGHT_ACCELERATOR", "yes", "on"),
        ("TABLEWRIGHT_ENCRYPTED_FIELDS", "yes", "read, on or off"),
        ("TABLEWRIGHT_STREAM_WINDOW", "301", "5 (seconds, at most 300)"),
        ("TABLEWRIGHT_STREAM_WINDOW", "-1", "5 (seconds, at most 300)"),
        ("TABLEWRIGHT_STREAM_WINDOW", "5s", "5 (seconds, at most 300)"),
        ("TABLEWRIGHT_STREAM_OUTAGE", "0", "6 (hours, at most 23)"),
        ("TABLEWRIGHT_STREAM_OUTAGE", "24", "6 (hours, at most 23)"),
        ("TABLEWRIGHT_OPEN_CONCURRENCY", "0", "50"),
        ("TABLEWRIGHT_OPEN_CONCURRENCY", "many", "50"),
        ("TABLEWRIGHT_SIGN_IN_URL", "cognito", "https://sign-in.example.com"),
        ("TABLEWRIGHT_SIGN_IN_URL", "https://a; default-src *", "https://sign-in.example.com"),
        ("TABLEWRIGHT_SOURCES", "facebook", "newsapi,reddit or none"),
        ("TABLEWRIGHT_SOURCES", " , ", "newsapi,reddit or none"),
        ("TABLEWRIGHT_WATCH_TAGS", "A|B", "AI,climate change"),
        ("TABLEWRIGHT_REPLICAS", "Oregon", "us-east-1,us-west-2 or none"),
        ("TABLEWRIGHT_ITEM_DAYS", "9", "30 (days, at least 10) or none"),
        ("TABLEWRIGHT_ITEM_DAYS", "a month", "30 (days, at least 10) or none"),
        ("TABLEWRIGHT_ARCHIVE", "yes", "on or off"),
    ],
)
def test_a_setting_of_the_wrong_form(setting: str, wrong: str, example: str) -> None:
    expected = f"{setting} is '{wrong}': set it to something like {example}"
    assert message({setting: wrong}) == expected


@pytest.mark.parametrize(
    "wrong",
    [
        *("*", "app.example.com", "http://app.example.com", "https://app.example.com/"),
        *("https://app.example.com/page", "https://*.example.com", "https://App.example.com"),
        *("https://user@example.com", "https://", "null", "http://localhost.example.com"),
    ],
)
def test_an_origin_that_is_none_or_not_safe(wrong: str) -> None:
    said = message({"TABLEWRIGHT_CORS_ORIGINS": wrong})
    assert said.startswith(f"TABLEWRIGHT_CORS_ORIGINS is '{wrong}': set it to something like https")


def test_items_are_kept_and_archived_by_stage_unless_told() -> None:
    found = {name: read({"stage": name}.get, {}) for name in ("dev", "staging", "prod", "local")}
    assert {name: stage.sentiment.item_days for name, stage in found.items()} == {
        **dict.fromkeys(("dev", "staging", "local"), 30),
        "prod": 90,
    }
    assert [name for name, stage in found.items() if not stage.archived] == ["dev"]
    given = {"TABLEWRIGHT_ITEM_DAYS": "none", "TABLEWRIGHT_ARCHIVE": "on"}
    told = read({"stage": "dev"}.get, given)
    assert (told.sentiment.item_days, told.archived) == (None, True)


@pytest.mark.parametrize("stage", ["staging", "prod"])
def test_pages_of_somebodys_own_machine_are_let_in_while_developing_only(stage: str) -> None:
    own = {"TABLEWRIGHT_CORS_ORIGINS": "http://localhost:3000"}
    assert message(own, stage=stage).endswith("something like https://app.example.com")
    for developing in ("local", "dev"):
        found = read({"stage": developing}.get, own).cors_origins
        assert found == ("http://localhost:3000",)


def test_replicas_need_the_region_of_the_tables_themselves() -> None:
    assert message({"TABLEWRIGHT_REPLICAS": "us-east-1"}) == (
        "TABLEWRIGHT_REPLICAS is set, but not the region of the tables themselves: "
        "set TABLEWRIGHT_REGION too, for example to eu-west-1"
    )


def test_a_replica_where_the_table_itself_is() -> None:
    here = {"TABLEWRIGHT_REGION": "eu-west-1", "TABLEWRIGHT_REPLICAS": "us-east-1,eu-west-1"}
    assert "leave it out" in message(here)


@pytest.mark.parametrize("name", ["TABLEWRIGHT_ACCOUNT", "CDK_DEFAULT_ACCOUNT"])
def test_the_local_stage_is_for_no_account_of_aws(name: str) -> None:
    assert message({name: "123456789012"}, stage="local") == (
        "stage 'local' is for the local cloud, not for account 123456789012 of AWS: "
        "run make local, or choose another stage, for example STAGE=dev"
    )
    for environ in ({}, {name: "000000000000"}):
        local = read({"stage": "local"}.get, environ)
        # Whatever credentials are in use: CDK deploys a stack to its own account only.
        assert local.environment.account == "000000000000"


@pytest.mark.parametrize("stage", ["dev", "staging", "prod"])
def test_webhooks_lead_to_this_machine_in_no_account_of_aws(stage: str) -> None:
    assert read({"stage": "local"}.get, {}).forms.local_webhooks
    assert not read({"stage": stage}.get, {}).forms.local_webhooks


def test_costs_are_told_at_limits_of_one_s_own_or_not_at_all() -> None:
    asked = {"TABLEWRIGHT_COST_LIMITS": "5, 50.5"}
    assert read(NOTHING.get, asked).cost_limits == (5, 50.5)
    assert read(NOTHING.get, {"TABLEWRIGHT_COST_LIMITS": "none"}).cost_limits == ()
    assert message({"TABLEWRIGHT_COST_LIMITS": "0"}).endswith("something like 10,15,20 or none")


def replicas(environ: Mapping[str, str], stage: str = "prod") -> Replicas:
    return read({"stage": stage}.get, environ).replicas


def test_production_has_replicas_by_itself_unless_told_otherwise() -> None:
    assert replicas(HOME).regions == ("us-west-2", "eu-west-1", "ap-south-1")
    for text, regions in (("none", ()), ("sa-east-1,sa-east-1", ("sa-east-1",))):
        assert replicas({**HOME, "TABLEWRIGHT_REPLICAS": text}).regions == regions
    assert replicas({}).regions == ()
    assert replicas(HOME, stage="staging").regions == ()


def test_the_region_of_the_tables_themselves_is_no_replica() -> None:
    ireland = replicas({"TABLEWRIGHT_REGION": "eu-west-1"})
    assert ireland.regions == ("us-west-2", "ap-south-1")


def test_only_systems_that_are_named_have_replicas() -> None:
    asked = {**HOME, "TABLEWRIGHT_REPLICATED": "sales, forms"}
    assert replicas(HOME).systems == ("sentiment",)
    assert replicas(asked).of("sales", "any") == replicas(asked).regions
    assert replicas(asked).of("sentiment", "any") == ()
    assert message({"TABLEWRIGHT_REPLICATED": "shop"}).endswith("something like sentiment,sales")


def test_a_table_can_have_fewer_replicas_for_one_update() -> None:
    on_the_way = {**HOME, "TABLEWRIGHT_REPLICAS_ON_THE_WAY": '{"items": ["us-west-2"]}'}
    found = replicas(on_the_way)
    assert found.of("sentiment", "items") == ("us-west-2",)
    assert found.of("sentiment", "news") == found.regions


def test_a_region_stands_by_once_all_tables_are_there() -> None:
    def regions(**on_the_way: list[str]) -> tuple[str, ...]:
        named = {f"prod-sentiment-{name}": found for name, found in on_the_way.items()}
        told = {**HOME, "TABLEWRIGHT_REPLICAS_ON_THE_WAY": json.dumps(named)}
        return standby_regions(read({"stage": "prod"}.get, told))

    assert regions() == ("us-west-2", "eu-west-1", "ap-south-1")
    assert regions(items=["us-west-2"]) == ("us-west-2",)
    assert regions(items=["us-west-2"], regions=["eu-west-1"]) == ()
    other = read({"stage": "prod"}.get, {**HOME, "TABLEWRIGHT_REPLICATED": "sales"})
    assert standby_regions(other) == ()


def test_sources_are_chosen_by_name_or_left_out() -> None:
    assert sentiment().sources == ("newsapi", "twitter", "reddit", "tiingo", "finnhub")
    assert sentiment({"TABLEWRIGHT_SOURCES": "reddit, newsapi,reddit"}).sources == (
        "reddit",
        "newsapi",
    )
    assert sentiment({"TABLEWRIGHT_SOURCES": "none"}).sources == ()


def test_companies_are_chosen_by_ticker() -> None:
    assert "AAPL" in sentiment().tickers
    assert sentiment({"TABLEWRIGHT_TICKERS": "BRK.B, XYZ,XYZ"}).tickers == ("BRK.B", "XYZ")
    many = ",".join(f"T{n}" for n in range(51))
    for wrong in ("aapl", "AAPL;MSFT", "AAPL MSFT", "A" * 13, ",", many):
        with pytest.raises(SettingError, match="TABLEWRIGHT_TICKERS"):
            sentiment({"TABLEWRIGHT_TICKERS": wrong})


def test_zones_are_two_to_four_of_the_region() -> None:
    here = {"TABLEWRIGHT_REGION": "eu-west-1"}
    named = {**here, "TABLEWRIGHT_ZONES": "eu-west-1a, eu-west-1c"}
    assert sentiment(here).zones == ()
    assert sentiment(named).zones == ("eu-west-1a", "eu-west-1c")
    for wrong in ("eu-west-1a", "eu-west-1a,us-east-1b", "a,b", "eu-west-1,eu-west-1a"):
        with pytest.raises(SettingError, match=r"TABLEWRIGHT_ZONES.* as in eu-west-1a,eu-west-1c"):
            sentiment({**here, "TABLEWRIGHT_ZONES": wrong})


def test_a_window_may_be_none_at_all() -> None:
    assert sentiment().window_seconds == 5
    assert sentiment({"TABLEWRIGHT_STREAM_WINDOW": "0"}).window_seconds == 0
    assert sentiment({"TABLEWRIGHT_STREAM_WINDOW": "300"}).window_seconds == 300


def test_context_wins_over_the_environment() -> None:
    both = sentiment({"TABLEWRIGHT_WATCH_TAGS": "AI"}, watch_tags="climate change, AI")
    assert both.watch_tags == ("climate change", "AI")


@pytest.mark.parametrize(
    "tags",
    [
        ["AI", "ai"],
        ["climate change", "Climate  Change"],
        ["AI", "\uff21\uff29"],
        ["a\x07b"],
        ["a|b"],
        ["x" * 51],
        [f"tag {number}" for number in range(MAX_TAGS + 1)],
    ],
)
def test_tags_that_the_function_would_refuse_do_not_get_that_far(tags: list[str]) -> None:
    with pytest.raises(InvalidTag):
        Watch(tags)
    assert message({"TABLEWRIGHT_WATCH_TAGS": ",".join(tags)}).startswith("TABLEWRIGHT_WATCH_TAGS")


def test_the_function_takes_the_tags_that_are_watched_by_default() -> None:
    assert Watch(WATCH_TAGS).tags == sentiment().watch_tags


def test_the_default_is_dev_in_no_particular_account() -> None:
    stage = read(NOTHING.get, {})
    assert stage.name == "dev"
    assert (stage.environment.account, stage.environment.region) == (None, None)


def test_own_settings_win_over_the_credentials_in_use() -> None:
    both = {"CDK_DEFAULT_REGION": "us-east-1", "TABLEWRIGHT_REGION": "eu-west-1"}
    assert read(NOTHING.get, both).environment.region == "eu-west-1"
    assert read(NOTHING.get, {"CDK_DEFAULT_REGION": "us-east-1"}).environment.region == "us-east-1"


def test_the_app_says_the_sentence_and_nothing_else(tmp_path: Path) -> None:
    done = run_app(tmp_path, stage="qa")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("stage 'qa' is not one of")
    assert "Traceback" not in done.stderr


@pytest.mark.thorough
def test_prod_with_all_it_can_have_holds_before_the_rules_of_cloudformation_itself(
    tmp_path: Path,
) -> None:
    asked = {"stage": "prod", "alarm_email": "ops@example.com", "accelerator": "on"}
    asked |= {"encrypted_fields": "on", "replicas": "us-west-2"}
    done = run_app(tmp_path, IN_VIRGINIA, validate=True, **asked)
    assert done.returncode == 0, done.stderr
    for stack in ("sales", "sentiment", "sentiment-us-west-2"):
        assert (tmp_path / f"tablewright-prod-{stack}.template.json").exists()


def run_app(
    outdir: Path,
    settings: Mapping[str, str] | None = None,
    *,
    validate: bool = False,
    **asked: str,
) -> subprocess.CompletedProcess[str]:
    """The app as the CDK CLI runs it."""
    flag = "@aws-cdk/core:validateAgainstDefaultRules"
    environ = {
        **os.environ,
        **(settings or {}),
        "CDK_OUTDIR": str(outdir),
        "CDK_CONTEXT_JSON": json.dumps(context(**asked, **{flag: validate})),
        "CDK_VALIDATION": "true" if validate else "false",
    }
    return subprocess.run(
        [sys.executable, "-m", "cdk_app"],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
