"""The form table in an app of your own: ``python -m examples.forms_table_in_your_app``."""

from aws_cdk import App, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

from tablewright.catalog.forms.constructs import FormsTable
from tablewright.catalog.forms.design import Forms
from tablewright.constructs import StreamConsumer

app = App()
stack = Stack(app, "Forms")
forms = FormsTable(stack, "Forms")


def role(id: str) -> iam.Role:
    return iam.Role(stack, f"{id}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))


def function(id: str, role: iam.Role) -> lambda_.Function:
    """A function without code, to show its permissions."""
    return lambda_.Function(
        stack,
        id,
        runtime=lambda_.Runtime.PYTHON_3_13,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context): ..."),
        role=role,
    )


show_role = role("Show")
submit, show = function("Submit", role("Submit")), function("Show", show_role)
deliver = function("Deliver", role("Deliver"))
forms.grant(submit, Forms.get_domain, Forms.get_config, Forms.put_submission)
# The function assumes this role for one tenant at a time, and reaches no other tenant's keys.
forms.tenant_access_role("TenantAccess", Forms.submissions, assumed_by=show_role)
StreamConsumer(stack, "Changes", table=forms, function=deliver)
app.synth()
