"""Requests made up from an API's OpenAPI document, good and bad, and their answers held against it.

Schemathesis makes and judges them. They are the same each time, so that no run fails by chance.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.config import GenerationConfig
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

# What no public function gives: the values at and beyond the bounds of each parameter and field.
from schemathesis.specs.openapi.coverage._operation import iter_coverage_cases

from tablewright.model.fields.time import iso_utc

Operation = APIOperation[Any, Any, Any, Any]
Case = schemathesis.Case[Any]
Values = Mapping[str, str]

_CONFORMS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
_SETTINGS = settings(
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
_REFUSED = {"expected-statuses": ["400", "403", "404", "409", "412", "413", "428"]}

# Parameters that are not given together.
_APART = (
    (("status",), ("product_suite", "product_concept")),
    (("day",), ("user_id",)),
    (("category",), ("brand", "productId")),
    (("brand",), ("productId",)),
)
_CURSOR = "cursor"  # cannot be made up: it is signed

_MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2099, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
schemathesis.openapi.format("date-time", _MOMENTS.map(iso_utc))
# Sales of long ago are refused, which a schema cannot say.
_DAYS = st.dates(datetime.now(UTC).date() - timedelta(days=365), date(2099, 1, 1))
schemathesis.openapi.format("date", _DAYS.map(date.isoformat))


class Contract:
    """An API that is called with one user's token, and the document that it serves.

    Example::

        contract = Contract(url, token, at_bounds=20, at_random=5)
        for operation in contract.operations:
            contract.hold(operation, {"content_id": "there"})
    """

    def __init__(self, url: str, token: str, *, at_bounds: int, at_random: int) -> None:
        self._at_bounds = at_bounds
        self._at_random = at_random
        self._user = _session(token)
        document = self._user.get(f"{url}/openapi.json", timeout=60)
        assert document.status_code == 200, document.text
        config = schemathesis.Config.from_dict(
            {
                "base-url": url,
                # Tokens are tried apart from everything else.
                "generation": {"with-security-parameters": False},
                "checks": {"negative_data_rejection": _REFUSED},
            }
        )
        schema = schemathesis.openapi.from_dict(document.json(), config=config)
        self.operations: list[Operation] = []
        for found in schema.get_all_operations():
            assert isinstance(found, Ok), found
            self.operations.append(found.ok())
        self.answers: dict[str, Counter[int]] = {}

    def hold(self, operation: Operation, known: Values) -> None:
        """Every request is answered as the document says; one that it does not allow is refused.

        Every other good request has the values that are known in place of its own, by which it
        finds something.
        """
        seen = self.answers.setdefault(name_of(operation), Counter())
        for number, case in enumerate(self._cases(operation)):
            _leave_out(case)
            if number % 2 and _is_good(case):
                _know(case, known)
            answer = case.call(session=self._user)
            seen[answer.status_code] += 1
            case.validate_response(answer, checks=[*_CONFORMS, negative_data_rejection])

    def refuse_strangers(self, operation: Operation) -> None:
        """Without a token, or with one that nobody signed, nothing is done."""
        (case,) = _good(operation, 1)
        for stranger in (_session(None), _session("of.no.one")):
            answer = case.call(session=stranger)
            assert answer.status_code == 401, (operation.label, answer.text)
            case.validate_response(answer, checks=_CONFORMS)

    def done(self) -> set[str]:
        """The operations that were carried out at least once."""
        return {name for name, seen in self.answers.items() if min(seen) < 300}

    def _cases(self, operation: Operation) -> Iterator[Case]:
        at_bounds = iter_coverage_cases(
            operation=operation,
            generation_modes=list(GenerationMode),
            generate_duplicate_query_parameters=False,
            unexpected_methods=set(),
            generation_config=GenerationConfig(with_security_parameters=False),
        )
        return chain(
            _spread(list(at_bounds), self._at_bounds),
            _good(operation, self._at_random),
            _made(operation, GenerationMode.NEGATIVE, self._at_random),
        )


def name_of(operation: Operation) -> str:
    return str(operation.definition.raw["operationId"])


def _session(token: str | None) -> requests.Session:
    session = requests.Session()
    session.trust_env = False  # no proxy: the cloud is on this machine
    if token:
        session.headers["Authorization"] = f"Bearer {token}"
    return session


def _good(operation: Operation, number: int) -> list[Case]:
    return _made(operation, GenerationMode.POSITIVE, number)


def _made(operation: Operation, mode: GenerationMode, number: int) -> list[Case]:
    made: list[Case] = []

    @settings(_SETTINGS, max_examples=number)
    @given(operation.as_strategy(mode))
    def collect(case: Case) -> None:
        made.append(case)

    # Where nothing is sent, nothing can be wrong with it.
    with suppress(Unsatisfiable):
        collect()
    return made


def _spread(cases: list[Case], most: int) -> Iterable[Case]:
    """Some of the cases, from the first to the last."""
    return cases if len(cases) <= most else (cases[n * len(cases) // most] for n in range(most))


def _is_good(case: Case) -> bool:
    return case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE


def _leave_out(case: Case) -> None:
    """Leave out what would have any request refused, unless that is what is being tried."""
    tried = case.meta.phase.data if case.meta else None
    parameter = getattr(tried, "parameter", None)
    if not (parameter or _is_good(case)):
        return  # something is wrong with it, and nobody knows what
    for one, others in _APART:
        needless = one if parameter in others else others
        if set(one) & case.query.keys() or parameter in others:
            for name in needless:
                case.query.pop(name, None)
    if parameter != _CURSOR:
        case.query.pop(_CURSOR, None)


def _know(case: Case, known: Values) -> None:
    operation = case.operation
    places = (
        (operation.path_parameters, case.path_parameters),
        (operation.query, case.query),
        (operation.headers, case.headers),
    )
    for parameters, values in places:
        values.update({one.name: known[one.name] for one in parameters if one.name in known})
