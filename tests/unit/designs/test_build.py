"""A design that is built from its description is the design that was described."""

import itertools
import json
from copy import deepcopy
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from tablewright.changes.lock_file import read_lock
from tablewright.designs import InvalidDescription, build_table, describe
from tablewright.model import Part, Table
from tablewright.model.validation.design import validate
from tablewright.runtime.store.records import Item, Records
from tests.every_design import EVERY_DESIGN
from tests.made_up_items import SECRETS, FourThenEight, made_up_items
from tests.unit.designs.everything import Everything, Tenant, Thing

DESIGNS = (Everything, *EVERY_DESIGN)
EACH = pytest.mark.parametrize("design", DESIGNS, ids=lambda one: one.__name__)


def built(design: type[Table]) -> type[Table]:
    return build_table(json.loads(json.dumps(describe(design))), design)


def plain(value: Any) -> Any:
    """A value without the classes that a built design has made itself."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Part | dict):
        return {name: plain(one) for name, one in value.items()}
    return tuple(map(plain, value)) if isinstance(value, list | tuple) else value


@EACH
def test_building_and_describing_is_the_identity(design: type[Table]) -> None:
    again = built(design)
    assert json.dumps(describe(again)) == json.dumps(describe(design))
    assert validate(again) == validate(design)


@EACH
def test_both_designs_read_and_write_the_same_items(design: type[Table]) -> None:
    again = built(design)
    for item in items_of(design):
        first, second = both(design, item), both(again, item)
        assert [plain(record) for _, record in first] == [plain(record) for _, record in second]
        for (records, record), (others, other) in zip(first, second, strict=True):
            assert others.clear_item(other) == records.clear_item(record)


def items_of(design: type[Table]) -> list[Item]:
    if design is not Everything:
        return made_up_items(design, 40)
    shards = [{"from": "2025-01-01T00:00:00.000Z", "count": 4}]
    records: list[Any] = [
        Thing(tenant="acme", thing_id=id, size=size, on=id == "b", tags={id, size})
        for id, size in itertools.product("abc", "SM")
    ]
    return [stored(one) for one in (*records, Tenant(tenant="acme", shards=shards))]


def stored(record: Any) -> Item:
    design = Everything.__design__
    entity = design.entities[type(record).__entity__.name]
    return Records(design, entity, FourThenEight(), secrets=SECRETS).to_item(record)


def both(design: type[Table], item: Item) -> list[tuple[Records, Any]]:
    """Every entity that the item can be of, with the record that it is."""
    found = []
    for entity in design.__design__.entity_list:
        records = Records(design.__design__, entity, FourThenEight(), secrets=SECRETS)
        if records.is_one(item, None):
            found.append((records, records.to_record(item)))
    assert found
    return found


def changed(*path: str | int, to: Any, design: type[Table] = Everything) -> Any:
    description: Any = deepcopy(describe(design))
    holder = description
    for name in path[:-1]:
        holder = holder[name]
    holder[path[-1]] = to
    return description


def test_functions_of_the_file_s_choice_are_refused_and_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "canary_module.py").write_text("raise SystemExit('it was imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    place = ("entities", "Thing", "computed", "first", "function")
    for path in ("os:system", "builtins:print", "canary_module:any", "tablewright.model:Table"):
        with pytest.raises(InvalidDescription, match=f"first.function is '{path}': no design"):
            build_table(changed(*place, to=path), Everything)
        with pytest.raises(InvalidDescription, match=r"count.kind is 'canary_module:any': no desi"):
            build_table(
                changed("entities", "Thing", "fields", "count", "kind", to="canary_module:any")
            )
    with pytest.raises(InvalidDescription, match="no design that was named uses it"):
        build_table(describe(Everything))
    own = describe(Everything)["entities"]["Thing"]["computed"]["first"]["function"]
    with pytest.raises(InvalidDescription, match="must be a class of fields"):
        build_table(changed("entities", "Thing", "fields", "count", "kind", to=own), Everything)


THING = ("entities", "Thing", "fields")


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ((*THING, "count", "digits"), 10**9, "count.digits is 1000000000: it must be a whole num"),
        ((*THING, "count", "digits"), True, "count.digits is True: it must be a whole number"),
        ((*THING, "count", "digits"), 1.5, "count.digits is 1.5: it must be a whole number"),
        (
            (*THING, "count", "colour"),
            1,
            "count is an object: it cannot have 'colour'",
        ),
        ((*THING, "count", "default"), "7", "count.default is '7': "),
        ((*THING, "title", "pattern"), "(", "title is an object: missing ), unterminated"),
        ((*THING, "_stored"), {"kind": "Text"}, "_stored is '_stored': records use the name"),
        ((*THING, "price", "default"), "NaN", "price.default is 'NaN': "),
        ((*THING, "tags", "of"), {"kind": "Flag"}, "tags is an object: a set is of texts"),
        (("patterns", "make", "create"), "yes", "make.create is 'yes': it must be true or false"),
        (("patterns", "make", "range"), "title", "make is an object: it cannot have 'range'"),
        (("patterns", "make", "of"), "Nobody", "make.of is 'Nobody': it must be one of Tenant, "),
        (("patterns", "titled", "range"), "pages", "titled.range is 'pages': it must be one of"),
        (("patterns", "__init__"), {"kind": "Get", "of": "Thing"}, "it must be a name that Python"),
        (("epochs",), "make_it", "epochs is 'make_it': it must be one of"),
        (("entities", "Thing", "key", "sort"), "{nothing}", "each {…} must name another field"),
        (("entities", "Thing", "expires", "years"), 10**30, "expires is an object: "),
        (("enums", "Colour", "RED"), "light blue", "Colour is an object: it must have members"),
        (("id",), "\x1b[2J\udc80", "id is '\\x1b[2J\\udc80': it must be valid Unicode text"),
        (("entities", "Alone"), {}, "entities.Alone is an object: it must have 'describes'"),
    ],
)
def test_a_wrong_description_is_refused_with_path_and_value(
    path: tuple[str, ...], value: object, says: str
) -> None:
    with pytest.raises(InvalidDescription) as refused:
        build_table(changed(*path, to=value), Everything)
    assert says in str(refused.value)
    assert str(refused.value).replace("…", "").isprintable()


def test_a_file_is_limited_in_size_and_depth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.lock.json"
    for text, says in (
        ("[" * 200_000 + "]" * 200_000, "nested deeper than 100 levels"),
        ('{"a": 1, "a": 2}', 'has the name "a" twice'),
        ('{"a": NaN}', "has no NaN"),
        (f'{{"a": {"9" * 5000}}}', "a number of more than 1000 digits"),
        ('{"a": "\\ud800"}', "half of a surrogate pair"),
        ("{}", "format is an object: this version reads format 1"),
    ):
        file.write_text(text)
        with pytest.raises(Exception, match=says) as refused:
            read_lock(file)
        assert type(refused.value).__name__ == "InvalidLock"
        assert str(refused.value).startswith(f"{file} is no lock file: ")
    monkeypatch.setattr("tablewright.designs.description.node._MOST_BYTES", 10)
    file.write_text(" " * 11)
    with pytest.raises(Exception, match="it is larger than 10 bytes"):
        read_lock(file)
