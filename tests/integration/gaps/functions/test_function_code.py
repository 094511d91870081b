"""Functions of the same code run the same files."""

import json
from typing import Any

from tests.integration.gaps.clouds import Cloud, zipped

SOURCE = """
import os

def handler(event, context):
    return os.stat(__file__).st_ino
"""


def test_code_is_unpacked_once_for_all_that_run_it(cloud: Cloud) -> None:
    functions = cloud.client("lambda")
    iam = cloud.client("iam")
    role = iam.create_role(RoleName="unpacked", AssumeRolePolicyDocument="{}")["Role"]["Arn"]

    def file_of(name: str, code: bytes) -> Any:
        functions.create_function(
            FunctionName=name,
            Runtime="python3.11",
            Role=role,
            Handler="index.handler",
            Code={"ZipFile": code},
        )
        return json.load(functions.invoke(FunctionName=name)["Payload"])

    code = zipped(SOURCE)
    first, again = file_of("unpacked-1", code), file_of("unpacked-2", code)
    assert first == again != file_of("unpacked-3", zipped(f"{SOURCE}\n"))
