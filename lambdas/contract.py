"""Contracts: the forms in which a system's stack, functions and documents agree.

Standard library only. Stacks and the deployment import contracts, and nothing else of `lambdas`.
"""

import os
from typing import ClassVar, NamedTuple, Self, dataclass_transform

# Those whose tables can have replicas.
SYSTEMS = ("sentiment", "sales", "forms", "portal")
# The attribute of a user, the claim of a token and the tag of a session that name the tenant.
TENANT = "tenant"
TENANT_CLAIM = f"custom:{TENANT}"
# The variable and the header of the key by which functions know what came through the firewall.
EDGE_KEY, EDGE_HEADER = "EDGE_KEY", "x-firewall-key"
# Counted by functions that consume a stream, of records that they cannot take; alarms watch it.
RECORDS_KEPT = "RecordsKept"
# How many entries a page of a list has, unless a request or the stage says otherwise.
PAGE_LIMIT = 20


class Route(NamedTuple):
    """A route of an HTTP API; `path` is written as API Gateway does: ``/products/{product_id}``."""

    method: str
    path: str


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Environment:
    """Variables of a function: the field `table_name` is the variable TABLE_NAME.

    Type checkers take it for a dataclass. It is none, because a dataclass compiles its methods
    while the function starts, in half a millisecond.

    Example::

        class ApiEnvironment(Environment):
            table_name: str

        function.add_environment(...)  # for each of ApiEnvironment(table_name=...).variables()
        ApiEnvironment.read().table_name
    """

    field_names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        inherited = (name for base in cls.__bases__ for name in getattr(base, "field_names", ()))
        cls.field_names = tuple(dict.fromkeys((*inherited, *cls.__annotations__)))

    def __init__(self, **given: str | None) -> None:
        if unknown := [name for name in given if name not in self.field_names]:
            raise TypeError(f"{type(self).__name__} has no {', '.join(unknown)}")
        if missing := [name for name in self._needed() if name not in given]:
            raise TypeError(f"{type(self).__name__} needs {', '.join(missing)}")
        vars(self).update(given)

    def variables(self) -> dict[str, str]:
        named = {name.upper(): getattr(self, name) for name in self.field_names}
        return {name: value for name, value in named.items() if value is not None}

    @classmethod
    def read(cls) -> Self:
        """The variables of this process; those with a default may be missing."""
        told = {name: os.environ.get(name.upper()) for name in cls.field_names}
        return cls(**{name: value for name, value in told.items() if value is not None})

    @classmethod
    def is_set(cls) -> bool:
        """Whether this process runs as the function: tests import it without."""
        return all(name.upper() in os.environ for name in cls._needed())

    @classmethod
    def _needed(cls) -> list[str]:
        return [name for name in cls.field_names if not hasattr(cls, name)]


class PagesEnvironment(Environment):
    """Variables of functions that answer with lists: the entries of a page, if not PAGE_LIMIT."""

    page_limit: str | None = None
