"""Two tables and the stream between them: ``python -m examples.sentiment_tables_in_your_app``."""

from aws_cdk import App, Environment, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

from tablewright.catalog.sentiment.constructs import SentimentDashboardTable, SentimentItemsTable
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import Items
from tablewright.constructs import StreamConsumer

app = App()
# A table with replicas must say where it is itself.
home = Environment(account="111122223333", region="us-east-1")
stack = Stack(app, "News", env=home)
items = SentimentItemsTable(stack, "Items", replicas=["us-west-2"])
dashboard = SentimentDashboardTable(stack, "Dashboard")


def function(id: str) -> lambda_.Function:
    """Yours will have code; this one shows what it may do."""
    return lambda_.Function(
        stack,
        id,
        runtime=lambda_.Runtime.PYTHON_3_13,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context): ..."),
        role=iam.Role(stack, f"{id}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com")),
    )


ingest, project, show = function("Ingest"), function("Project"), function("Show")
items.grant(ingest, Items.claim_source, Items.put_item, keys=["newsapi#*"])
dashboard.grant(project, Dashboard.project_items, Dashboard.count_items)
dashboard.grant(show, Dashboard.recent_items, Dashboard.items_by_tag)
StreamConsumer(stack, "Projection", table=items, function=project)
app.synth()
