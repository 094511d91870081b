"""One request: who asks, for which tenant, with which parameters."""

from typing import Any

from aws_lambda_powertools.event_handler import Response

from lambdas.contract import TENANT_CLAIM
from lambdas.errors import InvalidRequest, NotAllowed
from lambdas.forms import access
from lambdas.forms.management.secret_values import SecretValues
from lambdas.http.answers import answer, page_json
from lambdas.http.caller import (
    claims_of,
    groups_of,
    require_group,
    subject_of,
    tenant_of,
)
from lambdas.http.requests import page_limit, parameters
from tablewright.catalog.forms.submissions import tenant_id
from tablewright.model import Entity, InvalidValue
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

OPERATORS = "operators"
TENANT = tenant_id()
PAGING = ("limit", "cursor")


class Asked:
    """What somebody asks for a tenant: his own, or any that an operator names."""

    def __init__(self, event: Any, *known: str) -> None:
        self.given = parameters(event, (*known, TENANT.name))
        self.caller = subject_of(event)
        self.operator = OPERATORS in groups_of(event)
        self.tenant = self._tenant(event, self.given.get(TENANT.name))

    @property
    def store(self) -> Store:
        return access.current().of(self.tenant)

    @property
    def secrets(self) -> SecretValues:
        return access.current().secrets(self.tenant)

    @property
    def paging(self) -> dict[str, Any]:
        return paging(self.given, self.caller)

    def _tenant(self, event: Any, named: str | None) -> str:
        if named is None:
            if self.operator and TENANT_CLAIM not in claims_of(event):
                wrong = [(TENANT.name, "is required of an operator without a tenant of his own")]
                raise InvalidRequest("The request does not say for which tenant.", wrong)
            return tenant_of(event, TENANT)
        if not self.operator and named != tenant_of(event, TENANT):
            raise NotAllowed("Only operators may act for another tenant than their own.")
        try:
            return TENANT.check(named)
        except InvalidValue as problem:
            wrong = [(TENANT.name, problem.reason)]
            raise InvalidRequest("The tenant is not valid.", wrong) from None


class OperatorAsked:
    """What an operator asks about all tenants."""

    def __init__(self, event: Any, *known: str) -> None:
        require_group(event, OPERATORS)
        self.given = parameters(event, known)
        self.caller = subject_of(event)

    @property
    def paging(self) -> dict[str, Any]:
        return paging(self.given, self.caller)


def paging(given: dict[str, str], caller: str) -> dict[str, Any]:
    """The page that is asked for; its cursor is of no use to anybody else."""
    return {
        "limit": page_limit(given.get("limit")),
        "cursor": given.get("cursor"),
        "caller": caller,
    }


def listed(entity: Entity, page: Page) -> Response[str]:
    return answer(page_json(entity, page, cursor="next_cursor"))
