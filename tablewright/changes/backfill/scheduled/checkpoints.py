"""Checkpoints of backfills by the clock: how far each one is, in a table of their own.

A run may end at any moment, and the next one begins without an event that would tell it anything.
"""

from tablewright.model.declaration import Entity, Table
from tablewright.model.entity import Key
from tablewright.model.fields.base import Field
from tablewright.model.fields.specifiers import Text
from tablewright.model.patterns import Get, Put


class Checkpoint(
    Entity, key=Key("{backfill}"), example={"backfill": "0f3a", "state": '{"finished": []}'}
):
    """How far a backfill is."""

    backfill: Field[str] = Text(max_length=64)
    # The keys of four segments, escaped as JSON, and a few counts.
    state: Field[str] = Text(max_length=100_000)


class Checkpoints(Table, id="backfill-checkpoints", pk="backfill"):
    """How far backfills are, by what tells one from the other."""

    checkpoint = Get(Checkpoint, consistent=True)
    keep = Put(Checkpoint)
