"""The size of a function's code, and what pruning it saves."""

import tempfile
from pathlib import Path

from cdk_app.settings import ROOT, read


def run() -> list[tuple[str, int, int]]:
    """For the sales functions: files and bytes of the bundle, and of botocore's models in it."""
    stage = read({"stage": "dev"}.get, {}, root=ROOT)
    code = stage.code("sales", services=("dynamodb", "secretsmanager", "sts"))
    with tempfile.TemporaryDirectory() as folder:
        code.write(Path(folder))
        bundle = size_of(Path(folder))
        models = size_of(Path(folder) / "botocore" / "data")
    return [("the sales functions' code", *bundle), ("botocore's service models in it", *models)]


def size_of(folder: Path) -> tuple[int, int]:
    """Files and bytes of a folder."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return len(files), sum(path.stat().st_size for path in files)
