"""Routes of the secrets that a tenant's requests are signed with."""

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from lambdas.forms import access
from lambdas.forms.management.asking import PAGING, Asked, listed
from lambdas.forms.management.signing_secrets import SigningSecrets, shown
from lambdas.forms.management.tenants import Configuration
from lambdas.http.answers import answer, record_json
from tablewright.catalog.forms.tenants import SECRET

logger = Logger()
router = Router()  # type: ignore[no-untyped-call]


@router.get("/secrets")
def list_secrets() -> Response[str]:
    asked = Asked(router.current_event, *PAGING)
    return listed(SECRET, _secrets(asked).page(**asked.paging))


@router.post("/secrets")
def rotate_secret() -> Response[str]:
    asked = Asked(router.current_event)
    tenant = Configuration(asked.store, asked.tenant).one()
    rotated = _secrets(asked).rotate(access.current().now(), tenant["created_at"])
    logger.info(
        "secret rotated",
        tenant_id=asked.tenant,
        key_id=rotated.key["key_id"],
        new=rotated.new,
    )
    told = {**record_json(SECRET, shown(rotated.key)), "secret": rotated.value}
    return answer(told, 201 if rotated.new else 200, {"Cache-Control": "no-store"})


@router.delete("/secrets/<key_id>")
def revoke_secret(key_id: str) -> Response[str]:
    asked = Asked(router.current_event)
    _secrets(asked).revoke(key_id, access.current().now())
    logger.info("secret revoked", tenant_id=asked.tenant, key_id=key_id)
    return Response(204)


def _secrets(asked: Asked) -> SigningSecrets:
    return SigningSecrets(asked.store, asked.secrets, asked.tenant)
