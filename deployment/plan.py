"""The plan of a deployment: what AWS changes only step by step, and what it does not change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from deployment import Refused
from deployment.shapes import Shape

GUIDE = "docs/guide.md#change-a-table-that-is-deployed"


@dataclass(frozen=True)
class Step:
    """One update: with these replicas, or with those of the settings; and what it does."""

    says: str
    replicas: tuple[str, ...] | None = None
    removes: str | None = None


def check_indexes(wanted: Mapping[str, Shape], deployed: Mapping[str, Shape]) -> None:
    """Refuse what DynamoDB would refuse in the midst of the deployment."""
    said = [
        sentence
        for name, shape in wanted.items()
        if name in deployed
        for sentence in _refusals(name, shape, deployed[name])
    ]
    if said:
        raise Refused("\n".join((*said, f"How to go about it: {GUIDE}")))


def steps(
    name: str, wanted: Shape, deployed: Shape | None, removing: Iterable[str] = ()
) -> list[Step]:
    """The updates that lead to the wanted replicas, one replica each.

    A table that is not there yet is made with all of its replicas at once.
    """
    if deployed is None or wanted.replicas == deployed.replicas:
        return [Step("The stacks are deployed.")]
    _check_removals(name, wanted, deployed, frozenset(removing))
    added = sorted(wanted.replicas - deployed.replicas)
    removed = sorted(deployed.replicas - wanted.replicas)
    found: list[Step] = []
    now = set(deployed.replicas)
    if wanted.indexes != deployed.indexes:
        found.append(Step(f"An index of {name} changes, and no replica.", _listed(now)))
    # First more, then fewer: at no time are there fewer copies than before or after.
    for region in added:
        now.add(region)
        found.append(Step(f"A replica of {name} is made in {region}.", _listed(now)))
    for region in removed:
        now.discard(region)
        says = f"The replica of {name} in {region} is removed, with the items there."
        found.append(Step(says, _listed(now), removes=region))
    return found


def _check_removals(name: str, wanted: Shape, deployed: Shape, removing: frozenset[str]) -> None:
    for region in sorted(deployed.replicas - wanted.replicas - removing):
        raise Refused(
            f"{name} has a replica in {region}, which the settings leave out. To keep it, name it "
            f"in TABLEWRIGHT_REPLICAS; to remove it with the items there, add "
            f"REMOVE_REPLICA={region} to the command."
        )
    for region in sorted(removing & wanted.replicas):
        raise Refused(
            f"REMOVE_REPLICA names {region}, and so do the settings: set TABLEWRIGHT_REPLICAS "
            f"to {','.join(sorted(wanted.replicas - removing)) or 'none'}."
        )


def _listed(regions: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(regions))


def _refusals(name: str, wanted: Shape, deployed: Shape) -> list[str]:
    if wanted.key != deployed.key:
        return [
            f"{name} has the key {_written(deployed.key)}, and would get {_written(wanted.key)}: "
            "the key of a table cannot be changed."
        ]
    said = [
        f"{index} of {name} would change its key or what it projects: no update can do that."
        for index in sorted(wanted.indexes.keys() & deployed.indexes.keys())
        if wanted.indexes[index] != deployed.indexes[index]
    ]
    changed = sorted(wanted.indexes.keys() ^ deployed.indexes.keys())
    if len(changed) > 1:
        said.append(
            f"{' and '.join(changed)} of {name} would be made or removed: "
            "DynamoDB changes one index an update."
        )
    return said


def _written(key: tuple[str, ...]) -> str:
    return f"({', '.join(key)})"
