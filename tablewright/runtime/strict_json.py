"""JSON from outside: exact numbers, every name once, valid text, bounded depth.

What `json` itself accepts beyond that fails later, and elsewhere: an exponent that Decimal refuses,
half of a surrogate pair that has no UTF-8, a name that two readers give two values.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from tablewright.model.errors import TablewrightError

MOST_LEVELS = 100
MOST_DIGITS = 1000
# Numbers of DynamoDB end at 1E+126; a field that refuses less says it better.
_MOST_EXPONENT = 1000
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class InvalidJson(TablewrightError, ValueError):
    """A text is not JSON, or not JSON that everybody reads alike."""


def exact_number(text: str) -> int | Decimal:
    """A number as it is written; never a float.

    >>> exact_number("12"), exact_number("0.10")
    (12, Decimal('0.10'))
    """
    if len(text) > MOST_DIGITS:
        raise InvalidJson(f"has a number of more than {MOST_DIGITS} digits")
    if text.lstrip("-").isdigit():
        return int(text)
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = None
    if number is None or abs(number.adjusted()) > _MOST_EXPONENT:
        raise InvalidJson(f"has a number beyond 1E+{_MOST_EXPONENT} or below 1E-{_MOST_EXPONENT}")
    return number


def number_or_text(text: str) -> int | Decimal | str:
    """A number as it is written, or its text where it is too large or small for any field: so it
    is its own record that is refused, and not those beside it."""
    try:
        return exact_number(text)
    except InvalidJson:
        return text


def parse(text: str | bytes, *, number: Callable[[str], Any] = exact_number) -> Any:
    """The value of a JSON text; raises InvalidJson, whose message goes on after "the body".

    With `number=str`, numbers are left as they are written, of any size.

    >>> parse('{"a": [1, 2.50]}')
    {'a': [1, Decimal('2.50')]}
    >>> parse('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    tablewright.runtime.strict_json.InvalidJson: has the name "a" twice in one object
    """
    try:
        whole = text.decode() if isinstance(text, bytes) else text
        value = json.loads(
            whole,
            parse_int=number,
            parse_float=number,
            parse_constant=_no_constant,
            object_pairs_hook=_once,
        )
    except InvalidJson:
        raise
    except RecursionError:
        raise InvalidJson(f"is nested deeper than {MOST_LEVELS} levels") from None
    except ValueError:
        raise InvalidJson("is not JSON in UTF-8") from None
    if _SURROGATE.search(whole) or not whole.isascii():
        _check_text(value)
    _check_depth(value)
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise InvalidJson(f"has the name {json.dumps(twice[:100])} twice in one object")
    return made


def _no_constant(constant: str) -> Any:
    raise InvalidJson(f"is not JSON, which has no {constant}")


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(MOST_LEVELS + 1):
        level = [one for one in level if type(one) is dict or type(one) is list]
        if not level:
            return
        level = [inner for one in level for inner in (one.values() if type(one) is dict else one)]
    raise InvalidJson(f"is nested deeper than {MOST_LEVELS} levels")


def _check_text(value: Any) -> None:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if type(one) is dict:
            waiting += one
            waiting += one.values()
        elif type(one) is list:
            waiting += one
        elif type(one) is str and not one.isascii():
            try:
                one.encode()
            except UnicodeEncodeError:
                raise InvalidJson("has half of a surrogate pair, which is no text") from None
