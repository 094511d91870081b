"""The stages, and what is read from context and environment for each."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from aws_cdk import Environment
from aws_cdk import aws_logs as logs

from stacks.stage import Stage
from tablewright.constructs import Capacity, Platform, Protection
from tablewright.constructs.dependencies import LAMBDA

ROOT = Path(__file__).resolve().parent.parent

_ACCOUNT = re.compile(r"\d{12}")
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


class SettingError(Exception):
    """One sentence: which setting is wrong, and how to set it."""


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """What is always so in a stage."""

    protection: Callable[[], Protection]
    log_retention: logs.RetentionDays
    password_sign_in: bool = False
    threat_protection: bool = False
    on_this_machine: bool = False


_STAGES = {
    "local": _Kind(
        protection=Protection.throw_away,
        log_retention=logs.RetentionDays.ONE_DAY,
        password_sign_in=True,
        on_this_machine=True,
    ),
    "dev": _Kind(
        protection=Protection.throw_away,
        log_retention=logs.RetentionDays.ONE_WEEK,
        password_sign_in=True,
    ),
    "staging": _Kind(
        protection=Protection.recoverable,
        log_retention=logs.RetentionDays.ONE_MONTH,
    ),
    "prod": _Kind(
        protection=Protection.protected,
        log_retention=logs.RetentionDays.ONE_YEAR,
        threat_protection=True,
    ),
}
STAGES = tuple(_STAGES)


def read(
    context: Callable[[str], object],
    environ: Mapping[str, str],
    *,
    root: Path = ROOT,
    host: Platform | None = None,
) -> Stage:
    """The stage that context (`-c stage=dev`) and environment ask for."""
    name = str(context("stage") or "dev")
    if name not in _STAGES:
        raise SettingError(
            f"stage '{name}' is not one of {', '.join(STAGES)}: choose one with -c stage=dev"
        )
    kind = _STAGES[name]
    region = _checked(_REGION, "TABLEWRIGHT_REGION", _either(environ, "REGION"), "eu-west-1")
    return Stage(
        name=name,
        root=root,
        environment=Environment(
            account=_checked(
                _ACCOUNT, "TABLEWRIGHT_ACCOUNT", _either(environ, "ACCOUNT"), "123456789012"
            ),
            region=region,
        ),
        protection=kind.protection(),
        capacity=Capacity.on_demand(),
        platform=(host or Platform.host()) if kind.on_this_machine else LAMBDA,
        log_retention=kind.log_retention,
        replicas=_replicas(_asked(context, environ, "replicas"), region),
        alarm_email=_checked(
            _EMAIL,
            "TABLEWRIGHT_ALARM_EMAIL",
            _asked(context, environ, "alarm_email"),
            "ops@example.com",
        ),
        password_sign_in=kind.password_sign_in,
        threat_protection=kind.threat_protection,
    )


def _either(environ: Mapping[str, str], what: str) -> str | None:
    # The CDK CLI sets CDK_DEFAULT_* from the credentials in use.
    return environ.get(f"TABLEWRIGHT_{what}") or environ.get(f"CDK_DEFAULT_{what}") or None


def _asked(context: Callable[[str], object], environ: Mapping[str, str], name: str) -> str | None:
    value = context(name) or environ.get(f"TABLEWRIGHT_{name.upper()}")
    return str(value) if value else None


def _checked(form: re.Pattern[str], setting: str, value: str | None, example: str) -> str | None:
    if value is not None and not form.fullmatch(value):
        raise SettingError(f"{setting} is '{value}': set it to something like {example}")
    return value


def _replicas(text: str | None, region: str | None) -> tuple[str, ...]:
    regions = tuple(part.strip() for part in (text or "").split(",") if part.strip())
    for replica in regions:
        _checked(_REGION, "TABLEWRIGHT_REPLICAS", replica, "us-east-1,us-west-2")
    if regions and region is None:
        raise SettingError(
            "TABLEWRIGHT_REPLICAS is set, but not the region of the table itself: "
            "set TABLEWRIGHT_REGION too, for example to eu-west-1"
        )
    if region in regions:
        raise SettingError(
            f"TABLEWRIGHT_REPLICAS has {region}, where the table itself is: leave it out"
        )
    return regions
