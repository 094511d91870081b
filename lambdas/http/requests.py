"""Requests: exact numbers, known parameters, bounded pages."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from lambdas.contract import PAGE_LIMIT, PagesEnvironment
from lambdas.errors import InvalidRequest
from tablewright.runtime import strict_json
from tablewright.runtime.strict_json import InvalidJson

DEFAULT_LIMIT = int(PagesEnvironment.read().page_limit or PAGE_LIMIT)
MAX_LIMIT = 100


def json_body(event: Any) -> Any:
    """The body as JSON; numbers with a fraction become Decimal, never float."""
    try:
        return strict_json.parse(event.decoded_body or "")
    except InvalidJson as invalid:
        raise InvalidRequest(f"The body must be JSON: it {invalid}.") from None
    except ValueError:
        raise InvalidRequest("The body must be JSON: it is not text in UTF-8.") from None


def parameters(event: Any, allowed: Iterable[str]) -> dict[str, str]:
    """The query string's parameters, each one that the route knows, given once and not empty."""
    sent: Mapping[str, str] = event.query_string_parameters or {}
    allowed = set(allowed)
    # API Gateway makes one of several, with commas between; only the raw text tells.
    named = Counter(name for name, _ in parse_qsl(event.raw_query_string, keep_blank_values=True))
    wrong = []
    for name, value in sent.items():
        if name not in allowed:
            wrong.append((name, f"is not one of {', '.join(sorted(allowed))}"))
        elif named[name] > 1:
            wrong.append((name, "must be given once"))
        elif not value:
            wrong.append((name, "must not be empty: leave it out, or give it a value"))
    if wrong:
        raise InvalidRequest("The query string is not valid.", wrong)
    return dict(sent)


def page_limit(text: str | None) -> int:
    return whole_number("limit", text, default=DEFAULT_LIMIT, most=MAX_LIMIT)


def whole_number(name: str, text: str | None, *, default: int, most: int, least: int = 1) -> int:
    """Parse a number from `least` to `most`, written with no more digits than `most` has."""
    if text is None:
        return default
    plain = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    if not (plain and least <= int(text) <= most):
        reason = f"must be {least} to {most}"
        raise InvalidRequest(f"{name} is not valid.", [(name, reason)])
    return int(text)


def choice(name: str, text: str | None, allowed: tuple[str, ...]) -> str:
    """One of the allowed words, the first when none is given."""
    if text is None:
        return allowed[0]
    if text not in allowed:
        reason = f"must be one of {', '.join(allowed)}"
        raise InvalidRequest(f"{name} is not valid.", [(name, reason)])
    return text
