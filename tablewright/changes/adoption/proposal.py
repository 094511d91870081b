"""Proposal: the design of a table that exists, with what it explains and what it cannot know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tablewright.changes.adoption.coverage import Coverage, coverage
from tablewright.designs.description.build import build_table
from tablewright.designs.description.design import Description
from tablewright.designs.inference.described import described_table
from tablewright.designs.inference.design import infer_design
from tablewright.designs.source.module import Beside, python_source
from tablewright.model.declaration import Table
from tablewright.runtime.deployed_table import DeployedTable, Difference
from tablewright.runtime.store.records import Item


class Proposal(NamedTuple):
    """A design for a table, its source as Python, its coverage, and questions that are left.

    `questions` are by what they are about, an entity, an index or a field: ``Order.total``.
    `differences` are what the table has that the design cannot say; mostly there are none.
    """

    description: Description
    table: type[Table]
    source: str
    coverage: Coverage
    questions: Mapping[str, str]
    differences: Sequence[Difference]


def propose(
    described: Mapping[str, Any], items: Sequence[Item], *, ttl: str | None = None
) -> Proposal:
    """The design of a table, from what DescribeTable says of it and some of its items.

    `ttl` is the attribute that DescribeTimeToLive names.

    Example::

        proposal = propose(described["Table"], sample.items, ttl="expires_at")
        Path("orders.py").write_text(proposal.source)
    """
    known = described_table(described)
    says = f"The table {known.name}, as its items tell."
    found = infer_design(known._replace(items=tuple(items), ttl=ttl, describes=says))
    table = build_table(found.description)
    there = DeployedTable(dict(described), ttl, None)
    return Proposal(
        found.description,
        table,
        python_source(found.description, Beside(comments=found.comments)),
        coverage(table, items),
        found.comments,
        there.differences(table.__design__),
    )
