"""The page's function is small: in rights, in memory, and in what it is made of."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cdk_app.settings import ROOT, read
from lambdas.sentiment.contract import PAGE
from stacks.sentiment.dashboard_page import page_code
from tests.infrastructure.synthesis import STAGES, Assembly, allowed, one

# Answers a request for the page, and says which modules that took.
ASK = """
import json, sys
from lambdas.sentiment.handlers.serve_page import handler
answer = handler({"rawPath": "/", "headers": {}}, None)
print(json.dumps([answer["statusCode"], answer["body"], sorted(sys.modules)]))
"""
CONFIG = {"signIn": {"url": "https://cognito-idp.eu-west-1.amazonaws.com/"}}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("page")
    page_code(read(lambda _: None, {})).write(output)
    return output


def test_the_bundle_is_the_handler_and_the_files_of_the_page(bundle: Path) -> None:
    files = (path for path in bundle.rglob("*") if path.is_file() and path.suffix != ".pyc")
    written = {str(path.relative_to(bundle)) for path in files}
    assert written == {
        "lambdas/__init__.py",
        "lambdas/contract.py",
        "lambdas/edge.py",
        "lambdas/sentiment/__init__.py",
        "lambdas/sentiment/contract.py",
        "lambdas/sentiment/handlers/__init__.py",
        "lambdas/sentiment/handlers/serve_page.py",
        "lambdas/sentiment/page_files.py",
        *(f"lambdas/sentiment/page/{file.name}" for file in PAGE.iterdir()),
    }


def test_the_bundle_serves_the_page_with_the_standard_library_alone(bundle: Path) -> None:
    done = subprocess.run(
        # Without -S the interpreter would find what is installed on this machine.
        [sys.executable, "-S", "-B", "-c", ASK],
        cwd=bundle,
        env={"PAGE_CONFIG": json.dumps(CONFIG)},
        capture_output=True,
        text=True,
        check=True,
    )
    status, body, modules = json.loads(done.stdout)
    assert (status, body) == (200, (PAGE / "index.html").read_text())
    packages = {name.partition(".")[0] for name in modules} - {"__main__"}
    assert packages - sys.stdlib_module_names == {"lambdas"}


def test_importing_the_handler_imports_no_sdk() -> None:
    heavy = ("boto3", "botocore", "aws_lambda_powertools")
    imported = f"[module for module in {heavy} if module in sys.modules]"
    asked = f"import sys, lambdas.sentiment.handlers.serve_page; print({imported})"
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", STAGES)
def test_the_function_is_small_and_may_write_its_logs_and_traces_only(
    name: str, stage: Callable[[str], Assembly]
) -> None:
    template = stage(name).template("sentiment")
    function = one(template, "AWS::Lambda::Function", "PageFunction")
    assert function["Handler"] == "lambdas.sentiment.handlers.serve_page.handler"
    assert function["MemorySize"] == 256
    assert {action for action, _ in allowed(template, "PageRole")} == {
        "logs:CreateLogStream",
        "logs:PutLogEvents",
        "xray:PutTelemetryRecords",
        "xray:PutTraceSegments",
    }
    role = one(template, "AWS::IAM::Role", "PageRole")
    assert "ManagedPolicyArns" not in role


@pytest.mark.thorough
def test_with_an_accelerator_the_page_stays_outside_of_its_network(
    stage: Callable[[str], Assembly],
) -> None:
    template = stage("prod-accelerated").template("sentiment")
    assert "VpcConfig" not in one(template, "AWS::Lambda::Function", "PageFunction")
