"""Analysing items: what was found is recorded once, however often it is asked for."""

import json
from typing import Any, NamedTuple

from lambdas.sentiment.model import Model
from tablewright.designs.sentiment_items import ANALYZED, ITEMS, PENDING
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.store import Store

RECORDED, KNOWN, GONE = "recorded", "analysed before", "removed meanwhile"


class BadRequest(ValueError):
    """A message that is no analysis request; repeating it will not help."""


class Request(NamedTuple):
    """An item to be analysed, and by which text."""

    source_id: str
    ingested_at: str
    text: str

    @classmethod
    def parse(cls, body: str) -> "Request":
        try:
            message = json.loads(body)
            request = cls(
                message["source_id"], message["ingested_at"], message["text_for_analysis"]
            )
        except (ValueError, KeyError, TypeError) as error:
            raise BadRequest(f"not an analysis request: {error}") from None
        if not all(isinstance(part, str) for part in request):
            raise BadRequest("not an analysis request: its parts must be texts")
        return request


class Analysis:
    """Judges texts and records the judgement on their items."""

    def __init__(self, items: Store, model: Model) -> None:
        self._items = items
        self._model = model

    def carry_out(self, request: Request) -> str:
        """Analyse one item; says what came of it."""
        found = self._model.assess(request.text)
        changes: dict[str, Any] = {
            "sentiment": found.sentiment,
            "score": found.score,
            "model_version": found.model_version,
            "status": ANALYZED,
        }
        key = {"source_id": request.source_id, "ingested_at": request.ingested_at}
        try:
            self._items.update(ITEMS.record_analysis, key, changes, expect={"status": PENDING})
        except NotFound:
            return GONE
        except Conflict:
            return KNOWN
        return RECORDED
