"""Function of the library that runs while a stack is deployed."""

from aws_cdk import Stack
from aws_cdk import aws_sns as sns

from lambdas.sentiment.contract import SYSTEM
from stacks.shared.stage import Stage
from stacks.shared.system_function import SentimentFunction
from tablewright.constructs import PythonFunction

# Of the functions of this system, whose code it has as well: one asset for all.
_LOCK = "sentiment/requirements.txt"


def deploy_time_function(
    stack: Stack, id: str, handler: str, *, stage: Stage, alarm_topic: sns.ITopic | None = None
) -> PythonFunction:
    """A function that asks AWS for something that the template does not know."""
    return PythonFunction(
        stack,
        id,
        system=SYSTEM,
        handler=handler,
        code=stage.code(SYSTEM, services=SentimentFunction.SERVICES, requirements=_LOCK),
        metrics_namespace=stage.metrics_namespace,
        log_retention=stage.log_retention,
        log_removal=stage.log_removal,
        alarm_topic=alarm_topic,
    )
