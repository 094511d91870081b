"""Settings of destinations, by type, checked alike when they are stored and used."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lambdas.forms.contract import ON, DestinationEnvironment
from lambdas.forms.destinations.addresses import LONGEST_URL, BadUrl, read_url
from lambdas.forms.tenants.domain_names import normalised
from tablewright.model import InvalidValue

MOST_ADDRESSES = 10

_ADDRESS = re.compile(r"[^\s@<>,;:\"()\[\]\\]{1,64}@([A-Za-z0-9.-]{1,253})")
_BUCKET = r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"
_PREFIX = r"[A-Za-z0-9!_.*'()/=-]{1,512}"
_BUS = (
    r"[A-Za-z0-9._/-]{1,256}|arn:[a-z-]+:events:[a-z0-9-]+:\d{12}:event-bus/[A-Za-z0-9._/-]{1,256}"
)


class Setting(NamedTuple):
    """One setting: what is wrong with a value, its JSON Schema, whether it must be there."""

    wrong: Callable[[Any], str | None]
    schema: dict[str, Any]
    required: bool = False


def _text(pattern: str, form: str) -> Setting:
    def wrong(value: Any) -> str | None:
        fits = isinstance(value, str) and re.fullmatch(pattern, value)
        return None if fits else f"must be {form}"

    return Setting(wrong, {"type": "string", "pattern": f"^(?:{pattern})$"})


def wrong_url(value: Any) -> str | None:
    """What is wrong with the address of a webhook."""
    try:
        read_url(value, local=DestinationEnvironment.read().local_webhooks == ON)
    except BadUrl as problem:
        return str(problem)
    return None


def _wrong_bucket(value: Any) -> str | None:
    fits = isinstance(value, str) and re.fullmatch(_BUCKET, value)
    if not fits or value == DestinationEnvironment.read().payloads_bucket:
        return "must be the name of a bucket of your own"
    return None


def _wrong_addresses(value: Any) -> str | None:
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_ADDRESSES:
        return f"must be a list of 1 to {MOST_ADDRESSES} addresses"
    fits = all(isinstance(one, str) and _is_address(one) for one in value)
    return None if fits else "has an entry that is no e-mail address"


def _is_address(text: str) -> bool:
    match = _ADDRESS.fullmatch(text)
    try:
        return bool(match) and text.isascii() and bool(normalised(match[1] if match else ""))
    except InvalidValue:
        return False


_URL = {"type": "string", "format": "uri", "pattern": "^https://", "maxLength": LONGEST_URL}
_BUCKETS = {"type": "string", "pattern": f"^(?:{_BUCKET})$"}
_ADDRESSES = {
    "type": "array",
    "items": {"type": "string", "format": "email"},
    "minItems": 1,
    "maxItems": MOST_ADDRESSES,
}

SETTINGS: dict[str, dict[str, Setting]] = {
    "webhook": {"url": Setting(wrong_url, _URL, required=True)},
    "email": {
        "to": Setting(_wrong_addresses, _ADDRESSES, required=True),
    },
    "s3": {
        "bucket": Setting(_wrong_bucket, _BUCKETS, required=True),
        "account": _text(r"\d{12}", "the twelve digits of the account that owns the bucket"),
        "prefix": _text(_PREFIX, "1 to 512 letters, digits and ! _ . * ' ( ) / = -"),
    },
    # Without one, the application's own.
    "eventbridge": {"bus": _text(_BUS, "the name or the ARN of an event bus")},
}


def check_settings(kind: str, settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with the settings of a destination of this type, by their names."""
    known = SETTINGS[kind]
    unknown = [str(name) for name in settings if name not in known]
    errors = [(name, f"is not one of {', '.join(known)}") for name in unknown]
    return errors + wrong_settings(kind, settings)


def wrong_settings(kind: str, settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with those settings that a delivery goes by."""
    errors = []
    for name, setting in SETTINGS[kind].items():
        if name not in settings:
            reason = "is required" if setting.required else None
        else:
            reason = setting.wrong(settings[name])
        errors += [(name, reason)] if reason else []
    return errors
