"""Routes of the secrets that a tenant's requests are signed with."""

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from lambdas.forms import contract
from lambdas.forms.admin import resources
from lambdas.forms.admin.requests import PAGING, TenantRequest, list_answer, part_json
from lambdas.forms.tenants.configuration import Configuration
from lambdas.forms.tenants.signing_secrets import SHOWN, SigningSecrets
from lambdas.http.answers import answer
from lambdas.http.application import routed

logger = Logger()
router = Router()  # type: ignore[no-untyped-call]


@routed(router, contract.LIST_SECRETS)
def list_secrets() -> Response[str]:
    request = TenantRequest(router.current_event, *PAGING)
    return list_answer(_secrets(request).page(**request.paging), SHOWN)


@routed(router, contract.ROTATE_SECRET)
def rotate_secret() -> Response[str]:
    request = TenantRequest(router.current_event)
    tenant = Configuration(request.store, request.tenant).one()
    rotated = _secrets(request).rotate(resources.current().now(), tenant.created_at)
    logger.info(
        "secret rotated",
        tenant_id=request.tenant,
        key_id=rotated.key.key_id,
        new=rotated.new,
    )
    shown_once = {**part_json(rotated.key, SHOWN), "secret": rotated.value}
    return answer(shown_once, 201 if rotated.new else 200, {"Cache-Control": "no-store"})


@routed(router, contract.REVOKE_SECRET)
def revoke_secret(key_id: str) -> Response[str]:
    request = TenantRequest(router.current_event)
    _secrets(request).revoke(key_id, resources.current().now())
    logger.info("secret revoked", tenant_id=request.tenant, key_id=key_id)
    return Response(204)


def _secrets(request: TenantRequest) -> SigningSecrets:
    return SigningSecrets(request.store, request.secrets, request.tenant)
