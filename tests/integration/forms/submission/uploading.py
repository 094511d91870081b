"""A sender of large submissions, and S3 as it checks what is put at an address that was signed."""

import hmac
import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from lambdas.forms.submission.uploads import UPLOADED
from tests.integration.forms.submission.submitting import BUCKET, SESSION, World
from tests.integration.http import Answer

JSON = "application/json"


def announced(body: bytes, kind: str = JSON) -> dict[str, Any]:
    return {"size": len(body), "sha256": sha256(body).hexdigest(), "content_type": kind}


def announce(world: World, document: Any, form: str = "contact", **more: Any) -> Answer:
    return world.send(json.dumps(document).encode(), form, to="uploads", **more)


def submit(world: World, document: Any, form: str = "contact", **more: Any) -> Answer:
    return world.send(json.dumps(document).encode(), form, kind=UPLOADED, **more)


def uploaded(world: World, body: bytes, kind: str = JSON) -> dict[str, Any]:
    """Announce a body and put it into the bucket; gives the document that submits it."""
    about = announced(body, kind)
    answer = announce(world, about)
    assert answer.status == 201, answer.text
    offer = answer.json
    assert put(world, offer["url"], offer["headers"], body) == 200
    return {"upload_id": offer["upload_id"], **about}


def put(world: World, url: str, headers: Mapping[str, str], body: bytes) -> int:
    """PUT as S3 takes it, by the rules of Signature Version 4: gives the status."""
    parts = urlsplit(url)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    sent = {name.lower(): value for name, value in headers.items()}
    sent |= {"host": parts.netloc, "content-length": str(len(body))}
    if _signature(parts.path, query, sent) != query["X-Amz-Signature"]:
        return 403
    checksum = b64encode(sha256(body).digest()).decode()
    if sent["x-amz-checksum-sha256"] != checksum:
        return 400
    assert parts.netloc == f"{BUCKET}.s3.eu-west-1.amazonaws.com"
    world.edge.objects[unquote(parts.path[1:])] = body
    return 200


def _signature(path: str, query: Mapping[str, str], headers: Mapping[str, str]) -> str:
    signed = {name: text for name, text in query.items() if name != "X-Amz-Signature"}
    names = query["X-Amz-SignedHeaders"].split(";")
    canonical = "\n".join(
        [
            "PUT",
            path,
            "&".join(f"{quote(n, safe='')}={quote(signed[n], safe='')}" for n in sorted(signed)),
            *(f"{name}:{headers.get(name, '')}" for name in names),
            "",
            query["X-Amz-SignedHeaders"],
            "UNSIGNED-PAYLOAD",
        ]
    )
    _, day, region, service, last = query["X-Amz-Credential"].split("/")
    scope = f"{day}/{region}/{service}/{last}"
    digest = sha256(canonical.encode()).hexdigest()
    text = "\n".join(["AWS4-HMAC-SHA256", query["X-Amz-Date"], scope, digest])
    key = f"AWS4{SESSION.get_credentials().secret_key}".encode()
    for part in (day, region, service, last):
        key = hmac.new(key, part.encode(), sha256).digest()
    return hmac.new(key, text.encode(), sha256).hexdigest()
