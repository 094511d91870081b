"""The events' part of the API's OpenAPI document."""

from lambdas.http.openapi import Json

PATHS: Json = {}
SCHEMAS: Json = {}
