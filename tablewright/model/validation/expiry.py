"""Warnings of expiry: entities that look as if they should expire, and do not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tablewright.model.entity import EntityModel
from tablewright.model.fields.base import Field
from tablewright.model.fields.numbers import NumberField
from tablewright.model.fields.time import TimestampTextField
from tablewright.model.table import Design, can_share

# What is of use for a while only, by the words of its name.
_SHORT_LIVED = frozenset(
    {"cache", "challenge", "lease", "lock", "nonce", "otp", "passcode", "session", "token"}
)
# A moment of the item itself; what is valid until a date, or has one of expiry, may be kept.
_END = re.compile(r"expires?(_(at|on))?|expiry|expiration|ttl|.*_ttl")


def expiry_warnings(design: Design) -> Iterator[str]:
    """One sentence for each entity that nothing removes, and that looks as if something should."""
    for entity in design.entity_list:
        if entity.expires:
            continue
        ends = [one.name for one in entity.fields if _is_end(one)]
        words = {word.lower() for word in re.findall(r"[A-Z][a-z0-9]*|[a-z0-9]+", entity.name)}
        whole = [one for one in design.entity_list if one.expires and _is_part(design, entity, one)]
        if ends:
            yield (
                f"{entity.name} has {entity.name}.{ends[0]}, and nothing removes it then: give it "
                f'expires=Expiry("{ends[0]}"){_and_ttl(design)}'
            )
        elif found := sorted(words & _SHORT_LIVED):
            yield (
                f"{entity.name} is a {found[0]} by its name, and is kept for ever: give it "
                f"expires=Expiry(…){_and_ttl(design)}"
            )
        elif whole:
            yield (
                f"{entity.name} lies with {whole[0].name}, which expires, and stays when that is "
                "gone: give it expires=Expiry(…), too"
            )


def _is_end(field: Field[Any]) -> bool:
    of_time = isinstance(field, TimestampTextField | NumberField)
    return of_time and _END.fullmatch(field.name.lower()) is not None


def _is_part(design: Design, entity: EntityModel, whole: EntityModel) -> bool:
    """Whether items of an entity lie in the partition of another, and have its key in theirs."""
    own, others = set(entity.key.fields), set(whole.key.fields)
    return bool(others - {design.tenant}) and others < own and can_share(entity.key, whole.key)


def _and_ttl(design: Design) -> str:
    return "" if design.ttl else ", and the table ttl=…"
