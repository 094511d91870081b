"""The plan of a deployment: what AWS changes only step by step, and what it does not change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from deployment import Refused
from deployment.shapes import Shape
from tablewright.model.table_form import TableForm, key_text

GUIDE = "docs/guide.md#change-a-table-that-is-deployed"


@dataclass(frozen=True, kw_only=True)
class Change:
    """What one update does to one table: its replicas after it, and the one that goes."""

    says: str
    replicas: tuple[str, ...]
    removes: str | None = None


@dataclass(frozen=True, kw_only=True)
class Step:
    """One update: what it does, and the replicas of each table that is still on its way."""

    changes: Mapping[str, Change]
    on_the_way: Mapping[str, tuple[str, ...]]

    @property
    def says(self) -> str:
        said = [self.changes[name].says for name in sorted(self.changes)]
        return " ".join(said) or "The stacks are deployed."


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


def steps(wanted: Mapping[str, Shape], deployed: Mapping[str, Shape]) -> list[Step]:
    """The updates that lead to the wanted replicas, one replica of each table an update.

    A table that is not there yet is made with all of its replicas at once.
    """
    todo = {
        name: _changes(name, wanted[name], deployed[name]) for name in wanted if name in deployed
    }
    count = max(map(len, todo.values()), default=0)
    return [_step(todo, number) for number in range(count)] or [Step(changes={}, on_the_way={})]


def _step(todo: Mapping[str, list[Change]], number: int) -> Step:
    now = {name: changes[number] for name, changes in todo.items() if number < len(changes)}
    unfinished = {name: change for name, change in now.items() if number + 1 < len(todo[name])}
    return Step(
        changes=now, on_the_way={name: change.replicas for name, change in unfinished.items()}
    )


def _changes(name: str, wanted: Shape, deployed: Shape) -> list[Change]:
    if wanted.replicas == deployed.replicas:
        return []
    found: list[Change] = []
    now = set(deployed.replicas)
    if wanted.form.indexes != deployed.form.indexes:
        says = f"An index of {name} changes, and no replica."
        found.append(Change(says=says, replicas=_listed(now)))
    # First more, then fewer: at no time are there fewer copies than before or after.
    for region in sorted(wanted.replicas - deployed.replicas):
        now.add(region)
        says = f"A replica of {name} is made in {region}."
        found.append(Change(says=says, replicas=_listed(now)))
    for region in sorted(deployed.replicas - wanted.replicas):
        now.discard(region)
        says = f"The replica of {name} in {region} is removed, with the items there."
        found.append(Change(says=says, replicas=_listed(now), removes=region))
    return found


def _listed(regions: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(regions))


def _refusals(name: str, wanted: Shape, deployed: Shape) -> list[str]:
    there, goal = deployed.form, wanted.form
    if (goal.partition, goal.sort) != (there.partition, there.sort):
        return [
            f"{name} has the key {_written(there)}, and would get {_written(goal)}: "
            "the key of a table cannot be changed."
        ]
    said = [
        f"{index} of {name} would change its key or what it projects: no update can do that."
        for index in sorted(goal.indexes.keys() & there.indexes.keys())
        if goal.indexes[index] != there.indexes[index]
    ]
    changed = sorted(goal.indexes.keys() ^ there.indexes.keys())
    if len(changed) > 1:
        said.append(
            f"{' and '.join(changed)} of {name} would be made or removed: "
            "DynamoDB changes one index an update."
        )
    return said


def _written(table: TableForm) -> str:
    return key_text(table.partition, table.sort)
