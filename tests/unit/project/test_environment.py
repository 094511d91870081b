"""Variables of functions: told by stacks, read by handlers, checked by both."""

import pytest

from lambdas.contract import Environment, PagesEnvironment


class TableEnvironment(Environment):
    table_name: str


class ApiEnvironment(TableEnvironment, PagesEnvironment):
    bucket: str | None = None


def test_what_a_stack_tells_is_what_a_function_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    told = ApiEnvironment(table_name="dev-sales", page_limit="50").variables()
    assert told == {"TABLE_NAME": "dev-sales", "PAGE_LIMIT": "50"}
    assert not ApiEnvironment.is_set()
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    assert ApiEnvironment.is_set()
    read = ApiEnvironment.read()
    assert (read.table_name, read.page_limit, read.bucket) == ("dev-sales", "50", None)


def test_what_is_missing_or_unknown_is_named() -> None:
    with pytest.raises(TypeError, match="ApiEnvironment needs table_name"):
        ApiEnvironment.read()
    with pytest.raises(TypeError, match="TableEnvironment has no bucket"):
        TableEnvironment(table_name="dev-sales", bucket="files")  # type: ignore[call-arg]
