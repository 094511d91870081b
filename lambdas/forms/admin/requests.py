"""Requests of the admin API: who makes one, for which tenant, with which parameters."""

from collections.abc import Collection
from typing import Any, TypeVar

from aws_lambda_powertools.event_handler import Response

from lambdas.contract import TENANT_CLAIM
from lambdas.errors import InvalidRequest, NotAllowed
from lambdas.forms.admin import resources
from lambdas.forms.tenants.secrets import SecretStore
from lambdas.http.answers import answer, record_json
from lambdas.http.caller import (
    claims_of,
    groups_of,
    require_group,
    subject_of,
    tenant_of,
)
from lambdas.http.requests import page_limit, parameters
from tablewright.catalog.forms.submissions import tenant
from tablewright.model import Entity, InvalidValue
from tablewright.model.fields.time import utc_text
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

OPERATORS = "operators"
TENANT = tenant().named("tenant_id")
PAGING = ("limit", "cursor")

E = TypeVar("E", bound=Entity)


class TenantRequest:
    """A request for a tenant: the caller's own, or any that an operator names."""

    def __init__(self, event: Any, *known: str) -> None:
        self.parameters = parameters(event, (*known, TENANT.name))
        self.caller = subject_of(event)
        self.operator = OPERATORS in groups_of(event)
        self.tenant = self._tenant(event, self.parameters.get(TENANT.name))

    @property
    def store(self) -> Store:
        return resources.current().store(self.tenant)

    @property
    def secrets(self) -> SecretStore:
        return resources.current().secrets(self.tenant)

    @property
    def paging(self) -> dict[str, Any]:
        return paging(self.parameters, self.caller)

    @property
    def period(self) -> dict[str, str | None]:
        """The times `since` and `until`, given in any form of ISO 8601 with a zone."""
        return {name: _time(name, self.parameters.get(name)) for name in ("since", "until")}

    def _tenant(self, event: Any, named: str | None) -> str:
        if named is None:
            if self.operator and TENANT_CLAIM not in claims_of(event):
                wrong = [(TENANT.name, "is required of an operator without a tenant of his own")]
                raise InvalidRequest("The request does not say for which tenant.", wrong)
            return tenant_of(event, TENANT)
        if not self.operator and named != tenant_of(event, TENANT):
            raise NotAllowed("Only operators may act for another tenant than their own.")
        try:
            return str(TENANT.check(named))
        except InvalidValue as problem:
            wrong = [(TENANT.name, problem.reason)]
            raise InvalidRequest("The tenant is not valid.", wrong) from None


class OperatorRequest:
    """A request of an operator about all tenants."""

    def __init__(self, event: Any, *known: str) -> None:
        require_group(event, OPERATORS)
        self.parameters = parameters(event, known)
        self.caller = subject_of(event)

    @property
    def paging(self) -> dict[str, Any]:
        return paging(self.parameters, self.caller)


def _time(name: str, text: str | None) -> str | None:
    try:
        return None if text is None else utc_text(text)
    except ValueError as problem:
        raise InvalidRequest(f"{name} is not valid.", [(name, str(problem))]) from None


def paging(parameters: dict[str, str], caller: str) -> dict[str, Any]:
    """The page that is asked for; its cursor is of no use to anybody else."""
    return {
        "limit": page_limit(parameters.get("limit")),
        "cursor": parameters.get("cursor"),
        "caller": caller,
    }


def list_answer(page: Page[E], shown: Collection[str] = ()) -> Response[str]:
    """A page of records, or of those of their fields that are shown."""
    items = [part_json(record, shown) if shown else record_json(record) for record in page.items]
    return answer({"items": items, "next_cursor": page.cursor})


def part_json(record: Entity, shown: Collection[str]) -> dict[str, Any]:
    """Some fields of a record."""
    return {name: value for name, value in record_json(record).items() if name in shown}
