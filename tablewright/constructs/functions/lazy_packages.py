"""Lazy packages of a bundle: packages that only pass names on load each when it is first asked for.

Powertools' event handler imports the resolvers of all services with the one that is used, and
asyncio with them: a third of what an API's function does at its start.
"""

import ast
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path
from typing import TypeGuard

LAZY_PACKAGES = (
    "aws_lambda_powertools.event_handler",
    "aws_lambda_powertools.event_handler.openapi",
    "aws_lambda_powertools.utilities.data_classes",
)

_LAZY = """{docstring}
__all__ = {names}

_HOMES = {homes}


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {{__name__!r}} has no attribute {{name!r}}")
    from importlib import import_module

    home, called = _HOMES[name]
    value = globals()[name] = getattr(import_module(home), called)
    return value
{eager}"""


def make_lazy(bundle: Path) -> None:
    """Make those of the lazy packages lazy that are in a bundle."""
    for package in LAZY_PACKAGES:
        init = bundle / package.replace(".", "/") / "__init__.py"
        if init.is_file():
            init.write_text(lazy(package, init.read_text()))


def lazy(package: str, source: str) -> str:
    """A package's `__init__` that passes the same names on; as it is where it does more than that.

    Example::

        lazy("shop", "from shop.orders import Order")
    """
    module = ast.parse(source)
    homes: dict[str, tuple[str, str]] = {}
    names: list[str] | None = None
    for statement in module.body:
        if isinstance(statement, ast.ImportFrom) and statement.module != "__future__":
            homes.update(_homes(package, statement))
        elif _assigns_all(statement):
            names = ast.literal_eval(statement.value)
        elif not _is_nothing(statement):
            return source
    if "*" in homes:
        return source
    docstring = ast.get_docstring(module)
    # A module that is imported becomes an attribute of its package, and would take this name.
    eager = [
        f"from {home} import {called} as {name}\n"
        for name, (home, called) in homes.items()
        if home == f"{package}.{name}"
    ]
    return _LAZY.format(
        docstring=repr(docstring) if docstring else "",
        names=sorted(homes) if names is None else names,
        homes=homes,
        eager="\n" + "".join(eager) if eager else "",
    )


def _homes(package: str, statement: ast.ImportFrom) -> Iterator[tuple[str, tuple[str, str]]]:
    home = resolve_name("." * statement.level + (statement.module or ""), package)
    for name in statement.names:
        yield name.asname or name.name, (home, name.name)


def _assigns_all(statement: ast.stmt) -> TypeGuard[ast.Assign]:
    return isinstance(statement, ast.Assign) and [
        target.id for target in statement.targets if isinstance(target, ast.Name)
    ] == ["__all__"]


def _is_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom):
        return True
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
