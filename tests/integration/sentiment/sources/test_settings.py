"""Which sources are made from settings and secrets."""

from typing import Any

import pytest

from lambdas.sentiment.sources import InvalidSetting, RawItem, Source, Web, from_settings
from tests.integration.sentiment.sources import finnhub_server, tiingo_server
from tests.integration.sentiment.sources.newsapi_server import KEY, NewsApiServer, article
from tests.integration.sentiment.sources.reddit_server import RedditServer, post
from tests.integration.sentiment.sources.server import Server
from tests.integration.sentiment.sources.twitter_server import TOKEN, TwitterServer, tweet

SECRETS = {
    "newsapi_api_key": f"{KEY}\n",
    "twitter_bearer_token": TOKEN,
    "reddit_client_id": "client",
    "reddit_client_secret": "secret",
    "tiingo_token": tiingo_server.TOKEN,
    "finnhub_token": finnhub_server.TOKEN,
}


def made(settings: dict[str, Any], secrets: dict[str, str] = SECRETS) -> list[str]:
    found = from_settings(settings, secrets, Web())
    return [source.source_type for source in found.sources]


def only(web: Web, **settings: Any) -> Source:
    [source] = from_settings(settings, SECRETS, web).sources
    return source


def test_the_sources_for_words_are_made_unless_some_are_named() -> None:
    assert made({}) == ["newsapi", "twitter", "reddit"]
    assert made({"sources": ["reddit", "newsapi", "reddit"]}) == ["reddit", "newsapi"]
    assert made({"sources": []}) == []


def test_the_sources_for_tickers_are_made_where_they_are_named() -> None:
    assert made({"sources": ["finnhub", "tiingo"]}) == ["finnhub", "tiingo"]
    found = from_settings({"sources": ["finnhub", "tiingo"]}, {"tiingo_token": "t"}, Web())
    assert found.left_out == ["finnhub"]


@pytest.mark.parametrize("missing", [{}, {"reddit_client_secret": " "}])
def test_a_source_without_credentials_is_left_out_and_named(missing: dict[str, str]) -> None:
    secrets = {"newsapi_api_key": KEY, "reddit_client_id": "client", **missing}
    found = from_settings({"sources": ["newsapi", "reddit"]}, secrets, Web())
    assert [source.source_type for source in found.sources] == ["newsapi"]
    assert found.left_out == ["reddit"]


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (
            ["newsapi", "facebook"],
            "sources names facebook; known are newsapi, twitter, reddit, tiingo, finnhub$",
        ),
        (
            "newsapi",
            "sources must be a list of names; known are newsapi, twitter, reddit, tiingo, finnhub$",
        ),
    ],
)
def test_a_source_that_is_not_known_is_refused(names: Any, reason: str) -> None:
    with pytest.raises(InvalidSetting, match=reason):
        made({"sources": names})


@pytest.mark.parametrize("number", [0, -1, 10_001, "10", 1.5, True, None])
def test_a_number_of_items_that_cannot_be_is_refused(number: Any) -> None:
    with pytest.raises(InvalidSetting, match="max_items must be a whole number from 1 to 10000"):
        made({"max_items": number})


def test_newsapi_is_made_from_its_settings(web: Web, server: Server) -> None:
    server.application = NewsApiServer([article(1), article(2)])
    source = only(web, sources=["newsapi"], newsapi_url=f"{server.url}/", max_items=1)
    assert [type(item) for item in source.fetch("AI")] == [RawItem]


def test_twitter_is_made_from_its_settings(web: Web, server: Server) -> None:
    server.application = TwitterServer([tweet(1), tweet(2)])
    source = only(web, sources=["twitter"], twitter_url=server.url, max_items=1)
    assert [type(item) for item in source.fetch("AI")] == [RawItem]


def test_reddit_is_made_from_its_settings(web: Web, server: Server) -> None:
    server.application = RedditServer([post(1), post(2)])
    agent = "aws-lambda:example:v1 (by /u/example)"
    addresses = {"reddit_url": server.url, "reddit_auth_url": server.url}
    source = only(web, sources=["reddit"], **addresses, user_agent=agent, max_items=1)
    assert [type(item) for item in source.fetch("AI")] == [RawItem]
    assert {request.headers["user-agent"] for request in server.requests} == {agent}


def test_tiingo_is_made_from_its_settings(web: Web, server: Server) -> None:
    server.application = tiingo_server.TiingoServer([tiingo_server.article(n) for n in (1, 2)])
    source = only(web, sources=["tiingo"], tiingo_url=f"{server.url}/", max_items=1)
    assert [type(item) for item in source.fetch("AAPL")] == [RawItem]


def test_finnhub_is_made_from_its_settings(web: Web, server: Server) -> None:
    server.application = finnhub_server.FinnhubServer(
        {"AAPL": [finnhub_server.news(n) for n in (1, 2)]}
    )
    source = only(web, sources=["finnhub"], finnhub_url=f"{server.url}/", max_items=1)
    assert [type(item) for item in source.fetch("AAPL")] == [RawItem]
