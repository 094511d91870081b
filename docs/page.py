"""The page of a table, written from its design and from what was measured."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tablewright.designs import ALL, Entity, Index, Key, Table
from tablewright.designs.cost import Prices, Workload, monthly
from tablewright.designs.patterns import Pattern, Query


def page(
    design: Table,
    measured: Mapping[str, Mapping[str, Any]],
    *,
    workload: Workload,
    reads: str,
    prices: Prices,
) -> str:
    """The page as Markdown; `reads` says in words what the workload's reads are."""
    parts = [
        f"# {design.name}",
        "*Made from the design by `make docs`; do not edit.*",
        design.describes,
        *_keys(design),
        *_collections(design),
        *_patterns(design),
        *_capacity(measured),
        *_costs(design, workload, reads, prices),
    ]
    return "\n\n".join(parts) + "\n"


def _keys(design: Table) -> Iterator[str]:
    yield "## Keys and indexes"
    rows = [("table", design.pk, design.sk, "everything", "")]
    for index in design.index_list:
        kind = "sparse" if index.sparse else ""
        rows.append((index.name, index.pk, index.sk, _projection(design, index), kind))
    yield _table(("", "partition key", "sort key", "holds", ""), rows)
    for entity in design.entity_list:
        forms: list[tuple[Any, ...]] = [("table", *_forms(entity.key))]
        forms += [(name, *_forms(key)) for name, key in entity.indexed.items()]
        yield f"### {entity.name}"
        yield _table(("", "partition key", "sort key", "shards"), forms)
        if entity.expires:
            expiry = f"{entity.expires}, at 00:00 UTC"
            yield f"Expires {expiry} (attribute `{design.ttl}`)."
        yield _table(
            ("field", "stored as", "type", ""),
            (
                (f.name, f"`{f.stored}`", type(f).__name__, "optional" if f.optional else "")
                for f in entity.fields
            ),
        )


def _projection(design: Table, index: Index) -> str:
    if index.projects == ALL:
        return "everything"
    if isinstance(index.projects, str):
        return "keys only"
    stored = {field.name: field.stored for e in design.entity_list for field in e.fields}
    return "keys and " + ", ".join(f"`{stored[name]}`" for name in index.projects)


def _forms(key: Key) -> tuple[str, str, str]:
    shards = key.shards
    spread = f"{shards.count} by {shards.by} ({shards.function.__name__})" if shards else ""
    return f"`{key.pk.text}`", f"`{key.sk.text}`" if key.sk else "", spread


def _collections(design: Table) -> Iterator[str]:
    examples = [(entity, entity.check(entity.example)) for entity in design.entity_list]
    yield "## An item, and where it is found"
    rows = []
    for entity, record in examples:
        attributes = design.attributes(entity, record)
        rows.append((entity.name, "table", *_at(attributes, design.pk, design.sk), "everything"))
        rows += [
            (entity.name, index.name, *_at(attributes, index.pk, index.sk), _shown(entity, entry))
            for index in design.index_list
            if (entry := design.projected(entity, attributes, index)) is not None
        ]
    yield _table(("item", "in", "partition key", "sort key", "attributes beside keys"), rows)


def _at(attributes: Mapping[str, Any], pk: str, sk: str | None) -> tuple[str, str]:
    return f"`{attributes[pk]}`", f"`{attributes[sk]}`" if sk else ""


def _shown(entity: Entity, entry: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}`" for name in entry if name in entity.by_stored) or "none"


def _patterns(design: Table) -> Iterator[str]:
    yield "## Access patterns"
    rows = [
        (f"`{p.name}`", p.describes, _where(design, p), _asks(design, p), _actions(p))
        for p in design.pattern_list
    ]
    yield _table(("pattern", "", "reads or writes", "by", "IAM actions"), rows)
    yield (
        "A grant gives exactly these actions on exactly these resources: "
        "`table.grant(function, DESIGN.pattern)`."
    )


def _where(design: Table, pattern: Pattern) -> str:
    shards = design.key_of(pattern).shards
    over = f", {shards.count} shards" if shards else ""
    return f"{pattern.index}{over}" if pattern.index else f"table{over}"


def _asks(design: Table, pattern: Pattern) -> str:
    key = design.key_of(pattern)
    if not isinstance(pattern, Query):
        return ", ".join(key.fields)
    asked = [name for name in key.pk.fields if name != "shard"]
    asked += [f"range of {pattern.range}"] if pattern.range else []
    asked += [f"{name} (filtered)" for name in pattern.filters]
    return ", ".join(asked)


def _actions(pattern: Pattern) -> str:
    return "<br>".join(f"`{action}` on {index or 'table'}" for action, index in pattern.actions)


def _capacity(measured: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield "## Measured capacity"
    yield (
        "Units that DynamoDB Local reports for one run of each pattern, beside the least that the "
        "sizes of the items allow. Reads are eventually consistent but for the one of an update."
    )
    rows = [
        (f"`{name}`", m["what"], m["calls"], m["read"], m["read_floor"], m["write"],
         m["write_floor"])
        for name, m in measured.items()
    ]  # fmt: skip
    yield _table(("pattern", "of", "calls", "read units", "floor", "write units", "floor"), rows)


def _costs(design: Table, workload: Workload, reads: str, prices: Prices) -> Iterator[str]:
    yield "## Cost"
    entity = design.entity_list[0]
    costs = monthly(design, entity.name, entity.check(entity.example), workload, prices)
    yield (
        f"{workload.items_per_day:,} new items a day are {workload.items_per_year:,} a year and "
        f"{workload.items_kept:,} kept over {workload.years} years. With {reads}, on demand, at "
        f"the prices of {prices.region} of {prices.dated}, the table at its full size costs:"
    )
    yield _table(("", "US dollars a month"), ((name, str(cost)) for name, cost in costs.items()))
    yield "Replicas, backups, streams and contributor insights are not in these figures."


def _table(head: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    cells = (tuple("" if cell is None else str(cell) for cell in line) for line in lines)
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)
