"""Shards of tables: a deployment that takes some away would hide what is in them."""

from collections.abc import Iterator, Mapping

from deployment import Refused
from deployment.cdk import Assembly
from deployment.target import Target
from tablewright.catalog.sales.design import CATEGORY_SHARDS, EMBEDDING_SHARDS

# Outputs by which stacks tell a number that is not the usual one, with that and the setting.
_COUNTS = {
    "CategoryShards": (CATEGORY_SHARDS, "category_shards"),
    "EmbeddingShards": (EMBEDDING_SHARDS, "embedding_shards"),
    "EventShards": (0, "event_shards"),
}


def check_shards(target: Target, assembly: Assembly) -> None:
    """Refuse what would hide entries: fewer shards, and the first ones of a table with items."""
    said = [
        sentence
        for stack in assembly.stacks
        if (deployed := target.outputs(stack.name, stack.region)) is not None
        for sentence in refusals(stack.outputs, deployed)
    ]
    if said:
        raise Refused("\n".join(said))


def refusals(wanted: Mapping[str, str], deployed: Mapping[str, str]) -> Iterator[str]:
    """What speaks against the numbers of a stack's outputs in the place of those it has."""
    for name, (usual, setting) in _COUNTS.items():
        new, old = (int(outputs.get(name, usual)) for outputs in (wanted, deployed))
        if new < old:
            yield (
                f"{setting} would be {new or 'none'}, and what is stored is in {old} shards: lists "
                f"would not show what is in the others. Set it to {old} or more."
            )
        elif old == 0 and new:
            yield (
                f"{setting} would be {new}, and what is stored is in none: lists would not show "
                "it. Leave the setting out, or choose it before the first deployment of a stage."
            )
