"""A function's connections are shared by all of its tenants."""

import gc
import os

from tablewright.catalog.sales.design import Sales
from tablewright.runtime.store.store import Store
from tablewright.runtime.tenancy import Tenants
from tests.integration.loopback import loopback

TENANTS = 1000


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_thousand_tenants_stay_under_two_hundred_descriptors() -> None:
    with loopback() as (aws, session):
        aws.items = lambda operation: {"Items": []}
        tenants = Tenants(session, "role")
        tenants.prepare()
        # What other tests of this process have left open is not of these tenants.
        gc.collect()
        before = most = descriptors()
        for number in range(TENANTS):
            tenant = f"tenant{number}"
            access = tenants.access(tenant)
            access.call("ListTables", {})
            if number % 20 == 0:
                store = Store(Sales, "sales", access)
                where = {"tenant": tenant, "category": "dress"}
                assert store.query(Sales.category_sales, where).items == []
                most = max(most, descriptors())
        most = max(most, descriptors())
    assert aws.asked.count("AssumeRole") == aws.asked.count("ListTables") == TENANTS
    assert aws.asked.count("Query") == TENANTS // 20 * 10  # all shards, side by side
    # The server's ends of the connections are in this process too.
    assert most - before < 200


def test_a_tenants_first_request_makes_no_client() -> None:
    """One client costs milliseconds of CPU and a handshake; a session's signature does not."""
    with loopback() as (aws, session):
        tenants = Tenants(session, "role")
        tenants.prepare()
        assert sorted(session.made) == ["dynamodb", "sts"]
        for number in range(10):
            tenants.access(f"tenant{number}").call("ListTables", {})
        assert sorted(session.made) == ["dynamodb", "sts"]
        assert len(aws.asked) == 20
