"""Every operation of the wire client against botocore's model and botocore's client.

Both clients talk to servers that give them the same answers. The model says what an operation
needs, so nothing here is shared with the client that is tested.
"""

import ast
import json
import random
import re
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

import boto3
import botocore.session
import pytest
from botocore.model import OperationModel, Shape

from benchmarks.servers.scripted import Scripted, Step, answer, hangs_up, refusal, sends
from tablewright.runtime import aws, boto3_client
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import StoreError, Unavailable
from tablewright.runtime.wire.client import WireClient
from tablewright.runtime.wire.services import SERVICES
from toolchain.paths import ROOT

OPERATIONS = [(name, each) for name in SERVICES for each in sorted(SERVICES[name].operations)]
WITH_TOKENS = [pair for pair in OPERATIONS if SERVICES[pair[0]].operations[pair[1]].token]
SEED = 20_26
DEEPEST = 8
# Headers that only botocore sends: numbers of calls and attempts, which AWS counts.
ONLY_BOTOCORE = {"amz-sdk-invocation-id", "amz-sdk-request"}
# Headers whose values differ by time, port, client or the spaces in a body.
OWN_VALUES = {"authorization", "content-length", "host", "user-agent", "x-amz-date"}


@cache
def model_of(service: str, operation: str) -> OperationModel:
    return botocore.session.get_session().get_service_model(service).operation_model(operation)


class Pair(NamedTuple):
    """A wire client and a boto3 client, each with a server of its own."""

    callers: tuple[Caller, Caller]
    servers: tuple[Scripted, Scripted]

    def run(self, operation: str, params: dict[str, Any], *script: Step) -> list["Outcome"]:
        outcomes = []
        for caller, server in zip(self.callers, self.servers, strict=True):
            server._script[:] = script
            before = len(server.requests)
            random.seed(SEED)
            result: Any
            try:
                result = caller.call(operation, params)
                result.pop("ResponseMetadata", None)
            except StoreError as error:
                result = type(error), str(error), vars(error)
            outcomes.append(Outcome(result, [parse(r) for r in server.requests[before:]]))
        return outcomes


class Request(NamedTuple):
    line: str
    headers: dict[str, str]
    body: Any


class Outcome(NamedTuple):
    result: Any
    requests: list[Request]


def parse(request: bytes) -> Request:
    head, _, body = request.partition(b"\r\n\r\n")
    line, *fields = head.decode().split("\r\n")
    headers = {name.lower(): value for name, value in (f.split(": ", 1) for f in fields)}
    text = body.decode()
    return Request(line, headers, json.loads(text) if text[:1] == "{" else sorted(text.split("&")))


def make_pair(service: str, **settings: Any) -> Pair:
    session = boto3.session.Session("key", "secret", "token", region_name="eu-west-1")
    servers = (Scripted(), Scripted())
    wire = aws.connect(session, service, endpoint_url=servers[0].url, **settings)
    boto = boto3_client.connect(session, service, endpoint_url=servers[1].url, **settings)
    assert isinstance(wire, WireClient)
    return Pair((wire, boto), servers)


shared_pair = cache(make_pair)


@pytest.fixture
def pair(service: str) -> Iterator[Pair]:
    """A pair with all its retries."""
    made = make_pair(service)
    yield made
    for server in made.servers:
        server.close()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    return slept


@pytest.fixture(scope="module", autouse=True)
def closed() -> Iterator[None]:
    yield
    for service in SERVICES:
        for server in shared_pair(service).servers:
            server.close()
    shared_pair.cache_clear()


def example(shape: Shape, rng: random.Random, *, full: bool, sent: bool, depth: int = 0) -> Any:
    """A value of a shape: for a request as Python has it, for an answer as JSON has it."""
    if shape.type_name == "structure":
        names = list(shape.members)
        if shape.name == "AttributeValue":
            names = [rng.choice(["S", "N", "B", "BS", "BOOL"])]
        elif not full or depth > DEEPEST:
            names = list(shape.required_members)
        return {
            name: example(shape.members[name], rng, full=full, sent=sent, depth=depth + 1)
            for name in names
        }
    if shape.type_name == "list":
        return [example(shape.member, rng, full=full, sent=sent, depth=depth + 1) for _ in "ab"]
    if shape.type_name == "map":
        return {
            name: example(shape.value, rng, full=full, sent=sent, depth=depth + 1)
            for name in ("é", "z/ ?&=%")
        }
    if shape.type_name == "blob":
        data = rng.randbytes(9)
        return data if sent else b64encode(data).decode()
    if shape.type_name == "timestamp":
        moment = rng.randrange(2**31)
        return datetime.fromtimestamp(moment, UTC) if sent else moment + 0.25
    plain = {"boolean": True, "integer": rng.randrange(99), "long": 2**40 + rng.randrange(9)}
    if shape.type_name in plain:
        return plain[shape.type_name]
    if shape.type_name in ("double", "float"):
        return rng.randrange(99) / 4
    assert shape.type_name == "string", shape.type_name
    text = rng.choice(getattr(shape, "enum", None) or ["plain", 'é"\\<&>\n\t\U0001f600', "a+b c"])
    return str(text).ljust(shape.metadata.get("min", 0), "x")


def required(service: str, operation: str) -> dict[str, Any]:
    shape = model_of(service, operation).input_shape
    params: dict[str, Any] = example(shape, random.Random(SEED), full=False, sent=True)
    return params


def members(shape: Shape | None, kind: str, parents: tuple[str, ...] = ()) -> Iterator[str]:
    """Names of all members of a kind, at any depth."""
    if shape is None or shape.name in parents:
        return
    inner: list[tuple[str, Shape]] = []
    if shape.type_name == "structure":
        inner = list(shape.members.items())
    elif shape.type_name in ("list", "map"):
        inner = [("", shape.member if shape.type_name == "list" else shape.value)]
    for name, member in inner:
        if member.type_name == kind and name:
            yield name
        yield from members(member, kind, (*parents, shape.name))


@pytest.mark.parametrize("service", SERVICES)
def test_protocol_is_the_models(service: str) -> None:
    ours = SERVICES[service]
    metadata = botocore.session.get_session().get_service_model(service).metadata
    if metadata["protocol"] == "json":
        assert ours.target == metadata["targetPrefix"] + "."
        assert ours.content_type == f"application/x-amz-json-{metadata['jsonVersion']}"
        assert ("x-amzn-query-mode" in ours.headers) == ("awsQueryCompatible" in metadata)
    else:
        assert (service, metadata["protocol"], metadata["apiVersion"]) == (
            "sts", "query", "2011-06-15",
        )  # fmt: skip


@pytest.mark.parametrize(("service", "operation"), OPERATIONS)
def test_traits_are_the_models(service: str, operation: str) -> None:
    model = model_of(service, operation)
    traits = SERVICES[service].operations[operation]
    assert [traits.token] * bool(traits.token) == model.idempotent_members
    # Traits that this client does not know.
    assert model.http == {"method": "POST", "requestUri": "/"}
    assert [model.endpoint, model.http_checksum, model.request_compression] == [None, {}, None]
    assert [model.auth_type, model.auth, model.unsigned_payload] == [None, None, None]
    assert not any((model.has_streaming_input, model.has_streaming_output))
    assert not any((model.has_event_stream_input, model.has_event_stream_output))
    assert not (model.endpoint_discovery or {}).get("required")
    # Parameters of the endpoint: tables lead to those of accounts, which the guide names.
    chooses = [p.member_name for p in model.context_parameters if p.name != "ResourceArn"]
    assert chooses == list(traits.boto3_only)
    if service == "sts":
        return  # It reads the credentials alone.
    assert sorted(traits.moments) == sorted(set(members(model.output_shape, "timestamp")))
    if service != "dynamodb":  # The store decodes binary attributes.
        assert sorted(traits.blobs) == sorted(set(members(model.output_shape, "blob")))


@pytest.mark.parametrize("full", [False, True], ids=["required members", "all members"])
@pytest.mark.parametrize(("service", "operation"), OPERATIONS)
def test_request_is_botocores(service: str, operation: str, full: bool) -> None:
    rng = random.Random(SEED)
    params = example(model_of(service, operation).input_shape, rng, full=full, sent=True)
    traits = SERVICES[service].operations[operation]
    params = {name: value for name, value in params.items() if name not in traits.boto3_only}
    if traits.token:
        params[traits.token] = "the caller's own"
    ours, theirs = (
        outcome.requests[0] for outcome in shared_pair(service).run(operation, params, ok(service))
    )
    assert ours.line == theirs.line
    assert ours.body == theirs.body
    assert theirs.headers.keys() - ours.headers.keys() == ONLY_BOTOCORE
    assert ours.headers.keys() <= theirs.headers.keys()
    for name in ours.headers.keys() - OWN_VALUES:
        assert ours.headers[name] == theirs.headers[name], name


SESSION = (
    b"<AssumeRoleResponse xmlns='https://sts.amazonaws.com/doc/2011-06-15/'><AssumeRoleResult>"
    b"<Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>s/+</SecretAccessKey>"
    b"<SessionToken>t==</SessionToken><Expiration>2026-11-17T18:00:00Z</Expiration></Credentials>"
    b"</AssumeRoleResult></AssumeRoleResponse>"
)


def ok(service: str) -> Step:
    return answer(SESSION, Content_Type="text/xml") if service == "sts" else answer()


def as_wire(value: Any) -> Any:
    """Binary values as base64, as the wire client leaves those of DynamoDB."""
    if isinstance(value, dict):
        return {name: as_wire(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(as_wire(element) for element in value)
    return b64encode(value).decode() if isinstance(value, bytes) else value


@pytest.mark.parametrize(("service", "operation"), OPERATIONS)
def test_answer_is_read_as_by_botocore(service: str, operation: str) -> None:
    shape = model_of(service, operation).output_shape
    given = example(shape, random.Random(SEED), full=True, sent=False) if shape else {}
    step = ok("sts") if service == "sts" else answer(json.dumps(given).encode())
    ours, theirs = shared_pair(service).run(operation, required(service, operation), step)
    if service == "dynamodb":
        assert ours.result == as_wire(theirs.result)
    else:
        assert ours.result == theirs.result


@pytest.mark.parametrize(("service", "operation"), OPERATIONS)
def test_errors_of_the_model_are_botocores(
    service: str, operation: str, pair: Pair, pauses: list[float]
) -> None:
    """Type, text, number of attempts and length of pauses, for every error that the model names."""
    params = required(service, operation)
    for shape in model_of(service, operation).error_shapes:
        error = shape.metadata.get("error", {})
        code = error.get("code", shape.name)
        fields = example(shape, random.Random(SEED), full=True, sent=False)
        body = json.dumps({**fields, "__type": f"com.amazonaws#{code}", "message": "no"}).encode()
        if service == "sts":
            body = f"<ErrorResponse><Error><Code>{code}</Code></Error></ErrorResponse>".encode()
        for status in {error.get("httpStatusCode", 400), 500}:
            step = answer(body, status)
            pauses.clear()
            ours, theirs = pair.run(operation, params, step, step, ok(service))
            expected = as_wire(theirs.result) if service == "dynamodb" else theirs.result
            assert ours.result == expected, code
            assert len(ours.requests) == len(theirs.requests), code
            half = len(pauses) // 2
            assert pauses[:half] == pauses[half:], code


# Codes of retries in the guide of boto3, and those of signatures and clocks. A clock that is off is
# set by the wire client alone, where the answer has a date.
GENERIC_CODES = [
    *("BandwidthLimitExceeded", "EC2ThrottledException", "LimitExceededException"),
    *("PriorRequestNotComplete", "ProvisionedThroughputExceededException"),
    *("RequestLimitExceeded", "RequestThrottled", "RequestThrottledException", "SlowDown"),
    *("ThrottledException", "Throttling", "ThrottlingException", "TooManyRequestsException"),
    *("TransactionInProgressException", "RequestTimeout", "RequestTimeoutException"),
    *(
        "InternalFailure",
        "InternalServerError",
        "ServiceUnavailable",
        "ServiceUnavailableException",
    ),
    *("ExpiredToken", "ExpiredTokenException", "IncompleteSignature", "InvalidClientTokenId"),
    *("InvalidSignatureException", "RequestExpired", "RequestInTheFuture", "RequestTimeTooSkewed"),
    *("SignatureDoesNotMatch", "UnrecognizedClientException", "AccessDeniedException", "Unheard"),
]


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize("service", ["dynamodb", "sqs"])
def test_errors_of_every_service_are_botocores(
    service: str, status: int, pair: Pair, pauses: list[float]
) -> None:
    operation = next(iter(SERVICES[service].operations))
    for code in GENERIC_CODES:
        step = refusal(code, status)
        pauses.clear()
        ours, theirs = pair.run(operation, {}, step, step, ok(service))
        assert ours.result == theirs.result, code
        assert len(ours.requests) == len(theirs.requests), code
        half = len(pauses) // 2
        assert pauses[:half] == pauses[half:], code


BODIES_OF_ERRORS = {
    "nothing": b"",
    "no members": b"{}",
    "a page": b"<html>Bad Gateway</html>",
    "no code": b'{"message": "no"}',
    "another spelling": b'{"__type": "a.b#Code:http://x", "Message": "no"}',
    "both spellings": b'{"__type": "Code", "Message": "no", "message": "nein"}',
    "a code elsewhere": b'{"code": "ThrottlingException"}',
}


@pytest.mark.parametrize(
    "status", [307, 400, 403, 404, 412, 413, 429, 500, 501, 502, 503, 504, 505]
)
@pytest.mark.parametrize("body", BODIES_OF_ERRORS)
@pytest.mark.parametrize("service", ["dynamodb"])
def test_errors_of_any_form_are_botocores(
    body: str, status: int, pair: Pair, pauses: list[float]
) -> None:
    step = answer(BODIES_OF_ERRORS[body], status)
    ours, theirs = pair.run("PutItem", {}, step, step, step)
    assert ours.result[::2] == theirs.result[::2]
    # For a 5xx that is no JSON botocore has the name of the status.
    assert ours.result[1] == theirs.result[1] or status >= 500
    assert len(ours.requests) == len(theirs.requests)


@pytest.mark.parametrize("service", SERVICES)
def test_time_outs_are_botocores(service: str, pauses: list[float]) -> None:
    """Each attempt waits as long for the next byte, and one that was sent may have been applied."""
    made = make_pair(service, read_timeout=0.1)
    stalls = [server.stalls for server in made.servers]
    operation = next(iter(SERVICES[service].operations))
    ours, theirs = (
        made.run(operation, {}, stall, stall, stall)[number] for number, stall in enumerate(stalls)
    )
    for server in made.servers:
        server.close()
    assert len(ours.requests) == len(theirs.requests) == 3
    assert ours.result[0] is theirs.result[0] is Unavailable
    assert ours.result[2] == theirs.result[2] == {"maybe_applied": True}


BODY_LOST = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"


@pytest.mark.parametrize("lost", [hangs_up, sends(BODY_LOST, close=True)], ids=["all", "end"])
@pytest.mark.parametrize(("service", "operation"), OPERATIONS)
def test_lost_answer_is_requested_again_or_may_have_been_applied(
    service: str, operation: str, lost: Step, pair: Pair, pauses: list[float]
) -> None:
    """Writes of every service, which DynamoDB Local cannot show: the same bytes in each attempt."""
    params = required(service, operation)
    outcomes = pair.run(operation, params, lost, lost, ok(service))
    outcomes += pair.run(operation, params, lost, lost, lost)
    for number, outcome in enumerate(outcomes):
        assert all(request.body == outcome.requests[0].body for request in outcome.requests)
        # botocore takes an answer that ended early for a whole one, which `Boto3Client` refuses.
        is_read_by_botocore = number % 2 and lost is not hangs_up
        assert len(outcome.requests) == (1 if is_read_by_botocore else 3)
        if number < 2 and len(outcome.requests) == 3:
            assert isinstance(outcome.result, dict)
        else:
            kind, _, attributes = outcome.result
            assert (kind, attributes) == (Unavailable, {"maybe_applied": True})


@pytest.mark.parametrize("header", ["AWS.SimpleQueueService.NonExistentQueue;Sender", "none", ";x"])
def test_former_error_codes_of_sqs_are_botocores(header: str) -> None:
    step = refusal("QueueDoesNotExist", x_amzn_query_error=header)
    ours, theirs = shared_pair("sqs").run("SendMessage", {}, step)
    assert (ours.result[:2]) == theirs.result[:2]


@pytest.mark.parametrize(("service", "operation"), WITH_TOKENS)
def test_token_is_made_once_for_a_call_and_kept_across_attempts(
    service: str, operation: str, pair: Pair, pauses: list[float]
) -> None:
    (member,) = model_of(service, operation).idempotent_members
    script = (hangs_up, refusal("InternalServerError", 500), answer())
    tokens = []
    for _ in range(2):
        for outcome in pair.run(operation, {}, *script):
            sent = [request.body[member] for request in outcome.requests]
            assert len(sent) == 3
            assert len(set(sent)) == 1
            assert UUID(sent[0]).version == 4
            tokens.append(sent[0])
    assert len(set(tokens)) == 4
    for outcome in pair.run(operation, {member: "mine"}, answer()):
        assert outcome.requests[0].body[member] == "mine"


def test_operation_without_token_gets_none() -> None:
    for outcome in shared_pair("dynamodb").run("PutItem", {"TableName": "t"}, answer()):
        assert outcome.requests[0].body == {"TableName": "t"}


def test_operation_that_is_not_listed_is_refused_before_it_is_sent() -> None:
    pair = shared_pair("sqs")
    pair.servers[0].requests.clear()
    with pytest.raises(StoreError, match=r"ReceiveMessage: .* boto3_client\.connect"):
        pair.callers[0].call("ReceiveMessage", {})
    assert pair.servers[0].requests == []


def test_member_that_chooses_another_endpoint_is_refused() -> None:
    pair = shared_pair("events")
    pair.servers[0].requests.clear()
    with pytest.raises(StoreError, match=r"PutEvents: .* boto3_client\.connect"):
        pair.callers[0].call("PutEvents", {"Entries": [], "EndpointId": "abc.def"})
    assert pair.servers[0].requests == []


def test_every_operation_that_this_project_calls_is_listed() -> None:
    """Names in `.call("NAME", …)`; the wire client itself refuses those that are computed."""
    session = botocore.session.get_session()
    known = {
        name for service in SERVICES for name in session.get_service_model(service).operation_names
    }
    listed = {operation for _, operation in OPERATIONS}
    called = set()
    for folder in ("tablewright", "lambdas", "stacks", "deployment", "toolchain", "local"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "call":
                    texts = (a.value for a in node.args[:1] if isinstance(a, ast.Constant))
                    called |= {text for text in texts if isinstance(text, str)}
    assert len(called & known) > 20
    assert called & known <= listed


@pytest.mark.parametrize("service", ["dynamodb"])
def test_retries_of_a_long_lived_client_are_botocores(pair: Pair, pauses: list[float]) -> None:
    """An outage uses up the retries; successes give them back, each as many as it took."""
    rng = random.Random(SEED)
    down, up = refusal("InternalServerError", 500), answer()
    slow = refusal("ThrottlingException")
    calls = [[down] * 3] * 30 + [[up]] * 20 + [[down, up]] * 60 + [[down] * 3] * 3
    calls += [[rng.choice((down, slow, hangs_up)) for _ in range(rng.randrange(3))] + [up]
              for _ in range(60)]  # fmt: skip
    attempts = []
    for script in calls:
        ours, theirs = pair.run("GetItem", {}, *script)
        assert ours.result[:1] == theirs.result[:1] if ours.result else not theirs.result
        attempts.append((len(ours.requests), len(theirs.requests)))
    assert [a for a, _ in attempts] == [b for _, b in attempts]
    assert attempts[29] == (1, 1)  # the outage used up all retries
    assert attempts[50:110] == [(2, 2)] * 60  # each of them is given back


def test_user_agent_names_the_version() -> None:
    from tablewright import __version__

    ours, _ = shared_pair("dynamodb").run("ListTables", {}, answer())
    agent = ours.requests[0].headers["user-agent"]
    assert re.fullmatch(rf"tablewright/{re.escape(__version__)} lang/python#[\d.]+", agent)
