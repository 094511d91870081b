"""Lazy packages of a bundle: what they only pass on is loaded when it is first asked for.

Powertools' event handler imports the resolvers of all services with the one that is used, and
asyncio with them: a third of what an API's function does at its start.
"""

import ast
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

LAZY_PACKAGES = (
    "aws_lambda_powertools",
    "aws_lambda_powertools.event_handler",
    "aws_lambda_powertools.event_handler.openapi",
    "aws_lambda_powertools.utilities.data_classes",
)

_LAZY = """
_HOMES = {homes}


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {{__name__!r}} has no attribute {{name!r}}")
    from importlib import import_module

    home, called = _HOMES[name]
    value = globals()[name] = getattr(import_module(home), called)
    return value
"""


def make_lazy(bundle: Path) -> None:
    """Make those of the lazy packages lazy that are in a bundle."""
    for package in LAZY_PACKAGES:
        init = bundle / package.replace(".", "/") / "__init__.py"
        if init.is_file():
            init.write_text(lazy(package, init.read_text()))


def lazy(package: str, source: str) -> str:
    """A package's `__init__` that passes the same names on; whatever else it does stays.

    Example::

        lazy("shop", "from shop.orders import Order")
    """
    module = ast.parse(source)
    statements = [one for one in module.body if not isinstance(one, ast.ImportFrom)]
    used = {one.id for part in statements for one in ast.walk(part) if isinstance(one, ast.Name)}
    kept: list[str] = []
    homes: dict[str, tuple[str, str]] = {}
    for statement in module.body:
        if not isinstance(statement, ast.ImportFrom) or statement.module == "__future__":
            kept.append(ast.unparse(statement))
            continue
        for name, home, called in _imported(package, statement):
            # A module that is imported becomes an attribute of its package, and takes its name.
            if name in used or name == "*" or home == f"{package}.{name}":
                alias = called if name == called else f"{called} as {name}"
                kept.append(f"from {home} import {alias}")
            else:
                homes[name] = (home, called)
    return "\n".join([*kept, _LAZY.format(homes=homes)])


def _imported(package: str, statement: ast.ImportFrom) -> Iterator[tuple[str, str, str]]:
    """Each name, the module that it comes from, and what it is called there."""
    home = resolve_name("." * statement.level + (statement.module or ""), package)
    for one in statement.names:
        yield one.asname or one.name, home, one.name
