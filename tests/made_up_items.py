"""Items that designs would make: many, each unlike the others, and the same in every run."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

from tablewright.designs.example_records import any_value, example_of, other_value
from tablewright.model import EntityModel, Epoch, Epochs, Field, InvalidRecord, InvalidValue, Table
from tablewright.model.fields.compound import ListOfField, SetOfField, TallyField
from tablewright.model.fields.text import ChoiceField
from tablewright.model.fields.time import TimestampTextField
from tablewright.model.time_ids import TimeIdField, moment_of
from tablewright.runtime.secrets.ring import Ring
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.records import Item, Records

SECRETS = Secrets(Ring("t", {b"key1": b"k" * 32}, b"key1", b"d" * 32))
_TAKEN = 3  # of four optional fields


class FourThenEight:
    """Epochs of every tenant: one shard, then four, then eight."""

    def latest(self) -> int:
        return 1 << 48

    def known(self, whose: str, upto: int) -> Epochs:
        return Epochs([Epoch("2001-01-01T00:00:00.000Z", 4), Epoch("2025-01-01T00:00:00.000Z", 8)])


def made_up_items(table: type[Table], each: int = 200) -> list[Item]:
    """About so many items of each entity, as a store would write them."""
    design = table.__design__
    items: dict[str, Item] = {}
    for entity in design.entity_list:
        records = Records(design, entity, FourThenEight(), secrets=SECRETS)
        for record in _records(entity, each):
            item = records.to_item(record)
            items[repr([item[name] for name in design.key.names])] = item
    return list(items.values())


def _records(entity: EntityModel, each: int) -> Iterator[dict[str, Any]]:
    random = Random(entity.name)
    example = {**{f.name: any_value(f) for f in entity.fields if f.optional}, **example_of(entity)}
    for _ in range(each):
        values = {
            field.name: _varied(random, field, example[field.name])
            for field in entity.fields
            if example.get(field.name) is not None
            and (not field.optional or random.randrange(_TAKEN + 1))
        }
        try:
            yield entity.check(_dated(entity, values))
        except InvalidRecord:
            continue  # values that do not go together


def _dated(entity: EntityModel, values: dict[str, Any]) -> dict[str, Any]:
    """Values of which moments that repeat those of ids do so."""
    for key in entity.keys:
        if key.shards and key.shards.dated and key.shards.by in values:
            values[key.shards.dated] = moment_of(values[key.shards.by])
    return values


def _varied(random: Random, field: Field[Any], value: Any) -> Any:
    """Another value of a field."""
    if isinstance(field, TallyField):
        return {f"name-{random.randrange(40)}": random.randrange(1, 90) for _ in range(3)}
    if isinstance(field, SetOfField | ListOfField):
        return [_varied(random, field.of, one) for one in value for _ in range(2)]
    if isinstance(field, TimeIdField):
        made, rest = random.randrange(2**41), random.randrange(2**48)
        return f"{made >> 16:08x}-{made & 0xFFFF:04x}-7abc-8def-{rest:012x}"
    if isinstance(field, TimestampTextField) and isinstance(value, str):
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime):
        return value + timedelta(seconds=random.randrange(10**7))
    if isinstance(value, str):
        other = next((one for one in _texts(random, value) if _fits(field, one)), None)
        if other and not isinstance(field, ChoiceField):
            return other
    other = other_value(field, value, random.randrange(1, 1000))
    return other if other is not None and random.randrange(9) else value


def _texts(random: Random, text: str) -> Iterator[str]:
    """Texts of the same form: with other digits or, where there are few, with more of them."""
    number = random.randrange(10_000)
    if sum(map(str.isdigit, text)) > len(text) // 3:
        digits = re.sub(r"\d", lambda _: str(random.randrange(10)), text)
        yield re.sub(r"(?<=\d)[a-f]", lambda _: random.choice("abcdef"), digits)
    name, at, host = text.rpartition("@")
    yield f"{name}{number}{at}{host}" if at else f"{text}-{number}"
    yield f"{text}{number}"


def _fits(field: Field[Any], value: str) -> bool:
    try:
        return bool(field.check(value) == value)
    except InvalidValue:
        return False
