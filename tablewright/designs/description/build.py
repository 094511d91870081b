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
from tablewright.designs.description.node import Node, is_name
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
Convert = Callable[[Node], Any]
_SPECIFIERS: dict[str, Callable[..., Field[Any]]] = {
    name: getattr(model, name) for name in dict.fromkeys(KINDS.values())
}
_PATTERNS = {kind.__name__: kind for kind in PATTERNS}
_COMPUTED = {"Computed": Computed, "Digest": Digest, "Reversed": Reversed}
_SHARDS = {"EpochShards": EpochShards, "Shards": Shards}
_PATH = re.compile(r"(?!\d)\w+(\.(?!\d)\w+)*:(?!\d)\w+", re.ASCII)
_SETTINGS = ("entity_type", "tenant", "ttl", "stream", "epochs")
# Parameters that descriptions call by other names.
_WRITTEN = {"pk": "partition", "sk": "sort"}
_FIRST = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_NAMED = (*_FIRST, Parameter.KEYWORD_ONLY)
# Options with a limit of their own: a key is padded to its digits, and a list reads every shard.
_LIMITS = {"digits": 38, "decimals": 38, "count": 100_000}
_MOST = 10**38  # numbers of DynamoDB have 38 digits
_LEVELS = 32  # of a value in DynamoDB
_LONGEST_PATTERN = 10_000


def build_table(description: Description, *declared: type[Table]) -> type[Table]:
    """Build the design of a description; raises InvalidDescription.

    The description may name functions and classes of fields that the `declared` designs use, and
    those of the library: others are refused, not imported.

    Example::

        before = build_table(json.loads(lock.read_text()), Orders)
    """
    functions = own_names(entry.__design__ for entry in declared)
    return _Builder(functions).table(Node(description))


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

    classes: dict[str, type[Any]]
    members: dict[str, Mapping[str, Any]]
    indexes: dict[str, Index]
    patterns: dict[str, Pattern[Any]]
    calls: dict[int, Call]
    paths: dict[int, str]


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
    def __init__(self, functions: Mapping[str, Any] | None) -> None:
        self._functions = functions
        self._enums: dict[str, type[Enum]] = {}
        self._parts: dict[str, type[Part]] = {}
        self._entities: dict[str, type[Entity]] = {}
        # A short text can keep a regular expression busy for ever: a file's match nothing here.
        self._withheld: list[tuple[TextField, str]] = []
        self.built = Built({}, {}, {}, {}, {}, {})

    def table(self, root: Node) -> type[Table]:
        """Build the whole design."""
        version = root.members().get("format", root).value
        if type(version) is not int or version != FORMAT:
            raise root.at("format", version).refuse(f"this version reads format {FORMAT}")
        required = "format id describes key entities indexes patterns"
        members = root.shaped(required, f"{' '.join(_SETTINGS)} enums parts")
        key = members["key"].shaped("partition", "sort")
        built = self.built
        for name, node in members.get("enums", Node({})).members().items():
            built.classes[name] = self._enums[name] = self._enum(name, node)
        for name, node in members.get("parts", Node({})).members().items():
            built.classes[name] = self._parts[name] = self._part(name, node)
        for name, node in members["entities"].members().items():
            built.classes[name] = self._entities[name] = self._entity(name, node, (1, len(key) - 1))
        for name, node in members["indexes"].members().items():
            built.indexes[name] = self._index(name, node)
        for name, node in members["patterns"].members().items():
            built.patterns[members["patterns"].at(name).name()] = self._pattern(node)
        settings: dict[str, Any] = {n: members[n].text() for n in _SETTINGS if n in members}
        if "epochs" in settings:
            settings["epochs"] = members["epochs"].one_of(built.patterns)
        # An index has no name in Python: the space keeps it apart from patterns.
        body = {f"index {name}": index for name, index in built.indexes.items()}
        settings |= {"id": members["id"].text(), "pk": key["partition"].text()}
        settings |= {"sk": key["sort"].text()} if "sort" in key else {}
        with root.refusing():
            describes = members["describes"].sentence()
            name = settings["id"].title().replace("-", "")
            table = _class(name, Table, describes, body | built.patterns, **settings)
        for name, node in members["entities"].members().items():
            if name not in table.__design__.entities:
                raise node.refuse("no access pattern and no index uses it")
        for field, pattern in self._withheld:
            field.pattern = pattern
        return table

    def _enum(self, name: str, node: Node) -> type[Enum]:
        members = node.each(Node.sentence)
        for member in members:
            node.at(member).name()
        if not members or len({*members.values()}) < len(members):
            raise node.refuse("it must have members with different values")
        with node.refusing():
            functional: Any = Enum  # mypy evaluates its arguments, which must be literals
            part: type[Enum] = functional(name, members, module=__name__)
            return part

    def _part(self, name: str, node: Node) -> type[Part]:
        members = node.shaped("describes fields")
        fields = self.built.members[name] = self._fields(members["fields"])
        with node.refusing():
            return _class(name, Part, members["describes"].sentence(), fields)

    def _entity(self, name: str, node: Node, attributes: tuple[int, int]) -> type[Entity]:
        members = node.shaped("describes key fields", "computed expires")
        fields = self._fields(members["fields"])
        body: dict[str, Any] = {**fields}
        if "computed" in members:
            for text, entry in members["computed"].members().items():
                if members["computed"].at(text).name() in fields or text in dir(Entity):
                    raise members["computed"].at(text).refuse("the name is taken")
                body[text] = self._computed(entry, fields)
        self.built.members[name] = body
        settings: dict[str, Any] = {"key": self._key(members["key"], {*body}, attributes)}
        if "expires" in members:
            field = {"field": _name_among(fields)}
            settings["expires"] = self._call(members["expires"], Expiry, field)
        with node.refusing():
            describes = members["describes"].sentence()
            part = _class(name, Entity, describes, body, name=name, **settings)
        self.built.calls[id(part)] = Call("", (), settings)
        return part

    def _computed(self, node: Node, fields: Mapping[str, Field[Any]]) -> Computed:
        options = node.members()
        kind: Any = options.pop("kind", node).one_of(_COMPUTED)
        inputs = [entry.one_of(fields) for entry in options.get("of", node).elements()]
        if kind is Computed:
            options.pop("of")
        elif len(inputs) != 1:
            raise node.refuse("it is computed from a single field")
        special: dict[str, Convert] = {"function": self._function, "of": lambda entry: inputs[0]}
        more = inputs if kind is Computed else []
        part: Computed = self._call(node, kind, special, *more, members=options)
        return part

    def _function(self, node: Node) -> Callable[..., Any]:
        function: Callable[..., Any] = self._named(node, LIBRARY, lambda *values: "")
        if isinstance(function, type):
            raise node.refuse("it must be a function")
        self.built.paths[id(function)] = node.text()
        return function

    def _named(self, node: Node, library: Mapping[str, Any], stand_in: Any) -> Any:
        """Object that a description names: of the library, or of the declared designs."""
        name = node.text()
        if name in library or not _PATH.fullmatch(name):
            return node.one_of(library)
        if self._functions is None:
            return stand_in
        if name not in self._functions:
            raise node.refuse(
                "no design that was named uses it, and nothing is imported because a file names "
                "it. Name the design that declares it as package.module:Name"
            )
        return self._functions[name]

    def _fields(self, node: Node) -> dict[str, Field[Any]]:
        for name in node.members():
            if node.at(name).name() in dir(Entity):
                raise node.at(name).refuse("records use the name themselves")
        return node.each(self._field)

    def _field(self, node: Node, level: int = 0) -> Field[Any]:
        if level > _LEVELS:
            raise node.refuse(f"it is nested deeper than {_LEVELS} levels")
        options = node.members()
        kind = options.pop("kind", node)
        specifier: Any = self._named(kind, _SPECIFIERS, _OwnField)
        is_own = kind.value not in _SPECIFIERS
        if is_own and not (isinstance(specifier, type) and issubclass(specifier, Field)):
            raise kind.refuse("it must be a class of fields")
        if level and not options.keys().isdisjoint(("default", "stored")):
            raise node.refuse("an element cannot have 'default' or 'stored'")
        if kind.value == "Choice":
            if "of" in options or len({"enum", "choices"} & options.keys()) != 1:
                raise node.refuse("it must have 'enum' or 'choices'")
            (name,) = {"enum", "choices"} & options.keys()
            options["of"] = options.pop(name)
        special: dict[str, Convert] = {
            "of": lambda of: self._of(kind.value, of, level + 1),
            "stored": lambda entry: IN_KEY if entry.value is None else entry.text(),
        }
        # The specifiers of the library set this flag; a class of its own has no such option.
        secret = is_own and "secret" in options and options.pop("secret").flag()
        default = options.pop("default", None)
        ordered = sorted(options, key=[*_parameters(specifier), *options].index)
        path = kind.value if is_own else ""
        members = {name: options[name] for name in ordered}
        field: Field[Any] = self._call(node, specifier, special, members=members, path=path)
        self._withhold_pattern(field, node)
        if default is not None:
            value = _default(field, default)
            self.built.calls.pop(id(field))  # the identity of an object that is gone is used again
            special["default"] = lambda entry: value
            members["default"] = default
            field = self._call(node, specifier, special, members=members, path=path)
            self._withhold_pattern(field, node)
        if secret:
            field.secret = True
            part = self.built.calls[id(field)]
            self.built.calls[id(field)] = part._replace(options={**part.options, "secret": True})
        return field

    def _withhold_pattern(self, field: Field[Any], node: Node) -> None:
        if isinstance(field, TextField) and field.pattern:
            if len(field.pattern) > _LONGEST_PATTERN:
                raise node.refuse(f"its pattern is longer than {_LONGEST_PATTERN} characters")
            with node.refusing():
                re.compile(field.pattern)
            self._withheld.append((field, field.pattern))
            field.pattern = None

    def _of(self, kind: str, node: Node, level: int) -> Any:
        if kind == "PartOf":
            return node.one_of(self._parts)
        if kind != "Choice":
            return self._field(node, level)
        if isinstance(node.value, str):
            return node.one_of(self._enums)
        return node.texts()

    def _key(self, node: Node, names: set[str], attributes: tuple[int, int]) -> Key:
        key = self._call(node, Key, {"shards": lambda entry: self._shards(entry, names)})
        if (len(key.partition), len(key.sort)) != attributes:
            raise node.refuse("it must have a form for each attribute of the key")
        for template in key.templates:
            unknown = {*template.fields} - names - ({"shard"} if key.shards else set())
            if unknown or len({*template.fields}) < len(template.fields):
                raise Node(template.text, node.path).refuse("each {…} must name another field")
        return key

    def _shards(self, node: Node, names: set[str]) -> Shards | EpochShards:
        options = node.members()
        kind: Any = options.pop("kind", node).one_of(_SHARDS)
        special = dict.fromkeys(("by", "whose", "dated"), _name_among(names))
        special["function"] = self._function
        shards: Shards | EpochShards = self._call(node, kind, special, members=options)
        return shards

    def _index(self, name: str, node: Node) -> Index:
        def projects(entry: Node) -> Any:
            if isinstance(entry.value, str):
                return entry.one_of({ALL: ALL, KEYS_ONLY: KEYS_ONLY})
            fields = self._fields_of(entry for entry in keys.members() if entry in self._entities)
            return tuple(fields.get(field.text(), field.value) for field in entry.elements())

        def key_of(entity: str) -> Key:
            return self._key(keys.members()[entity], {*self.built.members[entity]}, attributes)

        members = node.shaped("partition projects keys", "sort local sparse")
        keys = members["keys"]
        names = [members[entry].value for entry in ("partition", "sort") if entry in members]
        counts = [len(entry) if isinstance(entry, list) else 1 for entry in names]
        attributes = (counts[0], sum(counts[1:]))
        special: dict[str, Convert] = {
            "projects": projects,
            "keys": lambda node: {
                node.at(entry).one_of(self._entities): key_of(entry) for entry in node.members()
            },
        }
        return self._call(node, Index, special, members=members | {"name": Node(name)})

    def _pattern(self, node: Node) -> Pattern[Any]:
        options = node.members()
        kind: Any = options.pop("kind", node).one_of(_PATTERNS)
        of = options.get("of", node)
        several = of.elements() if issubclass(kind, BatchWrite | Collection) else [of]
        if not several:
            raise of.refuse("it must not be empty")
        entities = [entry.one_of(self._entities) for entry in several]
        fields = self._fields_of(entry.value for entry in several)

        def index(entry: Node) -> Index:
            chosen = entry.one_of(self.built.indexes)
            if not {*entities} <= chosen.keys.keys():
                raise entry.refuse("its entities are not in that index")
            return chosen

        def several_fields(node: Node) -> tuple[Field[Any], ...]:
            return tuple(field.one_of(fields) for field in node.elements())

        special: dict[str, Convert] = {
            "of": lambda entry: entities[0],
            "index": index,
            "marker": lambda entry: entry.one_of(self._entities),
            "range": lambda entry: entry.one_of(fields),
            "select": several_fields,
            "filters": several_fields,
        }
        part: Pattern[Any] = self._call(node, kind, special, *entities[1:], members=options)
        return part

    def _fields_of(self, entities: Iterable[str]) -> dict[str, Field[Any]]:
        """Fields by name, each of the first of these entities that has it."""
        fields: dict[str, Field[Any]] = {}
        for entity in entities:
            for name, field in self.built.members[entity].items():
                if isinstance(field, Field):
                    fields.setdefault(name, field)
        return fields

    def _call(
        self,
        node: Node,
        kind: Callable[..., T],
        special: Mapping[str, Convert],
        *more: Any,
        members: Mapping[str, Node] | None = None,
        path: str = "",
    ) -> T:
        """Call a constructor with members of an object, each converted for its parameter."""
        parameters = _parameters(kind)
        written = {_WRITTEN.get(name, name): name for name in parameters}
        values: dict[str, Any] = {}
        for name, entry in (node.members() if members is None else members).items():
            if name not in written and not (path and is_name(name)):
                raise node.refuse(f"it cannot have {name!r}")
            parameter = written.get(name, name)
            convert = special.get(name) or _converter(name, entry, parameters.get(parameter))
            values[parameter] = convert(entry)
        for name, parameter in written.items():
            needed = parameters[parameter].default is Parameter.empty
            if needed and parameters[parameter].kind in _NAMED and parameter not in values:
                raise node.refuse(f"it must have '{name}'")
        first = [
            values.pop(entry)
            for entry in parameters
            if parameters[entry].kind in _FIRST and entry in values
        ]
        with node.refusing():
            part = kind(*first, *more, **values)
        # Options that repeat a default are not worth remembering.
        options = {
            n: entry for n, entry in values.items() if not _is_default(parameters.get(n), entry)
        }
        path = path or f"{model.__name__}:{kind.__name__}"
        self.built.calls[id(part)] = Call(path, (*first, *more), options)
        return part


@cache
def _parameters(function: Any) -> Mapping[str, Parameter]:
    return signature(function).parameters


def _class(
    name: str, base: type[T], describes: str, body: Mapping[str, Any], /, **settings: Any
) -> type[T]:
    return type(name, (base,), {"__doc__": describes, "__module__": __name__, **body}, **settings)


def _name_among(names: Iterable[str]) -> Convert:
    """Converter of a text that must be one of these names."""
    return lambda node: node.one_of({name: name for name in names})


def _default(field: Field[Any], node: Node) -> Any:
    with node.refusing():
        value = json_value(field, node.value)
        value = None if value is None else field.check(value)
        if value is not None and value_json(field, value) != node.value:
            raise ValueError("it is not written as `tablewright lock` writes it")
    return value


def _converter(name: str, node: Node, parameter: Parameter | None) -> Callable[[Node], Any]:
    """Converter for the type that a parameter has; without a type, for that of the value."""
    annotation = parameter.annotation if parameter else Parameter.empty
    if annotation is Parameter.empty:
        annotation = type(node.value)
    kind = str(getattr(annotation, "__name__", annotation)).removesuffix(" | None")
    if kind == "int":
        return lambda entry: entry.number(_LIMITS.get(name, _MOST))
    return {"bool": Node.flag, "str | tuple[str, ...]": Node.texts}.get(kind, Node.sentence)


def _is_default(parameter: Parameter | None, value: Any) -> bool:
    default = parameter.default if parameter else Parameter.empty
    return type(value) is type(default) and bool(value == default)
