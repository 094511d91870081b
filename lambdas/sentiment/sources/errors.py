"""Errors of the sources: one could not be read to its end; what it gave before stands."""

from datetime import datetime


class SourceError(Exception):
    """A source stopped; the next poll begins anew."""


class Unauthorized(SourceError):
    """The credentials were refused: put valid ones into the secret."""


class RateLimited(SourceError):
    """The source wants no request before `until`; None when it did not say for how long."""

    def __init__(self, place: str, until: datetime | None) -> None:
        self.until = until
        when = f"before {until.isoformat(timespec='seconds')}" if until else "for a while"
        super().__init__(f"{place} wants no further request {when}")


class Unavailable(SourceError):
    """The source could not be reached or failed, after all retries: try again later."""


class BadAnswer(SourceError):
    """The source answered something else than its interface says; `status` is HTTP's."""

    def __init__(self, message: str, status: int | None = None) -> None:
        self.status = status
        super().__init__(message)


class InvalidQuery(SourceError, ValueError):
    """A source cannot be asked this; the message says what it can be asked."""


class InvalidAddress(SourceError, ValueError):
    """A source's address is not one that credentials may be sent to."""
