"""Import paths: what a design refers to by function or class, as ``module:name``."""

from importlib import import_module

from tablewright import model
from tablewright.designs.description.errors import Indescribable


def import_path(one: object, what: str) -> str:
    """Where a function or class can be imported from; `what` names its use to whoever is told that
    it cannot.

    >>> import_path(model.java_hash, "the function")
    'tablewright.model:java_hash'
    """
    name = str(getattr(one, "__qualname__", ""))
    if getattr(model, name, None) is one:
        return f"{model.__name__}:{name}"
    module = str(getattr(one, "__module__", ""))
    if not name.isidentifier() or module == "__main__" or not _has(module, name, one):
        shown = "a lambda" if name.endswith("<lambda>") else repr(name or one)
        raise Indescribable(
            f"{what} is {shown}, which no other module can import: declare it at the top level of "
            "a module, under a name of its own"
        )
    return f"{module}:{name}"


def _has(module: str, name: str, one: object) -> bool:
    try:
        return getattr(import_module(module), name, None) is one
    except (ImportError, ValueError):
        return False
