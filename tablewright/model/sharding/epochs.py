"""Shard counts that change with time: an id belongs to the count of the moment it was made in.

A tenant's epochs are a list that only grows at its end, in the future. So what an id was resolved
to once it is resolved to for ever: nothing moves when a count changes, and one read finds an item
whatever the count was when it was stored.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, Protocol, TypeVar

from tablewright.model.errors import InvalidValue
from tablewright.model.fields.base import REQUIRED, Field, Required
from tablewright.model.fields.numbers import WholeField
from tablewright.model.fields.time import TimestampTextField
from tablewright.model.sharding.shards import ShardFunction, shard_of, uniform
from tablewright.model.time_ids import made_at, milliseconds, moment_of

D = TypeVar("D")

MOST_SHARDS = 100
MOST_EPOCHS = 1000


class Epoch(NamedTuple):
    """From this moment on, a timestamp, there are so many shards."""

    since: str
    shards: int


class Epochs:
    """The epochs of one tenant, oldest first; before the first of them there is one shard.

    >>> epochs = Epochs([Epoch("2025-01-26T10:00:00.000Z", 4)])
    >>> epochs.count_at(milliseconds("2025-01-26T09:59:59.999Z"))
    1
    >>> epochs.count_at(milliseconds("2025-01-26T10:00:00.000Z"))
    4
    """

    __slots__ = ("_counts", "_starts", "epochs")

    def __init__(self, epochs: Iterable[Epoch] = ()) -> None:
        self.epochs = tuple(epochs)
        self._starts = [milliseconds(epoch.since) for epoch in self.epochs]
        self._counts = [1, *(epoch.shards for epoch in self.epochs)]
        if any(one >= two for one, two in zip(self._starts, self._starts[1:], strict=False)):
            raise ValueError("each epoch must begin after the one before it")
        if any(not 1 <= count <= MOST_SHARDS for count in self._counts):
            raise ValueError(f"an epoch has 1 to {MOST_SHARDS} shards")
        if len(self.epochs) > MOST_EPOCHS:
            raise ValueError(f"there can be at most {MOST_EPOCHS} epochs")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Epochs) and self.epochs == other.epochs

    def __hash__(self) -> int:
        return hash(self.epochs)

    def __iter__(self) -> Iterator[Epoch]:
        return iter(self.epochs)

    def __repr__(self) -> str:
        return f"Epochs({list(self.epochs)!r})"

    @property
    def last(self) -> int:
        """The count of the last epoch, which may not have begun yet."""
        return self._counts[-1]

    def count_at(self, moment: int) -> int:
        """How many shards there are for ids made in this millisecond."""
        return self._counts[bisect_right(self._starts, moment)]

    def most_between(self, low: int | None, high: int) -> int:
        """The highest count among the epochs that overlap these milliseconds, both included.

        Shards are numbered from zero in every epoch, so these are all that can hold such ids.
        """
        first = 0 if low is None else bisect_right(self._starts, low)
        return max(self._counts[first : bisect_right(self._starts, high) + 1])

    def followed_by(self, epoch: Epoch, *, earliest: str) -> Epochs:
        """These and one more, which may not begin before `earliest` nor before the last of these.

        Raises ValueError for one that would change what earlier ids resolve to.
        """
        if epoch.since < earliest:
            raise ValueError(f"an epoch cannot begin before {earliest}, not at {epoch.since}")
        return Epochs([*self.epochs, epoch])


class EpochListField(Field[Any]):
    """The epochs of a tenant as a list of `{"from": moment, "count": number}`, oldest first."""

    __slots__ = ()
    kind = "L"
    ordered = False

    @property
    def most_bytes(self) -> int:
        return MOST_EPOCHS * 64

    def check(self, value: Any) -> list[dict[str, Any]]:
        epochs = value if isinstance(value, Epochs) else self._epochs(value)
        return [{"from": epoch.since, "count": Decimal(epoch.shards)} for epoch in epochs]

    def _epochs(self, value: Any) -> Epochs:
        if not isinstance(value, (list, tuple)):
            raise self.refuse("must be a list of epochs")
        since = TimestampTextField(resolution="ms").named("from")
        count = WholeField(digits=3).named("count")
        found = []
        for one in value:
            if not isinstance(one, Mapping) or one.keys() != {"from", "count"}:
                raise self.refuse("must hold epochs of a 'from' and a 'count'")
            try:
                found.append(Epoch(since.check(one["from"]), int(count.check(one["count"]))))
            except InvalidValue as problem:
                raise self.refuse(f"has an epoch whose {problem}") from None
        try:
            return Epochs(found)
        except ValueError as problem:
            raise self.refuse(f"must be epochs in order: {problem}") from None

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "object"}, "maxItems": MOST_EPOCHS}


def EpochList(
    stored: str | None = None, *, default: D | Required = REQUIRED
) -> Field[Sequence[Mapping[str, Any]] | D]:
    """Shard epochs of a tenant, as `ShardCounts` writes them."""
    return EpochListField(stored, default=default)


def read_epochs(stored: Sequence[Mapping[str, Any]]) -> Epochs:
    """The epochs in a list as `EpochList` stores it."""
    return Epochs(Epoch(one["from"], int(one["count"])) for one in stored)


class EpochSource(Protocol):
    """Whoever knows the epochs of tenants."""

    def latest(self) -> int:
        """The last millisecond that an id can have by now, on whatever clock it was made."""
        ...

    def known(self, whose: str, upto: int) -> Epochs:
        """The epochs of a tenant, certain for every id made up to this millisecond."""
        ...


class Undivided:
    """One shard for everybody: what a design is reckoned with where there is no table."""

    def latest(self) -> int:
        return 1 << 48

    def known(self, whose: str, upto: int) -> Epochs:
        return Epochs()


UNDIVIDED = Undivided()


class EpochShards:
    """As many shards as the epoch has that an id was made in, chosen by a function of the id.

    `by` is the field with the id, a `TimeId`; `whose` the field that says whose epochs count;
    `dated` a field that repeats the moment of the id, for lists in order of time: such a list
    visits only the shards of the epochs that it overlaps.

    Example::

        Key("TENANT#{tenant_id}#{shard}", "SUB#{submission_id}",
            shards=EpochShards(by="submission_id", whose="tenant_id", dated="timestamp"))
    """

    __slots__ = ("by", "dated", "function", "whose")

    def __init__(
        self, *, by: str, whose: str, dated: str | None = None, function: ShardFunction = uniform
    ) -> None:
        self.by = by
        self.whose = whose
        self.dated = dated
        self.function = function

    def __str__(self) -> str:
        return f"by {self.by}, as many as the {self.whose} had when it was made"

    @property
    def inputs(self) -> tuple[str, ...]:
        """The fields that decide the shard."""
        return (self.by, self.whose)

    def place(self, texts: Mapping[str, str], epochs: EpochSource) -> str:
        """The shard of an item with these field texts, by the epoch that its id was made in."""
        id = texts[self.by]
        made = made_at(id)
        if made > epochs.latest():
            raise InvalidValue(self.by, "must not have been made in the future")
        misdated = self.misdated(texts)
        if misdated:
            raise misdated
        count = epochs.known(texts[self.whose], made).count_at(made)
        return shard_of(self.function, self.by, id, count)

    def misdated(self, texts: Mapping[str, str]) -> InvalidValue | None:
        """What is wrong with a moment that is not that of the id, where both are there."""
        if not self.dated or self.dated not in texts or self.by not in texts:
            return None
        moment = moment_of(texts[self.by])
        if texts[self.dated] == moment:
            return None
        return InvalidValue(self.dated, f"must be the moment of {self.by}, {moment}")

    def among(
        self,
        texts: Mapping[str, str],
        since: str | None,
        until: str | None,
        epochs: EpochSource,
    ) -> list[str]:
        """The shards that can hold what is asked for with these texts, in this range of `dated`."""
        high = epochs.latest()
        if until is not None:
            high = min(high, milliseconds(until))
        low = min(milliseconds(since), high) if since is not None else None
        count = epochs.known(texts[self.whose], high).most_between(low, high)
        return [str(number) for number in range(count)]
