"""Routes of tenants, their configuration and their domains."""

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from lambdas.forms import access
from lambdas.forms.management.asking import PAGING, Asked, OperatorAsked, listed
from lambdas.forms.management.domains import Domains, shown
from lambdas.forms.management.tenants import Configuration, tenant_from
from lambdas.forms.management.versions import CONFIGS
from lambdas.http.answers import answer
from lambdas.http.requests import choice, json_body
from tablewright.catalog.forms.design import FORMS
from tablewright.catalog.forms.tenants import CONFIG, STATES

logger = Logger()
router = Router()  # type: ignore[no-untyped-call]


@router.get("/tenants")
def list_tenants() -> Response[str]:
    asked = OperatorAsked(router.current_event, "state", *PAGING)
    state = choice("state", asked.given.get("state"), STATES)
    page = access.current().shared().query(FORMS.tenants, {"state": state}, **asked.paging)
    return listed(CONFIG, page)


@router.post("/tenants")
def create_tenant() -> Response[str]:
    OperatorAsked(router.current_event)
    tenant = tenant_from(json_body(router.current_event), access.current().now())
    id = tenant["tenant_id"]
    config, new = Configuration(access.current().of(id), id).create(tenant)
    logger.info("tenant stored", tenant_id=id, new=new)
    return CONFIGS.tagged(config, 201 if new else 200)


@router.get("/config")
def get_config() -> Response[str]:
    asked = Asked(router.current_event)
    return CONFIGS.tagged(Configuration(asked.store, asked.tenant).one())


@router.patch("/config")
def change_config() -> Response[str]:
    asked = Asked(router.current_event)
    body = json_body(router.current_event)
    version = CONFIGS.named_in(router.current_event, body)
    config = Configuration(asked.store, asked.tenant).change(
        body, version, access.current().now(), operator=asked.operator
    )
    logger.info("configuration changed", tenant_id=asked.tenant, version=config["updated_at"])
    return CONFIGS.tagged(config)


@router.get("/domains")
def list_domains() -> Response[str]:
    asked = Asked(router.current_event, *PAGING)
    page = _domains(asked).page(**asked.paging)
    return answer({"items": page.items, "next_cursor": page.cursor})


@router.post("/domains")
def claim_domain() -> Response[str]:
    asked = Asked(router.current_event)
    body = json_body(router.current_event)
    Configuration(asked.store, asked.tenant).one()
    claim, new = _domains(asked).claim(body, access.current().now())
    logger.info("domain claimed", tenant_id=asked.tenant, domain=claim["domain"], new=new)
    return answer(shown(claim), 201 if new else 200)


@router.post("/domains/<domain>/verify")
def verify_domain(domain: str) -> Response[str]:
    asked = Asked(router.current_event)
    now = access.current().now()
    return answer(shown(_domains(asked).verify(domain, now, access.current().verify)))


@router.delete("/domains/<domain>")
def give_up_domain(domain: str) -> Response[str]:
    asked = Asked(router.current_event)
    _domains(asked).give_up(domain)
    logger.info("domain given up", tenant_id=asked.tenant, domain=domain)
    return Response(204)


def _domains(asked: Asked) -> Domains:
    return Domains(asked.store, access.current().shared(), asked.tenant)
