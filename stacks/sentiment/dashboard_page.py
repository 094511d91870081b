"""The dashboard's page: served to everybody, by a function that may do nothing else."""

from aws_cdk import Stack
from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.identity import IdentityStack
from stacks.shared.stage import Stage
from tablewright.constructs import PythonCode, PythonFunction

OPEN_BECAUSE = "The page and the names of where to sign in; data wants a token."

_FOLDER = "lambdas/sentiment/page"
REFRESH_SECONDS = 5


def page_routes(stage: Stage) -> list[tuple[str, str]]:
    """The page's files and its settings: what a browser loads before anybody has signed in."""
    folder = stage.root / _FOLDER
    names = sorted(file.name for file in folder.iterdir() if file.name != "index.html")
    return [("GET", path) for path in ("/", "/config.json", *(f"/{name}" for name in names))]


def page_code(stage: Stage) -> PythonCode:
    """All that the function imports: it starts quickly because there is nothing else."""
    return stage.files(
        "lambdas/__init__.py",
        "lambdas/sentiment/__init__.py",
        "lambdas/sentiment/site.py",
        "lambdas/sentiment/static.py",
        _FOLDER,
    )


class DashboardPage(PythonFunction):
    """A function that knows the page and where to sign in, and is granted nothing.

    Example::

        page = DashboardPage(self, "Page", stage=stage, identity=identity)
        http.add_routes(page.function, page_routes(stage), open_because=OPEN_BECAUSE)
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
        super().__init__(
            scope,
            id,
            system="sentiment",
            handler="lambdas.sentiment.site.handler",
            code=page_code(stage),
            environment={"PAGE_CONFIG": _config(Stack.of(scope), stage, identity)},
            memory_mb=256,
            reserved_concurrency=stage.open_concurrency,
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
