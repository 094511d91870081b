"""The API reference has every exported name, as its docstring says it."""

import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import ModuleType
from typing import Any

import pytest

from docs.api_reference import FOLDER, entries, members, pages
from docs.reference_pages import PAGES
from tablewright import changes, constructs, designs, model, recommendations, runtime, testing
from tablewright.catalog.forms import constructs as forms
from tablewright.catalog.news import constructs as news
from tablewright.catalog.portal import constructs as portal
from tablewright.catalog.sales import constructs as sales
from tablewright.catalog.sentiment import constructs as sentiment
from tablewright.model import Part

PACKAGES: tuple[ModuleType, ...] = (
    *(model, runtime, constructs, designs, changes, recommendations, testing),
)
CATALOG: tuple[ModuleType, ...] = (forms, news, portal, sales, sentiment)
SECTIONS = [section for page in PAGES for section in page.sections]
NAMES = {(section.package, name) for section in SECTIONS for name in section.names.split()}
# Begins with its subject and ends as a sentence does.
SENTENCE = re.compile(r"[A-Z`].+[.:]", re.DOTALL)


def public(package: ModuleType) -> list[str]:
    if package in PACKAGES:
        return list(package.__all__)
    return [
        name
        for name, one in vars(package).items()
        if (inspect.isclass(one) or inspect.isfunction(one))
        and one.__module__ == package.__name__
        and not name.startswith("_")
    ]


def exported() -> Iterator[tuple[str, str, Any]]:
    for package in (*PACKAGES, *CATALOG):
        for name in public(package):
            yield package.__name__, name, getattr(package, name)


def own_members(one: type) -> list[str]:
    """The public methods and properties of a class, those of its bases in the library included."""
    kinds = (staticmethod, classmethod, property, cached_property)
    return [
        name
        for base in one.__mro__
        if base.__module__.startswith("tablewright.")
        for name, member in vars(base).items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, kinds))
    ]


def test_every_exported_name_has_an_entry() -> None:
    assert {(package, name) for package, name, _ in exported()} <= NAMES


def test_every_entry_of_a_package_is_exported() -> None:
    packages = {package.__name__: {*package.__all__} for package in PACKAGES}
    listed = {(package, name) for package, name in NAMES if package in packages}
    assert {(package, name) for package, name in listed if name not in packages[package]} == set()


def test_no_name_has_two_entries() -> None:
    names = [(section.package, name) for section in SECTIONS for name in section.names.split()]
    assert len(names) == len(NAMES)


def test_every_public_method_and_property_has_an_entry() -> None:
    shown = {
        heading for text in pages().values() for heading in re.findall(r"(?m)^#### (\S+)$", text)
    }
    for package, name, one in exported():
        if not inspect.isclass(one):
            continue
        # Of a base that is exported, or has a section of its own, it is shown there.
        bases = [base.__name__ for base in one.__mro__]
        for member in own_members(one):
            if issubclass(one, Part) and hasattr(Mapping, member):
                continue  # as every mapping has
            assert {f"{base}.{member}" for base in bases} & shown, f"{package}: {name}.{member}"


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_every_docstring_is_a_sentence(section: Any) -> None:
    for name, one in entries(section):
        for what, said in ((name, one), *members(one).items()):
            first = said.docstring.partition("\n\n")[0]
            assert SENTENCE.fullmatch(first), f"{name}: {what}: {first!r}"


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_exported_name_can_be_had(package: ModuleType) -> None:
    assert len(set(package.__all__)) == len(package.__all__)
    for name in package.__all__:
        assert getattr(package, name) is not None


def test_the_reference_is_up_to_date() -> None:
    written = {file.name: file.read_text() for file in FOLDER.iterdir()}
    assert written == pages(), "run `make docs`"
