"""The portal's OpenAPI document; field types come from the table designs."""

from lambdas.http import openapi
from lambdas.http.openapi import Json
from lambdas.portal.content import openapi as openapi_content
from lambdas.portal.events import openapi as openapi_events
from lambdas.portal.inbox import openapi as openapi_inbox

_PARTS = (openapi_content, openapi_inbox, openapi_events)


def document() -> Json:
    paths: Json = {}
    schemas: Json = {}
    for part in _PARTS:
        paths |= part.PATHS
        schemas |= part.SCHEMAS
    own = {"/openapi.json": {"get": openapi.this_document()}}
    return openapi.document("Enablement portal", {**paths, **own}, schemas)
