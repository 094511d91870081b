"""Keys, indexes and access patterns as Python declares them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tablewright.designs.source.layout import (
    Atom,
    Bracketed,
    Expression,
    Literal,
    call,
    mapping,
    plain,
    sequence,
)
from tablewright.designs.source.names import Names
from tablewright.designs.source.values import Json

_UNIFORM = "tablewright.model:uniform"


class KeySource:
    """Forms of keys."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def key(self, key: Json) -> Expression:
        """A key with its forms, its shards and what else there is to it."""
        forms = [one_or_several(key["partition"])]
        forms += [one_or_several(key["sort"])] if "sort" in key else []
        named: list[tuple[str, Expression]] = []
        if "shards" in key:
            named.append(("shards", self._shards(key["shards"])))
        named += [(name, plain(key[name])) for name in ("delimiter", "shared") if name in key]
        return call(self._names.model("Key"), *forms, named=named)

    def _shards(self, shards: Json) -> Expression:
        count = [plain(shards["count"])] if "count" in shards else []
        options = ("by", "whose", "dated")
        named = [(name, plain(shards[name])) for name in options if name in shards]
        if shards["function"] != _UNIFORM:
            named.append(("function", Atom(self._names.path(shards["function"]))))
        return call(self._names.model(shards["kind"]), *count, named=named)


class TableSource:
    """Indexes and access patterns of one design, whose entities have these classes, and its
    indexes these attributes."""

    def __init__(
        self,
        names: Names,
        description: Json,
        classes: Mapping[str, str],
        attributes: Mapping[str, str],
    ) -> None:
        self._names = names
        self._entities: Json = description["entities"]
        self._classes = classes
        self._attributes = attributes
        self._keys = KeySource(names)

    def index(self, name: str, index: Json) -> Expression:
        """An index, with the keys of the entities that are in it."""
        first = [] if self._attributes[name] == name else [Literal(name)]
        named: list[tuple[str, Expression]] = [("pk", one_or_several(index["partition"]))]
        if "sort" in index:
            named.append(("sk", one_or_several(index["sort"])))
        projects = index["projects"]
        if isinstance(projects, list):
            named.append(("projects", sequence(self._fields(index["keys"], projects))))
        elif projects != "ALL":
            named.append(("projects", Atom(self._names.model(projects))))
        named += [(flag, plain(True)) for flag in ("sparse", "local") if index.get(flag)]
        if index["keys"]:
            keys = ((self._classes[one], self._keys.key(key)) for one, key in index["keys"].items())
            named.append(("keys", mapping(keys)))
        return call(self._names.model("Index"), *first, named=named)

    def pattern(self, pattern: Json) -> Expression:
        """An access pattern."""
        several = isinstance(pattern["of"], list)
        entities = pattern["of"] if several else [pattern["of"]]
        classes = [self._classes[one] for one in entities]
        first: list[Expression] = [Atom(one) for one in classes]
        kind = self._names.model(pattern["kind"])
        if pattern["kind"] == "BatchWrite" and len(classes) > 1:
            kind += f"[{' | '.join(classes)}]"
        named: list[tuple[str, Expression]] = []
        if "index" in pattern:
            index = Atom(self._attributes[pattern["index"]])
            if several:
                named.append(("index", index))
            else:
                first.append(index)
        named += self._options(entities, pattern)
        return call(kind, *first, named=named)

    def _options(self, entities: list[str], pattern: Json) -> Iterator[tuple[str, Expression]]:
        for name, value in pattern.items():
            if name in ("kind", "of", "index"):
                continue
            if name == "marker":
                yield name, Atom(self._classes[value])
            elif name == "range":
                (field,) = self._fields(entities, [value])
                yield name, field
            elif name in ("select", "filters"):
                yield name, sequence(self._fields(entities, value))
            else:
                yield name, plain(value)

    def _fields(self, entities: Iterable[str], fields: Iterable[str]) -> list[Expression]:
        """Fields by the first of these entities that has each."""
        found: list[Expression] = []
        for field in fields:
            owners = (one for one in entities if field in self._entities[one]["fields"])
            owner = next(owners, None)
            found.append(Atom(f"{self._classes[owner]}.{field}") if owner else Literal(field))
        return found


def one_or_several(names: str | list[str]) -> Literal | Bracketed:
    """A name or form, or a tuple of several."""
    return Literal(names) if isinstance(names, str) else sequence(map(Literal, names))
