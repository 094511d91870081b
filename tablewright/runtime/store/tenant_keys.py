"""Tenant keys: index entries whose items belong to the tenant that reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.model import Design
from tablewright.model.errors import KeyMismatch
from tablewright.model.key_template import Template
from tablewright.model.patterns import Listing
from tablewright.runtime.store.attribute_values import Wire
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import key_text


class TenantKeys:
    """Partition keys of the table that items of one tenant have.

    `dynamodb:LeadingKeys` confines a tenant's session to partition keys of the table, and not to
    values of other attributes: it can store an item of its own with index keys of another tenant.
    So readers of an index compare the tenant in the table's key, which a session cannot forge.
    """

    def __init__(self, design: Design, index: str, tenant: str) -> None:
        self._pk = design.pk
        self._sort = design.key_attributes(index).sort
        keys = [entity.key for entity in design.entity_list]
        templates = [key.partition[0] for key in keys if not key.shared]
        bounded = [one for one in templates if len(one.fields) > 1 or one.literals[1]]
        self._prefixes = tuple({one.literals[0] + tenant + one.literals[1] for one in bounded})
        self._texts = {one.literals[0] + tenant for one in templates if one not in bounded}
        # Items that belong to no tenant: sessions of tenants cannot write them.
        self._shared = [key.partition[0] for key in keys if key.shared]
        self._others = templates

    @classmethod
    def of(
        cls, design: Design, listing: Listing[Any], texts: Mapping[str, str]
    ) -> TenantKeys | None:
        """Return the keys to compare, None if no other tenant can write what the query reads."""
        if listing.index is None or design.tenant is None or design.key_of(listing).shared:
            return None
        if design.pk in design.key_attributes(listing.index).partition:
            return None
        return cls(design, listing.index, texts[design.tenant])

    def includes(self, entry: Mapping[str, Wire]) -> bool:
        """True if an index entry is of an item of the tenant, or of no tenant."""
        wire = entry.get(self._pk)
        if wire is None:
            return True  # the position of a read, in place of an entry
        text = key_text(wire)
        if text.startswith(self._prefixes) or text in self._texts:
            return True
        return any(_fits(one, text) for one in self._shared) and not any(
            _fits(one, text) for one in self._others
        )

    @property
    def can_be_served(self) -> bool:
        """True if DynamoDB can evaluate `condition`: a filter cannot name keys of the index."""
        return not (self._shared or self._texts or self._pk in self._sort)

    def condition(self, expressions: Expressions) -> str:
        """Return the condition of `includes` as a filter expression."""
        name = expressions.name(self._pk)
        values = [expressions.value({"S": text}) for text in sorted(self._prefixes)]
        return "(" + " OR ".join(f"begins_with({name}, {value})" for value in values) + ")"


def _fits(template: Template, text: str) -> bool:
    try:
        template.parse(text)
    except KeyMismatch:
        return False
    return True
