"""The sales table in an app of your own: ``python -m examples.sales_in_your_app``."""

from aws_cdk import App, Stack
from aws_cdk import aws_lambda as lambda_

from tablewright.catalog.sales.constructs import SalesTable
from tablewright.catalog.sales.design import Sales

app = App()
stack = Stack(app, "Shop")
sales = SalesTable(stack, "Sales", table_name="bg-remover-dev-sales-intelligence")
report = lambda_.Function(
    stack,
    "Report",
    runtime=lambda_.Runtime.PYTHON_3_13,
    handler="index.handler",
    code=lambda_.Code.from_inline("def handler(event, context): ..."),
)
sales.grant(report, Sales.category_prices)
app.synth()
