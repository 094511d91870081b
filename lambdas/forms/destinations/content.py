"""What a payload is: text or not, JSON or not."""

from tablewright.runtime import strict_json
from tablewright.runtime.strict_json import InvalidJson

JSON, UNKNOWN = "application/json", "application/octet-stream"


def as_text(payload: bytes) -> str | None:
    """The payload as text, None when it is none.

    >>> as_text(b"caf\\xc3\\xa9"), as_text(b"\\xff")
    ('café', None)
    """
    try:
        return payload.decode()
    except UnicodeDecodeError:
        return None


def is_json(payload: bytes) -> bool:
    """Whether the payload is JSON, and not only what Python takes for it.

    >>> is_json(b'{"a": 1}'), is_json(b'{"a": NaN}'), is_json(b"a=1")
    (True, False, False)
    """
    try:
        strict_json.parse(payload, number=str)
    except InvalidJson:
        return False
    return True
