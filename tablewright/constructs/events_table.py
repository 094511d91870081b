"""The table of what happened, ready for any CDK app."""

from typing import Unpack

from constructs import Construct

from tablewright.constructs.table import StagedTable, TableOptions
from tablewright.designs.events import EVENTS, events_design


class EventsTable(StagedTable):
    """Events of ninety days, by day and by user.

    Named after its `stage`, unless a `table_name` is given; takes all options of `DesignTable`.
    With `shards` each day is spread over so many partitions, for more than a thousand events a
    second; grant its patterns from `design`, and tell the functions the number. It may be raised
    later, but not lowered: whoever asks fewer shards does not find what is in the others.

    Example::

        events = EventsTable(self, "Events", stage="dev", shards=10)
        events.grant(function, events.design.put_events)
    """

    DESIGN = EVENTS

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: str | None = None,
        table_name: str | None = None,
        shards: int | None = None,
        **options: Unpack[TableOptions],
    ) -> None:
        design = EVENTS if shards is None else events_design(shards=shards)
        super().__init__(scope, id, stage=stage, table_name=table_name, design=design, **options)
        self._shards = shards

    @property
    def settings(self) -> dict[str, str]:
        """What a function must be told of the table: its name, and its shards if it has any."""
        shards = {} if self._shards is None else {"EVENT_SHARDS": str(self._shards)}
        return {"EVENTS_TABLE": self.table_name, **shards}
