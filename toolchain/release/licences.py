"""Licences of what is bundled: every package of the Lambda bundles stands on the page of them."""

import re
from collections.abc import Sequence
from pathlib import Path

from tablewright.testing.engine.tools import ToolError
from toolchain.install import LAMBDA_REQUIREMENTS
from toolchain.paths import ROOT

PAGE = ROOT / "docs" / "licences.md"
_LOCKED = re.compile(r"^([A-Za-z0-9._-]+)==", re.MULTILINE)
_ROW = re.compile(r"^\| `([^`]+)` \| [^|]*[A-Za-z][^|]* \|", re.MULTILINE)


def check(locks: Sequence[Path] = LAMBDA_REQUIREMENTS) -> None:
    """Raises ToolError when a bundled package is not on the page, or one there is not bundled."""
    bundled = {name for lock in locks for name in _LOCKED.findall(lock.read_text())}
    listed = set(_ROW.findall(PAGE.read_text()))
    page = PAGE.relative_to(ROOT)
    if missing := sorted(bundled - listed):
        raise ToolError(f"{page} does not say the licence of {', '.join(missing)}.")
    if gone := sorted(listed - bundled):
        raise ToolError(f"{page} lists what no bundle has: {', '.join(gone)}.")
