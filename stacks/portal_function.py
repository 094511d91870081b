"""A function of the portal: what all of them have in common."""

from collections.abc import Mapping
from typing import Any

from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.stage import Stage
from tablewright.constructs import PythonFunction

_SERVICES = ("dynamodb", "lambda", "s3", "secretsmanager", "sqs")


class PortalFunction(PythonFunction):
    """The handler of a module in `lambdas/portal`.

    Example::

        inbox = PortalFunction(self, "Inbox", "inbox.api", stage=stage, environment={...})
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        module: str,
        *,
        stage: Stage,
        environment: Mapping[str, str],
        alarm_topic: sns.ITopic | None = None,
        **options: Any,
    ) -> None:
        super().__init__(
            scope,
            id,
            system="portal",
            handler=f"lambdas.portal.{module}.handler",
            code=stage.code("portal", services=_SERVICES),
            environment=environment,
            log_retention=stage.log_retention,
            log_removal=stage.log_removal,
            alarm_topic=alarm_topic,
            **options,
        )
