"""API of a system of a stage: open to users of the stage's pool, at the stage's rate."""

from collections.abc import Iterable
from typing import Any

from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from constructs import Construct

from lambdas.contract import EDGE_KEY
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
        self._edge_key = identity.edge_key
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

    def add_routes(
        self, function: lambda_.IFunction, routes: Iterable[tuple[str, str]], **options: Any
    ) -> None:
        """Lead routes to a function, which is told the firewall's key where there is one."""
        super().add_routes(function, routes, **options)
        if self._edge_key and isinstance(function, lambda_.Function):
            function.add_environment(EDGE_KEY, self._edge_key.secret_value.unsafe_unwrap())
