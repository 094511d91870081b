"""Comparison of two designs by their descriptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tablewright.changes.comparison.described import Described, pairs
from tablewright.changes.comparison.difference import Difference
from tablewright.changes.comparison.entities import compare_entities
from tablewright.changes.comparison.keys import compare_index_key
from tablewright.changes.comparison.parts import compare_enums, compare_parts
from tablewright.changes.comparison.patterns import compare_patterns
from tablewright.changes.comparison.renames import with_names_of
from tablewright.changes.comparison.rules import indexes as index_rules
from tablewright.changes.comparison.rules import tables as rules
from tablewright.changes.comparison.tables import compare_forms, described_form, key_names
from tablewright.changes.comparison.unknown import unknown
from tablewright.designs.description.design import FORMAT, Description
from tablewright.model.table_form import TableForm
from tablewright.runtime.deployed_table import replicas_of

_KNOWN = (
    *("format", "id", "describes", "key", "entity_type", "tenant", "ttl", "stream", "epochs"),
    *("enums", "parts", "entities", "indexes", "patterns"),
)
_INDEX = ("partition", "sort", "local", "sparse", "projects", "keys")


def compare(old: Description, new: Description) -> list[Difference]:
    """Every difference of two designs, none if they are the same.

    Raises ValueError for a description of a format that this version does not know.

    Example::

        compare(json.loads(lock.read_text()), describe(Orders))
    """
    for one in (old, new):
        if one.get("format") != FORMAT:
            raise ValueError(
                f"a description of format {one.get('format')!r} is not known here: {FORMAT} is"
            )
    return list(_differences(old, new))


def compare_table(
    described: Mapping[str, Any], ttl: str | None, new: Description
) -> list[Difference]:
    """Every difference of a deployed table and a design, as far as DescribeTable shows it."""
    design = Described(new)
    filled = {
        name
        for name, index in new["indexes"].items()
        if all(design.entities[one].is_own(name) for one in index["keys"])
    }
    there, wanted = TableForm.described(described, ttl), described_form(design)
    if replicas_of(described):
        wanted = wanted.replicated()
    return list(compare_forms(there, wanted, filled=filled, expires=_expires(design)))


def _differences(was: Description, new: Description) -> Iterator[Difference]:
    old, renames = with_names_of(new, was)
    before, after = Described(old), Described(new)
    forms = described_form(Described(was)), described_form(after)
    added = (name for name in new["indexes"] if name not in old["indexes"])
    filled = {name for name in added if _is_filled(before, after, name)}
    yield from compare_forms(*forms, filled=filled, expires=_expires(after))
    yield from _settings(old, new)
    yield from renames
    yield from _indexes(before, after, *forms)
    yield from compare_entities(before, after)
    yield from compare_parts(old, new)
    yield from compare_enums(old, new)
    yield from compare_patterns(old, new)


def _expires(design: Described) -> bool:
    """Whether the ttl attribute is computed for items of an entity."""
    ttl = design.json.get("ttl")
    return any(
        "expires" in one.json and ttl not in one.by_stored for one in design.entities.values()
    )


def _is_filled(old: Described, new: Described, index: str) -> bool:
    """Whether existing items have the key attributes of an index, as they are now."""
    kept = [name for name in new.json["indexes"][index]["keys"] if name in old.entities]
    return all(_has_key(old, new, name, index) for name in kept)


def _has_key(old: Described, new: Described, entity: str, index: str) -> bool:
    there = old.entities[entity].forms()
    wanted = new.entities[entity].key_forms(index)
    return all(there.get(attribute) == form for attribute, form in wanted.items())


def _settings(old: Description, new: Description) -> Iterator[Difference]:
    if old["id"] != new["id"]:
        says = f"the design was {old['id']} and is {new['id']}"
        yield rules.DESIGN_ID_CHANGED.found("table", says)
    if old["describes"] != new["describes"]:
        yield rules.DESCRIBES_CHANGED.found("table", "what is said of it is another sentence")
    if old.get("tenant") != new.get("tenant"):
        says = f"tenants were set apart by {old.get('tenant')} and are by {new.get('tenant')}"
        yield rules.TENANT_CHANGED.found("table", says)
    yield from _entity_type(old.get("entity_type"), new.get("entity_type"))
    if old.get("epochs") != new.get("epochs"):
        yield _epochs(old, new)
    yield from unknown("table", old, new, _KNOWN)
    yield from unknown("table", old["key"], new["key"], ("partition", "sort"))


def _entity_type(old: str | None, new: str | None) -> Iterator[Difference]:
    if old == new:
        return
    if old is None:
        yield rules.ENTITY_TYPE_ADDED.found("table", f"items say their entity in {new}")
    elif new is None:
        says = f"items do not say their entity in {old} any more"
        yield rules.ENTITY_TYPE_REMOVED.found("table", says)
    else:
        says = f"items said their entity in {old} and do in {new}"
        yield rules.ENTITY_TYPE_CHANGED.found("table", says)


def _epochs(old: Description, new: Description) -> Difference:
    read = [one["patterns"].get(one.get("epochs"), {}).get("of") for one in (old, new)]
    moved = all(read) and read[0] != read[1]
    says = f"shard epochs were read by {old.get('epochs')} and are by {new.get('epochs')}"
    return (rules.EPOCHS_MOVED if moved else rules.EPOCHS_CHANGED).found("table", says)


def _indexes(
    old: Described, new: Described, was: TableForm, now: TableForm
) -> Iterator[Difference]:
    forms = [{**one.local, **one.indexes} for one in (was, now)]
    for name, before, after in pairs(old.json["indexes"], new.json["indexes"]):
        subject = f"index {name}"
        yield from unknown(subject, before, after, _INDEX)
        if before.get("sparse") != after.get("sparse"):
            says = "it is sparse" if after.get("sparse") else "it is not sparse any more"
            yield index_rules.INDEX_SPARSE_CHANGED.found(subject, says)
        earlier, later = (one[name] for one in forms)
        if earlier.held == later.held and before["projects"] != after["projects"]:
            says = f"it carries {after['projects']}, as {before['projects']} was before"
            yield index_rules.INDEX_PROJECTION_RETOLD.found(subject, says)
        # With other attributes it is another index, whose keys are all new.
        if key_names(earlier) == key_names(later):
            yield from _members(name, old, new)


def _members(index: str, old: Described, new: Described) -> Iterator[Difference]:
    subject = f"index {index}"
    before, after = old.json["indexes"][index]["keys"], new.json["indexes"][index]["keys"]
    # Entities that are new or gone are told by themselves.
    for entity in (one for one in new.entities if one in old.entities):
        if entity in after and entity not in before:
            there = _has_key(old, new, entity, index)
            rule = index_rules.INDEX_ENTITY_ADDED if there else index_rules.INDEX_ENTITY_ADDED_EMPTY
            yield rule.found(subject, f"items of {entity} are in it")
        elif entity in before and entity not in after:
            own = old.entities[entity].is_own(index)
            rule = index_rules.INDEX_ENTITY_REMOVED if own else index_rules.INDEX_ENTITY_LEFT
            yield rule.found(subject, f"items of {entity} are not in it any more")
        elif entity in before:
            yield from compare_index_key(index, old.entities[entity], new.entities[entity])
