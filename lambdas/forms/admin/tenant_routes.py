"""Routes of tenants, their configuration and their domains."""

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from lambdas.forms import contract
from lambdas.forms.admin import resources
from lambdas.forms.admin.requests import PAGING, OperatorRequest, TenantRequest, list_answer
from lambdas.forms.tenants.changes import CONFIGS
from lambdas.forms.tenants.configuration import Configuration, tenant_from
from lambdas.forms.tenants.domains import Domains, shown
from lambdas.http.answers import answer
from lambdas.http.application import routed
from lambdas.http.requests import choice, json_body
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.tenants import STATES

logger = Logger()
router = Router()  # type: ignore[no-untyped-call]


@routed(router, contract.LIST_TENANTS)
def list_tenants() -> Response[str]:
    request = OperatorRequest(router.current_event, "state", *PAGING)
    state = choice("state", request.parameters.get("state"), STATES)
    page = resources.current().shared().query(Forms.tenants, {"state": state}, **request.paging)
    return list_answer(page)


@routed(router, contract.CREATE_TENANT)
def create_tenant() -> Response[str]:
    OperatorRequest(router.current_event)
    tenant = tenant_from(json_body(router.current_event), resources.current().now())
    id = tenant.tenant_id
    config, new = Configuration(resources.current().store(id), id).create(tenant)
    logger.info("tenant stored", tenant_id=id, new=new)
    return CONFIGS.tagged(config, 201 if new else 200)


@routed(router, contract.GET_CONFIG)
def get_config() -> Response[str]:
    request = TenantRequest(router.current_event)
    return CONFIGS.tagged(Configuration(request.store, request.tenant).one())


@routed(router, contract.CHANGE_CONFIG)
def change_config() -> Response[str]:
    request = TenantRequest(router.current_event)
    body = json_body(router.current_event)
    version = CONFIGS.named_in(router.current_event, body)
    config = Configuration(request.store, request.tenant).change(
        body, version, resources.current().now(), operator=request.operator
    )
    logger.info("configuration changed", tenant_id=request.tenant, version=config.updated_at)
    return CONFIGS.tagged(config)


@routed(router, contract.LIST_DOMAINS)
def list_domains() -> Response[str]:
    request = TenantRequest(router.current_event, *PAGING)
    page = _domains(request).page(**request.paging)
    return answer({"items": [shown(one) for one in page.items], "next_cursor": page.cursor})


@routed(router, contract.CLAIM_DOMAIN)
def claim_domain() -> Response[str]:
    request = TenantRequest(router.current_event)
    body = json_body(router.current_event)
    Configuration(request.store, request.tenant).one()
    claim, new = _domains(request).claim(body, resources.current().now())
    logger.info("domain claimed", tenant_id=request.tenant, domain=claim.domain, new=new)
    return answer(shown(claim), 201 if new else 200)


@routed(router, contract.VERIFY_DOMAIN)
def verify_domain(domain: str) -> Response[str]:
    request = TenantRequest(router.current_event)
    now = resources.current().now()
    return answer(shown(_domains(request).verify(domain, now, resources.current().verify)))


@routed(router, contract.GIVE_UP_DOMAIN)
def give_up_domain(domain: str) -> Response[str]:
    request = TenantRequest(router.current_event)
    _domains(request).give_up(domain)
    logger.info("domain given up", tenant_id=request.tenant, domain=domain)
    return Response(204)


def _domains(request: TenantRequest) -> Domains:
    return Domains(request.store, resources.current().shared(), request.tenant)
