"""The guide's code runs as it stands."""

import re
from typing import Any

from cdk_app.settings import ROOT
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.testing.tables import create
from tests.infrastructure.synthesis import allowed, template_of
from tests.integration.conftest import KEYS, Database


def test_the_guide_s_blocks_run_in_order(database: Database) -> None:
    text = (ROOT / "docs" / "guide.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    client = database.client()
    names: dict[str, Any] = {"client": client, "cursors": Cursors(lambda: KEYS)}
    *declaring, using = blocks
    for block in declaring:
        exec(block, names)  # noqa: S102 - our own guide
    create(client, names["ORDERS"], "dev-orders")
    exec(using, names)  # noqa: S102
    granted = {
        (action, resource.partition("/index/")[2])
        for action, resource in allowed(template_of(names["stack"]), "Worker")
    }
    assert granted == {
        ("dynamodb:PutItem", ""),
        ("dynamodb:BatchGetItem", ""),
        ("dynamodb:Query", "BY_CUSTOMER"),
    }
