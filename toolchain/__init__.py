"""Puts the tools of the project in place and says where they are.

Standard library only: it runs before anything is installed.
"""

import sys

# Before any other import: the modules below use syntax that an older Python cannot read.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(
        "Tablewright needs Python 3.11 or newer, and this is Python "
        + sys.version.split()[0]
        + ". Install a newer one and name it: make setup PYTHON=python3.11"
    )

from toolchain.paths import ToolchainError, environment

__all__ = ["ToolchainError", "environment"]
