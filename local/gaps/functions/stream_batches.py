"""Batches of a stream as Lambda works through them: what is left after each invocation."""

import json
from dataclasses import dataclass, replace
from typing import Any, Self

Record = dict[str, Any]

RETRIES_EXHAUSTED = "RetryAttemptsExhausted"
TOO_OLD = "MaxRecordAgeExceeded"
NO_LIMIT = -1


@dataclass(frozen=True)
class Settings:
    """What a mapping says about batches and failures; Lambda's own defaults for the rest."""

    batch_size: int
    window: int
    retries: int
    max_age: int
    bisect: bool
    partial: bool

    @classmethod
    def of(cls, mapping: dict[str, Any]) -> Self:
        return cls(
            batch_size=_number(mapping, "BatchSize", 100),
            window=_number(mapping, "MaximumBatchingWindowInSeconds", 0),
            retries=_number(mapping, "MaximumRetryAttempts", NO_LIMIT),
            max_age=_number(mapping, "MaximumRecordAgeInSeconds", NO_LIMIT),
            bisect=str(mapping.get("BisectBatchOnFunctionError")).lower() == "true",
            partial="ReportBatchItemFailures" in (mapping.get("FunctionResponseTypes") or ()),
        )


@dataclass(frozen=True)
class Batch:
    """Records in order, with their positions in the stream.

    `end` is the position after the batch, past records that the filter left out.
    """

    records: tuple[Record, ...]
    positions: tuple[int, ...]
    end: int
    retries: int = 0
    invocations: int = 0

    @property
    def start(self) -> int:
        return self.positions[0]

    def since(self, index: int) -> "Batch":
        return replace(self, records=self.records[index:], positions=self.positions[index:])

    def halves(self) -> tuple["Batch", "Batch"]:
        middle = len(self.records) // 2
        first = replace(
            self,
            records=self.records[:middle],
            positions=self.positions[:middle],
            end=self.positions[middle],
        )
        return first, self.since(middle)


@dataclass(frozen=True)
class Remains:
    """What an invocation leaves: batches to do next, or one to give up for a reason."""

    todo: tuple[Batch, ...] = ()
    given_up: Batch | None = None
    reason: str = ""


def remains(batch: Batch, result: dict[str, Any], settings: Settings, now: float) -> Remains:
    failed = _first_failure(batch, result, settings)
    if failed is None:
        return Remains()
    rest = replace(batch.since(failed), invocations=batch.invocations + 1)
    oldest = float(rest.records[0]["dynamodb"]["ApproximateCreationDateTime"])
    if NO_LIMIT < settings.max_age < now - oldest:
        return Remains(given_up=rest, reason=TOO_OLD)
    # Splitting is no retry: it does not count.
    if settings.bisect and len(rest.records) > 1:
        return Remains(todo=rest.halves())
    if NO_LIMIT < settings.retries <= rest.retries:
        return Remains(given_up=rest, reason=RETRIES_EXHAUSTED)
    return Remains(todo=(replace(rest, retries=rest.retries + 1),))


def _first_failure(batch: Batch, result: dict[str, Any], settings: Settings) -> int | None:
    """The index of the first record that was not done, None when all were."""
    if result.get("error"):
        return 0
    failures = _reported(result) if settings.partial else []
    if not failures:
        return None
    numbers = {record["dynamodb"]["SequenceNumber"]: i for i, record in enumerate(batch.records)}
    # A report that names no record of the batch is a failure of the whole batch.
    found = [numbers.get(each.get("itemIdentifier"), 0) for each in failures]
    return min(found)


def _reported(result: dict[str, Any]) -> list[dict[str, Any]]:
    body = result.get("body")
    if isinstance(body, str | bytes):
        try:
            body = json.loads(body)
        except ValueError:
            return []
    failures = body.get("batchItemFailures") if isinstance(body, dict) else None
    return [each if isinstance(each, dict) else {} for each in failures or []]


def _number(mapping: dict[str, Any], name: str, default: int) -> int:
    value = mapping.get(name)
    return default if value is None else int(value)
