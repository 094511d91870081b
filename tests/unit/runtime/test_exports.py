"""What the runtime exports can be imported from it."""

import tablewright.runtime as runtime


def test_every_name_that_is_listed_is_there() -> None:
    assert runtime.__all__ == sorted(runtime._HOMES)
    for name in runtime.__all__:
        assert getattr(runtime, name).__name__ == name


def test_whoever_writes_in_transactions_finds_the_error_where_the_store_is() -> None:
    assert issubclass(runtime.TransactionRefused, runtime.Conflict)
