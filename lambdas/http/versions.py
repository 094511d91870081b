"""Versions: changing what somebody has read, unless somebody else has changed it since."""

from typing import Any, NamedTuple
from urllib.parse import quote

from aws_lambda_powertools.event_handler import Response

from lambdas.http.answers import answer, record_json, to_json
from lambdas.http.problems import Problem
from tablewright.model import Entity, InvalidValue

_ANY = "*"
_TAG_SAFE = "!#$&'()*+-./:;<=>?@[]^_`{|}~"


class Version(NamedTuple):
    """The version that a request means to change, and how it is refused when there is another.

    Named in If-Match, it is a precondition of HTTP (412); in the body, a claim of ours (409).
    """

    tags: tuple[str, ...]
    refusal: int

    @property
    def any(self) -> bool:
        """Whether it is whichever there is."""
        return _ANY in self.tags


class Versioned:
    """Records of an entity whose `field` tells one version from another."""

    def __init__(self, entity: type[Entity], field: str) -> None:
        self.field = entity.__entity__.by_name[field]

    def version_of(self, record: Entity) -> str:
        return str(record[self.field.name])

    def etag(self, record: Entity) -> str:
        return tag_of(self.version_of(record))

    def tagged(self, record: Entity, status: int = 200) -> Response[str]:
        """The record, with the tag by which it can be changed."""
        return answer(record_json(record), status, {"ETag": self.etag(record)})

    def named_in(self, event: Any, body: Any) -> Version:
        """The version that a request names: in If-Match, or as the field, taken out of the body.

        If-Match decides where both are given; `*` is any version. Raises Problem.
        """
        stated = self._stated(body) if isinstance(body, dict) else None
        header = event.headers.get("if-match")
        if header:
            return Version(tuple(tag.strip() for tag in header.split(",")), 412)
        if stated is not None:
            return Version((tag_of(stated),), 409)
        name = self.field.label
        raise Problem(428, f"Send the ETag of what was read as If-Match, or its {name} in a body.")

    def require(self, version: Version, current: Entity) -> None:
        """Raise Stale unless the record is of the version."""
        if not version.any and self.etag(current) not in version.tags:
            raise self.stale(version, current)

    def stale(self, version: Version, current: Entity) -> "Stale":
        return Stale(version.refusal, self.etag(current), record_json(current))

    def _stated(self, body: dict[str, Any]) -> str | None:
        name = self.field.label
        if name not in body:
            return None
        try:
            return str(self.field.check(body.pop(name)))
        except InvalidValue as problem:
            wrong = [(f"/{name}", problem.reason)]
            raise Problem(400, "The version is not valid.", wrong) from None


def tag_of(version: str) -> str:
    """An entity tag: characters that may not stand in one are percent-encoded."""
    return f'"{quote(version, safe=_TAG_SAFE)}"'


class Stale(Problem):
    """A change of what is no longer so; the answer has how it is now."""

    def __init__(self, status: int, etag: str, current: dict[str, Any]) -> None:
        super().__init__(status, "It was changed after it was read: `current` is how it is now.")
        self._etag = etag
        self._current = current

    def response(self) -> Response[str]:
        response = super().response()
        # RFC 9457 lets a problem have members of its own.
        response.body = (response.body or "{}")[:-1] + f', "current": {to_json(self._current)}}}'
        response.headers["ETag"] = self._etag
        return response
