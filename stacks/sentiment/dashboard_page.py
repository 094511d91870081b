"""Dashboard page: served to everybody, by a function that may do nothing else."""

from aws_cdk import Stack
from aws_cdk import aws_sns as sns
from constructs import Construct

from lambdas.sentiment.contract import PageEnvironment
from stacks.identity import IdentityStack
from stacks.shared.stage import Stage
from tablewright.constructs import PythonCode, PythonFunction

OPEN_BECAUSE = "The page and the names of where to sign in; data wants a token."

REFRESH_SECONDS = 5
_HANDLER = "lambdas.sentiment.handlers.serve_page.handler"


def page_code(stage: Stage) -> PythonCode:
    """All that the function imports: it starts quickly because there is nothing else."""
    return stage.files(
        "lambdas/__init__.py",
        "lambdas/contract.py",
        "lambdas/edge.py",
        "lambdas/sentiment/__init__.py",
        "lambdas/sentiment/contract.py",
        "lambdas/sentiment/handlers/__init__.py",
        "lambdas/sentiment/handlers/serve_page.py",
        "lambdas/sentiment/page_files.py",
        "lambdas/sentiment/page",
    )


class DashboardPage(PythonFunction):
    """A function that knows the page and where to sign in, and is granted nothing.

    Example::

        page = DashboardPage(self, "Page", stage=stage, identity=identity)
        http.add_routes(page.function, contract.page_routes(), open_because=OPEN_BECAUSE)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: Stage,
        identity: IdentityStack,
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        environment = PageEnvironment(page_config=_config(Stack.of(scope), stage, identity))
        super().__init__(
            scope,
            id,
            system="sentiment",
            handler=_HANDLER,
            code=page_code(stage),
            environment=environment.variables(),
            memory_mb=256,
            reserved_concurrency=stage.reserved_concurrency(_HANDLER, wants_token=False),
            metrics_namespace=stage.metrics_namespace,
            log_retention=stage.log_retention,
            log_removal=stage.log_removal,
            alarm_topic=alarm_topic,
        )


def _config(stack: Stack, stage: Stage, identity: IdentityStack) -> str:
    endpoint = f"https://cognito-idp.{stack.region}.{stack.url_suffix}/"
    return stack.to_json_string(
        {
            "stage": stage.name,
            "signIn": {
                "url": stage.sentiment.sign_in_url or endpoint,
                "clientId": identity.client_id,
                "userPoolId": identity.pool.user_pool_id,
                "password": stage.password_sign_in,
            },
            "refreshSeconds": REFRESH_SECONDS,
        }
    )
