"""Lazy packages of a bundle: what they only pass on is loaded when it is first asked for.

Powertools' event handler imports the resolvers of all services with the one that is used, and
asyncio with them: a third of what an API's function does at its start. Its logger imports JMESPath,
for which few functions have a use: a tenth.
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
# Names that a module imports and that only some of its functions use: these import them.
DEFERRED_IMPORTS = {"aws_lambda_powertools.logging.logger": "jmespath_utils"}

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
    for module, name in DEFERRED_IMPORTS.items():
        file = bundle / f"{module.replace('.', '/')}.py"
        if file.is_file():
            file.write_text(deferred(name, file.read_text()))


def deferred(name: str, source: str) -> str:
    """A module in which those functions import a name that use it, when they are called.

    One that uses it while it is imported stays as it is.

    Example::

        deferred("json", "import json\\ndef text(value): return json.dumps(value)")
    """
    module = ast.parse(source)
    imports = [one for one in module.body if _provides(one, name)]
    functions = [
        one
        for one in ast.walk(module)
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and _uses(one.body, name)
    ]
    # What stands in a function's body is known only when it is called; all else, at the import.
    within = {id(part) for one in functions for own in one.body for part in ast.walk(own)}
    rest = [one for one in ast.walk(module) if id(one) not in within]
    if len(imports) != 1 or any(isinstance(one, ast.Name) and one.id == name for one in rest):
        return source
    module.body.remove(imports[0])
    for one in functions:
        one.body.insert(1 if ast.get_docstring(one) is not None else 0, imports[0])
    return ast.unparse(module)


def _provides(statement: ast.stmt, name: str) -> bool:
    """Whether a statement imports this name, and nothing else."""
    if not isinstance(statement, ast.Import | ast.ImportFrom) or len(statement.names) != 1:
        return False
    return (statement.names[0].asname or statement.names[0].name) == name


def _uses(body: list[ast.stmt], name: str) -> bool:
    parts = (part for one in body for part in ast.walk(one))
    return any(isinstance(part, ast.Name) and part.id == name for part in parts)


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
