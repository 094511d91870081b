"""Tally of what functions cost: units of tables, requests of other services, and their own runs."""

from collections import Counter
from collections.abc import Mapping

from tablewright.model import Table
from tablewright.testing import Costs


class Tally(Costs):
    """Costs of calls, and how often functions were run."""

    def __init__(self, tables: Mapping[str, type[Table]]) -> None:
        super().__init__(tables)
        self._tables = tuple(f"{name}:" for name in tables)
        self.runs: Counter[str] = Counter()

    def other_calls(self) -> dict[str, int]:
        """Runs of functions, and calls of other services than DynamoDB."""
        calls = {name: n for name, n in self.calls.items() if not name.startswith(self._tables)}
        return {**self.runs, **calls}
