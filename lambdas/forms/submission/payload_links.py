"""Payloads in answers: as JSON, text or base64, or by a link where they are too large."""

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from lambdas.http.answers import to_json
from tablewright.catalog.forms.submissions import LINKS
from tablewright.runtime import strict_json
from tablewright.runtime.aws import Caller
from tablewright.runtime.strict_json import InvalidJson

# A function may answer with 6 MB, in which what is no plain letter has been escaped once more.
LARGEST_ANSWER = 5_500_000
LINK_SECONDS = 300

Presign = Callable[[str, dict[str, Any], int], str]


class PayloadLinks:
    """Addresses by which a tenant's payloads can be read that are too large for an answer.

    What is kept may be compressed, in a way that only we know: so it is laid out as it was sent,
    for a day, and the address is of that. It is signed in the tenant's session, like all else.
    """

    def __init__(self, s3: Caller, presign: Presign, bucket: str, tenant: str) -> None:
        self._s3 = s3
        self._presign = presign
        self._bucket = bucket
        self._tenant = tenant

    def link(self, submission_id: str, payload: bytes) -> dict[str, Any]:
        """The members with the address; a browser saves what is there, and shows none."""
        place = {"Bucket": self._bucket, "Key": f"{LINKS}{self._tenant}/{submission_id}"}
        about = {
            "ContentType": "application/octet-stream",
            "ContentDisposition": f'attachment; filename="{submission_id}"',
        }
        self._s3.call("PutObject", {**place, "Body": payload, **about})
        return {
            "payload_url": self._presign("get_object", place, LINK_SECONDS),
            "payload_url_expires_in": LINK_SECONDS,
        }


def with_payload(fields: dict[str, Any], payload: bytes, links: PayloadLinks) -> str:
    """The JSON of a submission with its payload: as JSON where it is JSON, exactly as it was sent;
    as text where it is text; as base64 otherwise; by a link where it is too large."""
    member = _member(payload)
    whole = f"{to_json(fields)[:-1]}, {member}}}"
    if len(json.dumps(whole)) > LARGEST_ANSWER:
        return to_json({**fields, **links.link(fields["submission_id"], payload)})
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
