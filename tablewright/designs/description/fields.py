"""Fields as JSON: their kind, and every option that changes what is stored or accepted."""

from collections.abc import Iterable, Iterator
from typing import Any

from tablewright.designs.description.errors import Indescribable
from tablewright.designs.description.functions import import_path
from tablewright.designs.description.values import value_json
from tablewright.model.errors import InvalidValue
from tablewright.model.fields import compound, numbers, text, time
from tablewright.model.fields.base import Field
from tablewright.model.sharding.epochs import EpochListField
from tablewright.model.time_ids import TimeIdField

KINDS: dict[type[Field[Any]], str] = {
    compound.BinaryField: "Binary",
    compound.DocumentField: "Document",
    compound.ListOfField: "ListOf",
    compound.PartOfField: "PartOf",
    compound.SetOfField: "SetOf",
    compound.TallyField: "Tally",
    EpochListField: "EpochList",
    numbers.FractionField: "Fraction",
    numbers.MoneyField: "Money",
    numbers.NumberField: "Number",
    numbers.WholeField: "Whole",
    text.ChoiceField: "Choice",
    text.EnumField: "Choice",
    text.FlagField: "Flag",
    text.LinesField: "Lines",
    text.NameField: "Name",
    text.ProseField: "Prose",
    text.TextField: "Text",
    time.DateField: "Date",
    time.DateTextField: "DateText",
    time.EpochField: "EpochTimestamp",
    time.HourTextField: "HourText",
    time.TimestampField: "Timestamp",
    time.TimestampTextField: "TimestampText",
    TimeIdField: "TimeId",
}
# What is told otherwise than by its own name.
_APART = {*Field.__slots__, "choices", "kind", "members", "of"}
_APART |= {"any_precision", "ordered", "resolution"}

Json = dict[str, Any]


class FieldDescriber:
    """Descriptions of fields; what they are made of, parts and enumerations, is collected."""

    def __init__(self) -> None:
        self.parts: dict[str, Json] = {}
        self.enums: dict[str, dict[str, str]] = {}
        self._classes: dict[str, type] = {}

    def fields(self, owner: str, fields: Iterable[Field[Any]]) -> dict[str, Json]:
        """Fields of an entity or a part, by name."""
        return {field.name: self._named(f"{owner}.{field.name}", field) for field in fields}

    def _named(self, what: str, field: Field[Any]) -> Json:
        told = self._field(what, field)
        if field.stored != field.name and not isinstance(field, compound.TallyField):
            told["stored"] = field.stored or None  # None: it stands in keys alone
        if field.optional:
            told["default"] = _default(what, field)
        return told

    def _field(self, what: str, field: Field[Any]) -> Json:
        kind = KINDS.get(type(field)) or import_path(type(field), f"the kind of {what}")
        return {"kind": kind, **dict(self._options(what, field))}

    def _options(self, what: str, field: Field[Any]) -> Iterator[tuple[str, Any]]:
        if isinstance(field, compound.PartOfField):
            yield "of", self._part(what, field)
        elif isinstance(field, compound.ListOfField | compound.SetOfField):
            yield "of", self._field(f"the elements of {what}", field.of)
        elif isinstance(field, text.EnumField):
            yield "enum", self._enum(what, field)
        elif isinstance(field, text.ChoiceField):
            yield "choices", list(field.choices)
        elif isinstance(field, time.TimestampTextField) and field.any_precision:
            yield "any_precision", True
        elif isinstance(field, time.TimestampTextField):
            yield "resolution", field.resolution
        slots = [slot for kind in reversed(type(field).__mro__) for slot in _slots(kind)]
        # A class of one's own may do without slots.
        for name in (*slots, *getattr(field, "__dict__", ())):
            value = getattr(field, name)
            if value is not None and not isinstance(value, str | int):
                raise Indescribable(f"{what} has an option {name} that is no text, number or flag")
            if value is not None:
                yield name, value
        if field.secret:
            yield "secret", True

    def _part(self, what: str, field: compound.PartOfField) -> str:
        part = field.of
        if self._is_new(part.__name__, part, what):
            doc = " ".join((part.__doc__ or "").strip().partition("\n\n")[0].split())
            fields = self.fields(part.__name__, part.__part__.fields)
            self.parts[part.__name__] = {"describes": doc, "fields": fields}
        return part.__name__

    def _enum(self, what: str, field: text.EnumField) -> str:
        kind = type(next(iter(field.members.values())))
        if self._is_new(kind.__name__, kind, what):
            members = {member.name: stored for stored, member in field.members.items()}
            self.enums[kind.__name__] = members
        return kind.__name__

    def _is_new(self, name: str, kind: type, what: str) -> bool:
        if self._classes.setdefault(name, kind) is not kind:
            raise Indescribable(
                f"{what} is of a class {name}, and so is another field, of another class of that "
                "name: give one of them another name"
            )
        return name not in self.parts and name not in self.enums


def _slots(kind: type) -> Iterator[str]:
    slots: str | tuple[str, ...] = vars(kind).get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else slots
    yield from (name for name in names if name not in _APART)


def _default(what: str, field: Field[Any]) -> Any:
    if field.default is None:
        return None
    if _is_text(field):  # as it stands: the pattern of a file is not run, see `_Builder`
        return value_json(field, field.default)
    try:
        return value_json(field, field.check(field.default))
    except InvalidValue as problem:
        raise Indescribable(f"{what} has a default that is no value of it: {problem}") from None


def _is_text(field: Field[Any]) -> bool:
    if isinstance(field, compound.ListOfField | compound.SetOfField):
        return _is_text(field.of)
    return isinstance(field, text.TextField)
