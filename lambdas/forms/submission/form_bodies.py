"""Bodies of forms: kept as they were sent, looked into only to see that they are what they say."""

from base64 import b64decode
from collections.abc import Collection
from typing import Any
from urllib.parse import parse_qs

from lambdas.errors import InvalidRequest, TooMuch, UnsupportedType
from lambdas.forms.payload_compression import LARGEST
from tablewright.runtime import strict_json
from tablewright.runtime.strict_json import InvalidJson

JSON = "application/json"
URLENCODED = "application/x-www-form-urlencoded"
CONTENT_TYPES = (JSON, URLENCODED)
# A function is called with at most six megabytes, in which a text is escaped as JSON, to twice its
# length at most, and anything else is in base64. So much arrives whatever it is; beyond it would
# be a matter of luck, and the function would never know of those that have none.
DIRECT = 3_000_000


def raw_body(event: Any) -> bytes:
    """The body byte for byte as it was sent."""
    text = event.get("body") or ""
    try:
        body = b64decode(text) if event.get("isBase64Encoded") else text.encode()
    except UnicodeEncodeError:
        raise InvalidRequest("The body must be text in UTF-8.") from None
    if len(body) > DIRECT:
        raise TooMuch(
            f"A request may carry {DIRECT} bytes. Up to {LARGEST} are taken by an upload: "
            "announce it by POST /forms/{form_id}/uploads.",
        )
    return body


def content_type(header: str | None, taken: Collection[str] = CONTENT_TYPES) -> str:
    """Which of the types a body is of; parameters such as a charset make no difference."""
    kind = (header or "").partition(";")[0].strip().lower()
    if kind not in taken:
        reason = f"must be {' or '.join(taken)}"
        raise UnsupportedType(
            "The body is of a type that is not taken.", [("Content-Type", reason)]
        )
    return kind


def fields_of(body: bytes, kind: str) -> dict[str, Any]:
    """The form's fields by their names; raises InvalidRequest for JSON that is none.

    Only for looking at: numbers are left as texts, of which no digit is lost.
    """
    if kind == URLENCODED:
        return dict(parse_qs(body.decode(errors="replace")))
    try:
        # Not by bytes, which json would also take in UTF-16; JSON on the wire is UTF-8.
        value = strict_json.parse(body.decode("utf-8-sig"), number=str)
    except UnicodeDecodeError:
        raise _not_json("is not JSON in UTF-8") from None
    except InvalidJson as invalid:
        raise _not_json(str(invalid)) from None
    return value if isinstance(value, dict) else {}


def filled(fields: dict[str, Any], names: Collection[str]) -> bool:
    """Whether any of the named fields holds anything."""
    return any(_holds(fields.get(name)) for name in names)


def _holds(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_holds, value))
    return bool(value.strip() if isinstance(value, str) else value)


def _not_json(why: str) -> InvalidRequest:
    reason = f"must be JSON: it {why}"
    return InvalidRequest("The body is not valid; nothing was stored.", [("", reason)])
