"""Every design of the project, of catalogue and examples, for what must hold of all."""

import re
from collections.abc import Iterator
from importlib import import_module

from cdk_app.settings import ROOT
from tablewright.model import Table


def _declared() -> Iterator[type[Table]]:
    files = [
        *(ROOT / "tablewright" / "catalog").rglob("*.py"),
        *(ROOT / "examples" / "designs").glob("*.py"),
    ]
    for file in sorted(files):
        # Constructs need packages that designs do not.
        if not re.search(r"^class \w+\(\s*(Table|Sales|Events)\b", file.read_text(), re.MULTILINE):
            continue
        module = import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
        for one in vars(module).values():
            if isinstance(one, type) and issubclass(one, Table) and one is not Table:
                yield one


EVERY_DESIGN = tuple(dict.fromkeys(_declared()))
