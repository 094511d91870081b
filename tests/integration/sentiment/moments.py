"""The moment at which the tests take place: far ahead, because the engine deletes what expires."""

from datetime import UTC, datetime

NOW = datetime(2099, 3, 4, 14, 30, 15, tzinfo=UTC)
TODAY = "2099-03-04"
