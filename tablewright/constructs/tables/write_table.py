"""The write table: made to be written, streamed to what reads it, replicated for disasters."""

from typing import ClassVar, Unpack

from constructs import Construct

from tablewright.catalog.sentiment.items import ITEMS
from tablewright.constructs.tables.replication_alarms import ReplicationAlarms
from tablewright.constructs.tables.table import StagedTable, TableOptions

# Where replicas stand unless others are asked for.
REPLICAS = ("us-west-2", "eu-west-1", "ap-south-1")


class WriteTable(StagedTable):
    """Items from news and social media, each source once; no index slows its writes.

    Its stream carries old and new images, for a `StreamConsumer` in the table's own region. Named
    after its `stage`, unless a `table_name` is given; takes all options of `DesignTable`, of which
    `replicas` get an alarm each on how far they lag.

    Example::

        items = WriteTable(self, "Items", stage="prod", replicas=REPLICAS)
        items.grant(function, ITEMS.claim_source, ITEMS.put_item)
    """

    DESIGN = ITEMS
    TAGS: ClassVar[dict[str, str]] = {"TableType": "primary-write"}

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: str | None = None,
        table_name: str | None = None,
        **options: Unpack[TableOptions],
    ) -> None:
        super().__init__(scope, id, stage=stage, table_name=table_name, **options)
        if self.replica_regions:
            ReplicationAlarms(self, "Replication", table=self, topic=options.get("alarm_topic"))
