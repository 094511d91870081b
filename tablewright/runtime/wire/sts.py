"""STS, which speaks forms and XML: the one call of it that gives a tenant's credentials."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from tablewright.runtime.wire.protocol import Operation, Service

_ELEMENT = re.compile(
    rb"<(AccessKeyId|SecretAccessKey|SessionToken|Expiration|Code|Message)>([^<]*)</"
)
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))


def _dump(operation: str, params: dict[str, Any]) -> bytes:
    asked = {"Action": operation, "Version": "2011-06-15", **dict(_flat("", params))}
    return urlencode(asked).encode()


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _flat(f"{name}.{key}" if name else key, each)
    elif isinstance(value, list):
        for number, each in enumerate(value, 1):
            yield from _flat(f"{name}.member.{number}", each)
    else:
        yield name, str(value)


def _load(body: bytes) -> dict[str, Any]:
    found = {name.decode(): _text(value.decode()) for name, value in _ELEMENT.findall(body)}
    if "Code" in found:
        return {"__type": found["Code"], "message": found.get("Message", "")}
    try:
        expires = datetime.fromisoformat(found["Expiration"])
        names = ("AccessKeyId", "SecretAccessKey", "SessionToken")
        return {"Credentials": {**{name: found[name] for name in names}, "Expiration": expires}}
    except KeyError as missing:
        raise ValueError(f"the answer has no {missing}") from missing


def _text(value: str) -> str:
    for entity, character in _ENTITIES:
        value = value.replace(entity, character)
    return value


STS = Service(
    "sts",
    "",
    "application/x-www-form-urlencoded; charset=utf-8",
    _dump,
    _load,
    {"AssumeRole": Operation()},
)
