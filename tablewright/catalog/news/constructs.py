"""Table of financial news, ready for any CDK app."""

from __future__ import annotations

from typing import Unpack

from constructs import Construct

from tablewright.catalog.news.design import News, SparseNews
from tablewright.constructs.tables.table import DesignTable, TableOptions


class NewsTable(DesignTable):
    """Financial news of thirty days, by status and by sentiment.

    With `sparse_status` only items that wait are in `by_status`, as in `SparseNews`.

    Example::

        news = NewsTable(self, "News")
        news.grant(function, News.pending_news)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        sparse_status: bool = False,
        **options: Unpack[TableOptions],
    ) -> None:
        super().__init__(scope, id, design=SparseNews if sparse_status else News, **options)
