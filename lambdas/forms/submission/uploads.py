"""Uploads, of what is too large for a request: announced, put into the bucket, submitted.

Nothing is kept of an announcement: the address that answers it is signed for exactly the bytes that
were announced, and the submission says again which those are. An upload that was not submitted is
removed by the bucket after a day.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from lambdas.errors import InvalidRequest, RequestMismatch, TooMuch
from lambdas.forms.payload_compression import LARGEST, read_object
from lambdas.forms.submission.form_bodies import CONTENT_TYPES
from tablewright.catalog.forms.submissions import UPLOADS
from tablewright.model import Choice, Field, InvalidValue, Text, TimeId, Whole
from tablewright.runtime import strict_json
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import ObjectMissing
from tablewright.runtime.ids import uuid7
from tablewright.runtime.strict_json import InvalidJson

# The type of a request's body that is not the submission but says which upload is.
UPLOADED = "application/vnd.tablewright.upload+json"
# To begin the transfer: one that has begun is not cut off.
SECONDS = 900

# How a client of S3 signs addresses for others: of the bucket's region, where it is known from its
# first moment on, and by a signature that covers their headers.
SIGNING: dict[str, Any] = {"signature_version": "s3v4", "s3": {"addressing_style": "virtual"}}

_ANNOUNCED: tuple[Field[Any], ...] = (
    Whole().named("size"),
    Text(pattern="[0-9a-f]{64}", form="64 small hexadecimal digits").named("sha256"),
    Choice(CONTENT_TYPES).named("content_type"),
)
_NAMED = (TimeId().named("upload_id"), *_ANNOUNCED)

# Signs an operation with its parameters, for so many seconds.
Presign = Callable[[str, dict[str, Any], int], str]


class Announced(NamedTuple):
    """Which bytes are to come, and what they are."""

    size: int
    sha256: str
    content_type: str


class Upload(NamedTuple):
    """An upload of a tenant, and which bytes it must be."""

    tenant_id: str
    upload_id: str
    announced: Announced

    @property
    def key(self) -> str:
        return f"{UPLOADS}{self.tenant_id}/{self.upload_id}"


def announcement(body: bytes) -> Announced:
    """What the body of a request announces; raises RequestError."""
    return _announced(_document(body, _ANNOUNCED))


def named(body: bytes, tenant_id: str) -> Upload:
    """The tenant's upload that the body of a submission names; raises RequestError."""
    values = _document(body, _NAMED)
    return Upload(tenant_id, values["upload_id"], _announced(values))


class Uploads:
    """The uploads of all tenants; `presign` is that of a client of S3 set up by `SIGNING`."""

    def __init__(self, s3: Caller, bucket: str, presign: Presign) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._presign = presign

    def offer(self, tenant_id: str, announced: Announced, now: datetime) -> dict[str, Any]:
        """Where the announced bytes can be put, and with which headers: these and no others."""
        upload = Upload(tenant_id, uuid7(now), announced)
        checksum = b64encode(bytes.fromhex(announced.sha256)).decode()
        params = {
            "Bucket": self._bucket,
            "Key": upload.key,
            "ContentLength": announced.size,
            "ContentType": announced.content_type,
            "ChecksumSHA256": checksum,
        }
        headers = {"Content-Type": announced.content_type, "x-amz-checksum-sha256": checksum}
        return {
            "upload_id": upload.upload_id,
            "method": "PUT",
            "url": self._presign("put_object", params, SECONDS),
            "headers": {**headers, "Content-Length": str(announced.size)},
            "expires_in": SECONDS,
        }

    def read(self, upload: Upload) -> bytes | None:
        """The bytes of an upload, None where there is none; raises RequestMismatch for others
        than those that its submission names."""
        expected = upload.announced
        try:
            body = read_object(self._s3, self._bucket, upload.key, expected.size + 1)
        except ObjectMissing:
            return None
        if len(body) != expected.size:
            wrong = ("/size", "is not that of the upload")
        elif sha256(body).hexdigest() != expected.sha256:
            wrong = ("/sha256", "is not that of the upload")
        else:
            return body
        raise RequestMismatch("The upload is another one; nothing was stored.", [wrong])

    def remove(self, upload: Upload) -> None:
        self._s3.call("DeleteObject", {"Bucket": self._bucket, "Key": upload.key})


def _announced(values: dict[str, Any]) -> Announced:
    announced = Announced(values["size"], values["sha256"], values["content_type"])
    if announced.size > LARGEST:
        reason = f"must be at most {LARGEST}"
        raise TooMuch("The submission is too large.", [("/size", reason)])
    return announced


def _document(body: bytes, fields: Iterable[Field[Any]]) -> dict[str, Any]:
    """The members of a JSON document, each as its field demands, and no others."""
    known = {field.name: field for field in fields}
    try:
        given = strict_json.parse(body)
        wanted = "" if isinstance(given, dict) else "is something else"
    except InvalidJson as invalid:
        given, wanted = {}, str(invalid)
    if wanted:
        reason = f"must be a JSON object of {', '.join(known)}: it {wanted}"
        raise InvalidRequest("The body is not valid.", [("", reason)])
    values: dict[str, Any] = {}
    wrong = [(f"/{name}", f"is not one of {', '.join(known)}") for name in given.keys() - known]
    for name, field in known.items():
        try:
            if name not in given:
                raise InvalidValue(name, "is required")
            values[name] = field.check(given[name])
        except InvalidValue as problem:
            wrong.append((f"/{name}", problem.reason))
    if wrong:
        raise InvalidRequest("The body is not valid.", wrong)
    return values
