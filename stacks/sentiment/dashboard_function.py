"""The function that answers for the dashboard, and the accelerator in front of its table."""

from aws_cdk import Duration, Stack
from aws_cdk import aws_sns as sns

from lambdas.sentiment.contract import ApiEnvironment
from stacks.sentiment.accelerator_alarm import tell_of_break_even
from stacks.sentiment.secret_fields import SecretFields
from stacks.shared.stage import Stage
from stacks.shared.system_function import SentimentFunction
from tablewright.catalog.sentiment.constructs import SentimentDashboardTable
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.constructs import Accelerator, CursorKey, PythonFunction

LISTS = (
    Dashboard.recent_items,
    Dashboard.items_by_sentiment,
    Dashboard.items_by_tag,
    Dashboard.hourly_counts,
    Dashboard.rejected_items,
)


def dashboard_function(
    stack: Stack,
    stage: Stage,
    table: SentimentDashboardTable,
    *,
    cursor_key: CursorKey,
    secrets: SecretFields,
    accelerated: bool,
    topic: sns.ITopic | None,
) -> PythonFunction:
    """A function that may read the lists of the dashboard, and nothing else."""
    settings = stage.sentiment
    accelerator = None
    if accelerated:
        accelerator = Accelerator(
            stack,
            "Accelerator",
            table=table,
            node_type=settings.accelerator_node_type,
            nodes=settings.accelerator_nodes,
            zones=settings.zones,
            services=secrets.services,
            alarm_topic=topic,
        )
    else:
        tell_of_break_even(table, stage=stage, table=table, topic=topic)
    environment = ApiEnvironment(
        dashboard_table=table.table_name,
        cursor_secret_arn=cursor_key.secret_arn,
        dax_endpoint=accelerator.endpoint if accelerator else None,
        page_limit=stage.told_page_limit,
        show_capacity="1" if settings.show_capacity else None,
    )
    api = SentimentFunction(
        stack,
        "Api",
        "handlers.api",
        stage=stage,
        environment=environment.variables(),
        alarm_topic=topic,
        timeout=Duration.seconds(29),
        slow=Duration.seconds(3),
        memory_mb=512,
        requirements=secrets.requirements(accelerated=bool(accelerator)),
        network=accelerator.network if accelerator else None,
    )
    table.grant(api.function, *LISTS)
    if accelerator:
        accelerator.grant(api.function, *LISTS)
    cursor_key.grant_read(api.function)
    secrets.let_use(api.function, dashboard=True)
    return api
