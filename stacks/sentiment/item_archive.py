"""Item archive: analysed items, and those that never were, in files once they expire."""

from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.shared.failed_events import FailedEvents
from stacks.shared.stage import Stage
from stacks.shared.stage_archive import StageArchive
from tablewright.catalog.sentiment.items import Item
from tablewright.constructs import DesignTableBase


def archive_items(
    scope: Construct,
    stage: Stage,
    table: DesignTableBase,
    failures: FailedEvents,
    topic: sns.ITopic | None,
) -> None:
    """Archive what expires, in the home region alone, to which all of it is replicated; guards,
    which are worth nothing by then, are left out."""
    if stage.archived and stage.sentiment.item_days:
        StageArchive(
            scope,
            "Archive",
            stage=stage,
            table=table,
            entities=[Item],
            failures=failures,
            alarm_topic=topic,
        )
