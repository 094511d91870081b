"""One run of each access pattern of the table of news."""

from decimal import Decimal
from typing import Any

from docs.scenarios.sentiment_scales import REPLICAS
from lambdas.sentiment.handlers.news_api import RETRY_MS
from tablewright.catalog.news.design import DAYS_KEPT, News, NewsItem, news_healing
from tablewright.catalog.sentiment.items import PENDING
from tablewright.costs.measuring import NONE, Measuring
from tablewright.model import key_of, replaced
from tablewright.model.capacity import read_floor, update_floor, write_floor
from tablewright.model.sizes import item_bytes
from tablewright.pages.cost_chapter import Kept, Scale, Use
from tablewright.runtime.store.store import Store

MANY = 100
PAGE = 20
PER_DAY = 5_000
PAGES = 10
# How often an article is met before it has left what its source gives.
MET = 10
SAYS = (
    f"{PER_DAY:,} articles a day; each is met {MET} times before its source gives it no more, and "
    f"one in a hundred has to be asked for again. {PAGES} pages wait for news all "
    f"day, and ask for them every {RETRY_MS // 1000} seconds."
)
LEAVES_OUT = (
    "Three replicas take every write and keep every article, at the same price. A full table holds "
    "thirty days; expired articles can stay a few days longer. Backups and "
    "contributor insights are not in these figures."
)

_NEWS, _ARTICLE = News.__design__, NewsItem.__entity__
_PLAN = news_healing(News)
_FOUND: dict[str, Any] = {
    "sentiment": "positive",
    "score": Decimal("0.81"),
    "model_version": "v1.0.0",
    "analyzed_at": "2099-03-04T14:30:16.250Z",
    **_PLAN.done,
}
_NOTE: dict[str, Any] = {
    "heal_attempts": 1,
    "heal_after": "2099-03-04T15:30:15.000Z",
    "heal_run": "0123456789abcdef0123456789abcdef",
}


def pending(number: int) -> NewsItem:
    return NewsItem(
        **{
            **{name: value for name, value in _ARTICLE.example.items() if name not in _FOUND},
            "source_id": f"finnhub:{137825212 + number}",
            "timestamp": f"2099-03-04T{number // 60 % 24:02}:{number % 60:02}:15Z",
            "status": PENDING,
        }
    )


def analysed(number: int) -> NewsItem:
    return replaced(pending(number), **_FOUND)


def measure(measuring: Measuring) -> None:
    """Run each pattern on a table of a hundred waiting articles and as many analysed ones."""
    store = measuring.store()
    for number in range(MANY):
        store.put(News.put_news, pending(number))
        store.put(News.put_news, analysed(MANY + number))
    _one(measuring, store)
    _many(measuring, store)


def _one(measuring: Measuring, store: Store) -> None:
    new = pending(2 * MANY)
    more = {"matched_tickers": ("XYZ", "ABC")}
    named, noted = replaced(new, **more), replaced(new, **more, **_NOTE)
    measuring.run(
        "put_news",
        "one article",
        lambda: store.put(News.put_news, new),
        write=write_floor(_NEWS, _ARTICLE, new),
    )
    measuring.run(
        "get_news",
        "one article",
        lambda: store.get(News.get_news, new),
        read=read_floor([_bytes(new)], consistent=True),
    )
    measuring.run(
        "add_tickers",
        "one article",
        lambda: store.update(News.add_tickers, new, more),
        write=update_floor(_NEWS, _ARTICLE, new, named),
    )
    measuring.run(
        "mark_healing",
        "one attempt",
        lambda: store.update(News.mark_healing, new, _NOTE, when=_PLAN.pending),
        write=update_floor(_NEWS, _ARTICLE, named, noted),
    )
    measuring.run(
        "record_analysis",
        "one article",
        lambda: store.update(News.record_analysis, new, _FOUND, when=_PLAN.pending),
        write=update_floor(_NEWS, _ARTICLE, noted, replaced(noted, **_FOUND)),
    )


def _many(measuring: Measuring, store: Store) -> None:
    waiting = [pending(number) for number in range(MANY)]
    keys = [key_of(one) for one in waiting]
    of_status = [_entry(one, "by_status") for one in waiting]
    page = [_bytes(analysed(MANY + number)) for number in range(PAGE)]
    arrived = [_entry(analysed(MANY + number), "by_arrival") for number in range(MANY)]
    measuring.run(
        "get_many_news",
        f"{MANY} articles",
        lambda: store.get_many(News.get_many_news, keys),
        read=sum((read_floor([_bytes(one)]) for one in waiting), NONE),
        many=MANY,
    )
    measuring.run(
        "pending_news",
        f"the keys of {MANY} waiting articles",
        lambda: list(store.each(News.pending_news, {"status": PENDING})),
        read=read_floor(of_status),
    )
    measuring.run(
        "news_by_sentiment",
        f"a page of {PAGE}",
        lambda: next(
            iter(store.each(News.news_by_sentiment, {"sentiment": "positive"}, at_once=PAGE))
        ),
        read=read_floor(page),
    )
    measuring.run(
        "arrived_news",
        f"the keys of {MANY} articles",
        lambda: list(store.each(News.arrived_news, {"sentiment": "positive"})),
        read=read_floor([*arrived, arrived[0]]),
    )
    measuring.run(
        "arrived_news",
        "nothing new",
        lambda: list(store.each(News.arrived_news, {"sentiment": "negative"})),
        read=read_floor([]),
    )


def _bytes(record: NewsItem) -> int:
    return item_bytes(_NEWS.attributes(_ARTICLE, record))


def _entry(record: NewsItem, index: str) -> int:
    stored = _NEWS.attributes(_ARTICLE, record)
    return item_bytes(_NEWS.projected(_ARTICLE, stored, _NEWS.indexes[index]) or {})


def asked(pages: int) -> int:
    """How often a month pages that are looked at day and night ask for news."""
    return pages * 30 * 24 * 3600 * 1000 // RETRY_MS


def scale(monthly: int, pages: int) -> Scale:
    """So many articles a month, and pages that wait for news all day."""
    looks = asked(pages)
    return Scale(
        "this size",
        uses=(
            Use("get_many_news", f"{MANY} articles", MET * monthly),
            Use("put_news", "one article", monthly),
            Use("record_analysis", "one article", monthly),
            Use("mark_healing", "one attempt", monthly // 100),
            Use("arrived_news", "nothing new", 3 * looks),
        ),
        kept=(Kept("NewsItem", dict(analysed(0)), DAYS_KEPT * monthly // 30),),
        replicas=REPLICAS,
    )


SCALES = (scale(30 * PER_DAY, PAGES),)
