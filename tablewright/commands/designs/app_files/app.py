"""CDK app: ``make synth`` and ``make deploy``, with STAGE=prod for what must not be lost."""

from aws_cdk import App
from tablewright.constructs import Protection

from NAME.stack import OrdersStack

app = App()
stage = app.node.try_get_context("stage") or "dev"
kept = stage == "prod"
protection = Protection.protected() if kept else Protection.throw_away()
OrdersStack(app, f"STACK_ID-{stage}", protection=protection)
app.synth()
