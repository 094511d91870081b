"""Fields of an entity on its table's page: what they hold and how they are stored."""

from collections.abc import Iterable, Iterator
from typing import Any

from tablewright.model import Computed, Digest, Field, Reversed
from tablewright.model.fields.compound import ListOfField, PartOfField, SetOfField, TallyField
from tablewright.model.part import PartModel
from tablewright.pages.markdown import code, table


def field_table(fields: Iterable[Field[Any]]) -> str:
    return table(
        ("field", "stored as", "type", ""),
        ((f.name, _stored(f), _type(f), ", ".join(_notes(f))) for f in fields),
    )


def parts_of(field: Field[Any]) -> Iterator[PartModel]:
    """The parts that a field is made of, and those that these are."""
    if isinstance(field, SetOfField | ListOfField):
        yield from parts_of(field.of)
    elif isinstance(field, PartOfField):
        part = field.of.__part__
        yield part
        for inner in part.fields:
            yield from parts_of(inner)


def computed_part(part: Computed) -> str:
    how = "is computed from"
    if isinstance(part, Reversed | Digest):
        how = "sorts the other way round as" if isinstance(part, Reversed) else "is a digest of"
    return f"In keys, `{{{part.name}}}` {how} {code(part.inputs)}."


def _notes(field: Field[Any]) -> Iterator[str]:
    if field.optional:
        yield "optional"
    if field.secret:
        yield "secret"


def _type(field: Field[Any]) -> str:
    """What a field holds, whether as a text or as a type of Python's own."""
    if isinstance(field, SetOfField | ListOfField):
        many = "set" if isinstance(field, SetOfField) else "list"
        return f"{many} of {_type(field.of)}"
    if isinstance(field, PartOfField):
        return f"`{field.of.__part__.name}`"
    name = field.type_name
    return name.removesuffix("Text") or name


def _stored(field: Field[Any]) -> str:
    if isinstance(field, TallyField):
        return f"`{field.prefix}…`, one for each name"
    return f"`{field.stored}`" if field.stored else "in the key"
