"""Planning: the steps from one design of a live table to another, none of which hides an item.

The steps are those of the verdict: the table is made ready, one index an update, code is released,
items are completed and verified. Everything that old code reads stays until the contract steps at
the end. A change that needs more than additions is refused, with each reason and its remedy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tablewright.changes.backfill.additions import derived_names
from tablewright.changes.backfill.backfill import removable_names
from tablewright.changes.compatibility.findings import CODES
from tablewright.changes.compatibility.verdict import Outcome, Verdict, compare
from tablewright.changes.plan.steps import Kind, Step
from tablewright.model.declaration import Table
from tablewright.model.errors import TablewrightError
from tablewright.model.table_form import TableForm

MOST_INDEXES = 20
"""Global secondary indexes that a table can have."""

_IN_PLACE = (Outcome.COMPATIBLE, Outcome.READERS_FIRST, Outcome.WRITERS_FIRST)
_COPY = "`tablewright migration new` copies the items to a new table"


class NotInPlace(TablewrightError):
    """A change that cannot be made in place: the reasons, each with its remedy."""

    def __init__(self, reasons: Iterable[str]) -> None:
        self.reasons = tuple(dict.fromkeys(reasons))
        super().__init__(" ".join(self.reasons))


def plan_steps(
    new: type[Table],
    old: type[Table] | None = None,
    there: TableForm | None = None,
    *,
    replicated: bool = False,
    was: Mapping[str, str] | None = None,
    remove_attributes: bool = False,
) -> list[Step]:
    """The unpriced steps from `old`, or from a table of the form `there`, to `new`.

    There are none if nothing is to be done. The stream of a `replicated` table stays as it is.
    `was` maps new names of entities and fields to old ones. With `remove_attributes` the last step
    removes the attributes that only the old design computed. Raises NotInPlace.

    Example::

        plan_steps(Orders, OrdersBefore)
    """
    form = there or (TableForm.of(old.__design__) if old else None)
    if form is None:
        raise TypeError("a plan needs the old design, or the table")
    goal = TableForm.of(new.__design__)
    goal = goal.replicated() if replicated else goal
    verdict = compare(old, new, was=was or {}) if old else None
    return _Planning(new, old, form, goal, verdict).steps(remove_attributes=remove_attributes)


def require_in_place(
    new: type[Table], old: type[Table], was: Mapping[str, str] | None = None
) -> None:
    """Raise NotInPlace if items of the old design cannot be completed for the new one."""
    form, goal = TableForm.of(old.__design__), TableForm.of(new.__design__)
    _Planning(new, old, form, goal, compare(old, new, was=was or {})).refuse()


class _Planning:
    def __init__(
        self,
        new: type[Table],
        old: type[Table] | None,
        form: TableForm,
        goal: TableForm,
        verdict: Verdict | None,
    ) -> None:
        self._new = new.__design__
        self._old = old.__design__ if old else None
        self._form = form
        self._goal = goal
        self._verdict = verdict
        self._steps: list[Step] = []
        kept = {name for name, one in form.indexes.items() if goal.indexes.get(name) == one}
        self._removed = [name for name in form.indexes if name not in kept]
        self._added = [name for name in goal.indexes if name not in kept]
        self._code = "code of the old design"

    def steps(self, *, remove_attributes: bool) -> list[Step]:
        self.refuse()
        if not self._form.stream:
            # Before all else: who consumes it is in every template from now on.
            self._switch_on_stream()
        self._prepare()
        for name in self._added:
            self._update(
                self._form.with_index(name, self._goal.indexes[name]),
                f"Make index {name}, and wait until DynamoDB has filled it with what items have.",
                f"remove index {name}",
            )
        readers_first = self._verdict and self._verdict.outcome is Outcome.READERS_FIRST
        if readers_first:
            self._release_readers_first()
        if self._needs_backfill:
            self._backfill(is_released=bool(readers_first))
        names = removable_names(self._new, self._old) if self._old and remove_attributes else {}
        if self._needs_backfill or self._removed or names:
            # Before anybody reads by it, and before anything is removed.
            self._step(Kind.VERIFY, "Verify items and indexes.", "nothing was changed")
        if not readers_first and (self._needs_backfill or self._removed or names):
            self._release_readers()
        if self._goal.ttl and self._form.ttl != self._goal.ttl:
            self._update(
                self._form._replace(ttl=self._goal.ttl),
                f"Switch on expiry by {self._goal.ttl}. DynamoDB then deletes the items that are "
                "past it.",
                "switch it off; items that DynamoDB has deleted do not come back",
            )
        self._contract(names)
        return self._steps

    @property
    def _needs_backfill(self) -> bool:
        """True if items of before may lack attributes that new code needs."""
        if self._old is None or self._verdict is None or self._added:
            return True
        if self._verdict.outcome is Outcome.WRITERS_FIRST:
            return True
        known = {name for one in self._old.entity_list for name in derived_names(self._old, one)}
        computed = {name for one in self._new.entity_list for name in derived_names(self._new, one)}
        return bool(computed - known - {self._new.ttl})

    def refuse(self) -> None:
        """Raise NotInPlace for what needs more than additions."""
        reasons = [*self._table_reasons(), *self._attribute_reasons()]
        if self._verdict and self._verdict.outcome not in _IN_PLACE:
            reasons += self._verdict_reasons(self._verdict)
        if reasons:
            raise NotInPlace(reasons)

    def _table_reasons(self) -> Iterator[str]:
        """Reasons why DynamoDB refuses the update of the table, or queries fail meanwhile."""
        form, goal = self._form, self._goal
        if (form.partition, form.sort) != (goal.partition, goal.sort):
            yield (
                f"The table's key is {_key(form)}, and would be {_key(goal)}: the key of a table "
                f"cannot be changed. {_COPY}."
            )
        for name in sorted(form.local.keys() | goal.local.keys()):
            if form.local.get(name) != goal.local.get(name):
                yield (
                    f"{name} is a local index: these are made with their table, and never change. "
                    f"Declare a global index. {_COPY}."
                )
        for name in self._added:
            if name in form.indexes:
                yield (
                    f"Index {name} has another key or projection: an index cannot be changed, and "
                    f"queries by it would fail meanwhile. Give the new one another name: "
                    f'Index("{name}_2", …).'
                )
            for attribute, kind in goal.indexes[name].kinds.items():
                if form.key_kinds.get(attribute, kind) != kind:
                    yield (
                        f"{attribute} is {form.key_kinds[attribute]} as a key of the table, and "
                        f"{name} needs it as {kind}. Give the index new attribute names."
                    )
        most = len(form.indexes) + len(self._added)
        if most > MOST_INDEXES:
            yield (
                f"The table would have {most} global indexes until the old ones are removed, and "
                f"DynamoDB allows {MOST_INDEXES}. Remove indexes by a change of their own first."
            )

    def _attribute_reasons(self) -> Iterator[str]:
        """Reasons why a new attribute is not new: items have it with another meaning."""
        old = self._old
        if old is None:
            return
        fields = {stored for entity in old.entity_list for stored in entity.by_stored}
        computed = {name for entity in old.entity_list for name in derived_names(old, entity)}
        for name in self._added:
            # One that is replaced is refused by its name.
            for attribute in self._goal.indexes[name].kinds if name not in self._removed else ():
                new = any(attribute in derived_names(self._new, e) for e in self._new.entity_list)
                if new and attribute in fields | computed:
                    yield (
                        f"Index {name} has the attribute {attribute}, which items have with "
                        "another meaning. Give the index new attribute names."
                    )
        ttl = self._goal.ttl
        if ttl and ttl != self._form.ttl and ttl in fields | (computed - {old.ttl}):
            yield (
                f"Expiry by {ttl} would delete items: they have this attribute with another "
                "meaning. Give the table another ttl attribute."
            )

    def _verdict_reasons(self, verdict: Verdict) -> Iterator[str]:
        for one in verdict.findings:
            yield f"{one} {CODES[one.code].remedy}"
        removed = [name for name in self._removed if name not in self._added]
        if self._added and removed:
            yield (
                f"Old code reads {_named(removed)} while new code does not maintain it. Keep "
                f"{_named(removed)} in the design beside the new index, and remove it by a later "
                "change."
            )
        yield f"The change is '{verdict.outcome}': it needs more than additions. {_COPY}."

    def _prepare(self) -> None:
        """What must not be as it was when new code begins to write."""
        form, goal = self._form, self._goal
        if form.ttl and form.ttl != goal.ttl:
            self._update(
                form._replace(ttl=None),
                f"Switch off expiry by {form.ttl}. Nothing expires until the end of the plan.",
                "switch it on again; DynamoDB may want an hour between the two",
            )
        if goal.stream and form.stream != goal.stream:
            self._update(
                self._form._replace(stream=None),
                f"Switch off the stream of {form.stream}, when its consumers have read it to "
                "its end and are removed: the next one has another ARN.",
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

    def _release_readers_first(self) -> None:
        unused = f" It no longer reads {_named(self._removed)}." if self._removed else ""
        self._release(
            "readers",
            "Release the new design to all code that reads; code that writes keeps the old one."
            f"{unused}",
            "code of the new design reads, code of the old design writes",
            "release the old design",
        )
        self._release(
            "writers",
            "Release the new design to all code that writes.",
            "code of the new design",
            "release the old design to code that writes, and then to code that reads",
        )

    def _backfill(self, *, is_released: bool) -> None:
        if not is_released:
            unread = f", but does not read {_named(self._added)} yet" if self._added else ""
            self._release(
                "writers",
                "Release code that writes the new design. No code of the old design may write when "
                "the backfill begins.",
                f"code of the new design writes{unread}; code of the old design may read",
                "release the old design",
            )
        self._step(
            Kind.BACKFILL,
            "Add to the items the attributes that they lack. None that old code reads changes.",
            "the new attributes may stay, or `apply --undo --remove-attributes` removes them",
        )

    def _release_readers(self) -> None:
        reads = f"reads {_named(self._added)}" if self._added else "reads the new design"
        unused = f", and no longer reads {_named(self._removed)}" if self._removed else ""
        self._release(
            "readers",
            f"Release code that {reads}{unused}.",
            "code of the new design; code of the old design may read",
            "release the code of the step before",
        )

    def _contract(self, names: Mapping[str, Iterable[str]]) -> None:
        """Remove what only code of the old design needs: indexes, and attributes by entity."""
        if self._removed or names:
            self._code = "code of the new design alone"
        for name in self._removed:
            self._form = self._form.without_index(name)
            self._step(Kind.CONTRACT, f"Remove index {name}.", "a plan that adds it")
        if names:
            listed = _named(sorted(set().union(*names.values())))
            self._step(
                Kind.REMOVE,
                f"Remove {listed} from the items: only the old design computed them.",
                "a plan that adds them",
            )
        if self._form.stream and not self._goal.stream:
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


def _named(names: Iterable[str]) -> str:
    return " and ".join(names)


def _key(form: TableForm) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in form.key_kinds.items())
