"""A function of the sentiment system: what all of them have in common."""

from collections.abc import Mapping
from typing import Any

from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.stage import Stage
from tablewright.constructs import PythonFunction

_SERVICES = ("dynamodb", "secretsmanager", "sns")


class SentimentFunction(PythonFunction):
    """The handler of a module in `lambdas/sentiment`.

    Example::

        heal = SentimentFunction(self, "Heal", "news.heal", stage=stage, environment={...})
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
        requirements: str = "requirements.txt",
        **options: Any,
    ) -> None:
        super().__init__(
            scope,
            id,
            system="sentiment",
            handler=f"lambdas.sentiment.{module}.handler",
            code=stage.code(
                "sentiment", services=_SERVICES, requirements=f"sentiment/{requirements}"
            ),
            environment=environment,
            log_retention=stage.log_retention,
            log_removal=stage.log_removal,
            alarm_topic=alarm_topic,
            **options,
        )
