"""The stacks of one stage, and the rules that they are checked against."""

from aws_cdk import App, Tags, Validations
from cdk_nag import AwsSolutionsChecks

from stacks.forms.stack import FormsStack
from stacks.identity import IdentityStack
from stacks.operations import OperationsStack
from stacks.portal.stack import PortalStack
from stacks.sales.stack import SalesStack
from stacks.sentiment.replica import ReplicaStack
from stacks.sentiment.stack import SentimentStack
from stacks.shared.stage import Stage
from tablewright.constructs import AlarmLevel
from tablewright.constructs.nag import TablewrightChecks


def build(app: App, stage: Stage) -> None:
    """Put every stack of the stage into the app."""
    operations = OperationsStack(app, stage=stage)
    identity = IdentityStack(app, stage=stage)
    SalesStack(app, stage=stage, identity=identity, operations=operations)
    SentimentStack(app, stage=stage, identity=identity, operations=operations)
    FormsStack(app, stage=stage, identity=identity, operations=operations)
    PortalStack(app, stage=stage, identity=identity, operations=operations)
    # It has alarms only, none of them essential.
    if stage.alarms is AlarmLevel.ALL:
        for region in stage.sentiment.replicas:
            ReplicaStack(app, stage=stage, region=region)
    Tags.of(app).add("application", "tablewright")
    Tags.of(app).add("stage", stage.name)
    Validations.of(app).add_plugins(AwsSolutionsChecks(app, verbose=True))
    Validations.of(app).add_plugins(TablewrightChecks(app, verbose=True))
