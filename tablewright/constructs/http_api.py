"""An HTTP API on which every route wants a valid token, but those that say why not."""

import json
from collections.abc import Iterable, Sequence
from typing import cast

from aws_cdk import Acknowledgment, Duration, RemovalPolicy, Validations
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright.constructs.alarms.alarms import ApiAlarms
from tablewright.constructs.protection import KEPT
from tablewright.constructs.vended_logs import vended_log_group

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
# What pages of other origins may send, and may read of an answer, beside what browsers let them.
_SENT = ("authorization", "content-type", "if-match", "if-none-match", "last-event-id")
_TOLD = ("etag", "location", "retry-after")


class JwtHttpApi(Construct):
    """An HTTP API whose routes lead to functions and are open to bearers of a JWT only.

    `routes` lead to `function`; more are added by `add_routes`, open ones too. All together take
    `requests_per_second`; routes that clients ask again and again can have a limit of their own.

    Pages of `cors_origins` may call it from browsers. API Gateway answers their preflight requests
    itself, before it asks for a token.

    Example::

        http = JwtHttpApi(self, "Api", function=api.function, issuer=pool.user_pool_provider_url,
                          audience=[client.user_pool_client_id],
                          routes=[("GET", "/products/{product_id}/sales")])
        http.add_routes(page.function, [("GET", "/")], open_because="The page has no data.")
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        function: lambda_.IFunction | None = None,
        issuer: str,
        audience: Sequence[str],
        routes: Iterable[tuple[str, str]] = (),
        cors_origins: Sequence[str] = (),
        requests_per_second: int = 100,
        burst: int = 200,
        latency_alarm: Duration | None = None,
        log_retention: logs.RetentionDays = logs.RetentionDays.ONE_MONTH,
        log_removal: RemovalPolicy = KEPT,
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        if not audience:
            raise ValueError("JwtHttpApi needs an audience: without one it accepts any token")
        routes = tuple(routes)
        if routes and function is None:
            raise ValueError("JwtHttpApi has routes, but no function that they lead to")
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
        log_group = vended_log_group(
            self, "AccessLogs", retention=log_retention, removal=log_removal
        )
        self.stage = apigateway.HttpStage(
            self,
            "Stage",
            http_api=self.api,
            auto_deploy=True,
            throttle=apigateway.ThrottleSettings(rate_limit=requests_per_second, burst_limit=burst),
        )
        resource = cast("apigateway.CfnStage", self.stage.node.default_child)
        resource.access_log_settings = apigateway.CfnStage.AccessLogSettingsProperty(
            destination_arn=log_group.log_group_arn, format=json.dumps(_ACCESS_LOG)
        )
        self._limits: dict[str, dict[str, int]] = {}
        self._integrations: dict[str, integrations.HttpLambdaIntegration] = {}
        if function is not None:
            self.add_routes(function, routes)
        ApiAlarms(
            self,
            "Alarms",
            api=self.api,
            latency=latency_alarm or Duration.seconds(3),
            topic=alarm_topic,
        )

    def add_routes(
        self,
        function: lambda_.IFunction,
        routes: Iterable[tuple[str, str]],
        *,
        open_because: str | None = None,
        requests_per_second: int | None = None,
    ) -> None:
        """Lead routes to a function; with `open_because`, a reason, those need no token.

        `requests_per_second` is what each of these routes takes, whatever the others are asked.

        Example::

            http.add_routes(page.function, [("GET", "/")], open_because="The page has no data.")
        """
        if open_because is not None and not open_because.strip():
            raise ValueError("an open route needs a reason: say in open_because why it is safe")
        for method, path in routes:
            made = self.api.add_routes(
                path=path,
                methods=[apigateway.HttpMethod[method]],
                integration=self._integration(function),
                authorizer=apigateway.HttpNoneAuthorizer() if open_because else None,
            )
            if open_because:
                for route in made:
                    Validations.of(route).acknowledge(
                        Acknowledgment(id="AwsSolutions-APIG4", reason=open_because)
                    )
            if requests_per_second is not None:
                self._limit(f"{method} {path}", requests_per_second)
                # A stage cannot limit what is not there yet.
                self.stage.node.add_dependency(*made)

    def _limit(self, route: str, requests_per_second: int) -> None:
        self._limits[route] = {
            "ThrottlingRateLimit": requests_per_second,
            "ThrottlingBurstLimit": 2 * requests_per_second,
        }
        resource = cast("apigateway.CfnStage", self.stage.node.default_child)
        resource.route_settings = self._limits

    def _integration(self, function: lambda_.IFunction) -> integrations.HttpLambdaIntegration:
        if function.node.path not in self._integrations:
            # One permission for all routes of a function: one each would outgrow its policy.
            self._integrations[function.node.path] = integrations.HttpLambdaIntegration(
                "Function", function, scope_permission_to_route=False
            )
        return self._integrations[function.node.path]

    @property
    def url(self) -> str:
        """The API's address, without a slash at the end."""
        return self.api.api_endpoint


def _cors(origins: Sequence[str]) -> apigateway.CorsPreflightOptions | None:
    if not origins:
        return None
    return apigateway.CorsPreflightOptions(
        allow_origins=list(origins),
        allow_headers=list(_SENT),
        expose_headers=list(_TOLD),
        allow_methods=[apigateway.CorsHttpMethod.ANY],
        max_age=Duration.hours(1),
    )
