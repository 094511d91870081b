"""What a destination of each type must be told, and what it may be."""

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from lambdas.forms.domains import normalised
from lambdas.http.given import Errors, pointer
from tablewright.designs import InvalidValue

MOST_ADDRESSES = 10
LONGEST_URL = 2048

_ADDRESS = re.compile(r"[^\s@<>,;:\"()\[\]\\]{1,64}@([A-Za-z0-9.-]{1,253})")
_BUCKET = r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"
_PREFIX = r"[A-Za-z0-9!_.*'()/=-]{1,512}"
_BUS = (
    r"[A-Za-z0-9._/-]{1,256}|arn:[a-z-]+:events:[a-z0-9-]+:\d{12}:event-bus/[A-Za-z0-9._/-]{1,256}"
)
# Set where nothing runs but tests and trials: webhooks may be on this machine.
LOCAL_WEBHOOKS = "LOCAL_WEBHOOKS"
_THIS_MACHINE = ("127.0.0.1", "localhost")
# Names that a resolver answers with this machine or this network.
_INSIDE = ("localhost", "local", "internal", "localdomain", "home.arpa")


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
    """What is wrong with the address of a webhook; what its name resolves to is looked at when it
    is called, for only then is it known."""
    if not isinstance(value, str) or not value.isascii() or len(value) > LONGEST_URL:
        return f"must be an https URL of at most {LONGEST_URL} characters"
    if not value.isprintable() or " " in value or "\\" in value:
        return "must not contain spaces, backslashes or control characters"
    try:
        url = urlsplit(value)
        host, port = url.hostname or "", url.port
    except ValueError:
        return "must be an https URL"
    if url.scheme == "http" and host in _THIS_MACHINE and os.environ.get(LOCAL_WEBHOOKS) == "true":
        return None
    if url.scheme != "https" or not host:
        return "must be an https URL"
    if "@" in url.netloc:
        return "must not contain credentials"
    if url.fragment or port == 0:
        return "must have no fragment, and no port 0"
    return _wrong_host(host)


def _wrong_host(host: str) -> str | None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        mapped = getattr(address, "ipv4_mapped", None) or address
        public = mapped.is_global and not mapped.is_multicast
        return None if public else "must not name a private address"
    # 127.1 and 0x7f.1 are addresses to some resolvers; no domain ends in a number.
    if re.fullmatch(r"\d+|0x[0-9a-f]*", host.rpartition(".")[2]):
        return "must not name an address in another spelling"
    try:
        name = normalised(host)
    except InvalidValue:
        return "must name a host by its domain"
    inside = any(name == one or name.endswith(f".{one}") for one in _INSIDE)
    return "must not name a host of this network" if inside else None


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
        "bucket": _text(_BUCKET, "the name of a bucket")._replace(required=True),
        "account": _text(r"\d{12}", "the twelve digits of the account that owns the bucket"),
        "prefix": _text(_PREFIX, "1 to 512 letters, digits and ! _ . * ' ( ) / = -"),
    },
    # Without one, the application's own.
    "eventbridge": {"bus": _text(_BUS, "the name or the ARN of an event bus")},
}


def check_settings(kind: str, settings: Mapping[str, Any]) -> Errors:
    """What is wrong with the settings of a destination of this type."""
    known = SETTINGS[kind]
    errors = [
        (pointer("settings", str(name)), f"is not one of {', '.join(known)}")
        for name in settings
        if name not in known
    ]
    for name, setting in known.items():
        if name not in settings:
            reason = "is required" if setting.required else None
        else:
            reason = setting.wrong(settings[name])
        errors += [(pointer("settings", name), reason)] if reason else []
    return errors
