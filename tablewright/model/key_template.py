"""Key templates: text with {fields} that formats to a key and parses back to its fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

from tablewright.model.errors import InvalidValue, KeyMismatch
from tablewright.model.fields.base import ANY_TEXT

PARTITION_KEY_BYTES = 2048
SORT_KEY_BYTES = 1024

_FIELD = re.compile(r"\{(\w+)\}")

# Never part of a key value, so that a bound built with it lies above every real key.
HIGHEST = "\U0010ffff"


class Template:
    """A key such as ``SALE#{sale_date}#{sale_id}``.

    >>> sale = Template("SALE#{sale_date}#{sale_id}", limit=SORT_KEY_BYTES)
    >>> sale.format({"sale_date": "2025-12-29", "sale_id": "abc"})
    'SALE#2025-12-29#abc'
    >>> sale.parse("SALE#2025-12-29#abc")
    {'sale_date': '2025-12-29', 'sale_id': 'abc'}

    A value may not be empty nor contain the delimiter: this keeps one tenant's keys out of
    another's. `key_pattern` gives the regular expression of a field's texts. Validation proves that
    no key can be read in two ways (`model/validation/keys.py`), so the round trip is exact.
    """

    __slots__ = (
        "_delimiters",
        "_form",
        "_key_pattern",
        "_readings",
        "_values",
        "delimiter",
        "fields",
        "limit",
        "literals",
        "text",
    )

    def __init__(
        self,
        text: str,
        *,
        limit: int,
        delimiter: str = "#",
        key_pattern: Callable[[str], str] | None = None,
    ) -> None:
        parts = _FIELD.split(text)
        self.text = text
        self.limit = limit
        self.literals = tuple(parts[0::2])
        self.fields = tuple(parts[1::2])
        # A bare "{field}" has nothing that a value could be confused with.
        self.delimiter = delimiter if any(self.literals) else ""
        self._form = "%s".join(literal.replace("%", "%%") for literal in self.literals)
        self._delimiters = sum(one.count(delimiter) for one in self.literals if self.delimiter)
        self._key_pattern = key_pattern
        self._values = _tuple_of(self.fields)
        self._readings: tuple[re.Pattern[str], ...] | None = None

    def __repr__(self) -> str:
        return f"Template({self.text!r})"

    def limited(self, limit: int) -> Template:
        """The same template for keys of so many bytes, if that is fewer."""
        return self._copy(limit, self._key_pattern) if limit < self.limit else self

    def with_patterns(self, key_pattern: Callable[[str], str]) -> Template:
        """The same template, whose fields have texts of these regular expressions."""
        return self._copy(self.limit, key_pattern)

    def _copy(self, limit: int, key_pattern: Callable[[str], str] | None) -> Template:
        delimiter = self.delimiter or "#"
        return Template(self.text, limit=limit, delimiter=delimiter, key_pattern=key_pattern)

    @property
    def bare_field(self) -> str | None:
        """The field's name when the key is that field and nothing else."""
        return self.fields[0] if len(self.fields) == 1 and not any(self.literals) else None

    def format(self, texts: Mapping[str, str]) -> str:
        """The key for these field texts; raises InvalidValue naming the field that does not fit."""
        try:
            values = self._values(texts)
        except KeyError:
            return self._examined(texts)
        key = self._form % values
        # Most keys are sound, which is told of all fields at once; the others are looked into.
        if (
            all(values)
            and len(key) <= self.limit
            and key.isascii()
            and (not self.delimiter or key.count(self.delimiter) == self._delimiters)
        ):
            return key
        return self._examined(texts)

    def _examined(self, texts: Mapping[str, str]) -> str:
        key = self.literals[0]
        for field, literal in zip(self.fields, self.literals[1:], strict=True):
            text = texts.get(field)
            if text is None:
                raise InvalidValue(field, "is required")
            reason = self.refuses(text)
            if reason:
                raise InvalidValue(field, reason)
            key += text + literal
        if len(key) * 4 > self.limit and len(key.encode()) > self.limit:
            raise self._overlong(texts)
        return key

    def _overlong(self, texts: Mapping[str, str]) -> InvalidValue:
        return overlong([self], texts)

    def refuses(self, text: str) -> str | None:
        """Why this text cannot stand in the key, or None when it can."""
        if not text:
            return "must not be empty"
        if self.delimiter and self.delimiter in text:
            return f"must not contain '{self.delimiter}'"
        if not text.isascii():
            if HIGHEST in text:
                return "must not contain U+10FFFF"
            try:
                text.encode()
            except UnicodeEncodeError:
                return "must be valid Unicode text"
        return None

    def parse(self, key: str) -> dict[str, str]:
        """The field texts of a key; raises KeyMismatch for a key of another form.

        A text that its field would not write is returned as well: the caller checks values.
        """
        if self._readings is None:
            # A key that is a field alone has one reading, whatever form others gave it.
            exact = None if self.bare_field else self._key_pattern
            text = f"[^{re.escape(self.delimiter)}]+" if self.delimiter else ANY_TEXT
            patterns = [exact, lambda _: text] if exact else [lambda _: text]
            self._readings = tuple(re.compile(self._expression(one)) for one in patterns)
        # No value has a delimiter, so all of them are in literals.
        if not self.delimiter or key.count(self.delimiter) == self._delimiters:
            for reading in self._readings:
                match = reading.fullmatch(key)
                if match and "" not in match.groupdict().values():
                    return match.groupdict()
        raise KeyMismatch(f"key {key!r} does not have the form {self.text}")

    def _expression(self, pattern: Callable[[str], str]) -> str:
        fields = zip(self.fields, self.literals[1:], strict=True)
        texts = (f"(?P<{name}>{pattern(name)}){re.escape(literal)}" for name, literal in fields)
        return re.escape(self.literals[0]) + "".join(texts)

    def prefix(self, texts: Mapping[str, str]) -> str:
        """The key's beginning, up to the first field that has no text."""
        key = self.literals[0]
        for field, literal in zip(self.fields, self.literals[1:], strict=True):
            if field not in texts:
                break
            reason = self.refuses(texts[field])
            if reason:
                raise InvalidValue(field, reason)
            key += texts[field] + literal
        return key

    def segments(self) -> list[str]:
        """The text between delimiters; values cannot contain one, so the number never varies."""
        return self.text.split(self.delimiter) if self.delimiter else [self.text]

    def can_equal(self, other: Template) -> bool:
        """False if no values make both templates give the same key, as their literals tell.

        It may be True for keys that patterns of fields tell apart. A store then looks at each item
        by itself, which is right and costs little; validation compares the patterns, too.
        """
        if self.delimiter != other.delimiter or len(self.delimiter) > 1:
            # The values of each may hold the other's delimiter; those of a bare field, any.
            return _segments_can_equal(self.text, other.text)
        mine, theirs = self.segments(), other.segments()
        return len(mine) == len(theirs) and all(map(_segments_can_equal, mine, theirs))


def _tuple_of(names: tuple[str, ...]) -> Callable[[Mapping[str, str]], tuple[str, ...]]:
    """What takes the texts of these fields, a KeyError where there is none."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda texts: tuple([texts[name] for name in names])


def _segments_can_equal(one: str, two: str) -> bool:
    if "{" not in one and "{" not in two:
        return one == two
    # Compare the fixed beginnings and endings; what lies between can always be chosen to agree.
    start_one, start_two = one.split("{")[0], two.split("{")[0]
    end_one, end_two = one.rsplit("}")[-1], two.rsplit("}")[-1]
    if "{" not in one:
        return one.startswith(start_two) and one.endswith(end_two)
    if "{" not in two:
        return two.startswith(start_one) and two.endswith(end_one)
    starts = start_one.startswith(start_two) or start_two.startswith(start_one)
    return starts and (end_one.endswith(end_two) or end_two.endswith(end_one))


def too_long(templates: Sequence[Template], texts: Mapping[str, str]) -> InvalidValue | None:
    """What makes a key of these attributes longer than it may be, if all of it is known."""
    fields = [field for one in templates for field in one.fields]
    if not all(field in texts for field in fields):
        return None
    literals = (literal for one in templates for literal in one.literals)
    key = "".join([*literals, *(texts[field] for field in fields)])
    # The attributes of a key of several are measured together.
    return overlong(templates, texts) if len(key.encode()) > _limit(templates) else None


def overlong(templates: Sequence[Template], texts: Mapping[str, str]) -> InvalidValue:
    """That a key is too long, and the field to blame."""
    fields = (field for one in templates for field in one.fields)
    longest = max(fields, key=lambda field: len(texts[field].encode()))
    forms = ", ".join(one.text for one in templates)
    return InvalidValue(longest, f"makes the key {forms} longer than {_limit(templates)} bytes")


def _limit(templates: Sequence[Template]) -> int:
    return min(one.limit for one in templates)


def after(key: str) -> str:
    """The lowest text above a key."""
    return key + "\0"


def before(key: str) -> str:
    """A bound below a key and above every other key that sorts before it."""
    last = ord(key[-1]) - 1
    if last < 0:
        return key[:-1]
    if 0xD800 <= last <= 0xDFFF:  # surrogates are not characters
        last = 0xD7FF
    return key[:-1] + chr(last) + HIGHEST
