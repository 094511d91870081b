"""The table of enablement content, ready for any CDK app."""

from tablewright.constructs.table import StagedTable
from tablewright.designs.content_registry import CONTENT_REGISTRY


class ContentRegistryTable(StagedTable):
    """Content by status and by product, and what is due when; its stream tells what was changed.

    Named after its `stage`, unless a `table_name` is given; takes all options of `DesignTable`.

    Example::

        content = ContentRegistryTable(self, "Content", stage="dev")
        content.grant(function, CONTENT_REGISTRY.content_by_status)
    """

    DESIGN = CONTENT_REGISTRY
