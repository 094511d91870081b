"""One more item every few seconds, and news now and then, so that there is something to watch."""

import contextlib
import random
import threading
from datetime import UTC, datetime, timedelta
from itertools import count

from botocore.exceptions import BotoCoreError, ClientError

from local.clients.api import Api
from local.clients.users import TENANTS, Users
from local.deployment import Deployment
from local.emulator.connection import Connection
from local.emulator.home import LocalCloudError
from local.samples import items as sample_items
from local.samples import news as sample_news

EVERY_SECONDS = 4.0
# To so many items comes one article.
ITEMS_PER_ARTICLE = 3
# Tokens last an hour.
_RENEW = timedelta(minutes=30)


class Trickle:
    """Hands in samples until it is left.

    Example::

        with Trickle(connection, users, deployment):
            ...
    """

    def __init__(self, connection: Connection, users: Users, deployment: Deployment) -> None:
        self._connection = connection
        self._users = users
        self._deployment = deployment
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Trickle":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        chance = random.Random()
        api, renew = self._signed_in(), datetime.now(UTC) + _RENEW
        for number in count():
            if self._left.wait(EVERY_SECONDS):
                return
            now = datetime.now(UTC)
            name = f"{now:%Y%m%d%H%M%S%f}"
            # A fault that is being tried out, or a cloud that is going down, is no reason to stop.
            with contextlib.suppress(OSError, LocalCloudError, ClientError, BotoCoreError):
                if now > renew:
                    api, renew = self._signed_in(), now + _RENEW
                api("POST", "/items", {"items": [sample_items.item(name, chance)]})
                if number % ITEMS_PER_ARTICLE == 0:
                    event = {"news": [sample_news.article(name, now, chance)]}
                    sample_items.ingest(self._connection, self._deployment, event)

    def _signed_in(self) -> Api:
        return Api(self._deployment.api_url("sentiment"), self._users.token(TENANTS[0]))
