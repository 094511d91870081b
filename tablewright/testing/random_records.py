"""Records: a Hypothesis strategy of random ones that their entity accepts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any, TypeVar

from hypothesis import reject
from hypothesis import strategies as st

from tablewright.model.declaration import Entity
from tablewright.model.entity import EntityModel
from tablewright.model.errors import InvalidRecord
from tablewright.model.fields.compound import BinaryField
from tablewright.model.fields.text import TextField
from tablewright.model.key_template import Template
from tablewright.model.sharding.epochs import EpochShards
from tablewright.model.time_ids import milliseconds, moment_of
from tablewright.testing.field_values import Place, values_of_all

E = TypeVar("E", bound=Entity)

# Whenever a test runs: what is made up has not expired, and its ids are of the past.
_EXPIRES_AFTER = datetime(2100, 1, 1, tzinfo=UTC)
_MADE_BEFORE = milliseconds(datetime(2025, 1, 1, tzinfo=UTC))
_SHARD_DIGITS = 3


def records(entity: type[E], **fields: object) -> st.SearchStrategy[E]:
    """Random records of an entity, with values of every kind that its fields accept.

    Each can be stored. Texts are as long as fields and keys allow, up to a thousand characters;
    lists and sets have at most five entries. What expires does so after the year 2100, unless the
    moment that it expires by is told by an id. `fields` says what values some fields have:
    strategies, or a value for all.

    Example::

        @given(records(Order, tenant="acme", total=st.decimals(1, 9, places=2)))
        def test_an_order_comes_back(order: Order) -> None: ...
    """
    model = entity.__entity__
    strange = sorted(fields.keys() - model.by_name.keys())
    if strange:
        raise TypeError(
            f"{entity.__name__} has no field {', '.join(strange)}; "
            f"it has {', '.join(model.by_name)}"
        )
    given = {
        name: one if isinstance(one, st.SearchStrategy) else st.just(one)
        for name, one in fields.items()
    }
    values = values_of_all(model, given, _places(model))
    return _made(entity, values, frozenset(given))


@st.composite
def _made(
    draw: st.DrawFn,
    entity: type[E],
    values: st.SearchStrategy[dict[str, Any]],
    given: frozenset[str],
) -> E:
    drawn = draw(values)
    for name, value in drawn.items():
        if name in given and value is not None:
            # What a test asks for and cannot be had is its own mistake.
            entity.__entity__.by_name[name].check(value)
    for shards in _epoch_shards(entity.__entity__):
        if shards.dated and shards.dated not in given and shards.by in drawn:
            drawn[shards.dated] = moment_of(drawn[shards.by])
    try:
        return entity(**drawn)
    except InvalidRecord:
        # Few: values that fit, each by itself, and not together.
        reject()


def _places(entity: EntityModel) -> dict[str, Place]:
    """Where the values of each field are to stand."""
    places: dict[str, Place] = {}
    for key in entity.keys:
        for template in key.templates:
            room = _room(entity, template)
            for name in template.fields:
                place = places.get(name, Place(in_key=True))
                most = room if place.most_bytes is None else min(room, place.most_bytes)
                without = place.without + template.delimiter[:1]
                places[name] = replace(place, without=without, most_bytes=most)
    if entity.expires:
        place = places.get(entity.expires.field, Place())
        first = date.fromisoformat(entity.expires.oldest(_EXPIRES_AFTER))
        last = date.fromisoformat(entity.expires.last)
        places[entity.expires.field] = replace(place, first_day=first, last_day=last)
    for shards in _epoch_shards(entity):
        place = places.get(shards.by, Place())
        places[shards.by] = replace(place, last_id=_MADE_BEFORE)
    return places


def _room(entity: EntityModel, template: Template) -> int:
    """The bytes that a key leaves to each of its texts."""
    taken = sum(len(literal.encode()) for literal in template.literals)
    texts = 0
    for name in template.fields:
        field = entity.by_name.get(name)
        if isinstance(field, TextField | BinaryField):
            texts += 1
        elif field is not None:
            taken += field.most_bytes
        else:
            computed = entity.computed.get(name)
            taken += 4 * computed.max_length if computed else _SHARD_DIGITS
    return max(0, template.limit - taken) // max(1, texts)


def _epoch_shards(entity: EntityModel) -> Iterator[EpochShards]:
    for key in entity.keys:
        if isinstance(key.shards, EpochShards):
            yield key.shards
