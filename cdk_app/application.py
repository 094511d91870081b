"""The stacks of one stage, and the rules that they are checked against."""

from aws_cdk import App, Tags, Validations
from cdk_nag import AwsSolutionsChecks

from stacks.forms.stack import FormsStack
from stacks.identity import IdentityStack
from stacks.operations import OperationsStack
from stacks.portal.stack import PortalStack
from stacks.replicas import ReplicasStack
from stacks.sales.stack import SalesStack
from stacks.sentiment.regions import standby_regions
from stacks.sentiment.stack import SentimentStack
from stacks.shared.stage import Stage
from tablewright.constructs import AlarmLevel, DesignTable
from tablewright.constructs.nag import TablewrightChecks


def build(app: App, stage: Stage) -> None:
    """Put every stack of the stage into the app."""
    operations = OperationsStack(app, stage=stage)
    identity = IdentityStack(app, stage=stage)
    sales = SalesStack(app, stage=stage, identity=identity, operations=operations)
    sentiment = SentimentStack(app, stage=stage, identity=identity, operations=operations)
    forms = FormsStack(app, stage=stage, identity=identity, operations=operations)
    portal = PortalStack(app, stage=stage, identity=identity, operations=operations)
    tables = [*sales.tables, *forms.tables, *portal.tables]
    for region in stage.replicas.regions:
        _in_another(
            app, stage, region, sentiment, [t for t in tables if region in t.replica_regions]
        )
    Tags.of(app).add("application", "tablewright")
    Tags.of(app).add("stage", stage.name)
    Validations.of(app).add_plugins(AwsSolutionsChecks(app, verbose=True))
    Validations.of(app).add_plugins(TablewrightChecks(app, verbose=True))


def _in_another(
    app: App, stage: Stage, region: str, sentiment: SentimentStack, tables: list[DesignTable]
) -> None:
    """What stands in a region that has replicas."""
    stands_by = region in standby_regions(stage)
    # It has alarms only, none of them essential.
    watches = bool(tables) and stage.alarms is AlarmLevel.ALL
    if not stands_by and not watches:
        return
    operations = OperationsStack(app, stage=stage, region=region)
    if stands_by:
        identity = IdentityStack(app, stage=stage, region=region)
        standby = SentimentStack(
            app, stage=stage, identity=identity, operations=operations, region=region
        )
        # It adopts what that one makes.
        standby.add_stack_dependency(sentiment)
    if watches:
        ReplicasStack(app, stage=stage, operations=operations, tables=tables, region=region)
