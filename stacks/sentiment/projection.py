"""Projection: the stream of items into the read table of the region."""

from collections.abc import Sequence

from aws_cdk import CfnOutput, Duration, Stack
from aws_cdk import aws_sns as sns

from lambdas.contract import RECORDS_KEPT
from lambdas.sentiment.contract import ProjectEnvironment
from stacks.sentiment.secret_fields import SecretFields
from stacks.shared.stage import Stage
from stacks.shared.system_function import SentimentFunction
from tablewright.catalog.sentiment.constructs import SentimentDashboardTable
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import ANALYZED, Items
from tablewright.constructs import DesignTableBase, StreamConsumer

_ANALYZED = {"status": {"S": [ANALYZED]}}


def project_items(
    stack: Stack,
    stage: Stage,
    items: DesignTableBase,
    dashboard: SentimentDashboardTable,
    *,
    keys: Sequence[str],
    secrets: SecretFields,
    topic: sns.ITopic | None,
) -> StreamConsumer:
    """The function that makes rows and counts of items, and what feeds it."""
    project = SentimentFunction(
        stack,
        "Project",
        "handlers.project_items",
        stage=stage,
        environment=ProjectEnvironment(
            items_table=items.table_name, dashboard_table=dashboard.table_name
        ).variables(),
        timeout=Duration.minutes(1),
        requirements=secrets.requirements(),
        alarm_topic=topic,
    )
    secrets.let_use(project.function, items=True, dashboard=True)
    dashboard.grant(project.function, Dashboard.project_items, Dashboard.count_items)
    items.grant(project.function, Items.get_item, keys=keys)
    CfnOutput(stack, "ProjectFunction", value=project.function.function_name)
    # In every region for its own read table: every replica's stream has every change.
    return StreamConsumer(
        stack,
        "Projection",
        table=items,
        function=project.function,
        window=stage.stream_window,
        give_up_after=stage.give_up_after,
        kept=project.own_metric(RECORDS_KEPT, period=Duration.minutes(5)),
        filters=[{"dynamodb": {image: _ANALYZED}} for image in ("NewImage", "OldImage")],
        protection=stage.protection,
        alarm_topic=topic,
    )
