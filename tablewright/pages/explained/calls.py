"""Calls of access patterns in words: their expressions with names for aliases, and with the forms
of keys and the names of fields for values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tablewright.designs.example_records import example_of
from tablewright.model import Design, EntityModel
from tablewright.model.errors import KeyMismatch
from tablewright.model.key_template import HIGHEST, Template
from tablewright.model.patterns import Pattern, Query
from tablewright.pages.explained.example_table import Made
from tablewright.pages.explained.rehearsal import FILTERED, NOW, Rehearsed
from tablewright.runtime.store.attribute_values import Wire
from tablewright.runtime.store.records import key_text

_ALIAS = re.compile(r"#n\d+|:v\d+")
_EXPRESSIONS = {
    "KeyConditionExpression": "key condition",
    "FilterExpression": "filter",
    "UpdateExpression": "update",
    "ConditionExpression": "condition",
    "ProjectionExpression": "attributes",
}


class Call(NamedTuple):
    """A call, or several that differ in the shard alone: what it says, part by part."""

    operation: str
    on: str
    times: int
    says: tuple[str, ...]


class Explained(NamedTuple):
    """One way to use a pattern, and its calls in their order."""

    what: str
    calls: list[Call]

    @property
    def tested_by_store(self) -> bool:
        """Whether a filter is left to the store: DynamoDB would not look at completed items."""
        filtered = any(one.startswith("filter: ") for call in self.calls for one in call.says)
        return self.what.startswith(FILTERED) and not filtered


def explained_calls(
    design: Design, pattern: Pattern[Any], ways: Iterable[Rehearsed]
) -> list[Explained]:
    """The calls that were made for each way to use a pattern.

    Example::

        explained_calls(design, pattern, rehearse(Orders, pattern, "orders"))
    """
    words = _Words(design, pattern)
    return [Explained(way.what, words.calls(way.made)) for way in ways]


class _Words:
    """Puts what a pattern's calls say into words, by the examples that they were made with."""

    def __init__(self, design: Design, pattern: Pattern[Any]) -> None:
        self._design = design
        self._range = pattern.range if isinstance(pattern, Query) else None
        others = [one for one in design.entity_list if one.name not in pattern.entities]
        entities = [*(design.entities[name] for name in pattern.entities), *others]
        self._entities = [(one, one.texts(example_of(one), one.by_name)) for one in entities]

    def calls(self, made: Iterable[Made]) -> list[Call]:
        """Calls in their order; those that say the same, of several shards, once."""
        counted: dict[Call, int] = {}
        for operation, params in made:
            index = params.get("IndexName")
            on = f"index {index}" if index else "table"
            call = Call(operation, on, 1, tuple(self.of(params)))
            counted[call] = counted.get(call, 0) + 1
        return [call._replace(times=times) for call, times in counted.items()]

    def of(self, params: Mapping[str, Any]) -> Iterator[str]:
        """What a request says, each part by itself; those of a batch or transaction in order."""
        if "RequestItems" in params:
            for part in params["RequestItems"].values():
                requests = [part] if isinstance(part, dict) else part
                yield from (one for request in requests for one in self.of(request))
        elif "TransactItems" in params:
            for action in params["TransactItems"]:
                ((kind, one),) = action.items()
                yield f"{kind}: " + "; ".join(self.of(one))
        elif "Statements" in params:
            yield "INSERT: items, each where nothing is"
        else:
            yield from self._one(params)

    def _one(self, params: Mapping[str, Any]) -> Iterator[str]:
        for kind in ("PutRequest", "DeleteRequest"):
            if kind in params:
                yield f"{kind}: " + "; ".join(self.of(params[kind]))
        for key in (params["Key"],) if "Key" in params else params.get("Keys", ()):
            yield f"key: {self._key(key)}"
        if "Item" in params:
            yield f"item: all fields, and {self._key(params['Item'])}"
        for name, says in _EXPRESSIONS.items():
            if name in params:
                yield f"{says}: {self._expression(params[name], params)}"
        if "ScanIndexForward" in params:
            yield "order: " + ("ascending" if params["ScanIndexForward"] else "descending")
        if "Limit" in params:
            yield f"limit: {params['Limit']}"
        if params.get("ConsistentRead"):
            yield "consistent: yes"

    def _key(self, item: Mapping[str, Wire]) -> str:
        """The attributes of an item that follow from its fields: keys, and expiry."""
        named = [name for name in item if self._is_derived(name)]
        return ", ".join(f"{name} = {self._value(name, item[name])}" for name in named)

    def _is_derived(self, name: str) -> bool:
        places = (self._design.key_attributes(index) for index in (None, *self._design.indexes))
        return name == self._design.ttl or any(name in place.names for place in places)

    def _expression(self, expression: str, params: Mapping[str, Any]) -> str:
        names = params.get("ExpressionAttributeNames", {})
        values = params.get("ExpressionAttributeValues", {})
        parts: list[str] = []
        end, attribute, seen = 0, "", 0
        for found in _ALIAS.finditer(expression):
            between, end = expression[end : found.start()], found.end()
            parts.append(between)
            if found[0] in names:
                # A value is one of the attribute that is named before it.
                attribute, seen = names[found[0]], 0
                parts.append(attribute)
            else:
                upper = seen > 0 or between.endswith("<= ")
                bound = "{until}" if upper else "{since}"
                is_bound = between.endswith((" BETWEEN ", " AND ", ">= ", "<= "))
                parts.append(self._value(attribute, values[found[0]], bound if is_bound else ""))
                seen += 1
        return "".join([*parts, expression[end:]])

    def _value(self, attribute: str, wire: Wire, end: str = "") -> str:
        """A value of an attribute; `end` is what a bound of a range is called."""
        if attribute == self._design.ttl:
            return "{now}" if wire == {"N": str(int(NOW.timestamp()))} else "{expiry}"
        text = key_text(wire)
        forms = [
            (form, texts)
            for entity, texts in self._entities
            for form in self._forms(entity, attribute)
        ]
        bounded = self._range if end else None
        # Whole keys of examples, then of other values, then beginnings.
        for form, texts in forms:
            shown, rest = _unformatted(form, text, texts, bounded, end)
            if not rest and (end or shown == form.text):
                return shown
        for form, _ in forms:
            if not end and _is_of(form, text):
                return form.text
        for form, texts in forms:
            shown, rest = _unformatted(form, text, texts, bounded, end)
            if shown and rest.endswith(HIGHEST):
                return f"{shown}{rest[: -len(HIGHEST)]}…"
        fields = (one.by_stored.get(attribute) for one, _ in self._entities)
        field = next(filter(None, fields), None)
        return f"{{{field.name}}}" if field else text

    def _forms(self, entity: EntityModel, attribute: str) -> Iterator[Template]:
        for index, key in ((None, entity.key), *entity.indexed.items()):
            for name, form in self._design.key_attributes(index).of(key):
                if name == attribute:
                    yield form


def _is_of(form: Template, text: str) -> bool:
    try:
        form.parse(text)
    except KeyMismatch:
        return False
    return True


def _unformatted(
    form: Template, text: str, texts: Mapping[str, str], bounded: str | None, end: str
) -> tuple[str, str]:
    """As much of the form as a key was made by, and what is left of the key then; the field that
    is bounded is called by its end of the range."""
    if not text.startswith(form.literals[0]):
        return "", text
    shown, rest = form.literals[0], text[len(form.literals[0]) :]
    for field, literal in zip(form.fields, form.literals[1:], strict=True):
        shard = re.match(r"\d+", rest) if field == "shard" else None
        value = shard[0] if shard else texts.get(field, "")
        if not value or not rest.startswith(value):
            break
        shown, rest = shown + (end if field == bounded else f"{{{field}}}"), rest[len(value) :]
        if not rest.startswith(literal):
            break
        shown, rest = shown + literal, rest[len(literal) :]
    return shown, rest
