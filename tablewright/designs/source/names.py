"""Names of a generated module: what it imports, what it declares, and no two of them the same."""

import keyword
import re
from collections.abc import Iterable

from tablewright.designs.source.layout import WIDTH

_STANDARD = {"builtins", "collections.abc", "datetime", "decimal", "enum", "typing"}


class Names:
    """Imports of a module as they are asked for.

    One whose name the module has a use for, as that of a class or field, gets another one there.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._imports: dict[str, dict[str, str]] = {}

    def use(self, module: str, name: str) -> str:
        """What something that a module has is called here."""
        local = name
        others = {one for known in self._imports.values() for one in known.values()}
        others -= {self._imports.get(module, {}).get(name, "")}
        while local in self._taken or local in others:
            local += "_"
        if module != "builtins" or local != name:
            self._imports.setdefault(module, {})[name] = local
        return local

    def path(self, path: str) -> str:
        """The same for what is at ``module:name``."""
        module, _, name = path.partition(":")
        return self.use(module, name)

    def model(self, name: str) -> str:
        """The same for what the model exports."""
        return self.use("tablewright.model", name)

    def lines(self) -> list[str]:
        """The imports, those of the standard library first."""
        blocks = (
            sorted(self._imports.keys() & _STANDARD),
            sorted(self._imports.keys() - _STANDARD),
        )
        lines: list[str] = []
        for modules in filter(None, blocks):
            lines += ["", *(line for one in modules for line in self._import(one))]
        return lines[1:]

    def _import(self, module: str) -> list[str]:
        known = self._imports[module]
        ordered = sorted(known, key=_isort_order)
        names = [name for name in ordered if known[name] == name]
        others = [name for name in ordered if known[name] != name]
        lines = [f"from {module} import {', '.join(names)}"] if names else []
        if lines and len(lines[0]) > WIDTH:
            lines = [f"from {module} import (", *(f"    {name}," for name in names), ")"]
        return [*lines, *(f"from {module} import {name} as {known[name]}" for name in others)]


def _isort_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest."""
    if name.isupper() and len(name) > 1:
        return 0, name
    return (1, name) if name[:1].isupper() else (2, name)


def words(text: str) -> list[str]:
    """The words of a name, however it is written.

    >>> words("GSI1-PK"), words("orderItem"), words("created_at#id")
    (['GSI1', 'PK'], ['order', 'Item'], ['created', 'at', 'id'])
    """
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
    return re.findall(r"[A-Za-z0-9]+", parted)


def class_name(text: str) -> str:
    """A name for a class.

    >>> class_name("order item"), class_name("ORDER"), class_name("42")
    ('OrderItem', 'Order', 'N42')
    """
    found = "".join(
        word.capitalize() if word.isupper() or word.islower() else word[0].upper() + word[1:]
        for word in words(text)
    )
    return _identifier(found, "N")


def attribute_name(text: str) -> str:
    """A name for a field or another attribute.

    >>> attribute_name("orderId"), attribute_name("class"), attribute_name("2nd")
    ('order_id', 'class_', 'n2nd')
    """
    return _identifier("_".join(words(text)).lower(), "n")


def _identifier(name: str, letter: str) -> str:
    if not name or name[0].isdigit():
        name = letter + name
    return f"{name}_" if keyword.iskeyword(name) else name
