"""Streams have few readers: AWS may throttle those of a shard that are more than two."""

import json
from collections import Counter
from collections.abc import Callable

import pytest

from tests.infrastructure.synthesis import STAGES, VARIANTS, Assembly, resources

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("name", [*STAGES, *VARIANTS])
def test_a_stream_has_at_most_two_readers(name: str, stage: Callable[[str], Assembly]) -> None:
    readers = Counter(
        (stack, json.dumps(source))
        for stack, template in stage(name).templates.items()
        for source in (
            *(
                mapping["EventSourceArn"]
                for mapping in resources(template, "AWS::Lambda::EventSourceMapping").values()
            ),
            *(pipe["Source"] for pipe in resources(template, "AWS::Pipes::Pipe").values()),
        )
        if "Stream" in json.dumps(source)
    )
    assert len(readers) >= 3
    assert max(readers.values()) == 2
