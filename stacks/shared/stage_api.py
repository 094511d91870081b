"""API of a system of a stage: open to users of the stage's pool, at the stage's rate."""

from collections.abc import Iterable

from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.identity import IdentityStack
from stacks.shared.stage import Stage
from tablewright.constructs import JwtHttpApi, PythonFunction


class StageApi(JwtHttpApi):
    """The HTTP API of a system.

    Example::

        StageApi(self, "HttpApi", "sales", stage=stage, identity=identity, function=api,
                 routes=ROUTES, alarm_topic=topic)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        system: str,
        *,
        stage: Stage,
        identity: IdentityStack,
        function: PythonFunction,
        routes: Iterable[tuple[str, str]],
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        rate = stage.api_rate.of(system)
        super().__init__(
            scope,
            id,
            function=function.function,
            issuer=identity.issuer,
            audience=[identity.client_id],
            routes=routes,
            cors_origins=stage.cors_origins,
            requests_per_second=rate.requests_per_second,
            burst=rate.burst,
            log_retention=stage.log_retention,
            log_removal=stage.log_removal,
            alarm_topic=alarm_topic,
        )
