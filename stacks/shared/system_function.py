"""A function of one system: what all functions of a stage have in common."""

from collections.abc import Mapping
from typing import Any, ClassVar

from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.shared.stage import Stage
from tablewright.constructs import PythonFunction


class SystemFunction(PythonFunction):
    """The handler of a module in the system's own folder of `lambdas`."""

    SYSTEM: ClassVar[str]
    # Whose models of boto3 are bundled.
    SERVICES: ClassVar[tuple[str, ...]]
    # The lock file, beneath the folder of all functions.
    REQUIREMENTS: ClassVar[str] = "requirements.txt"

    def __init__(
        self,
        scope: Construct,
        id: str,
        module: str,
        *,
        stage: Stage,
        environment: Mapping[str, str],
        alarm_topic: sns.ITopic | None = None,
        requirements: str | None = None,
        wants_token: bool = True,
        **options: Any,
    ) -> None:
        handler = f"lambdas.{self.SYSTEM}.{module}.handler"
        super().__init__(
            scope,
            id,
            system=self.SYSTEM,
            handler=handler,
            reserved_concurrency=stage.reserved_concurrency(handler, wants_token=wants_token),
            code=stage.code(
                self.SYSTEM,
                services=self.SERVICES,
                requirements=requirements or self.REQUIREMENTS,
            ),
            environment=environment,
            metrics_namespace=stage.metrics_namespace,
            log_retention=stage.log_retention,
            log_removal=stage.log_removal,
            call_logs=stage.call_logs,
            traced=stage.traces.of(self.SYSTEM),
            alarm_topic=alarm_topic,
            **options,
        )


class FormsFunction(SystemFunction):
    """The handler of a module in `lambdas/forms`, whose lock file is beneath it.

    Example::

        plan = FormsFunction(self, "Plan", "plan", stage=stage, environment={...})
    """

    SYSTEM = "forms"
    SERVICES = ("dynamodb", "events", "lambda", "s3", "secretsmanager", "sesv2", "sqs", "sts")
    REQUIREMENTS = "forms/requirements.txt"


class PortalFunction(SystemFunction):
    """The handler of a module in `lambdas/portal`.

    Example::

        inbox = PortalFunction(self, "Inbox", "handlers.inbox_api", stage=stage, environment={...})
    """

    SYSTEM = "portal"
    SERVICES = ("dynamodb", "lambda", "s3", "secretsmanager", "sqs")


class SentimentFunction(SystemFunction):
    """The handler of a module in `lambdas/sentiment`, whose lock file is beneath it.

    Example::

        heal = SentimentFunction(self, "Heal", "handlers.heal_news", stage=stage, environment={...})
    """

    SYSTEM = "sentiment"
    SERVICES = ("dynamodb", "kms", "s3", "secretsmanager", "sns")

    def __init__(
        self,
        scope: Construct,
        id: str,
        module: str,
        *,
        requirements: str = "requirements.txt",
        **options: Any,
    ) -> None:
        super().__init__(scope, id, module, requirements=f"sentiment/{requirements}", **options)
