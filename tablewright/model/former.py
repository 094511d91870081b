"""Former design: how items differ that the design before this one has written.

A table whose design says `formerly` may have items of both forms. What is told here of an entity
decides what is read twice, what is brought over before it is written, and what is granted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tablewright.model.entity import EntityModel, Key
from tablewright.model.fields.base import Field
from tablewright.model.fields.text import ChoiceField, TextField
from tablewright.model.key_template import Template
from tablewright.model.patterns import (
    BatchCreate,
    BatchDelete,
    BatchGet,
    BatchPut,
    BatchWrite,
    Get,
    Listing,
    Pattern,
    Put,
)
from tablewright.model.table import ALL, Design

Actions = tuple[tuple[str, str | None], ...]

# What these do does not depend on the item that is there.
_BLIND = (BatchPut, BatchCreate, BatchDelete, BatchWrite)
# Nothing is stored in the form before.
_READ_OR_REMOVED = ("GetItem", "BatchGetItem", "Query", "DeleteItem")


class Forms:
    """The two forms of an entity's items, of which `old` is the one before.

    `is_moved` tells that the primary key differs, so that an item lies elsewhere until it is
    brought over.
    """

    def __init__(self, new: EntityModel, old: EntityModel) -> None:
        self.new = new
        self.old = old
        self.is_moved = not _is_same(new.key, old.key)

    def keys(self, index: str | None) -> tuple[Key, Key] | None:
        """The keys of both forms in an index, or in the table; None where one has none."""
        if index is None:
            return self.new.key, self.old.key
        if index not in self.new.indexed or index not in self.old.indexed:
            return None
        return self.new.indexed[index], self.old.indexed[index]

    def is_apart(self, index: str | None) -> bool:
        """Whether items of the form before lie under keys of other words."""
        keys = self.keys(index)
        return keys is not None and forms_of(keys[0]) != forms_of(keys[1])

    def differs(self, index: str | None) -> bool:
        """Whether items of the form before lie elsewhere: words, or shards."""
        keys = self.keys(index)
        return keys is not None and not _is_same(*keys)


def forms(design: Design) -> dict[str, Forms]:
    """The entities of a design whose items the design before it writes otherwise, by name."""
    before = design.formerly
    if before is None:
        return {}
    beside = (design.ttl, design.entity_type) != (before.ttl, before.entity_type)
    found = {}
    for new in design.entity_list:
        old = before.entities.get(new.name)
        if old is not None and (beside or _differ(design, before, new, old)):
            found[new.name] = Forms(new, old)
    return found


def _differ(design: Design, before: Design, new: EntityModel, old: EntityModel) -> bool:
    if not _is_same(new.key, old.key) or new.indexed.keys() != old.indexed.keys():
        return True
    if any(not _is_same(key, old.indexed[name]) for name, key in new.indexed.items()):
        return True
    if any(design.indexes[n].key.names != before.indexes[n].key.names for n in new.indexed):
        return True
    ends = [one and (one.field, one.days, one.years) for one in (new.expires, old.expires)]
    return ends[0] != ends[1] or any(_is_elsewhere(field, old) for field in new.fields)


def _is_elsewhere(field: Field[Any], old: EntityModel) -> bool:
    """Whether a field's values are not stored, or not so, by the form before."""
    former = old.by_name.get(field.name)
    if former is None:
        return field.default is not None  # which items lack, for who looks for it
    return (former.stored, former.secret) != (field.stored, field.secret) or not has_same_texts(
        field, former
    )


def has_same_texts(one: Field[Any], other: Field[Any]) -> bool:
    """Whether values of two fields are written alike, in keys and beside them."""
    if type(one) is not type(other):
        return False
    if isinstance(one, TextField | ChoiceField):
        return True
    slots = [
        name
        for kind in type(one).__mro__
        for name in getattr(kind, "__slots__", ())
        if name not in Field.__slots__
    ]
    return all(_is_alike(getattr(one, name), getattr(other, name)) for name in slots)


def _is_alike(one: Any, other: Any) -> bool:
    if isinstance(one, Field) and isinstance(other, Field):
        return has_same_texts(one, other)  # of the elements of a set or list
    return bool(one == other)


def forms_of(key: Key) -> list[tuple[str, str]]:
    """What the texts of a key are made of."""
    return [(template.text, template.delimiter) for template in key.templates]


def _is_same(one: Key, other: Key) -> bool:
    return forms_of(one) == forms_of(other) and has_same_shards(one, other)


def has_same_shards(one: Key, other: Key) -> bool:
    """Whether items lie in the same shards under both keys."""
    mine, theirs = one.shards, other.shards
    if mine is None or theirs is None or type(mine) is not type(theirs):
        return mine is theirs
    return all(getattr(mine, name) == getattr(theirs, name) for name in type(mine).__slots__)


def is_in_order(one: Key, other: Key) -> bool:
    """Whether items sort alike under both keys: by the same fields, with the same words between
    and after them."""
    return len(one.sort) == len(other.sort) and all(map(_sort_alike, one.sort, other.sort))


def _sort_alike(one: Template, other: Template) -> bool:
    return one.fields == other.fields and (
        not one.fields
        or (one.literals[1:] == other.literals[1:] and one.delimiter == other.delimiter)
    )


def actions(design: Design, pattern: Pattern[Any]) -> Actions:
    """What a pattern calls besides, as long as there are items of the form before."""
    known = forms(design)
    concerned = [known[name] for name in pattern.entities if name in known]
    if not concerned or isinstance(pattern, Get | BatchGet):
        return ()
    moved = any(one.is_moved for one in concerned)
    if isinstance(pattern, Listing):
        return (("BatchGetItem", None),) if moved or _is_partial(design, pattern) else ()
    if moved:
        reads = ("BatchGetItem", "GetItem") if isinstance(pattern, _BLIND) else ("GetItem",)
        return tuple((action, None) for action in (*reads, "PutItem", "DeleteItem"))
    if isinstance(pattern, _BLIND) or (isinstance(pattern, Put) and is_blind(design, pattern)):
        return ()
    return (("GetItem", None), ("UpdateItem", None))


def _is_partial(design: Design, listing: Listing[Any]) -> bool:
    """Whether a list reads entries that are not whole items, by which their form is told."""
    return listing.index is not None and design.indexes[listing.index].projects != ALL


def is_blind(design: Design, pattern: Put[Any]) -> bool:
    """Whether a put stores its item whatever is there."""
    shares = design.entity_type is not None and design.shares_keys(design.entity(pattern))
    return not pattern.create and not shares


def actions_before(design: Design, pattern: Pattern[Any]) -> Iterator[tuple[str, str | None, Key]]:
    """What a pattern calls on keys of the form before, each with that form."""
    known = forms(design)
    for one in (known[name] for name in pattern.entities if name in known):
        for action, index in design.actions(pattern):
            keys = one.keys(index) if one.differs(index) else None
            # Of whole entries, only what is there in the new form too is looked for.
            whole = isinstance(pattern, Listing) and not _is_partial(design, pattern)
            unread = whole and action == "BatchGetItem"
            if keys and action in _READ_OR_REMOVED and not unread:
                yield action, index, keys[1]
