"""CPU of single imports, beside `import boto3`; whole functions are in `starts`."""

import subprocess
import sys
from statistics import median

ROUNDS = 7

_MEASURE = """
import sys
from time import process_time
{before}
start = process_time()
{statement}
print(process_time() - start)
"""

CASES = (
    ("the sales design, after boto3", "import boto3", "import tablewright.catalog.sales.design"),
    ("the store, after boto3", "import boto3", "import tablewright.runtime.store.store"),
    (
        "the cipher of secret fields, after boto3",
        "import boto3",
        "from cryptography.hazmat.primitives.ciphers.aead import AESGCM",
    ),
)


def run() -> list[tuple[str, float, float]]:
    """For each import: its CPU over that of `import boto3`, and its milliseconds here."""
    rounds = [
        [_cpu("", "import boto3"), *(_cpu(before, statement) for _, before, statement in CASES)]
        for _ in range(ROUNDS)
    ]
    return [
        (
            name,
            median(one[number] / one[0] for one in rounds),
            median(one[number] for one in rounds) * 1000,
        )
        for number, (name, _, _) in enumerate(CASES, start=1)
    ]


def _cpu(before: str, statement: str) -> float:
    script = _MEASURE.format(before=before, statement=statement)
    ran = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return float(ran.stdout)
