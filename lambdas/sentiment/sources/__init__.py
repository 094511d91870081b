"""Sources of texts: one module for each, over one HTTP client."""

from lambdas.sentiment.sources.errors import (
    BadAnswer,
    InvalidAddress,
    InvalidQuery,
    RateLimited,
    SourceError,
    Unauthorized,
    Unavailable,
)
from lambdas.sentiment.sources.queries import queries
from lambdas.sentiment.sources.settings import Found, InvalidSetting, from_settings, open_sources
from lambdas.sentiment.sources.source import RawItem, Source, Unreadable
from lambdas.sentiment.sources.web import Web

__all__ = [
    "BadAnswer",
    "Found",
    "InvalidAddress",
    "InvalidQuery",
    "InvalidSetting",
    "RateLimited",
    "RawItem",
    "Source",
    "SourceError",
    "Unauthorized",
    "Unavailable",
    "Unreadable",
    "Web",
    "from_settings",
    "open_sources",
    "queries",
]
