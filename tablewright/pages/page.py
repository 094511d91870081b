"""The page of a table, written from its design and from what was measured."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tablewright.model import ALL, Design, EntityModel, Field, Index, Key, Shards
from tablewright.model.fields.compound import TallyField
from tablewright.model.fields.time import DateTextField
from tablewright.model.patterns import BatchGet, Count, Get, Pattern, Query, Update
from tablewright.pages.diagram import diagram
from tablewright.pages.markdown import code, table
from tablewright.pages.metering import Measurement

_STREAMS = {
    "KEYS_ONLY": "the key of every item that changes",
    "NEW_IMAGE": "every changed item as it is",
    "OLD_IMAGE": "every changed item as it was",
    "NEW_AND_OLD_IMAGES": "every changed item as it was and as it is",
}


def page(design: Design, measured: Sequence[Measurement], costs: Sequence[str]) -> str:
    """The page as Markdown; `costs` are the paragraphs of its last chapter."""
    parts = [
        f"# {design.id}",
        "*Made from the design by `make docs`; do not edit.*",
        design.describes,
        diagram(design),
        *_keys(design),
        *_collections(design),
        *_patterns(design),
        *_capacity(design, measured),
        "## Cost",
        *costs,
    ]
    return "\n\n".join(parts) + "\n"


def _keys(design: Design) -> Iterator[str]:
    yield "## Keys and indexes"
    rows = [("table", design.pk, design.sk, "everything", "")]
    for index in design.index_list:
        kind = "sparse" if index.sparse else ""
        rows.append((index.name, index.pk, index.sk, _projection(design, index), kind))
    yield table(("", "partition key", "sort key", "holds", ""), rows)
    if design.stream:
        yield (
            f"Its stream has {_STREAMS[design.stream]}. Of a table with replicas, the stream of "
            "each region has the changes of all, so one region alone consumes it."
        )
    for entity in design.entity_list:
        yield from _entity(design, entity)


def _entity(design: Design, entity: EntityModel) -> Iterator[str]:
    yield f"### {entity.name}"
    yield from _about(design, entity)
    forms: list[tuple[Any, ...]] = [("table", *_forms(entity.key))]
    forms += [(name, *_forms(key)) for name, key in entity.indexed.items()]
    yield table(("", "partition key", "sort key", "shards"), forms)
    if entity.expires:
        # A day begins at midnight; a moment is counted from as it is.
        of_a_day = isinstance(entity.by_name[entity.expires.field], DateTextField)
        expiry = f"{entity.expires}, at 00:00 UTC" if of_a_day else str(entity.expires)
        yield f"Expires {expiry} (attribute `{design.ttl}`)."
    yield table(
        ("field", "stored as", "type", ""),
        ((f.name, _stored(f), _type(f), "optional" if f.optional else "") for f in entity.fields),
    )


def _type(field: Field[Any]) -> str:
    """What a field holds, whether as a text or as a type of Python's own."""
    name = field.type_name
    return name.removesuffix("Text") or name


def _about(design: Design, entity: EntityModel) -> Iterator[str]:
    uses = [pattern.name for pattern in design.pattern_list if entity.name in pattern.entities]
    # Of a table with one entity, every pattern is of that.
    used = f"Used by {code(uses)}." if len(design.entity_list) > 1 else ""
    said = " ".join(filter(None, (entity.describes, used)))
    if said:
        yield said


def _stored(field: Field[Any]) -> str:
    if isinstance(field, TallyField):
        return f"`{field.prefix}…`, one for each name"
    return f"`{field.stored}`" if field.stored else "in the key"


def _projection(design: Design, index: Index) -> str:
    members = [entity.name for entity in design.entity_list if index.name in entity.indexed]
    of = "" if len(members) == len(design.entity_list) else f" of {', '.join(members)}"
    if index.projects == ALL:
        return f"everything{of}"
    if isinstance(index.projects, str):
        return f"keys only{of}"
    stored = {field.name: field.stored for e in design.entity_list for field in e.fields}
    return "keys and " + code(stored[name] for name in index.projects) + of


def _forms(key: Key) -> tuple[str, str, str]:
    shards = key.shards
    spread = f"{shards} ({shards.function.__name__})" if shards else ""
    return f"`{_cell(key.pk.text)}`", f"`{_cell(key.sk.text)}`" if key.sk else "", spread


def _cell(text: str) -> str:
    # Between bars a bar would begin the next cell, in code too.
    return text.replace("|", "\\|")


def _collections(design: Design) -> Iterator[str]:
    examples = [(entity, entity.check(entity.example)) for entity in design.entity_list]
    one = len(examples) == 1
    yield f"## {'An item, and where it is' if one else 'Items, and where they are'} found"
    rows = []
    for entity, record in examples:
        attributes = design.attributes(entity, record)
        rows.append((entity.name, "table", *_at(attributes, design.pk, design.sk), "everything"))
        rows += [
            (entity.name, index.name, *_at(attributes, index.pk, index.sk), _shown(entity, entry))
            for index in design.index_list
            if (entry := design.projected(entity, attributes, index)) is not None
        ]
    yield table(("item", "in", "partition key", "sort key", "attributes beside keys"), rows)


def _at(attributes: Mapping[str, Any], pk: str, sk: str | None) -> tuple[str, str]:
    return f"`{_cell(attributes[pk])}`", f"`{_cell(attributes[sk])}`" if sk else ""


def _shown(entity: EntityModel, entry: Mapping[str, Any]) -> str:
    return code(name for name in entry if name in entity.by_stored) or "none"


def _patterns(design: Design) -> Iterator[str]:
    yield "## Access patterns"
    many = len(design.entity_list) > 1
    rows = [
        (
            f"`{p.name}`",
            p.describes,
            *([", ".join(p.entities)] if many else []),
            _where(design, p),
            _asks(design, p),
            _actions(p),
        )
        for p in design.pattern_list
    ]
    of = ["of"] if many else []
    yield table(("pattern", "", *of, "reads or writes", "by", "IAM actions"), rows)
    yield (
        "A grant gives exactly these actions on exactly these resources: "
        "`table.grant(function, DESIGN.pattern)`."
    )


def _where(design: Design, pattern: Pattern[Any]) -> str:
    shards = design.key_of(pattern).shards
    over = ""
    if shards:
        over = f", {shards.count} shards" if isinstance(shards, Shards) else ", shards by epoch"
    return f"{pattern.index}{over}" if pattern.index else f"table{over}"


def _asks(design: Design, pattern: Pattern[Any]) -> str:
    key = design.key_of(pattern)
    if isinstance(pattern, Query):
        asked = [name for name in key.pk.fields if name != "shard"]
        asked += _narrowed(key, pattern)
        asked += [f"{name} (filtered)" for name in pattern.filters]
        return ", ".join(asked)
    if len(pattern.entities) == 1:
        return ", ".join(key.fields)
    keys = {name: design.entities[name].key.fields for name in pattern.entities}
    return "<br>".join(f"{name}: {', '.join(fields)}" for name, fields in keys.items())


def _narrowed(key: Key, query: Query[Any]) -> list[str]:
    """What may be said of the sort key: its first fields, up to the one with a range."""
    names = list(key.sk.fields) if key.sk else []
    first = names[: names.index(query.range)] if query.range else names
    optional = [f"optionally {', '.join(first)}"] if first else []
    return optional + ([f"range of {query.range}"] if query.range else [])


def _actions(pattern: Pattern[Any]) -> str:
    return "<br>".join(f"`{action}` on {index or 'table'}" for action, index in pattern.actions)


def _capacity(design: Design, measured: Sequence[Measurement]) -> Iterator[str]:
    yield "## Measured capacity"
    yield (
        "Units that DynamoDB Local reports for one run of each pattern, beside the least that the "
        f"sizes of the items allow. Reads are eventually consistent{_consistent(design)}."
    )
    rows = [
        (f"`{m['pattern']}`", m["what"] + (" (computed)" if m["computed"] else ""), m["calls"],
         m["read"], m["read_floor"], m["write"], m["write_floor"])
        for m in measured
    ]  # fmt: skip
    yield table(("pattern", "of", "calls", "read units", "floor", "write units", "floor"), rows)
    if any(m["computed"] for m in measured):
        yield (
            "Computed is what DynamoDB bills and DynamoDB Local does not report: two units for "
            "each kilobyte of an item in a transaction, one for "
            "each of an item that is inserted, half a unit for a key without an item and "
            "for a query without an answer, and a whole one where the read is consistent."
        )


def _consistent(design: Design) -> str:
    """The reads that are not eventually consistent, in words."""
    reads = [
        p.name
        for p in design.pattern_list
        if isinstance(p, Count) or (isinstance(p, BatchGet | Get | Query) and p.consistent)
    ]
    updated = [design.entity(p) for p in design.pattern_list if isinstance(p, Update)]
    parts = [
        *(["the one of an update"] if any(map(design.derives_from, updated)) else []),
        *([f"those of {code(reads)}"] if reads else []),
    ]
    return f" but for {' and '.join(parts)}" if parts else ""
