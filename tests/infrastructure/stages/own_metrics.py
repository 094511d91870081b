"""Metrics that the functions of a stage write, as CloudWatch would find them in their logs."""

import json
import os
import subprocess
import sys
from typing import NamedTuple

from cdk_app.settings import ROOT
from tests.infrastructure.synthesis import Assembly, environment

# Every function that writes metrics, by its id in the stack of its system.
WRITERS = {
    "Ingest": "sentiment",
    "NewsHeal": "sentiment",
    "Plan": "forms",
    "Calendar": "portal",
    "Project": "sentiment",
    "Count": "forms",
    "FanOutPublish": "portal",
    "Audit": "audit",
}


class Metric(NamedTuple):
    """What tells a metric from all others of an account and region."""

    namespace: str
    name: str
    dimensions: frozenset[tuple[str, str]]


def written(assembly: Assembly, *, each: int) -> dict[Metric, float]:
    """What runs write that find so many of everything they count, told what their stacks tell."""
    told = {
        function: {
            setting: value
            for setting, value in environment(assembly.template(system), function).items()
            if setting in ("SOURCES", "TICKERS") or setting.startswith("POWERTOOLS_")
        }
        for function, system in WRITERS.items()
        if any(name.endswith(f"-{system}") for name in assembly.files)
    }
    runs = "tests.infrastructure.stages.function_runs"
    done = subprocess.run(
        [sys.executable, "-m", runs, str(each), json.dumps(told)],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[Metric, float] = {}
    for entry in map(json.loads, done.stdout.splitlines()):
        for directive in entry.get("_aws", {}).get("CloudWatchMetrics", ()):
            for metric in (metric["Name"] for metric in directive["Metrics"]):
                for names in directive["Dimensions"]:
                    where = frozenset((dimension, entry[dimension]) for dimension in names)
                    key = Metric(directive["Namespace"], metric, where)
                    found[key] = found.get(key, 0) + sum(entry[metric])
    return found
