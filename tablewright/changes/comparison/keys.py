"""Keys before and after: their forms in the table and in indexes, and their shards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tablewright.changes.comparison.described import DescribedEntity, Json, fields_in, listed
from tablewright.changes.comparison.difference import Difference
from tablewright.changes.comparison.rules import entities as rules
from tablewright.changes.comparison.rules import indexes as index_rules
from tablewright.changes.comparison.unknown import unknown

_KNOWN = ("partition", "sort", "delimiter", "shared", "shards")
_SHARDS = ("kind", "count", "by", "whose", "dated", "function")
_EXACT = ("Reversed", "Digest")  # of different values they are different


def compare_table_key(old: DescribedEntity, new: DescribedEntity) -> Iterator[Difference]:
    """What differs in the key that an entity has in the table."""
    before, after = old.keys[None], new.keys[None]
    if _forms(before) != _forms(after):
        lost = [name for name in _told_apart_by(before) if not _tells(new, after, name)]
        says = f"its key was {_shown(before)} and is {_shown(after)}"
        if lost:
            says += f", without {', '.join(lost)}"
        yield (rules.KEY_FIELDS_REMOVED if lost else rules.KEY_FORM_CHANGED).found(new.name, says)
    elif _shards(before) != _shards(after):
        was, now = _shards(before), _shards(after)
        yield from unknown(new.name, was, now, _SHARDS)
        yield from _dated(new.name, was, now)
        if _but_dated(was) != _but_dated(now):
            says = f"its shard was chosen {_placed(was)} and is {_placed(now)}"
            yield rules.KEY_SHARDS_CHANGED.found(new.name, says)
    yield from _the_rest(new.name, before, after)


def compare_index_key(
    index: str, old: DescribedEntity, new: DescribedEntity
) -> Iterator[Difference]:
    """What differs in the key that an entity has in an index with the same attributes."""
    subject = f"index {index}"
    before, after = old.keys[index], new.keys[index]
    if _forms(before) != _forms(after):
        same = {*fields_in(before.get("partition"))} == {*fields_in(after.get("partition"))}
        same = same and fields_in(before.get("sort")) == fields_in(after.get("sort"))
        says = f"the key of {new.name} was {_shown(before)} and is {_shown(after)}"
        rule = index_rules.INDEX_KEY_FORM_CHANGED if same else index_rules.INDEX_KEY_FIELDS_CHANGED
        yield rule.found(subject, says)
    elif _shards(before) != _shards(after):
        yield from _index_shards(subject, new.name, _shards(before), _shards(after))
    yield from _the_rest(f"{subject} of {new.name}", before, after)


def _index_shards(subject: str, entity: str, old: Json, new: Json) -> Iterator[Difference]:
    yield from unknown(subject, old, new, _SHARDS)
    yield from _dated(subject, old, new)
    says = f"the shard of {entity} was chosen {_placed(old)} and is {_placed(new)}"
    epochs = new.get("kind") == "EpochShards"
    counted = ("kind", "by", "whose") if epochs else ("kind",)
    if any(old.get(name) != new.get(name) for name in counted):
        yield index_rules.INDEX_SHARDS_CHANGED.found(subject, says)
        return
    if old.get("count") != new.get("count"):
        raised = new.get("count", 0) > old.get("count", 0)
        rule = index_rules.INDEX_SHARDS_RAISED if raised else index_rules.INDEX_SHARDS_LOWERED
        says = f"{entity} had {old.get('count')} shards and has {new.get('count')}"
        yield rule.found(subject, says)
    if any(old.get(name) != new.get(name) for name in ("by", "function")):
        says = f"the shard of {entity} was chosen {_placed(old)} and is {_placed(new)}"
        yield index_rules.INDEX_SHARD_FUNCTION_CHANGED.found(subject, says)


def _dated(subject: str, old: Json, new: Json) -> Iterator[Difference]:
    if old.get("dated") == new.get("dated"):
        return
    if new.get("dated"):
        says = f"lists by {new['dated']} visit the shards of its time alone"
        yield rules.SHARDS_DATED.found(subject, says)
    else:
        says = f"lists by {old['dated']} visit the shards of all times"
        yield rules.SHARDS_NOT_DATED.found(subject, says)


def _the_rest(subject: str, old: Json, new: Json) -> Iterator[Difference]:
    yield from unknown(subject, old, new, _KNOWN)
    if old.get("delimiter") != new.get("delimiter") and _forms(old) == _forms(new):
        was, now = (key.get("delimiter", "#") for key in (old, new))
        says = f"the delimiter of its key was '{was}' and is '{now}'"
        yield rules.KEY_DELIMITER_CHANGED.found(subject, says)
    if old.get("shared") != new.get("shared"):
        now = "is shared by tenants" if new.get("shared") else "is not shared by tenants any more"
        yield rules.KEY_SHARED_CHANGED.found(subject, f"its key {now}")


def _forms(key: Json) -> tuple[object, ...]:
    return listed(key.get("partition")), listed(key.get("sort")), "shards" in key


def _shards(key: Json) -> Json:
    shards: Json = key.get("shards", {})
    return shards


def _but_dated(shards: Json) -> dict[str, Any]:
    return {name: value for name, value in shards.items() if name != "dated"}


def _told_apart_by(key: Json) -> tuple[str, ...]:
    """The names in a key that tell items apart, which a shard does not."""
    return tuple(dict.fromkeys((*fields_in(key.get("partition")), *fields_in(key.get("sort")))))


def _tells(entity: DescribedEntity, key: Json, name: str) -> bool:
    """Whether the value that a name had in the old key follows from those in a new one."""
    known = set(_told_apart_by(key))
    computed = [entity.computed[one] for one in known if one in entity.computed]
    known |= {one for part in computed if part["kind"] in _EXACT for one in part["of"]}
    sources = entity.sources(name)
    return name in known or (sources != (name,) and all(one in known for one in sources))


def _shown(key: Mapping[str, Any]) -> str:
    parts = [", ".join(listed(key.get(part))) for part in ("partition", "sort") if part in key]
    return " / ".join(parts) + (f" ({_placed(_shards(dict(key)))})" if "shards" in key else "")


def _placed(shards: Json) -> str:
    count = shards.get("count")
    number = f"among {count}" if count else f"by the epochs of {shards.get('whose')}"
    return f"{number} by {shards.get('by')} with {shards.get('function')}"
