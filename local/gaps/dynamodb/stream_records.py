"""Gap: the records of a stream are forgotten when the emulator stops.

A write that no consumer has seen yet would never reach one. The records are kept with the tables.
"""

import copy
from typing import Any

from ministack.services import dynamodb

from local.gaps import expected

_KEPT = {"stream_records": "_stream_records", "stream_trimmed": "_stream_trimmed"}


def close() -> None:
    save = expected.function(dynamodb, "get_state")
    load = expected.function(dynamodb, "load_persisted_state", "data")
    for name in _KEPT.values():
        expected.attribute(dynamodb, name)

    def get_state() -> dict[str, Any]:
        streams = {key: copy.deepcopy(getattr(dynamodb, name)) for key, name in _KEPT.items()}
        return {**save(), **streams}

    def load_persisted_state(data: dict[str, Any]) -> None:
        load(data)
        for key, name in _KEPT.items():
            getattr(dynamodb, name).update(data.get(key, {}))

    dynamodb.get_state = get_state
    dynamodb.load_persisted_state = load_persisted_state
