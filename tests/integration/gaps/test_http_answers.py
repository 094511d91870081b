"""What an HTTP API makes of a function that answers nothing or fails, and what is counted."""

import http.client
from collections.abc import Callable
from contextlib import closing

from tests.integration.gaps.clouds import Cloud, zipped
from tests.integration.gaps.metrics import total

SOURCE = """
def handler(event, context):
    if event.get("rawPath") == "/broken":
        raise ValueError("a secret")
    return {"statusCode": 204, "body": None}
"""


class Api:
    """An HTTP API with one function behind it, which has the same name."""

    def __init__(self, cloud: Cloud, name: str) -> None:
        self._address = cloud.endpoint.removeprefix("http://")
        role = cloud.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument="{}")
        function = cloud.client("lambda").create_function(
            FunctionName=name,
            Runtime="python3.11",
            Role=role["Role"]["Arn"],
            Handler="index.handler",
            Code={"ZipFile": zipped(SOURCE)},
        )
        gateway = cloud.client("apigatewayv2")
        self.id: str = gateway.create_api(Name=name, ProtocolType="HTTP")["ApiId"]
        integration = gateway.create_integration(
            ApiId=self.id,
            IntegrationType="AWS_PROXY",
            IntegrationUri=function["FunctionArn"],
            PayloadFormatVersion="2.0",
        )["IntegrationId"]
        gateway.create_route(
            ApiId=self.id, RouteKey="$default", Target=f"integrations/{integration}"
        )
        gateway.create_stage(ApiId=self.id, StageName="$default", AutoDeploy=True)

    def get(self, path: str) -> tuple[int, str]:
        with closing(http.client.HTTPConnection(self._address, timeout=30)) as connection:
            connection.request("GET", f"/_aws/execute-api/{self.id}/$default{path}")
            answer = connection.getresponse()
            return answer.status, answer.read().decode()


def test_a_null_body_is_empty_and_an_error_is_not_told_but_counted(cloud: Cloud) -> None:
    api = Api(cloud, "answers")
    assert api.get("/empty") == (204, "")
    assert api.get("/broken") == (500, '{"message": "Internal Server Error"}')
    assert total(cloud, "AWS/Lambda", "Invocations", FunctionName="answers") == 2
    assert total(cloud, "AWS/Lambda", "Errors", FunctionName="answers") == 1
    assert total(cloud, "AWS/ApiGateway", "Count", ApiId=api.id) == 2
    assert total(cloud, "AWS/ApiGateway", "5xx", ApiId=api.id) == 1


def test_a_function_that_is_invoked_directly_is_counted_once(cloud: Cloud) -> None:
    Api(cloud, "direct")
    cloud.client("lambda").invoke(FunctionName="direct")
    assert total(cloud, "AWS/Lambda", "Invocations", FunctionName="direct") == 1


def test_ministack_itself_breaks_off_and_tells_the_error(
    cloud_without: Callable[[str], Cloud],
) -> None:
    api = Api(cloud_without("http_answers"), "answers")
    assert api.get("/empty")[0] == 500
    assert "a secret" in api.get("/broken")[1]


def test_ministack_itself_counts_nothing(cloud_without: Callable[[str], Cloud]) -> None:
    uncounted = cloud_without("cloudwatch.metrics")
    assert Api(uncounted, "answers").get("/empty") == (204, "")
    assert total(uncounted, "AWS/Lambda", "Invocations", FunctionName="answers") == 0
