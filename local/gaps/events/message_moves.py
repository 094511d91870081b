"""Gap: messages cannot be moved from one queue to another, as out of dead letters.

Here they are moved when the task is started, so that there is never one to be looked at.
"""

import time
from typing import Any

from ministack.services import sqs

from local.gaps import expected


def close() -> None:
    handlers = expected.attribute(sqs, "_HANDLERS")
    queue_of = expected.function(sqs, "_get_q", "url", "action")
    wake = expected.attribute(sqs, "esm_wake")

    def start_message_move_task(data: dict[str, Any], _: str) -> dict[str, Any]:
        source, destination = (
            queue_of(data[name].rpartition(":")[2]) for name in ("SourceArn", "DestinationArn")
        )
        # What somebody is looking at stays.
        moved = [one for one in source["messages"] if one["visible_at"] <= time.time()]
        source["messages"] = [one for one in source["messages"] if one not in moved]
        fresh = {"receive_count": 0, "receipt_handle": None, "first_receive_at": None}
        destination["messages"] += [{**one, **fresh} for one in moved]
        wake.set()
        return {"TaskHandle": "done"}

    handlers["StartMessageMoveTask"] = start_message_move_task
