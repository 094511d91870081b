"""Arguments of calls and declarations, checked by the annotations of their parameters.

A type that a parameter has accepted is accepted again by one lookup, so that calls stay cheap.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, TypeVar

C = TypeVar("C")
F = TypeVar("F", bound=Callable[..., Any])
_VARIADIC = 0x04  # of a code's flags: it takes any number of arguments
_OPERATORS = ("__init__", "__and__", "__or__")
# Names of types in annotations that are not names of classes.
_ALIASES = {
    "Where": "Condition | Mapping | None",
    "Item": "dict",
    "OnMalformed": "Literal['raise'] | Callable",
    "E": "Entity",
    "Resolution": "str",
    "ShardFunction": "Callable",
}
_WORDS = {
    "Action": "an action that to_put, to_update, to_delete or to_check made",
    "Callable": "a function",
    "Change": "a change such as Order.total.set(5)",
    "Condition": "a condition such as Order.total > 5",
    "Entity": "a record",
    "Iterable": "a list",
    "Mapping": "a mapping of names to values",
    "Read": "a read that to_get made",
    "Sequence": "a list",
    "bool": "True or False",
    "int": "a whole number",
    "str": "a text",
}
_BASES = ("Table", "Entity", "Part", "Enum")


def described(value: object) -> str:
    """Describe a value for an error: as it is written if that is short, or else by its type."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    if type(value).__module__ in ("builtins", "datetime", "decimal", "tablewright.model.patterns"):
        text = repr(value)
        if len(text) <= 60 and " at 0x" not in text and "<" not in text:
            return text
    return _one(name)


def check_arguments(*unchecked: str) -> Callable[[type[C]], type[C]]:
    """Make the methods of a class, but for those named, raise TypeError for wrong arguments."""

    def decorate(owner: type[C]) -> type[C]:
        for name, method in list(vars(owner).items()):
            public = name in _OPERATORS or not name.startswith("_")
            if public and name not in unchecked and hasattr(method, "__code__"):
                setattr(owner, name, checked(method))
        return owner

    return decorate


def require_count(value: int, subject: str, least: int = 1) -> None:
    """Raise ValueError for a number that is too small."""
    if value < least:
        raise ValueError(f"{subject} must be at least {least}, not {value}")


def checked(method: F) -> F:
    """Make a method raise TypeError for wrong arguments. Stores check a `pattern` themselves."""
    code, annotations = method.__code__, method.__annotations__
    names = code.co_varnames[: code.co_argcount]
    rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount : code.co_nlocals][:1]
    variadic = rest[0] if code.co_flags & _VARIADIC else None
    accepted: dict[str, set[type]] = {
        name: set()
        for name, one in annotations.items()
        if len(one) > 1
        and one != "Any"
        and name != "return"
        and (name != "pattern" or one.startswith("str"))
    }
    if not accepted:
        return method

    @wraps(method)
    def check(*args: Any, **kwargs: Any) -> Any:
        named = (*zip(names, args, strict=False), *kwargs.items())
        if variadic:
            named += tuple((variadic, value) for value in args[len(names) :])
        for name, value in named:
            if name in accepted and type(value) not in accepted[name]:
                _check(method, args[0], name, value, accepted[name])
        return method(*args, **kwargs)

    return check  # type: ignore[return-value]


def _check(
    method: Callable[..., Any], owner: Any, name: str, value: Any, accepted: set[type]
) -> None:
    annotation = method.__annotations__[name]
    text = str(_ALIASES.get(annotation, annotation))
    outermost = text
    while "[" in outermost:
        outermost = re.sub(r"\[[^\[\]]*\]", "", outermost)
    kinds = [_ALIASES.get(kind, kind) for kind in outermost.split(" | ")]
    if any(_is_of(value, kind, text) for kind in kinds):
        if not {"type", "Literal"} & {*kinds}:
            accepted.add(type(value))
        return
    where = method.__name__
    if where == "__init__":
        where = type(owner).__name__.removesuffix("Field")
    elif where == "__init_subclass__":
        where = owner.__name__
    elif where in _OPERATORS:
        where = {"__and__": "&", "__or__": "|"}[where]
    elif hasattr(owner, "path"):
        where = f"{owner.field.name}.{where}"
    literal = " or ".join(re.findall(r"Literal\[([^\]]*)\]", text)).replace('"', "'")
    words = [{**_WORDS, "Literal": literal}.get(kind) or _one(kind) for kind in kinds]
    words = [word for word in words if word != "a None"]
    expected = " or ".join(words).replace("a type", f"a class such as {_base(text)}")
    raise TypeError(f"{where}: {name} must be {expected}, not {described(value)}")


def _is_of(value: Any, kind: str, annotation: str) -> bool:
    """Return True if a value is of a type that is known by its name."""
    if kind == "Any" or (len(kind) == 1 and kind.isupper()):
        return True
    if kind == "type":
        base = _base(annotation)
        bases = {one.__name__ for one in getattr(value, "__mro__", ())}
        return isinstance(value, type) and (base not in _BASES or base in bases)
    if kind == "Literal":
        return isinstance(value, str) and repr(value) in annotation
    if kind == "Callable":
        return callable(value)
    if kind in ("Iterable", "Sequence"):
        return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    if kind == "Mapping":
        return isinstance(value, Mapping)
    names = {"None" if one is type(None) else one.__name__ for one in type(value).__mro__}
    return kind.rpartition(".")[2] in names and not (kind == "int" and isinstance(value, bool))


def _one(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def _base(annotation: str) -> str:
    base = re.sub(r".*type\[(\w+)\].*", r"\1", annotation)
    return _ALIASES.get(base, base)
