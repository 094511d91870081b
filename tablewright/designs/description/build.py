"""Build a design from its description. Names of the description select from allow-lists.

Each kind, option and reference is checked: a description may come from anybody. Its text is never
run, and it imports nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache
from inspect import Parameter, signature
from typing import Any, NamedTuple, TypeVar

from tablewright import model
from tablewright.designs.description.design import FORMAT, PATTERNS, Description
from tablewright.designs.description.fields import KINDS
from tablewright.designs.description.functions import LIBRARY, own_names
from tablewright.designs.description.node import Node
from tablewright.designs.description.values import json_value, value_json
from tablewright.model.computed import Computed, Digest, Reversed
from tablewright.model.declaration import Entity, Part, Table
from tablewright.model.entity import Key
from tablewright.model.expiry import Expiry
from tablewright.model.fields.base import IN_KEY, REQUIRED, Field
from tablewright.model.fields.text import TextField
from tablewright.model.patterns import BatchWrite, Collection, Pattern
from tablewright.model.sharding.epochs import EpochShards
from tablewright.model.sharding.shards import Shards
from tablewright.model.table import ALL, KEYS_ONLY, Index

T = TypeVar("T")
_SPECIFIERS: dict[str, Callable[..., Field[Any]]] = {
    name: getattr(model, name) for name in dict.fromkeys(KINDS.values())
}
_PATTERNS = {kind.__name__: kind for kind in PATTERNS}
_COMPUTED = {"Digest": Digest, "Reversed": Reversed}
_PATH = re.compile(r"(?!\d)\w+(\.(?!\d)\w+)*:(?!\d)\w+", re.ASCII)
_SETTINGS = "entity_type tenant ttl stream epochs"
# Options with a limit of their own: a key is padded to its digits, and a list reads every shard.
_LIMITS = {"digits": 38, "decimals": 38, "count": 100_000}
_LEVELS = 32  # of a value in DynamoDB


def build_table(description: Description, *declared: type[Table]) -> type[Table]:
    """Build the design of a description; raises InvalidDescription.

    The description may name functions and classes of fields that the `declared` designs use, and
    those of the library: others are refused, not imported.

    Example::

        before = build_table(json.loads(lock.read_text()), Orders)
    """
    own = own_names(one.__design__ for one in declared)
    return _Builder(own).table(Node(description))


def check_description(node: Node) -> Description:
    """Check a description without the functions that it names; raises InvalidDescription."""
    _Builder(None).table(node)
    description: Description = node.value
    return description


class Call(NamedTuple):
    """The call that made a part of a design: import path, arguments, and options by name."""

    path: str
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = {}


class Built(NamedTuple):
    """Classes of a design by their names in the description, each with its members.

    `calls` are those that made its parts, and `paths` the functions that it names, by `id()`.
    """

    classes: Mapping[str, type[Any]]
    members: Mapping[str, Mapping[str, Any]]
    indexes: Mapping[str, Index]
    patterns: Mapping[str, Pattern[Any]]
    calls: Mapping[int, Call]
    paths: Mapping[int, str]


def build_parts(description: Description) -> Built:
    """Build a description without its functions, and remember how each part was made."""
    builder = _Builder(None)
    builder.table(Node(description))
    return builder.built


class _OwnField(Field[Any]):
    """Stands for a class of fields that is not loaded."""

    def __init__(
        self, stored: str | None = None, *, default: Any = REQUIRED, **options: str | int
    ) -> None:
        super().__init__(stored, default=default)

    def check(self, value: Any) -> Any:
        return value


class _Builder:
    def __init__(self, own: Mapping[str, Any] | None) -> None:
        self._own = own
        self._enums: dict[str, type[Enum]] = {}
        self._parts: dict[str, type[Part]] = {}
        self._entities: dict[str, type[Entity]] = {}
        self._indexes: dict[str, Index] = {}
        self._patterns: dict[str, Pattern[Any]] = {}
        self._members: dict[str, Mapping[str, Any]] = {}
        self._calls: dict[int, Call] = {}
        self._paths: dict[int, str] = {}

    @property
    def built(self) -> Built:
        """Everything that was built."""
        classes = {**self._enums, **self._parts, **self._entities}
        patterns = (self._indexes, self._patterns)
        return Built(classes, self._members, *patterns, self._calls, self._paths)

    def _make(self, kind: Callable[..., T], *arguments: Any, path: str = "", **options: Any) -> T:
        """Call a constructor. Options that repeat its defaults are not worth remembering."""
        made = kind(*arguments, **options)
        usual = {one.name: one.default for one in _parameters(kind).values()}
        told = {
            name: value
            for name, value in options.items()
            if type(value) is not type(usual.get(name, ...)) or value != usual[name]
        }
        path = path or f"{model.__name__}:{kind.__name__}"
        self._calls[id(made)] = Call(path, arguments, told)
        return made

    def table(self, root: Node) -> type[Table]:
        """Build the whole design."""
        version = root.members().get("format", root).value
        if type(version) is not int or version != FORMAT:
            raise root.at("format", version).refuse(f"this version reads format {FORMAT}")
        required = "format id describes key entities indexes patterns"
        found = root.shaped(required, f"{_SETTINGS} enums parts")
        key = found["key"].shaped("partition", "sort")
        settings: dict[str, Any] = {
            name: found[name].text() for name in _SETTINGS.split() if name in found
        }
        for name, node in found.get("enums", Node({})).members().items():
            self._enums[name] = self._enum(name, node)
        for name, node in found.get("parts", Node({})).members().items():
            self._parts[name] = self._part(name, node)
        for name, node in found["entities"].members().items():
            self._entities[name] = self._entity(name, node)
        self._indexes |= {n: self._index(n, one) for n, one in found["indexes"].members().items()}
        self._patterns |= {
            found["patterns"].at(name).name(): self._pattern(node)
            for name, node in found["patterns"].members().items()
        }
        if "epochs" in settings:
            settings["epochs"] = found["epochs"].one_of(self._patterns)
        # An index has no name in Python: the space keeps it apart from patterns.
        body = {f"index {name}": index for name, index in self._indexes.items()} | self._patterns
        with root.refusing():
            table = _class(
                *(found["id"].text(), Table, found["describes"].sentence(), body),
                id=found["id"].text(),
                pk=key["partition"].text(),
                sk=key["sort"].text() if "sort" in key else None,
                **settings,
            )
        for name, node in found["entities"].members().items():
            if name not in table.__design__.entities:
                raise node.refuse("no access pattern and no index uses it")
        return table

    def _enum(self, name: str, node: Node) -> type[Enum]:
        members = node.each(Node.sentence)
        for member in members:
            node.at(member).name()
        if not members or len({*members.values()}) < len(members):
            raise node.refuse("it must have members with different values")
        with node.refusing():
            functional: Any = Enum  # mypy evaluates its arguments, which must be literals
            made: type[Enum] = functional(name, members, module=__name__)
            return made

    def _part(self, name: str, node: Node) -> type[Part]:
        found = node.shaped("describes fields")
        fields = self._members[name] = self._fields(found["fields"])
        with node.refusing():
            return _class(name, Part, found["describes"].sentence(), fields)

    def _entity(self, name: str, node: Node) -> type[Entity]:
        found = node.shaped("describes key fields", "computed expires")
        fields = self._fields(found["fields"])
        nodes = found.get("computed", Node({})).members()
        computed = {name: self._computed(one, fields) for name, one in nodes.items()}
        for one in computed:
            if found["computed"].at(one).name() in fields or one in dir(Entity):
                raise found["computed"].at(one).refuse("the name is taken")
        expires = self._expiry(found["expires"], fields) if "expires" in found else None
        body = self._members[name] = {**fields, **computed}
        key = self._key(found["key"], {*body})
        describes = found["describes"].sentence()
        with node.refusing():
            made = _class(name, Entity, describes, body, key=key, expires=expires, name=name)
        self._calls[id(made)] = Call("", (), {"key": key, "expires": expires})
        return made

    def _expiry(self, node: Node, fields: Mapping[str, Field[Any]]) -> Expiry:
        found = node.shaped("field", "years days")
        found["field"].one_of(fields)
        spans: dict[str, Any] = {
            name: found[name].number() for name in ("years", "days") if name in found
        }
        with node.refusing():
            return self._make(Expiry, found["field"].text(), **spans)

    def _computed(self, node: Node, fields: Mapping[str, Field[Any]]) -> Computed:
        found = node.shaped("kind of", "function max_length")
        if found["kind"].value == "Computed":
            found = node.shaped("kind of function max_length")
            inputs = [one.one_of(fields) for one in found["of"].elements()]
            function = self._function(found["function"])
            longest = found["max_length"].number()
            return self._make(Computed, function, *inputs, max_length=longest)
        kind = node.shaped("kind of")["kind"].one_of(_COMPUTED)
        with node.refusing():
            (field,) = found["of"].elements()
            return self._make(kind, field.one_of(fields))

    def _function(self, node: Node) -> Callable[..., Any]:
        found: Callable[..., Any] = self._named(node, LIBRARY, lambda *values: "")
        if isinstance(found, type):
            raise node.refuse("it must be a function")
        self._paths[id(found)] = node.text()
        return found

    def _named(self, node: Node, library: Mapping[str, Any], stand_in: Any) -> Any:
        """Object that a description names: of the library, or of the declared designs."""
        name = node.text()
        if name in library:
            return library[name]
        if not _PATH.fullmatch(name):
            return node.one_of(library)
        if self._own is None:
            return stand_in
        if name not in self._own:
            raise node.refuse(
                "no design that was named uses it, and nothing is imported because a file names "
                "it. Name the design that declares it as package.module:Name"
            )
        return self._own[name]

    def _fields(self, node: Node) -> dict[str, Field[Any]]:
        for name in node.members():
            if node.at(name).name() in dir(Entity):
                raise node.at(name).refuse("records use the name themselves")
        return node.each(self._field)

    def _field(self, node: Node, level: int = 0) -> Field[Any]:
        if level > _LEVELS:
            raise node.refuse(f"it is nested deeper than {_LEVELS} levels")
        options = node.members()
        if "kind" not in options:
            raise node.refuse("it must have 'kind'")
        kind = options.pop("kind")
        specifier: Callable[..., Field[Any]] = self._named(kind, _SPECIFIERS, _OwnField)
        if kind.value not in _SPECIFIERS and not _is_field(specifier):
            raise kind.refuse("it must be a class of fields")
        default = None if level else options.pop("default", None)
        first: list[Any] = []
        if kind.value in ("ListOf", "SetOf", "PartOf", "Choice"):
            first.append(self._of(kind.value, node, options, level))
        if not level and "stored" in options:
            stored = options.pop("stored")
            first.append(IN_KEY if stored.value is None else stored.text())
        # The specifiers of the library set this flag; a class of its own has no such option.
        is_own = kind.value not in _SPECIFIERS
        secret = is_own and "secret" in options and options.pop("secret").flag()
        known = _parameters(specifier)
        ordered = sorted(options, key=[*known, *options].index)
        values: dict[str, Any] = {n: _option(node, options[n], n, known) for n in ordered}
        with node.refusing():
            field = specifier(*first, **values)
            if isinstance(field, TextField) and field.pattern:
                re.compile(field.pattern)
        if default is not None:
            values["default"] = _default(field, default)
        with node.refusing():
            field = self._make(specifier, *first, path=kind.value if is_own else "", **values)
        field.secret = field.secret or secret
        return field

    def _of(self, kind: str, node: Node, options: dict[str, Node], level: int) -> Any:
        names = {"Choice": ("enum", "choices")}.get(kind, ("of",))
        name = next((one for one in names if one in options), None)
        if name is None:
            raise node.refuse(f"it must have '{names[-1]}'")
        of = options.pop(name)
        if name == "choices":
            words = of.texts()
            if isinstance(words, str):
                raise of.refuse("it must be a list")
            return words
        if name == "enum":
            return of.one_of(self._enums)
        return of.one_of(self._parts) if kind == "PartOf" else self._field(of, level + 1)

    def _key(self, node: Node, names: set[str]) -> Key:
        found = node.shaped("partition", "sort delimiter shared shards")
        shards = self._shards(found["shards"], names) if "shards" in found else None
        forms: list[Any] = [found[name].texts() for name in ("partition", "sort") if name in found]
        key = self._make(
            Key,
            *forms,
            shards=shards,
            delimiter=found["delimiter"].text() if "delimiter" in found else "#",
            shared="shared" in found and found["shared"].flag(),
        )
        for template in key.templates:
            unknown = {*template.fields} - names - ({"shard"} if shards else set())
            if unknown or len({*template.fields}) < len(template.fields):
                raise Node(template.text, node.path).refuse("each {…} must name another field")
        return key

    def _shards(self, node: Node, names: set[str]) -> Shards | EpochShards:
        by = dict.fromkeys(names)
        kind = node.members().get("kind", node.at("kind")).value
        if kind == "Shards":
            found = node.shaped("kind count by function")
            found["by"].one_of(by)
            count = found["count"].number(_LIMITS["count"])
            function = self._function(found["function"])
            return self._make(Shards, count, by=found["by"].text(), function=function)
        found = node.shaped("kind by whose function", "dated")
        found["kind"].one_of({"EpochShards": EpochShards, "Shards": Shards})
        function = self._function(found.pop("function"))
        del found["kind"]
        for one in found.values():
            one.one_of(by)
        options = {name: one.text() for name, one in found.items()}
        return self._make(EpochShards, **options, function=function)

    def _index(self, name: str, node: Node) -> Index:
        found = node.shaped("partition projects keys", "sort local sparse")
        projects = found["projects"]
        if type(projects.value) is str:
            carried: Any = projects.one_of({one: one for one in (ALL, KEYS_ONLY)})
        else:
            entities = [one for one in found["keys"].members() if one in self._entities]
            fields = self._fields_of(entities)
            carried = tuple(fields.get(one.text(), one.value) for one in projects.elements())
        return self._make(
            *(Index, name),
            pk=found["partition"].texts(),
            sk=found["sort"].texts() if "sort" in found else None,
            projects=carried,
            sparse="sparse" in found and found["sparse"].flag(),
            local="local" in found and found["local"].flag(),
            keys=dict(self._index_key(found["keys"], one) for one in found["keys"].members()),
        )

    def _index_key(self, keys: Node, name: str) -> tuple[type[Entity], Key]:
        entity = keys.at(name).one_of(self._entities)
        names = {*entity.__entity__.by_name, *entity.__entity__.computed}
        return entity, self._key(keys.members()[name], names)

    def _pattern(self, node: Node) -> Pattern[Any]:
        options = node.members()
        if not {"kind", "of"} <= options.keys():
            raise node.refuse("it must have 'kind' and 'of'")
        kind: Any = options.pop("kind").one_of(_PATTERNS)
        of = options.pop("of")
        several = issubclass(kind, BatchWrite | Collection)
        several_nodes = of.elements() if several else [of]
        entities: list[Any] = [one.one_of(self._entities) for one in several_nodes]
        fields = self._fields_of(one.value for one in several_nodes)
        known = _parameters(kind)
        values: dict[str, Any] = {}
        for name, one in options.items():
            if name == "index" and name in known:
                values[name] = one.one_of(self._indexes)
                if not {*entities} <= values[name].keys.keys():
                    raise one.refuse("its entities are not in that index")
            elif name == "marker":
                values[name] = one.one_of(self._entities)
            elif name == "range":
                values[name] = one.one_of(fields)
            elif name in ("select", "filters"):
                values[name] = tuple(field.one_of(fields) for field in one.elements())
            else:
                values[name] = _option(node, one, name, known)
        if "index" in values and not several:
            entities.append(values.pop("index"))
        with node.refusing():
            return self._make(kind, *entities, **values)

    def _fields_of(self, entities: Iterable[str]) -> dict[str, Field[Any]]:
        """Fields by name, each of the first of these entities that has it."""
        fields: dict[str, Field[Any]] = {}
        for entity in entities:
            for name, field in self._members[entity].items():
                if isinstance(field, Field):
                    fields.setdefault(name, field)
        return fields


@cache
def _parameters(function: Any) -> Mapping[str, Parameter]:
    return signature(function).parameters


def _class(
    name: str, base: type[T], describes: str, body: Mapping[str, Any], /, **settings: Any
) -> type[T]:
    return type(name, (base,), {"__doc__": describes, "__module__": __name__, **body}, **settings)


def _is_field(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Field)


def _default(field: Field[Any], node: Node) -> Any:
    with node.refusing():
        value = json_value(field, node.value)
        value = None if value is None else field.check(value)
        if value is not None and value_json(field, value) != node.value:
            raise ValueError("it is not written as `tablewright lock` writes it")
    return value


def _option(node: Node, option: Node, name: str, known: Mapping[str, Parameter]) -> str | int:
    """Value of an option that a signature has, of the type that it has there."""
    node.at(name).name()
    any_name = any(one.kind is Parameter.VAR_KEYWORD for one in known.values())
    if (name not in known and not any_name) or name in ("of", "stored", "default"):
        raise node.refuse(f"it cannot have {name!r}")
    annotation = known[name].annotation if name in known else None
    kind = str(getattr(annotation, "__name__", annotation))
    if kind == "bool" or (kind not in ("int", "str", "str | None") and type(option.value) is bool):
        return option.flag()
    if kind == "int" or (not kind.startswith("str") and type(option.value) is int):
        return option.number(_LIMITS.get(name, 10**38))
    return option.sentence()
