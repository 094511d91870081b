"""Errors of the domain: why a request is refused, in words for whoever made it.

Rules raise them and know nothing of HTTP; `lambdas.http.problems` gives each its status.
"""

from collections.abc import Sequence

from tablewright.runtime.errors import StoreError

Errors = list[tuple[str, str]]

# An answer does not grow with what was wrong: 1.6 MB of faults would make 8 MB of complaints.
MOST_ERRORS = 50
_MOST_TEXT = 300


class RequestError(Exception):
    """A request that is refused; `errors` points at the parts of it that are to blame."""

    def __init__(self, detail: str, errors: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(errors)


class InvalidRequest(RequestError):
    """It cannot be understood, or says what cannot be."""


class Unauthenticated(RequestError):
    """It does not prove who made it."""


class NotAllowed(RequestError):
    """Whoever made it may not do this."""


class NotThere(RequestError):
    """It is about something that there is not."""


class RequestConflict(RequestError):
    """It contradicts what is stored."""


class TooMuch(RequestError):
    """It asks for more at once than there may be."""


class UnsupportedType(RequestError):
    """Its body is of a type that is not taken."""


class RequestMismatch(RequestError):
    """It repeats an earlier one, with something else in it."""


class VersionRequired(RequestError):
    """It changes something, and does not say which version of it was read."""


class TooOften(RequestError):
    """It comes too soon after others; it may be repeated after so many seconds."""

    def __init__(self, detail: str, *, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


def listed(errors: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """Errors by pointer: the first of many and how many more, none longer than people read."""
    shown = [{"pointer": _short(at), "detail": _short(what)} for at, what in errors[:MOST_ERRORS]]
    more = len(errors) - MOST_ERRORS
    if more > 0:
        shown.append({"pointer": "", "detail": f"{more} more errors are not listed"})
    return shown


def _short(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"


def log_text(error: Exception) -> str:
    """The text of an error for logs, without keys and values of items."""
    return error.log_text if isinstance(error, StoreError) else str(error)
