"""Planning: the steps from one design of a live table to another, none of which AWS refuses.

One index an update; nothing that exists is changed in place. An index is made before code writes
and reads it, and removed after nobody does. Only where two designs want one attribute of two types,
or an index of one name with another key or projection, the old index goes first: the plan says from
when to when its lists cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablewright.changes.compatibility.verdict import compare
from tablewright.changes.plan.rewriting import rewrites
from tablewright.changes.plan.steps import Kind, Step
from tablewright.designs.description.design import describe
from tablewright.model.declaration import Table
from tablewright.model.errors import TablewrightError
from tablewright.model.table import Design
from tablewright.model.table_form import IndexForm, TableForm

MOST_INDEXES = 20
"""Global secondary indexes that a table can have."""


class NotInPlace(TablewrightError):
    """A change that no updates can make of a table; says why, and what to do instead."""

    def __init__(self, reasons: Iterable[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__(" ".join(self.reasons))


def plan_steps(
    new: type[Table],
    old: type[Table] | None = None,
    there: TableForm | None = None,
    *,
    replicated: bool = False,
) -> list[Step]:
    """The steps from `old`, or from a table that is `there`, to `new`, unpriced; none where nothing
    is to be done. The stream of one that is `replicated` stays as it is. Raises NotInPlace.

    Example::

        plan_steps(Orders, OrdersBefore)
    """
    now = there or (TableForm.of(old.__design__) if old else None)
    if now is None:
        raise TypeError("a plan needs the design before, or the table")
    goal = TableForm.of(new.__design__)
    return _Planning(new, old, now, goal.replicated() if replicated else goal).steps()


class _Planning:
    def __init__(
        self, new: type[Table], old: type[Table] | None, now: TableForm, goal: TableForm
    ) -> None:
        self._new = new.__design__
        self._old = old.__design__ if old else None
        self._goal = goal
        self._form = now
        self._rewrites = rewrites(describe(old), describe(new)) if old else ("items",)
        self._hides_items = bool(old and _hides_items(old, new))
        self._steps: list[Step] = []
        kept = {n for n, one in now.indexes.items() if self._goal.indexes.get(n) == one}
        self._gone = [name for name in now.indexes if name not in kept]
        self._made = [name for name in self._goal.indexes if name not in kept]
        self._code = "the code of before"

    def steps(self) -> list[Step]:
        self._refuse()
        if not self._form.stream:
            # Before all else: who consumes it is in every template from now on.
            self._switch_on_stream()
        first = self._must_go_first()
        if first:
            self._release(
                f"without-{'-'.join(first)}",
                f"Release code that does not read {_named(first)}: "
                f"{'it goes' if len(first) == 1 else 'they go'} before anything takes "
                f"{'its' if len(first) == 1 else 'their'} place.",
                f"code that does not read {_named(first)}",
                "release the code of before",
            )
            self._remove(first)
        self._prepare()
        late = self._must_come_late()
        self._make(name for name in self._made if name not in late)
        if self._rewrites:
            self._rewrite()
        self._make(late)
        if self._made or self._rewrites:
            # Before anybody reads by it.
            self._step(Kind.VERIFY, "Verify items and indexes.", "nothing was changed")
        gone = [name for name in self._gone if name not in first]
        if self._made or gone or self._rewrites:
            self._switch(gone)
        self._remove(gone)
        self._finish()
        return self._steps

    def _refuse(self) -> None:
        """Raise NotInPlace for what no update can do."""
        now, goal = self._form, self._goal
        reasons = []
        if (now.partition, now.sort) != (goal.partition, goal.sort):
            reasons.append(
                f"The table's key is {_key(now)}, and would be {_key(goal)}: the key of a table "
                "cannot be changed. Make a table of the new design beside it, write to both, copy, "
                "and switch readers."
            )
        for name in sorted(now.local.keys() | goal.local.keys()):
            if now.local.get(name) != goal.local.get(name):
                reasons.append(
                    f"{name} is a local index: these are made with their table, and never change. "
                    "Declare a global one."
                )
        most = max(len(now.indexes), len(goal.indexes))
        if most > MOST_INDEXES:
            reasons.append(f"A table has at most {MOST_INDEXES} global indexes, not {most}.")
        for attribute, kind in now.key_kinds.items():
            for name in self._made:
                wanted = goal.indexes[name].kinds.get(attribute, kind)
                if wanted != kind:
                    reasons.append(
                        f"{attribute} is {kind} as a key of the table, and {name} wants it as "
                        f"{wanted}: give the index an attribute of its own."
                    )
        reasons += self._lost_items()
        if reasons:
            raise NotInPlace(reasons)

    def _lost_items(self) -> Iterator[str]:
        """Why items could not be kept, or kept apart."""
        old = self._old.entities if self._old else {}
        for entity in self._new.entity_list:
            if entity.name not in old:
                continue
            before = old[entity.name]
            told_by = set(before.inputs(before.key)) - set(entity.inputs(entity.key))
            if told_by:
                yield (
                    f"The key of {entity.name} would no longer have {_named(sorted(told_by))}: two "
                    "items could become one. Declare another entity beside it."
                )
            for field in entity.fields:
                if not field.optional and field.name not in before.by_name:
                    yield (
                        f"{entity.name}.{field.name} is required, and the items of before have "
                        "none: give it a default."
                    )

    def _must_go_first(self) -> list[str]:
        """The old indexes that are in the way of new ones, or of what new code writes."""
        stored = _stored_kinds(self._new)
        first = [
            name
            for name in self._gone
            if name in self._goal.indexes or _conflicts(self._form.indexes[name], stored)
        ]
        room = MOST_INDEXES - len(self._form.indexes) + len(first)
        more = [name for name in self._gone if name not in first]
        return first + more[: max(0, len(self._made) - room)]

    def _must_come_late(self) -> list[str]:
        """The new indexes whose key attributes old items have as other types."""
        if self._old is None:
            return []
        stored = _stored_kinds(self._old)
        return [name for name in self._made if _conflicts(self._goal.indexes[name], stored)]

    def _prepare(self) -> None:
        """What must not be as it was when new code begins to write."""
        now, goal = self._form, self._goal
        if now.ttl and now.ttl != goal.ttl:
            self._update(
                now._replace(ttl=None),
                f"Switch off expiry by {now.ttl}. Nothing expires until the end of the plan.",
                "switch it on again; DynamoDB may want an hour between the two",
            )
        if goal.stream and now.stream != goal.stream:
            self._update(
                self._form._replace(stream=None),
                f"Switch off the stream of {now.stream}, when its consumers have read it to "
                "its end, and are gone: the next one has another ARN.",
                "switch it on again: that is a new stream",
            )
            self._switch_on_stream()

    def _switch_on_stream(self) -> None:
        if stream := self._goal.stream:
            self._update(
                self._form._replace(stream=stream),
                f"Switch on a stream of {stream}.",
                "switch it off",
            )

    def _make(self, names: Iterable[str]) -> None:
        for name in names:
            self._update(
                self._form.with_index(name, self._goal.indexes[name]),
                f"Make index {name}, and wait until DynamoDB has filled it with what items have.",
                f"remove index {name}",
            )

    def _remove(self, names: Iterable[str]) -> None:
        for name in names:
            self._update(
                self._form.without_index(name),
                f"Remove index {name}.",
                f"make index {name} again, which DynamoDB fills again",
            )

    def _rewrite(self) -> None:
        hides = self._hides_items
        hidden = " Until it ends, new code does not see what the old design wrote." if hides else ""
        new = "code of the new design"
        new += ", which does not read new indexes yet" if self._made else ""
        unseen = ", and does not see what is written under new keys" if hides else ""
        self._release(
            "writers",
            "Release code that writes the new design. No other code may write when the backfill "
            f"begins.{hidden}",
            f"{new}; code of before may read{unseen}",
            "until the backfill begins, release the code of before"
            + (": it does not see what was written in a new form" if hides else ""),
        )
        self._step(
            Kind.BACKFILL,
            "Rewrite the items that the old design wrote, as the new one writes them.",
            "a plan from the new design to the old one",
        )

    def _switch(self, gone: list[str]) -> None:
        no_longer = f", and no longer reads {_named(gone)}" if gone else ""
        reads = f"reads {_named(self._made)}" if self._made else "is of the new design alone"
        self._release(
            "readers",
            f"Release code that {reads}{no_longer}.",
            "code of the new design",
            "release the code of the step before",
        )

    def _finish(self) -> None:
        goal = self._goal
        if goal.ttl and self._form.ttl != goal.ttl:
            self._update(
                self._form._replace(ttl=goal.ttl),
                f"Switch on expiry by {goal.ttl}.",
                "switch it off",
            )
        if self._form.stream and not goal.stream:
            self._update(
                self._form._replace(stream=None),
                "Switch off the stream, when nobody consumes it.",
                "switch it on again: that is a new stream",
            )

    def _release(self, name: str, says: str, code: str, undo: str) -> None:
        self._code = code
        self._step(Kind.RELEASE, says, undo, name)

    def _update(self, form: TableForm, says: str, undo: str) -> None:
        self._form = form
        self._step(Kind.TABLE, says, undo)

    def _step(self, kind: Kind, says: str, undo: str, name: str = "") -> None:
        self._steps.append(
            Step(kind=kind, says=says, form=self._form, code=self._code, undo=undo, name=name)
        )


def _hides_items(old: type[Table], new: type[Table]) -> bool:
    """True if items of the old design have keys that new code does not read."""
    findings = compare(old, new).new_reads_old
    return any(one.code == "hidden" and one.subject.endswith(" by key") for one in findings)


def _conflicts(index: IndexForm, stored: dict[str, set[str]]) -> bool:
    """Whether items have a key attribute of an index as another type."""
    return any(stored.get(name, {kind}) != {kind} for name, kind in index.kinds.items())


def _stored_kinds(design: Design) -> dict[str, set[str]]:
    """The types that a design's items have attributes as: fields, and keys of indexes."""
    found: dict[str, set[str]] = {}
    for entity in design.entity_list:
        for stored, field in entity.by_stored.items():
            found.setdefault(stored, set()).add(field.kind)
    for attribute, kind in _index_kinds(design):
        found.setdefault(attribute, set()).add(kind)
    return found


def _index_kinds(design: Design) -> Iterator[tuple[str, str]]:
    for index in TableForm.of(design).indexes.values():
        yield from index.kinds.items()


def _named(names: Iterable[str]) -> str:
    return " and ".join(names)


def _key(form: TableForm) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in form.key_kinds.items())
