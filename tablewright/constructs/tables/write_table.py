"""Write table: made to be written, streamed to what reads it, replicated for disasters."""

from collections.abc import Iterator

from tablewright.constructs.tables.table import DesignTable
from tablewright.model.table import Design

REPLICAS = ("us-west-2", "eu-west-1", "ap-south-1")
"""Three regions for the replicas of a table in us-east-1: ``replicas=REPLICAS``."""


class WriteTable(DesignTable):
    """A table whose design has a stream and no index, so that nothing slows its writes.

    The stream carries old and new images, for a `StreamConsumer`. Other tables are made of it, for
    example by `tablewright.runtime.streams.projection`.

    A table has no replicas unless `replicas` names their regions: each one costs as many writes as
    the table, and the stack must state its own account and region.

    Example::

        items = WriteTable(self, "Items", design=Items, replicas=REPLICAS)
        items.grant(function, Items.put_item)
    """

    def lacks(self, design: Design) -> Iterator[str]:
        if design.index_list:
            names = ", ".join(design.indexes)
            yield f"it has indexes ({names}), which every write would pay for"
        if design.stream != "NEW_AND_OLD_IMAGES":
            yield 'it must stream old and new images: declare stream="NEW_AND_OLD_IMAGES"'
