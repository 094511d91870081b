"""Designs as data: described as plain JSON, written as Python, exported, imported, inferred."""

from tablewright.designs.description.design import FORMAT, Description, describe
from tablewright.designs.description.errors import Indescribable
from tablewright.designs.source.module import Beside, python_source

__all__ = ["FORMAT", "Beside", "Description", "Indescribable", "describe", "python_source"]
