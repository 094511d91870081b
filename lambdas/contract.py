"""Contracts: the forms in which a system's stack, functions and documents agree.

Standard library only. Stacks and the deployment import contracts, and nothing else of `lambdas`.
"""

import os
from dataclasses import MISSING, dataclass, fields
from typing import NamedTuple, Self

# Those whose tables can have replicas.
SYSTEMS = ("sentiment", "sales", "forms", "portal")
# The attribute of a user, the claim of a token and the tag of a session that name the tenant.
TENANT = "tenant"
TENANT_CLAIM = f"custom:{TENANT}"
# Counted by functions that consume a stream, of records that they cannot take; alarms watch it.
RECORDS_KEPT = "RecordsKept"
# How many entries a page of a list has, unless a request or the stage says otherwise.
PAGE_LIMIT = 20


class Route(NamedTuple):
    """A route of an HTTP API; `path` is written as API Gateway does: ``/products/{product_id}``."""

    method: str
    path: str


@dataclass(frozen=True, kw_only=True)
class Environment:
    """Variables of a function: the field `table_name` is the variable TABLE_NAME.

    Example::

        class ApiEnvironment(Environment):
            table_name: str

        function.add_environment(...)  # for each of ApiEnvironment(table_name=...).variables()
        ApiEnvironment.read().table_name
    """

    def variables(self) -> dict[str, str]:
        named = {field.name.upper(): getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in named.items() if value is not None}

    @classmethod
    def read(cls) -> Self:
        """The variables of this process; those with a default may be missing."""
        given = {
            field.name: os.environ[field.name.upper()]
            for field in fields(cls)
            if field.name.upper() in os.environ
        }
        return cls(**given)

    @classmethod
    def is_set(cls) -> bool:
        """Whether this process runs as the function: tests import it without."""
        needed = (field.name for field in fields(cls) if field.default is MISSING)
        return all(name.upper() in os.environ for name in needed)


@dataclass(frozen=True, kw_only=True)
class PagesEnvironment(Environment):
    """Variables of functions that answer with lists: the entries of a page, if not PAGE_LIMIT."""

    page_limit: str | None = None
