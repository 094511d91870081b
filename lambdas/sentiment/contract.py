"""Contract of the sentiment system: what its stack, its functions and its deployment agree on."""

READ_ROUTES = (
    ("GET", "/items"),
    ("GET", "/summary"),
    ("GET", "/rejected"),
    ("GET", "/openapi.json"),
)
WRITE_ROUTES = (("POST", "/items"),)
NEWS_ROUTE = ("GET", "/news")
NEWS_STREAM_ROUTE = ("GET", "/news/events")


def items_table_name(stage: str) -> str:
    """The name of the write table, which is the same in every region."""
    return f"{stage}-sentiment-items-primary"
