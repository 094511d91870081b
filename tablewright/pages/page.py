"""The page of a table, written from its design and from what was measured."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tablewright.costs.measuring import Measurement
from tablewright.designs.example_records import example_of, given_by
from tablewright.model import Design, EntityModel, Index, Key, Shards
from tablewright.model.entity import KeyAttributes
from tablewright.model.fields.time import DateTextField
from tablewright.model.patterns import BatchGet, Count, Get, Pattern, Query, Scan, Update
from tablewright.pages.diagram import diagram
from tablewright.pages.fields import computed_part, field_table, parts_of
from tablewright.pages.markdown import code, table
from tablewright.pages.projections import holds, projections_chapter
from tablewright.pages.secrets_chapter import secrets_chapter

_STREAMS = {
    "KEYS_ONLY": "the key of every item that changes",
    "NEW_IMAGE": "every changed item as it is",
    "OLD_IMAGE": "every changed item as it was",
    "NEW_AND_OLD_IMAGES": "every changed item as it was and as it is",
}


def page(
    design: Design,
    measured: Sequence[Measurement] = (),
    costs: Sequence[str] = (),
    *,
    about: Sequence[str] = (),
    made_by: str = "tablewright doc",
) -> str:
    """The page as Markdown; `costs` are the paragraphs of its last chapter, `about` those that its
    first one has besides; `made_by` is the command that makes it. Without measurements, or without
    costs, there is no such chapter. Its picture lies beside it: see `picture_name`."""
    parts = [
        f"# {design.id}",
        f"*Made from the design by `{made_by}`; do not edit.*",
        design.describes,
        *about,
        diagram(design),
        *_keys(design),
        *_collections(design),
        *_patterns(design),
        *(_capacity(design, measured) if measured else ()),
        *projections_chapter(design),
        *(secrets_chapter(design) if design.has_secrets else ()),
        *(("## Cost", *costs) if costs else ()),
    ]
    return "\n\n".join(parts) + "\n"


def picture_name(design: Design) -> str:
    """The file, beside the page, that has the picture of the design's item collections."""
    return f"{design.id}.svg"


def _keys(design: Design) -> Iterator[str]:
    yield "## Keys and indexes"
    rows = [("table", *_names(design.key), "everything", "")]
    for index in design.index_list:
        kinds = [word for word in ("local", "sparse") if getattr(index, word)]
        names = _names(index.key)
        rows.append((index.name, *names, _projection(design, index), ", ".join(kinds)))
    yield table(("", "partition key", "sort key", "holds", ""), rows)
    if design.entity_type:
        yield f"Every item has the name of its entity in the attribute `{design.entity_type}`."
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
    yield from map(computed_part, entity.computed.values())
    if entity.expires:
        # A day begins at midnight; a moment is counted from as it is.
        of_a_day = isinstance(entity.by_name[entity.expires.field], DateTextField)
        expiry = f"{entity.expires}, at 00:00 UTC" if of_a_day else str(entity.expires)
        yield f"Expires {expiry} (attribute `{design.ttl}`)."
    yield field_table(entity.fields)
    for part in dict.fromkeys(part for field in entity.fields for part in parts_of(field)):
        yield f"In it, `{part.name}`:"
        yield field_table(part.fields)


def _about(design: Design, entity: EntityModel) -> Iterator[str]:
    uses = [pattern.name for pattern in design.pattern_list if entity.name in pattern.entities]
    # Of a table with one entity, every pattern is of that.
    used = f"Used by {code(uses)}." if len(design.entity_list) > 1 else ""
    said = " ".join(filter(None, (entity.describes, used)))
    if said:
        yield said


def _projection(design: Design, index: Index) -> str:
    members = [entity.name for entity in design.entity_list if index.name in entity.indexed]
    of = "" if len(members) == len(design.entity_list) else f" of {', '.join(members)}"
    return f"{holds(design, index)}{of}"


def _forms(key: Key) -> tuple[str, str, str]:
    shards = key.shards
    spread = f"{shards} ({shards.function.__name__})" if shards else ""
    return _code_cell(t.text for t in key.partition), _code_cell(t.text for t in key.sort), spread


def _names(key: KeyAttributes) -> tuple[str, str]:
    return ", ".join(key.partition), ", ".join(key.sort)


def _code_cell(texts: Iterable[Any]) -> str:
    return ", ".join(f"`{_cell(str(text))}`" for text in texts)


def _cell(text: str) -> str:
    # Between bars a bar would begin the next cell, in code too.
    return text.replace("|", "\\|")


def _collections(design: Design) -> Iterator[str]:
    examples = [(entity, example_of(entity)) for entity in design.entity_list]
    one = len(examples) == 1
    yield f"## {'An item, and where it is' if one else 'Items, and where they are'} found"
    rows = []
    for entity, record in examples:
        attributes = design.attributes(entity, record)
        rows.append((entity.name, "table", *_at(attributes, design.key), "everything"))
        rows += [
            (
                entity.name,
                index.name,
                *_at(attributes, index.key),
                _shown(design, entity, index, entry),
            )
            for index in design.index_list
            if (entry := design.projected(entity, attributes, index)) is not None
        ]
    yield table(("item", "in", "partition key", "sort key", "attributes beside keys"), rows)
    yield "Examples, and others like them, in the partitions of the table and of each index:"
    yield f"![Item collections of {design.id}]({picture_name(design)})"


def _at(attributes: Mapping[str, Any], key: KeyAttributes) -> tuple[str, str]:
    names = (key.partition, key.sort)
    partition, sort = ([_key_text(attributes[name]) for name in some] for some in names)
    return _code_cell(partition), _code_cell(sort)


def _key_text(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def _shown(design: Design, entity: EntityModel, index: Index, entry: Mapping[str, Any]) -> str:
    keys = {*design.key.names, *index.key.names}
    return code(n for n in entry if n in entity.by_stored and n not in keys) or "none"


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
            _actions(design, p),
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
    if getattr(pattern, "expired", False):
        over += ", what has expired too"
    return f"{pattern.index}{over}" if pattern.index else f"table{over}"


def _asks(design: Design, pattern: Pattern[Any]) -> str:
    entity, key = design.entity(pattern), design.key_of(pattern)
    if isinstance(pattern, Scan):
        return "nothing: reads all"
    if isinstance(pattern, Query):
        asked = given_by(entity, key.partition_fields)
        asked += _narrowed(entity, key, pattern)
        asked += [f"{name} (filtered)" for name in pattern.filters]
        return ", ".join(asked)
    if len(pattern.entities) == 1:
        return ", ".join(given_by(entity, key.fields))
    kinds = (design.entities[name] for name in pattern.entities)
    return "<br>".join(f"{one.name}: {', '.join(given_by(one, one.key.fields))}" for one in kinds)


def _narrowed(entity: EntityModel, key: Key, query: Query[Any]) -> list[str]:
    """What may be said of the sort key: its first fields, up to the one with a range."""
    names = key.sort_fields
    first = given_by(entity, names[: names.index(query.range)] if query.range else names)
    optional = [f"optionally {', '.join(first)}"] if first else []
    return optional + ([f"range of {query.range}"] if query.range else [])


def _actions(design: Design, pattern: Pattern[Any]) -> str:
    actions = design.actions(pattern)
    return "<br>".join(f"`{action}` on {index or 'table'}" for action, index in actions)


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
        *(["the one of an update"] if any(map(design.reads_before, updated)) else []),
        *([f"those of {code(reads)}"] if reads else []),
    ]
    return f" but for {' and '.join(parts)}" if parts else ""
