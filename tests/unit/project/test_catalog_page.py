"""The page of the catalogue shows the keys that the designs have."""

import importlib
import pkgutil
import re

from cdk_app.settings import ROOT
from tablewright import catalog
from tablewright.model import Design, Table

_ROW = re.compile(
    r"\| \[[^]]+\]\(tables/(?P<id>[\w-]+)\.md\) \|.*"
    r"\| (?P<keys>`[^|]*(?:\\\|[^|]*)*) \| `(?P<made>[\w.]+)` \|"
)


def designs() -> dict[str, Design]:
    """The designs of the catalogue, by id."""
    found: dict[str, Design] = {}
    for module in pkgutil.walk_packages(catalog.__path__, f"{catalog.__name__}."):
        if not module.name.endswith("constructs"):
            found |= {
                one.__design__.id: one.__design__
                for one in vars(importlib.import_module(module.name)).values()
                if isinstance(one, type) and issubclass(one, Table) and one is not Table
            }
    return found


def test_every_row_has_a_key_of_its_design_and_its_construct() -> None:
    known = designs()
    rows = list(_ROW.finditer((ROOT / "docs" / "catalog.md").read_text()))
    assert len(rows) == 10
    for row in rows:
        keys = tuple(key.replace("\\|", "|") for key in re.findall(r"`([^`]+)`", row["keys"]))
        design = known[row["id"]]
        assert keys in {
            tuple(part.text for part in entity.key.templates) for entity in design.entities.values()
        }
        module, _, name = row["made"].rpartition(".")
        source = (ROOT / "tablewright" / (module.replace(".", "/") + ".py")).read_text()
        assert f"class {name}(" in source
