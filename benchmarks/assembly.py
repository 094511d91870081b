"""Functions as they are synthesized: handler, bundle and variables, of every system.

The stage is `local`, whose bundles are for the Python at hand, with all that can be switched on.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from toolchain import paths

_ON = {"TABLEWRIGHT_AUDIT": "on", "TABLEWRIGHT_RECOMMENDATIONS": "25"}
_ARN = "arn:aws:iam::111122223333:role/name"


class Function(NamedTuple):
    """A function: where its code is, what it is told, and the module of its handler."""

    module: str
    bundle: Path
    variables: dict[str, str]

    @property
    def name(self) -> str:
        """Such as ``sales: api``."""
        parts = self.module.split(".")
        return f"{parts[-3]}: {parts[-1]}"


@contextmanager
def synthesized() -> Iterator[list[Function]]:
    """Every function once, for as long as its bundle is needed."""
    with TemporaryDirectory() as folder:
        options = ("--quiet", "--no-notices", "-c", "stage=local", "--output", folder)
        told = {**paths.environment(), **_ON, "AWS_EC2_METADATA_DISABLED": "true"}
        command = (paths.cdk(), "synth", *options)
        done = subprocess.run(
            command, cwd=paths.ROOT, env=told, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"cdk synth ended with {done.returncode}: {done.stderr[-2000:]}")
        found = {function.module: function for function in _functions(Path(folder))}
        if missing := handlers() - found.keys():
            raise RuntimeError(f"not in any template: {', '.join(sorted(missing))}")
        yield [found[module] for module in sorted(found)]


def handlers() -> set[str]:
    """The modules of all handlers of this project's systems."""
    files = (paths.ROOT / "lambdas").glob("*/handlers/*.py")
    return {
        ".".join(file.relative_to(paths.ROOT).with_suffix("").parts)
        for file in files
        if file.name != "__init__.py"
    }


def _functions(folder: Path) -> Iterator[Function]:
    for file in sorted(folder.glob("*.template.json")):
        for resource in json.loads(file.read_text())["Resources"].values():
            asset = resource.get("Metadata", {}).get("aws:asset:path")
            if resource["Type"] != "AWS::Lambda::Function" or asset is None:
                continue
            own = resource["Properties"]
            variables = own.get("Environment", {}).get("Variables", {})
            module, _, _ = own["Handler"].rpartition(".")
            told = {name: _text(value) for name, value in variables.items()}
            yield Function(module, folder / asset, told)


def _text(value: Any) -> str:
    """What a variable would say: of a reference only the form matters."""
    if isinstance(value, str):
        return value
    return _ARN if "Arn" in json.dumps(value) else "name"


def environment(bundle: Path) -> dict[str, str]:
    """What Lambda tells every function, and where the code is."""
    return {
        "AWS_LAMBDA_FUNCTION_NAME": "function",
        "AWS_REGION": "eu-west-1",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(bundle),
        "PATH": os.environ["PATH"],
    }
