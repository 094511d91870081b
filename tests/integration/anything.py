"""Any request: bodies, queries, headers and addresses that nobody would send on purpose."""

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple
from urllib.parse import urlencode

import hypothesis
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tests.integration.http import Answer, Context, Contract

Handler = Callable[[dict[str, Any], Any], dict[str, Any]]

# A table is kept through all examples: what one leaves behind is there for the next.
ANY_REQUESTS = settings(
    max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), database=None
)

_STRANGE = (
    *("1e99999999999999999999", "-1E-99999999999999999999", "1e400", "0e999", "-0.0", "9" * 5000),
    *("1E+125", "1e-130", "12345678901234567890123456789012345678901.5", "NaN", "-Infinity"),
    *(r'"\ud800"', r'"\udc00\ud800"', r'"\u0000"', r'"\uffff"', r'"\udbff\udfff"', '""', '" "'),
    *('"\u00a0\u3000"', '"9999-12-31"', '"0000-00-00"', '"9999-12-31T23:59:59.999Z"', '"#|"'),
    *("[" * 150 + "]" * 150, "[" * 5000, '{"a":1,"a":2}', '{"":[]}', "{", "", "\u2028", "\ufeff{}"),
    *(f'"{"x" * 70_000}"', f'"{"😀" * 700}"', f"[{'0,' * 3000}0]", '{"' + "k" * 3000 + '": 1}'),
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
# JSON, or almost.
FRAGMENTS = st.sampled_from(_STRANGE) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
).map(json.dumps)
_HERE = "a fragment goes here"


class Sample(NamedTuple):
    """A request that would be fine, for others to be made from."""

    method: str
    path: str
    body: Any = None
    query: Mapping[str, str] = {}


@st.composite
def bodies(draw: st.DrawFn, sound: Any) -> str:
    """The text of a sound body with something else in one or two of its places; or of anything."""
    if sound is None or draw(st.integers(0, 7)) == 3:
        return draw(FRAGMENTS)
    changed = deepcopy(sound)
    fragments: list[str] = []
    for _ in range(draw(st.integers(0, 2))):
        changed = _with_a_hole(draw, changed, f"{_HERE} {len(fragments)}")
        fragments.append(draw(FRAGMENTS))
    text = json.dumps(changed, default=str)
    for number, fragment in enumerate(fragments):
        text = text.replace(json.dumps(f"{_HERE} {number}"), fragment, 1)
    return text


def _with_a_hole(draw: st.DrawFn, value: Any, hole: str) -> Any:
    if isinstance(value, dict) and value and draw(st.integers(0, 4)):
        name = draw(st.sampled_from(sorted(value)) | TEXT)
        return {**value, name: _with_a_hole(draw, value.get(name), hole)}
    if isinstance(value, list) and value and draw(st.integers(0, 4)):
        return [_with_a_hole(draw, value[0], hole), *value[1:]]
    return hole


@st.composite
def events(
    draw: st.DrawFn,
    contract: Contract,
    samples: Sequence[Sample],
    claims: Sequence[dict[str, str]],
) -> dict[str, Any]:
    """A request as API Gateway hands it on: one of the samples, and strange in some respects."""
    sample = draw(st.sampled_from(samples))
    path = sample.path
    if draw(st.integers(0, 11)) == 7:
        parts = path.split("/")
        at = draw(st.integers(1, len(parts) - 1))
        parts[at] = draw(TEXT | st.sampled_from(["..", "%2F", "a b", "é", "x" * 2000]))
        path = "/".join(parts)
    known = (
        "limit",
        "cursor",
        "from",
        "to",
        "since",
        "until",
        "day",
        "season",
        "order",
        "tenant_id",
    )
    names = st.sampled_from([*known, *sample.query]) | TEXT
    odd = st.lists(
        st.tuples(names, TEXT | st.sampled_from(["", "0", "9" * 400, "\u0000"])), max_size=2
    )
    query = [*sample.query.items(), *(draw(odd) if draw(st.integers(0, 2)) == 1 else [])]
    headers = {
        name: draw(st.sampled_from(["", "*", '"1"', "W/*", ",,,", "é", "x" * 4000]))
        for name in draw(st.sets(st.sampled_from(_HEADERS), max_size=2))
    }
    body = draw(bodies(sample.body)) if sample.body is not None or draw(st.booleans()) else None
    event = contract.event(
        sample.method, path, body, claims=draw(st.sampled_from(claims)), query={}, headers=headers
    )
    joined: dict[str, str] = {}
    for name, value in query:  # as API Gateway does with two of a name
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    event["rawQueryString"] = urlencode(query)
    event["queryStringParameters"] = joined or None
    return event


_HEADERS = ("if-match", "if-none-match", "content-type", "idempotency-key", "last-event-id")


def not_asked(contract: Contract, samples: Sequence[Sample]) -> set[str]:
    """The routes of a document that no sample leads to."""
    paths = contract.document["paths"]
    routes = {f"{m.upper()} {p}" for p, item in paths.items() for m in item if m != "parameters"}
    return routes - {contract.routed(one.method, one.path)[0] for one in samples}


def answered(handler: Handler, event: dict[str, Any]) -> Answer:
    """What is answered, which is never that something went wrong here."""
    answer = Answer(handler(event, Context()))
    hypothesis.event(f"{event['requestContext']['http']['method']} {answer.status}")
    assert answer.status < 500, (event["body"], event["rawQueryString"], answer.text)
    if answer.status >= 400:
        assert answer.content_type == "application/problem+json"
        assert answer.json["status"] == answer.status
        assert len(answer.text) < 100_000
    return answer
