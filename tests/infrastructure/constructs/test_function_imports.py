"""Functions start without boto3: it is imported with the first call that needs it."""

import json
import os
import subprocess
import sys

from cdk_app.settings import ROOT


def test_no_function_imports_boto3_when_it_starts() -> None:
    handlers = sorted((ROOT / "lambdas").glob("*/handlers/*.py"))
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in handlers]
    code = f"""
import json, sys
from importlib import import_module
for name in {names}:
    import_module(name)
print(json.dumps([name for name in ("boto3", "botocore.session") if name in sys.modules]))
"""
    assert len(names) > 20
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    output = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    assert json.loads(output) == []
