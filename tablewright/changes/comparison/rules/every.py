"""Registry of rules: all that there are, by their ids."""

from collections.abc import Mapping

from tablewright.changes.comparison.difference import Rule
from tablewright.changes.comparison.rules import entities, fields, indexes, tables

RULES: Mapping[str, Rule] = {
    one.id: one
    for module in (tables, indexes, entities, fields)
    for one in vars(module).values()
    if isinstance(one, Rule)
}
"""Every rule by its id, in the order of declaration."""
