"""Gap: what is inserted by a statement of PartiQL is not in the table's stream."""

from typing import Any

from ministack.services import dynamodb

from local.gaps import expected

_DONE = 200


def close() -> None:
    insert = expected.function(dynamodb, "_partiql_insert", "table", "parsed")
    emission = ("table_name", "event_name", "old_item", "new_item", "replicate")
    expected.function(dynamodb, "_emit_stream_event", *emission)

    def partiql_insert(table: Any, parsed: Any) -> Any:
        answer = insert(table, parsed)
        if answer[0] == _DONE:
            item = parsed["item"]
            stored = item["M"] if set(item) == {"M"} else item
            dynamodb._emit_stream_event(table["TableName"], "INSERT", None, stored)
        return answer

    dynamodb._partiql_insert = partiql_insert
