"""A forked process has connections of its own: shared ones would bring it its parent's answers."""

import os
import signal
from typing import Any

import pytest

from benchmarks.servers.scripted import Step, answer, scripted
from tablewright.runtime.wire.client import WireClient
from tablewright.runtime.wire.services import SERVICES
from tablewright.runtime.wire.signing import Credentials


def named(text: str) -> Step:
    return answer(b'{"name": "%b"}' % text.encode())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_child_opens_its_own_connection_and_its_parent_keeps_its_own() -> None:
    with scripted(named("before"), named("child"), named("parent")) as server:
        client = WireClient(
            SERVICES["dynamodb"], server.url, "eu-west-1", lambda: Credentials("key", "secret")
        )

        def name() -> Any:
            return client.signed_by(Credentials("other", "secret")).call("ListTables", {})["name"]

        assert name() == "before"
        # Held by another thread at the moment of the fork, it would never be free in the child.
        with client._connections._lock:
            child = os.fork()
            if child == 0:
                signal.alarm(20)  # ends a child that waits for its parent
                os._exit(0 if name() == "child" else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert server.connections == 2
        assert name() == "parent"
        assert server.connections == 2
