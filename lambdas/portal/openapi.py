"""OpenAPI document of the portal; field types come from the table designs."""

from lambdas.http import openapi
from lambdas.http.openapi import Json, paths_of
from lambdas.portal.content import openapi as content
from lambdas.portal.contract import OPENAPI, ROUTES
from lambdas.portal.events import openapi as events
from lambdas.portal.inbox import openapi as inbox


def document() -> Json:
    operations = {
        **content.OPERATIONS,
        **inbox.OPERATIONS,
        **events.OPERATIONS,
        OPENAPI: openapi.this_document(),
    }
    schemas = {**content.SCHEMAS, **inbox.SCHEMAS, **events.SCHEMAS}
    return openapi.document("Enablement portal", paths_of(ROUTES, operations), schemas)
