"""Values by name: one for all, others for a system or for a part of one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class ByName(Generic[T]):
    """A value for all, and others for a system (`portal`) or a part of one (`portal.events`).

    Example::

        ByName(Capacity.on_demand(), {"sales": steady}).of("sales")
    """

    default: T
    named: Mapping[str, T] = field(default_factory=dict)

    def of(self, system: str, part: str | None = None) -> T:
        """The value of a system, or of a part of it: the one of the longest name that is given."""
        of_system = self.named.get(system, self.default)
        return self.named.get(f"{system}.{part}", of_system) if part else of_system
