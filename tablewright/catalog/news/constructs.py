"""The table of financial news, ready for any CDK app."""

from typing import Unpack

from constructs import Construct

from tablewright.catalog.news.design import NEWS, SPARSE_NEWS
from tablewright.constructs.tables.table import StagedTable, TableOptions


class NewsTable(StagedTable):
    """Financial news of thirty days, by status and by sentiment.

    Named after its `stage`, unless a `table_name` is given; takes all options of `DesignTable`.
    With `sparse_status` only pending items are in `by_status`; grant its patterns from `design`.

    Example::

        news = NewsTable(self, "News", stage="dev")
        news.grant(function, news.design.pending_news)
    """

    DESIGN = NEWS

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: str | None = None,
        table_name: str | None = None,
        sparse_status: bool = False,
        **options: Unpack[TableOptions],
    ) -> None:
        design = SPARSE_NEWS if sparse_status else NEWS
        super().__init__(scope, id, stage=stage, table_name=table_name, design=design, **options)
