"""Less CPU per call: botocore's shape-driven serializer and parser, bypassed for DynamoDB.

Both walk the service model for every attribute of every item, only to turn one JSON tree into
another that is the same but for binary values, which `wire` handles. Signing, retries, endpoints,
events and error parsing stay botocore's.

This is the only module that touches private names of botocore. `install` checks that they are there
and as expected, and leaves the client alone when they are not: slower, but right.
"""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from botocore.parsers import ResponseParserError


def install(client: Any) -> bool:
    """Switch a DynamoDB client to the fast path; False when this botocore does not allow it."""
    try:
        endpoint = client._endpoint
        # A client that validates parameters keeps its serializer inside the validator.
        serializer = getattr(client._serializer, "_serializer", client._serializer)
        factory = endpoint._response_parser_factory
        protocol = client.meta.service_model.resolved_protocol
        usable = (
            protocol == "json"
            and callable(serializer.serialize_to_request)
            and callable(factory.create_parser(protocol).parse)
        )
    except (AttributeError, TypeError):
        return False
    if not usable:
        return False
    _keep_user_agent(client)
    client._serializer = _Serializer(serializer)
    endpoint._response_parser_factory = _ParserFactory(factory)
    return True


def _keep_user_agent(client: Any) -> None:
    """botocore builds the same header anew, twice for each call; built once, it serves them all."""
    creator = getattr(client, "_user_agent_creator", None)
    if creator is not None and callable(getattr(creator, "to_string", None)):
        text = creator.to_string()
        creator.to_string = lambda: text


def _base64(value: Any) -> str:
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} cannot be sent to DynamoDB")


_dumps = json.JSONEncoder(separators=(",", ":"), default=_base64).encode


class _Serializer:
    """Gives botocore the request around an empty body, then the body as it is."""

    def __init__(self, original: Any) -> None:
        self._original = original

    def serialize_to_request(self, parameters: Any, operation_model: Any) -> Any:
        request = self._original.serialize_to_request({}, operation_model)
        request["body"] = _dumps(parameters).encode()
        return request


class _ParserFactory:
    def __init__(self, original: Any) -> None:
        self._original = original
        self._parsers: dict[str, _Parser] = {}

    def create_parser(self, protocol_name: str) -> Any:
        parser = self._parsers.get(protocol_name)
        if parser is None:
            parser = _Parser(self._original.create_parser(protocol_name))
            self._parsers[protocol_name] = parser
        return parser


class _Parser:
    """Takes a success as plain JSON; leaves everything else to botocore."""

    def __init__(self, original: Any) -> None:
        self._original = original

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def parse(self, response: Any, shape: Any) -> Any:
        if response["status_code"] >= 300:
            return self._original.parse(response, shape)
        try:
            parsed = json.loads(response["body"])
        except ValueError as error:  # cut off on its way
            raise ResponseParserError(f"the answer is not JSON: {error}") from error
        headers = response["headers"]
        parsed["ResponseMetadata"] = {
            "HTTPStatusCode": response["status_code"],
            "HTTPHeaders": headers,
            "RequestId": headers.get("x-amzn-requestid", ""),
        }
        return parsed
