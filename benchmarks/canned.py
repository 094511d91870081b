"""A DynamoDB that answers at once, always the same: for what only the caller's own work shows.

`python -m benchmarks.canned` prints the port that it listens on.
"""

import json
import socket
import sys
import threading
import zlib
from decimal import Decimal
from typing import Any

from boto3.dynamodb.types import TypeSerializer

from tablewright.catalog.sales.design import Sale, Sales


def sale(number: int) -> Sale:
    own = {"sale_id": f"s{number:04}", "sale_price": Decimal(number)}
    return Sale(**{**Sale.__entity__.example, **own})


def values(record: Sale) -> dict[str, Any]:
    """A sale as a table has it, in Python's values."""
    return dict(Sales.__design__.attributes(Sale.__entity__, record))


def _answers() -> dict[bytes, bytes]:
    serialize = TypeSerializer().serialize
    items = [{k: serialize(v) for k, v in values(sale(n)).items()} for n in range(100)]
    bodies: dict[bytes, dict[str, Any]] = {
        b"PutItem": {},
        b"GetItem": {"Item": items[0]},
        b"Query": {"Items": items, "Count": 100, "ScannedCount": 100},
        b"BatchWriteItem": {"UnprocessedItems": {}},
    }
    return {name: _answer(body) for name, body in bodies.items()}


def _answer(answer: dict[str, Any]) -> bytes:
    body = json.dumps(answer, separators=(",", ":")).encode()
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\n"
        f"x-amzn-RequestId: 1\r\nx-amz-crc32: {zlib.crc32(body)}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _serve(connection: socket.socket, answers: dict[bytes, bytes]) -> None:
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
        while len(data) < int(headers[b"content-length"]):
            data += connection.recv(65536)
        data = data[int(headers[b"content-length"]) :]
        connection.sendall(answers[headers[b"x-amz-target"].rpartition(b".")[2]])


def main() -> None:
    answers = _answers()
    listening = socket.create_server(("127.0.0.1", 0))
    sys.stdout.write(f"{listening.getsockname()[1]}\n")
    sys.stdout.flush()
    while True:
        connection, _ = listening.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=_serve, args=(connection, answers), daemon=True).start()


if __name__ == "__main__":
    main()
