"""Entities: a kind of item, the form of its keys, when it expires."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from tablewright.designs.epochs import EpochShards, EpochSource
from tablewright.designs.errors import InvalidRecord, InvalidValue
from tablewright.designs.fields import Field, hour_begin
from tablewright.designs.sharding import Shards
from tablewright.designs.template import PARTITION_KEY_BYTES, SORT_KEY_BYTES, Template

Record = dict[str, Any]


class Key:
    """The form of a partition key and sort key, the partition optionally spread over shards.

    A `shared` key does not set tenants apart, in a design that has tenants: what is found by it
    cannot be granted to one of them.
    """

    __slots__ = ("pk", "shards", "shared", "sk")

    def __init__(
        self,
        pk: str,
        sk: str | None = None,
        *,
        shards: Shards | EpochShards | None = None,
        delimiter: str = "#",
        shared: bool = False,
    ) -> None:
        self.shared = shared
        self.pk = Template(pk, limit=PARTITION_KEY_BYTES, delimiter=delimiter)
        self.sk = Template(sk, limit=SORT_KEY_BYTES, delimiter=delimiter) if sk else None
        self.shards = shards

    @property
    def fields(self) -> tuple[str, ...]:
        """The entity's fields that the key is made of, without the computed shard."""
        names = self.pk.fields + (self.sk.fields if self.sk else ())
        return tuple(dict.fromkeys(name for name in names if name != "shard"))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Every field that the key is computed from."""
        by = self.shards.inputs if self.shards else ()
        return tuple(dict.fromkeys(self.fields + by))

    def with_shard(self, texts: Mapping[str, str], epochs: EpochSource) -> Mapping[str, str]:
        if self.shards is None:
            return texts
        return {**texts, "shard": self.shards.place(texts, epochs)}


class Expiry:
    """When an item may be deleted: at a date or time that it carries, or a calendar span after it.

    Days begin at 00:00 UTC, and so does expiry counted from a date. 29 February plus a number of
    years is 28 February where there is no 29th.
    """

    __slots__ = ("days", "field", "years")

    def __init__(self, field: str, *, years: int = 0, days: int = 0) -> None:
        self.field = field
        self.years = years
        self.days = days

    def __str__(self) -> str:
        spans = ((self.years, "calendar years"), (self.days, "days"))
        if not self.years and not self.days:
            return f"at {self.field}"
        return " and ".join(f"{n} {unit}" for n, unit in spans if n) + f" after {self.field}"

    def at(self, text: str) -> int:
        """Expiry, in seconds since 1970, of an item whose field has this value."""
        if len(text) == len("YYYY-MM-DD"):
            start = datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
        elif len(text) == len("YYYY-MM-DD-HH"):
            start = hour_begin(text)
        else:
            start = datetime.fromisoformat(text)
        try:
            end = start.replace(year=start.year + self.years)
        except ValueError:
            end = start.replace(year=start.year + self.years, day=28)
        return int((end + timedelta(days=self.days)).timestamp())


class Entity:
    """A kind of item: its key, its place in each index, its fields and its expiry.

    `describes` says what it is for to who reads the table's page.
    """

    __slots__ = (
        "_key_uses",
        "by_name",
        "by_stored",
        "describes",
        "example",
        "expires",
        "fields",
        "indexed",
        "key",
        "name",
    )

    def __init__(
        self,
        name: str,
        *,
        key: Key,
        fields: Iterable[Field],
        indexed: Mapping[str, Key] | None = None,
        expires: Expiry | None = None,
        example: Mapping[str, Any] | None = None,
        describes: str = "",
    ) -> None:
        self.name = name
        self.key = key
        self.fields = tuple(fields)
        self.indexed = dict(indexed or {})
        self.expires = expires
        self.example = dict(example or {})
        self.describes = describes
        self.by_name = {field.name: field for field in self.fields}
        self.by_stored = {field.stored: field for field in self.fields if field.stored}
        self._key_uses: list[tuple[str, Template]] | None = None

    def __repr__(self) -> str:
        return f"Entity({self.name!r})"

    @property
    def keys(self) -> tuple[Key, ...]:
        return (self.key, *self.indexed.values())

    def check(self, values: Mapping[str, Any], *, partial: bool = False) -> Record:
        """The values in canonical form, absent ones left out.

        Raises InvalidRecord with every problem found. With `partial`, fields may be missing, and
        None says that an optional field is to be removed.
        """
        problems: list[InvalidValue] = []
        record: Record = {}
        for name in values:
            if name not in self.by_name:
                problems.append(InvalidValue(name, f"is not a field of {self.name}"))
        for field in self.fields:
            value = values.get(field.name)
            if value is not None:
                try:
                    value = field.check(value)
                except InvalidValue as problem:
                    problems.append(problem)
                    continue
            if value is not None:
                record[field.name] = value
            elif field.optional and partial and field.name in values:
                record[field.name] = None
            elif not field.optional and (field.name in values or not partial):
                problems.append(field.refuse("is required"))
        problems += self._unfit_for_keys(record)
        if problems:
            raise InvalidRecord(self.name, problems)
        return record

    def _unfit_for_keys(self, record: Record) -> list[InvalidValue]:
        if self._key_uses is None:
            templates = [t for key in self.keys for t in (key.pk, key.sk) if t]
            # What a template refuses depends on its delimiter alone.
            uses = {(n, t.delimiter): t for t in templates for n in t.fields if n != "shard"}
            self._key_uses = [(name, template) for (name, _), template in uses.items()]
        found: dict[str, InvalidValue] = {}
        for name, template in self._key_uses:
            value = record.get(name)
            if value is not None:
                text = value if type(value) is str else self.by_name[name].to_text(value)
                reason = template.refuses(text)
                if reason:
                    found[name] = InvalidValue(name, reason)
        return list(found.values())

    def texts(self, values: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
        """The key texts of those of the named fields that have a value."""
        texts = {}
        for name in names:
            value = values.get(name)
            if value is not None:
                texts[name] = value if type(value) is str else self.by_name[name].to_text(value)
        return texts
