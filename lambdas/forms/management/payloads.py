"""A submission as it is told, with its payload in the form that it can be read in."""

import json
from base64 import b64encode
from typing import Any

from lambdas.http.answers import to_json
from tablewright.runtime import strict_json
from tablewright.runtime.strict_json import InvalidJson

# A function may answer with 6 MB, in which what is no plain letter has been escaped once more.
LARGEST_ANSWER = 5_500_000
TOO_LARGE = "The payload is too large for an answer."


def with_payload(told: dict[str, Any], payload: bytes) -> str:
    """The JSON of a submission with its payload: as JSON where it is JSON, exactly as it was sent;
    as text where it is text; as base64 otherwise; not at all where it is too large."""
    member = _member(payload)
    whole = f"{to_json(told)[:-1]}, {member}}}"
    if len(json.dumps(whole)) > LARGEST_ANSWER:
        return to_json({**told, "payload_left_out": TOO_LARGE})
    return whole


def _member(payload: bytes) -> str:
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        return f'"payload_base64": {to_json(b64encode(payload).decode())}'
    try:
        strict_json.parse(text, number=str)
    except InvalidJson:
        return f'"payload_text": {to_json(text)}'
    # Not read and written again: numbers would lose digits.
    return f'"payload": {text}'
