"""The stream of a replica, which CloudFormation gives for the table's own region only."""

from aws_cdk import ArnFormat, CustomResource, Duration, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct


class ReplicaStream(Construct):
    """The ARN of the stream of a table's replica in the stack's region, asked of DynamoDB when the
    stack is deployed.

    `function` runs `HANDLER`, which is part of the library, and may then describe this one table.

    Example::

        stream = ReplicaStream(self, "Stream", table_name="prod-orders", function=describe.function)
        orders = DesignTable.from_table_attributes(self, "Orders", design=Orders,
                                                   table_name="prod-orders",
                                                   table_stream_arn=stream.stream_arn)
    """

    HANDLER = "tablewright.runtime.streams.replica_stream.handler"

    def __init__(
        self, scope: Construct, id: str, *, table_name: str, function: lambda_.IFunction
    ) -> None:
        super().__init__(scope, id)
        arn = Stack.of(self).format_arn(
            service="dynamodb",
            resource="table",
            resource_name=table_name,
            arn_format=ArnFormat.SLASH_RESOURCE_NAME,
        )
        grant = iam.Grant.add_to_principal(
            grantee=function, actions=["dynamodb:DescribeTable"], resource_arns=[arn]
        )
        grant.assert_success()
        asked = CustomResource(
            self,
            "Asked",
            service_token=function.function_arn,
            # It answers within seconds; CloudFormation would wait for an hour.
            service_timeout=Duration.minutes(5),
            resource_type="Custom::ReplicaStream",
            properties={"TableName": table_name},
        )
        grant.apply_before(asked)
        self.stream_arn = asked.get_att_string("StreamArn")
