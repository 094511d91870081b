"""A DynamoDB that answers at once, always the same: for what only the caller's own work shows.

`python -m benchmarks.servers.canned [CERTIFICATE]` prints the port that it listens on; with a
certificate it speaks TLS. Indexes and batches are answered by what is asked for, and a role can be
assumed.
"""

import json
import socket
import ssl
import sys
import threading
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from boto3.dynamodb.types import TypeSerializer

from benchmarks.chapters.items import sale, values
from benchmarks.servers import process as servers
from benchmarks.servers.certificates import serving

Item = dict[str, Any]
Answer = Callable[[bytes], bytes]
_ITEMS = 100
_SESSION = (
    b"<AssumeRoleResponse xmlns='https://sts.amazonaws.com/doc/2011-06-15/'><AssumeRoleResult>"
    b"<Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>s</SecretAccessKey>"
    b"<SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>"
    b"</AssumeRoleResult></AssumeRoleResponse>"
)


def canned(certificate: Path | None = None) -> AbstractContextManager[str]:
    """The server in a process of its own; gives its address."""
    return servers.serving("benchmarks.servers.canned", certificate)


def _answers() -> dict[bytes, Answer]:
    serialize = TypeSerializer().serialize
    items = [{k: serialize(v) for k, v in values(sale(n)).items()} for n in range(_ITEMS)]
    by_key = {(item["PK"]["S"], item["SK"]["S"]): item for item in items}
    shards: dict[str, list[Item]] = {}
    pk, sk = "GSI1PK", "GSI1SK"
    for item in sorted(items, key=lambda item: item[sk]["S"]):
        of_index = {name: item[name] for name in ("PK", "SK", pk, sk)}
        shards.setdefault(item[pk]["S"], []).append(of_index)
    whole = _answer(_page(items))

    def query(body: bytes) -> bytes:
        asked = json.loads(body)
        if "IndexName" not in asked:
            return whole
        given = {value["S"] for value in asked["ExpressionAttributeValues"].values()}
        (found,) = (shards.get(value) for value in given if value in shards)
        return _answer(_page((found or [])[: asked["Limit"]]))

    def batch_get(body: bytes) -> bytes:
        (asked,) = json.loads(body)["RequestItems"].items()
        table, keys = asked[0], [(key["PK"]["S"], key["SK"]["S"]) for key in asked[1]["Keys"]]
        found = {"Responses": {table: [by_key[key] for key in keys]}, "UnprocessedKeys": {}}
        return _answer(found)

    return {
        b"PutItem": _always(_answer({})),
        b"GetItem": _always(_answer({"Item": items[0]})),
        b"Query": query,
        b"BatchGetItem": batch_get,
        b"BatchWriteItem": _always(_answer({"UnprocessedItems": {}})),
        b"GetSecretValue": _always(_answer({"SecretString": "k" * 32, "Name": "n"})),
        # STS, whose requests name no target.
        b"": _always(_framed(_SESSION, "text/xml")),
    }


def _always(answer: bytes) -> Answer:
    return lambda _: answer


def _page(items: list[Item]) -> dict[str, Any]:
    return {"Items": items, "Count": len(items), "ScannedCount": len(items)}


def _answer(answer: dict[str, Any]) -> bytes:
    body = json.dumps(answer, separators=(",", ":")).encode()
    return _framed(body, "application/x-amz-json-1.0")


def _framed(body: bytes, kind: str) -> bytes:
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n"
        f"x-amzn-RequestId: 1\r\nx-amz-crc32: {zlib.crc32(body)}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _serve(plain: socket.socket, answers: dict[bytes, Answer], tls: ssl.SSLContext | None) -> None:
    with tls.wrap_socket(plain, server_side=True) if tls else plain as connection:
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                part = connection.recv(65536)
                if not part:
                    return
                data += part
            head, _, data = data.partition(b"\r\n\r\n")
            fields = (line.partition(b":") for line in head.split(b"\r\n"))
            headers = {name.lower(): value.strip() for name, _, value in fields}
            length = int(headers[b"content-length"])
            while len(data) < length:
                data += connection.recv(65536)
            body, data = data[:length], data[length:]
            target = headers.get(b"x-amz-target", b"").rpartition(b".")[2]
            connection.sendall(answers[target](body))


def main(arguments: list[str]) -> None:
    answers = _answers()
    tls = serving(Path(arguments[0])) if arguments else None
    listening = socket.create_server(("127.0.0.1", 0))
    servers.serves(listening.getsockname()[1])
    while True:
        connection, _ = listening.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        served = (connection, answers, tls)
        threading.Thread(target=_serve, args=served, daemon=True).start()


if __name__ == "__main__":
    main(sys.argv[1:])
