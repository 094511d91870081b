"""Table of financial news, ready for any CDK app."""

from typing import Unpack

from constructs import Construct

from tablewright.catalog.news.design import NEWS, SPARSE_NEWS
from tablewright.constructs.tables.table import DesignTable, TableOptions


class NewsTable(DesignTable):
    """Financial news of thirty days, by status and by sentiment.

    With `sparse_status` only pending items are in `by_status`; grant its patterns from `design`.

    Example::

        news = NewsTable(self, "News")
        news.grant(function, news.design.pending_news)
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        sparse_status: bool = False,
        **options: Unpack[TableOptions],
    ) -> None:
        super().__init__(scope, id, design=SPARSE_NEWS if sparse_status else NEWS, **options)
