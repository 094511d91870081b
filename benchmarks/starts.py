"""CPU of a cold start: a function's handler imported from its bundle, as it is deployed.

Lambda's folder of code cannot be written to, so what a bundle lacks of bytecode is compiled at
every start; a checkout, which has it, shows nothing of that. Each start is a process of its own,
from which the interpreter's own start is taken away; rounds alternate.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from cdk_app.settings import ROOT, read

ROUNDS = 7
_SERVICES = ("dynamodb", "s3", "secretsmanager", "sns", "sqs", "sts")
_HANDLERS = (
    ("sales", "api"),
    ("sentiment", "project_items"),
    ("sentiment", "api"),
    ("forms", "submit"),
    ("portal", "content_api"),
)
_BASE = 'import boto3; boto3.client("dynamodb")'
_CALLER = "from tablewright.runtime import connect, own_session; connect(own_session(), 'dynamodb')"
_MEASURE = "\nfrom time import process_time; print(process_time())"
# What Lambda tells every function.
_TOLD = {
    "AWS_LAMBDA_FUNCTION_NAME": "function",
    "AWS_REGION": "eu-west-1",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "PYTHONDONTWRITEBYTECODE": "1",
}


def run() -> list[tuple[str, float, float]]:
    """For each function: its start with bytecode and without, over that of boto3's client."""
    stage = read({"stage": "local"}.get, {}, root=ROOT)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for system, handler in _HANDLERS:
            bundle, sources = Path(folder, system), Path(folder, f"{system}-sources")
            if not bundle.exists():
                own = f"{system}/requirements.txt"
                lock = own if (ROOT / "lambdas" / own).exists() else "requirements.txt"
                stage.code(system, services=_SERVICES, requirements=lock).write(bundle)
                shutil.copytree(bundle, sources, ignore=shutil.ignore_patterns("__pycache__"))
            start = f"import lambdas.{system}.handlers.{handler}; {_CALLER}"
            cases = [(sources, ""), (sources, _BASE), (bundle, start), (sources, start)]
            rounds = [[_cpu(where, code) for where, code in cases] for _ in range(ROUNDS)]
            ratios = [
                median((one[number] - one[0]) / (one[1] - one[0]) for one in rounds)
                for number in (2, 3)
            ]
            found.append((f"{system}: {handler}", ratios[0], ratios[1]))
    return found


def _cpu(bundle: Path, code: str) -> float:
    ran = subprocess.run(
        [sys.executable, "-S", "-c", code + _MEASURE],
        env={**_TOLD, "PATH": os.environ["PATH"], "PYTHONPATH": str(bundle)},
        cwd=bundle,
        check=True,
        capture_output=True,
        text=True,
    )
    return float(ran.stdout.splitlines()[-1])
