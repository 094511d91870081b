"""Functions as Lambda runs them, for tests that have them do everything that they do."""

import json
from collections.abc import Callable, Set
from types import ModuleType
from typing import Any, NamedTuple

from tablewright.runtime.errors import Unavailable
from tablewright.testing.privileges.least_privilege import ITSELF
from tablewright.testing.privileges.platform import LOGS_AND_TRACES
from tests.integration.http import Context, Hurried
from tests.integration.session import Aws


class Around(Context):
    """What Lambda tells a function: its own name, and how much time is left."""

    invoked_function_arn = ITSELF


def hurried() -> Hurried:
    """For one invocation, after which the function has to call itself."""
    made = Hurried()
    made.invoked_function_arn = ITSELF
    return made


class Function(NamedTuple):
    """A function's module, what makes it do everything in the tests' world, and what starts it."""

    module: ModuleType
    use: Callable[[Aws, Any], None]
    started_by: Set[str] = frozenset()

    @property
    def platform(self) -> Set[str]:
        """What AWS does in its name."""
        return LOGS_AND_TRACES | self.started_by


def message(body: str) -> dict[str, Any]:
    """A batch of one message, as a queue hands it on."""
    return {"Records": [{"messageId": "1", "body": body}]}


TAKEN: dict[str, Any] = {"batchItemFailures": []}


def answered(answer: dict[str, Any], status: int) -> Any:
    """What a request was answered with; one to be repeated raises, as its sender would see it."""
    if answer["statusCode"] == 503:
        assert answer["headers"]["Retry-After"]
        raise Unavailable("to be repeated")
    assert answer["statusCode"] == status, answer
    return json.loads(answer["body"]) if answer.get("body") else None


def consumed(answer: dict[str, Any]) -> None:
    """Raises when something of a batch is to be delivered again."""
    if answer["batchItemFailures"]:
        raise Unavailable("to be delivered again")
