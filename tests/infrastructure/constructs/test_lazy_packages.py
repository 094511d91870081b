"""Packages of a bundle that only pass names on load them when they are asked for."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import aws_lambda_powertools
import pytest

from cdk_app.settings import ROOT
from tablewright.constructs.functions.lazy_packages import LAZY_PACKAGES, deferred, lazy, make_lazy

POWERTOOLS = Path(aws_lambda_powertools.__file__).parent


def run(code: str, *folders: Path) -> Any:
    told = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(map(str, folders))}
    command = [sys.executable, "-c", f"import json, sys\n{code}"]
    done = subprocess.run(command, env=told, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lazy")
    shutil.copytree(POWERTOOLS, folder / "aws_lambda_powertools")
    make_lazy(folder)
    return folder


def shop(folder: Path, init: str) -> Path:
    (folder / "shop").mkdir()
    (folder / "shop" / "__init__.py").write_text(lazy("shop", init))
    for module in ("orders", "customers"):
        (folder / "shop" / f"{module}.py").write_text("class One: pass\nclass Two: pass\n")
    return folder


def test_a_name_loads_its_module_and_no_other(tmp_path: Path) -> None:
    init = '"""A shop."""\nfrom .orders import One\nfrom shop.customers import Two as Other\n'
    code = """
from shop import One
loaded = "shop.customers" in sys.modules
import shop
other = shop.Other
print(json.dumps([loaded, other.__module__, other.__name__, shop.__doc__]))
"""
    expected = [False, "shop.customers", "Two", "A shop."]
    assert run(code, shop(tmp_path, init)) == expected


def test_a_module_of_a_lazy_package_is_imported_as_ever(tmp_path: Path) -> None:
    code = """
from shop import customers, One
print(json.dumps(customers.Two.__module__))
"""
    assert run(code, shop(tmp_path, "from .orders import One")) == "shop.customers"


def test_a_name_that_is_a_modules_too_is_never_the_module(tmp_path: Path) -> None:
    folder = shop(tmp_path, "from .order import order")
    (folder / "shop" / "order.py").write_text("def order(): ...\n")
    code = """
import shop.order
from shop import order
print(json.dumps(type(order).__name__))
"""
    assert run(code, folder) == "function"


def test_a_name_that_is_not_there_is_told_as_ever(tmp_path: Path) -> None:
    code = """
import shop
try:
    shop.Three
except AttributeError as error:
    print(json.dumps(str(error)))
"""
    found = run(code, shop(tmp_path, "from .orders import One"))
    assert found == "module 'shop' has no attribute 'Three'"


def test_whatever_else_a_package_does_is_done_as_ever(tmp_path: Path) -> None:
    init = """
from __future__ import annotations
from .orders import One, Two
from .customers import *
VERSION = One.__name__ + "!"
import shop.customers
"""
    code = """
import shop
before = "Two" in vars(shop)
print(json.dumps([shop.VERSION, before, shop.One.__module__, shop.Two.__module__]))
"""
    expected = ["One!", True, "shop.customers", "shop.customers"]
    assert run(code, shop(tmp_path, init)) == expected


@pytest.mark.parametrize("package", LAZY_PACKAGES)
def test_every_name_of_powertools_is_what_it_was(package: str, bundle: Path) -> None:
    code = f"""
import {package} as package
print(json.dumps([
    "_HOMES" in vars(package),
    {{name: repr(getattr(package, name)).partition(" at 0x")[0] for name in package.__all__}},
]))
"""
    is_lazy, names = run(code, bundle)
    _, before = run(code)
    assert is_lazy
    assert names == before


def test_an_api_starts_without_the_resolvers_of_other_services(bundle: Path) -> None:
    code = """
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
others = ("asyncio", "pydantic", "aws_lambda_powertools.metrics")
print(json.dumps([name for name in others if name in sys.modules]))
"""
    assert run(code, bundle) == []


def test_a_logger_starts_without_jmespath_and_finds_correlation_ids_with_it(bundle: Path) -> None:
    code = """
from aws_lambda_powertools import Logger
loaded = "jmespath" in sys.modules
logger = Logger(service="shop")

@logger.inject_lambda_context(correlation_id_path="headers.id")
def handler(event, context):
    return logger.get_correlation_id()

class Context:
    function_name = aws_request_id = invoked_function_arn = "name"
    memory_limit_in_mb = 128

print(json.dumps([loaded, handler({"headers": {"id": "o1"}}, Context())]))
"""
    assert run(code, bundle) == [False, "o1"]


def test_a_name_is_imported_by_the_functions_that_use_it(tmp_path: Path) -> None:
    source = """
import json
from collections import deque

class Shop:
    def text(self):
        "Its text."
        return json.dumps(list(deque([1])))

def plain():
    return 1
"""
    made: dict[str, Any] = {}
    exec(deferred("json", source), made)  # noqa: S102 - what the test wrote
    assert "json" not in made
    assert made["Shop"]().text() == "[1]"
    assert made["Shop"].text.__doc__ == "Its text."
    assert "json" not in made


@pytest.mark.parametrize(
    "source",
    [
        "import json\ndef text(value=json.dumps(1)): return json.loads(value)",
        "import json\nTEXT = json.dumps(1)\ndef text(): return json.dumps(2)",
        "import json, sys\ndef text(): return json.dumps(2)",
        "def text(): return 1",
    ],
)
def test_a_module_that_uses_a_name_while_it_is_imported_stays_as_it_is(source: str) -> None:
    assert deferred("json", source) == source


def test_no_function_imports_boto3_when_it_starts() -> None:
    handlers = sorted((ROOT / "lambdas").glob("*/handlers/*.py"))
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in handlers]
    code = f"""
from importlib import import_module
for name in {names}:
    import_module(name)
print(json.dumps([name for name in ("boto3", "botocore.session") if name in sys.modules]))
"""
    assert len(names) > 20
    assert run(code, ROOT) == []
