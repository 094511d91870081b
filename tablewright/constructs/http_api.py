"""An HTTP API on which every route wants a valid token."""

import json
from collections.abc import Iterable, Sequence
from typing import cast

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms import ApiAlarms

# Who and what, never the Authorization header.
_ACCESS_LOG = {
    "requestId": "$context.requestId",
    "time": "$context.requestTime",
    "ip": "$context.identity.sourceIp",
    "subject": "$context.authorizer.claims.sub",
    "route": "$context.routeKey",
    "path": "$context.path",
    "status": "$context.status",
    "responseBytes": "$context.responseLength",
    "latencyMs": "$context.responseLatency",
    "error": "$context.error.message",
    "authorizerError": "$context.authorizer.error",
    "integrationError": "$context.integrationErrorMessage",
}


class JwtHttpApi(Construct):
    """An HTTP API whose routes lead to one function and are open to bearers of a JWT only.

    Example::

        JwtHttpApi(self, "Api", function=api.function, issuer=pool.user_pool_provider_url,
                   audience=[client.user_pool_client_id],
                   routes=[("GET", "/products/{product_id}/sales")])
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        function: lambda_.IFunction,
        issuer: str,
        audience: Sequence[str],
        routes: Iterable[tuple[str, str]],
        cors_origins: Sequence[str] = (),
        requests_per_second: int = 100,
        burst: int = 200,
        latency_alarm: Duration | None = None,
        log_retention: logs.RetentionDays = logs.RetentionDays.ONE_MONTH,
        log_removal: RemovalPolicy = RemovalPolicy.RETAIN,
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        if not audience:
            raise ValueError("JwtHttpApi needs an audience: without one it accepts any token")
        self.api = apigateway.HttpApi(
            self,
            "Api",
            api_name=self.node.path.replace("/", "-"),
            create_default_stage=False,
            default_authorizer=authorizers.HttpJwtAuthorizer(
                "Jwt", issuer, jwt_audience=list(audience)
            ),
            cors_preflight=_cors(cors_origins),
        )
        log_group = logs.LogGroup(
            self, "AccessLogs", retention=log_retention, removal_policy=log_removal
        )
        self.stage = apigateway.HttpStage(
            self,
            "Stage",
            http_api=self.api,
            auto_deploy=True,
            throttle=apigateway.ThrottleSettings(rate_limit=requests_per_second, burst_limit=burst),
        )
        resource = cast(apigateway.CfnStage, self.stage.node.default_child)
        resource.access_log_settings = apigateway.CfnStage.AccessLogSettingsProperty(
            destination_arn=log_group.log_group_arn, format=json.dumps(_ACCESS_LOG)
        )
        # One permission for all routes: one each would outgrow the function's policy.
        integration = integrations.HttpLambdaIntegration(
            "Function", function, scope_permission_to_route=False
        )
        for method, path in routes:
            self.api.add_routes(
                path=path, methods=[apigateway.HttpMethod[method]], integration=integration
            )
        ApiAlarms(
            self,
            "Alarms",
            api=self.api,
            latency=latency_alarm or Duration.seconds(3),
            topic=alarm_topic,
        )

    @property
    def url(self) -> str:
        """The API's address, without a slash at the end."""
        return self.api.api_endpoint


def _cors(origins: Sequence[str]) -> apigateway.CorsPreflightOptions | None:
    if not origins:
        return None
    return apigateway.CorsPreflightOptions(
        allow_origins=list(origins),
        allow_headers=["authorization", "content-type"],
        allow_methods=[apigateway.CorsHttpMethod.ANY],
        max_age=Duration.hours(1),
    )
