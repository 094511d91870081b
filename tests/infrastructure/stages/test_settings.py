"""A wrong setting stops the synthesis with one sentence that says what to do."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from aws_cdk.aws_logs import RetentionDays

from cdk_app.declared import SETTINGS, every
from cdk_app.setting import Setting, SettingError
from cdk_app.settings import ROOT, read
from cdk_app.watch_tags import WATCH_TAGS
from lambdas.contract import SYSTEMS
from lambdas.sentiment.ingestion.watch_tags import MAX_TAGS, InvalidTag, Watch
from stacks.sentiment.regions import standby_regions
from stacks.shared.stage import Replicas, SentimentSettings
from tablewright.constructs import Backups, Protection
from tablewright.runtime.wire.connection import KEPT
from tests.infrastructure.synthesis import IN_VIRGINIA, context

NOTHING: dict[str, object] = {}
HOME = {"TABLEWRIGHT_REGION": "us-east-1"}


def sentiment(environ: dict[str, str] | None = None, **asked: str) -> SentimentSettings:
    return read(asked.get, environ or {}).sentiment


def message(environ: dict[str, str] | None = None, **asked: str) -> str:
    with pytest.raises(SettingError) as caught:
        read(asked.get, environ or {})
    return str(caught.value)


ALL = {one.name: one for one in SETTINGS}
OVERRIDABLE = {name: one for name, one in ALL.items() if not one.file_only}


@pytest.mark.parametrize("setting", OVERRIDABLE.values(), ids=OVERRIDABLE)
def test_every_setting_takes_its_example_and_its_default_and_nothing_odd(
    setting: Setting[Any],
) -> None:
    own = {} if setting.name == "region" else {"TABLEWRIGHT_REGION": "eu-west-1"}
    read(NOTHING.get, {setting.variable: setting.example, **own})
    setting.parser.read(setting.default)
    said = message({setting.variable: "|"})
    takes = f"it takes {setting.parser.accepts}, for example {setting.example}"
    assert said.startswith(f"{setting.variable} is '|': ")
    assert said.endswith(takes)


@pytest.mark.parametrize(
    ("setting", "wrong"),
    [
        *(("TABLEWRIGHT_ACCOUNT", "1234"), ("TABLEWRIGHT_REGION", "Ireland")),
        *(("TABLEWRIGHT_ACCELERATOR", "yes"), ("TABLEWRIGHT_ENCRYPTED_FIELDS", "yes")),
        *(("TABLEWRIGHT_STREAM_WINDOW", text) for text in ("301", "-1", "5s", "٣")),
        *(("TABLEWRIGHT_STREAM_OUTAGE", text) for text in ("0", "24")),
        *(("TABLEWRIGHT_OPEN_CONCURRENCY", text) for text in ("0", "many")),
        *(("TABLEWRIGHT_SIGN_IN_URL", text) for text in ("cognito", "https://a; default-src *")),
        *(("TABLEWRIGHT_SOURCES", text) for text in ("facebook", " , ", "none,newsapi")),
        *(("TABLEWRIGHT_ITEM_DAYS", text) for text in ("9", "a month")),
        *(("TABLEWRIGHT_REPLICAS", "Oregon"), ("TABLEWRIGHT_REPLICATED", "shop")),
        *(("TABLEWRIGHT_LOG_DAYS", text) for text in ("8", "none")),
        *(("TABLEWRIGHT_RECOVERY_DAYS", text) for text in ("0", "36")),
        *(("TABLEWRIGHT_BACKUP_DAYS", text) for text in ("0", "0/365", "35/365/1")),
        *(("TABLEWRIGHT_API_RATE", text) for text in ("100", "0/1", "shop=1/2", "1/2,3/4", ",")),
        *(("TABLEWRIGHT_CONCURRENCY", text) for text in ("5", "forms.deliver=1", "forms=5")),
        *(("TABLEWRIGHT_CONCURRENCY", "forms.submit=2,forms.submit=3"),),
        *(("TABLEWRIGHT_PAGE_LIMIT", text) for text in ("0", "101")),
        *(("TABLEWRIGHT_CUSTOMER_KEYS", text) for text in ("shop", "on,sales")),
        *(("TABLEWRIGHT_CATEGORY_SHARDS", "9"), ("TABLEWRIGHT_EMBEDDING_SHARDS", "4")),
        *(("TABLEWRIGHT_SHARD_RULES", text) for text in ("[]", "{", '{"most": 101}', '{"a": 1}')),
        *(("TABLEWRIGHT_ACCELERATOR_NODES", "12"), ("TABLEWRIGHT_ACCELERATOR_NODE_TYPE", "m5")),
        *(("TABLEWRIGHT_POLL_MINUTES", "61"), ("TABLEWRIGHT_PLAN_HOURS", "25")),
    ],
)
def test_a_setting_of_the_wrong_form(setting: str, wrong: str) -> None:
    takes = ALL[setting.removeprefix("TABLEWRIGHT_").lower()].parser.accepts
    assert message({setting: wrong}).startswith(f"{setting} is '{wrong}': ")
    assert f"it takes {takes}, for example" in message({setting: wrong})


def test_a_sentence_says_what_is_accepted() -> None:
    assert message({"TABLEWRIGHT_ITEM_DAYS": "9"}) == (
        "TABLEWRIGHT_ITEM_DAYS is '9': it takes days, 10 to 9999, or none, for example 60"
    )
    said = message({"TABLEWRIGHT_SHARD_RULES": '{"most": 101}'})
    assert "most must be a number from 1 to 100; it takes rules as JSON" in said
    said = message({"TABLEWRIGHT_CONCURRENCY": "forms.delivr=5"})
    assert "'forms.delivr' is not one of sentiment.analyse, " in said


def test_all_that_is_wrong_is_told_at_once() -> None:
    wrong = {
        "TABLEWRIGHT_REGION": "Ireland",
        "TABLEWRIGHT_ALARMS": "few",
        "TABLEWRIGHT_REPLICA": "us-west-2",
        "TABLEWRIGHT_STREAM_WINDOW": "5s",
    }
    said = message(wrong).splitlines()
    assert [line.split()[0] for line in said] == [
        "TABLEWRIGHT_REPLICA",
        "TABLEWRIGHT_REGION",
        "TABLEWRIGHT_ALARMS",
        "TABLEWRIGHT_STREAM_WINDOW",
    ]


def test_a_variable_that_is_no_setting_stops_with_the_one_that_was_meant() -> None:
    assert message({"TABLEWRIGHT_REPLICA": "us-west-2"}) == (
        "TABLEWRIGHT_REPLICA is no setting: did you mean TABLEWRIGHT_REPLICAS? "
        "All of them are in docs/settings.md"
    )
    for harmless in ({"TABLEWRIGHT_REPLICA": ""}, {"TABLEWRIGHT_CACHE": "/tmp"}):
        read(NOTHING.get, harmless)


def test_data_that_is_kept_can_be_taken_back() -> None:
    none = {"TABLEWRIGHT_RECOVERY_DAYS": "none"}
    assert read({"stage": "dev"}.get, none).protection.recovery_days is None
    for stage in ("staging", "prod"):
        assert f"data of {stage} is kept" in message(none, stage=stage)


def test_keys_of_tables_need_their_region() -> None:
    assert message({"TABLEWRIGHT_CUSTOMER_KEYS": "on"}).startswith(
        "TABLEWRIGHT_CUSTOMER_KEYS is set, but not the region of the tables themselves"
    )


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
    assert said.startswith(f"TABLEWRIGHT_CORS_ORIGINS is '{wrong}': ")
    assert "it takes a list, each an origin, https:// and a host" in said


def test_prod_keeps_daily_copies_of_a_week_and_logs_of_a_month() -> None:
    prod = read({"stage": "prod"}.get, {})
    assert prod.protection == Protection.protected()
    assert (prod.protection.recovery_days, prod.protection.backups) == (35, Backups(7))
    assert prod.log_retention is RetentionDays.ONE_MONTH
    assert prod.cost_limits == (20, 30, 40)


@pytest.mark.parametrize(("asked", "copies"), [("7", 7), ("35/365", 47)])
def test_copies_are_daily_and_monthly_only_where_that_is_asked(asked: str, copies: int) -> None:
    backups = read({"stage": "prod"}.get, {"TABLEWRIGHT_BACKUP_DAYS": asked}).protection.backups
    assert backups
    assert backups.copies == copies


def test_prod_traces_the_systems_that_are_asked_seldom() -> None:
    traces = read({"stage": "prod"}.get, {}).traces
    assert {name for name in SYSTEMS if traces.of(name)} == {"forms", "portal"}
    assert all(read({"stage": "dev"}.get, {}).traces.of(name) for name in SYSTEMS)


def test_items_are_kept_and_archived_by_stage_unless_told() -> None:
    found = {name: read({"stage": name}.get, {}) for name in ("dev", "staging", "prod", "local")}
    assert {stage.sentiment.item_days for stage in found.values()} == {30}
    assert [name for name, stage in found.items() if not stage.archived] == ["dev"]
    assert [name for name, stage in found.items() if stage.audited] == ["staging", "prod"]
    given = {
        "TABLEWRIGHT_ITEM_DAYS": "none",
        "TABLEWRIGHT_ARCHIVE": "on",
        "TABLEWRIGHT_AUDIT": "on",
    }
    told = read({"stage": "dev"}.get, given)
    assert (told.sentiment.item_days, told.archived, told.audited) == (None, True, True)


@pytest.mark.parametrize("stage", ["staging", "prod"])
def test_pages_of_somebodys_own_machine_are_let_in_while_developing_only(stage: str) -> None:
    own = {"TABLEWRIGHT_CORS_ORIGINS": "http://localhost:3000"}
    said = message(own, stage=stage)
    assert said.startswith("TABLEWRIGHT_CORS_ORIGINS is 'http://localhost:3000': ")
    assert f"needs development = true in stages/{stage}.toml" in said
    for developing in ("local", "dev"):
        found = read({"stage": developing}.get, own).cors_origins
        assert found == ("http://localhost:3000",)


def test_replicas_need_the_region_of_the_tables_themselves() -> None:
    assert message({"TABLEWRIGHT_REPLICAS": "us-east-1"}) == (
        "TABLEWRIGHT_REPLICAS is set, but not the region of the tables themselves: "
        'set region in stages/dev.toml, for example region = "eu-west-1"'
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
    assert "it takes a list, each dollars a month" in message({"TABLEWRIGHT_COST_LIMITS": "0"})


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


def test_a_table_can_have_fewer_replicas_for_one_update() -> None:
    asked = {"stage": "prod", "replicas_on_the_way": '{"items": ["us-west-2"]}'}
    found = read(asked.get, HOME).replicas
    assert found.of("sentiment", "items") == ("us-west-2",)
    assert found.of("sentiment", "news") == found.regions


def test_a_region_stands_by_once_all_tables_are_there() -> None:
    def regions(**on_the_way: list[str]) -> tuple[str, ...]:
        named = {f"prod-sentiment-{name}": found for name, found in on_the_way.items()}
        told = {"stage": "prod", "replicas_on_the_way": json.dumps(named)}
        return standby_regions(read(told.get, standing_by))

    standing_by = {**HOME, "TABLEWRIGHT_STANDBY": "on"}
    assert standby_regions(read({"stage": "prod"}.get, HOME)) == ()

    assert regions() == ("us-west-2", "eu-west-1", "ap-south-1")
    assert regions(items=["us-west-2"]) == ("us-west-2",)
    assert regions(items=["us-west-2"], regions=["eu-west-1"]) == ()
    other = read({"stage": "prod"}.get, {**standing_by, "TABLEWRIGHT_REPLICATED": "sales"})
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
        with pytest.raises(SettingError, match=r"TABLEWRIGHT_ZONES.*for example eu-west-1a"):
            sentiment({**here, "TABLEWRIGHT_ZONES": wrong})


def test_a_window_may_be_none_at_all() -> None:
    for asked, seconds in (({}, 5), ({"TABLEWRIGHT_STREAM_WINDOW": "0"}, 0)):
        assert read(NOTHING.get, asked).stream_window_seconds == seconds


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
    assert (
        done.stderr.strip().splitlines()[-1].startswith("stage 'qa' has no file stages/qa.toml: ")
    )
    assert "Traceback" not in done.stderr


@pytest.mark.thorough
def test_prod_with_all_it_can_have_holds_before_the_rules_of_cloudformation_itself(
    tmp_path: Path,
) -> None:
    asked = {"stage": "prod", "alarm_email": "ops@example.com", "accelerator": "on"}
    asked |= {"encrypted_fields": "on", "replicas": "us-west-2", "standby": "on"}
    asked |= {"customer_keys": "on"}
    asked |= {"capacity": "on-demand:9000/9000,sales=provisioned:5-100@70:warm=900/300"}
    done = run_app(tmp_path, IN_VIRGINIA, validate=True, **asked)
    assert done.returncode == 0, done.stderr
    for stack in ("sales", "sentiment", "sentiment-us-west-2", "keys", "keys-us-west-2"):
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


def test_functions_are_not_told_of_as_many_connections_as_they_have_anyway() -> None:
    assert read(lambda _: None, {}).connections is None
    assert every.CONNECTIONS.default == str(KEPT)
