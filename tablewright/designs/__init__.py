"""Designs as data: described as plain JSON, built from it, written as Python, and inferred.

Functions that build a design have no use for its source, which is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from tablewright.designs.description.build import build_table
from tablewright.designs.description.design import FORMAT, Description, describe
from tablewright.designs.description.errors import Indescribable, InvalidDescription
from tablewright.exports import lazily

if TYPE_CHECKING:
    from tablewright.designs.source.module import Beside, python_source

__all__ = [
    "FORMAT",
    "Beside",
    "Description",
    "Indescribable",
    "InvalidDescription",
    "build_table",
    "describe",
    "python_source",
]

__getattr__ = lazily(__name__, {"Beside": "source.module", "python_source": "source.module"})
