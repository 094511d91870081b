"""What a deployment no longer exports is given up first by those who import it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deployment.cdk import Assembly
from deployment.exports import importers_of_removed, imports

HOME, OREGON = "us-east-1", "us-west-2"
Templates = Mapping[str, Mapping[str, Any]]


def stack(*, exports: tuple[str, ...] = (), imports: tuple[str, ...] = ()) -> dict[str, Any]:
    taken = [{"Fn::Join": ["", ["arn:", {"Fn::ImportValue": name}]]} for name in imports]
    return {
        "Resources": {"Told": {"Type": "AWS::CloudWatch::Alarm", "Properties": {"Actions": taken}}},
        "Outputs": {
            **{f"Out{name}": {"Value": name, "Export": {"Name": name}} for name in exports},
            "ApiUrl": {"Value": "https://…"},
        },
    }


def assembly(folder: Path, templates: Templates) -> Assembly:
    """As a synthesis writes it; stacks that end in a region's name are there."""
    artifacts = {}
    for name, template in templates.items():
        (folder / f"{name}.json").write_text(json.dumps(template))
        artifacts[name] = {
            "type": "aws:cloudformation:stack",
            "environment": f"aws://000000000000/{OREGON if name.endswith(OREGON) else HOME}",
            "properties": {"templateFile": f"{name}.json"},
        }
    (folder / "manifest.json").write_text(json.dumps({"artifacts": artifacts}))
    return Assembly(folder)


def first(folder: Path, wanted: Templates, deployed: Templates) -> list[str]:
    return importers_of_removed(assembly(folder, wanted), lambda name, region: deployed.get(name))


@pytest.mark.parametrize(
    ("wanted", "then"),
    [
        ({"operations": stack(), "sales": stack(), "forms": stack()}, ["sales"]),
        # One that goes on importing is not what removes it.
        ({"operations": stack(), "sales": stack(imports=("topic",))}, []),
        ({"operations": stack(exports=("topic",)), "sales": stack()}, []),
        # Of that name, but in another region.
        ({f"operations-{OREGON}": stack(exports=("topic",)), "sales": stack()}, ["sales"]),
    ],
)
def test_stacks_that_import_what_is_removed_are_first(
    wanted: Templates, then: list[str], tmp_path: Path
) -> None:
    deployed = {
        "operations": stack(exports=("topic",)),
        "sales": stack(imports=("topic",)),
        "forms": stack(),
    }
    assert first(tmp_path, wanted, deployed) == then


def test_the_first_deployment_has_no_such_stacks(tmp_path: Path) -> None:
    wanted = {"operations": stack(exports=("topic",)), "sales": stack(imports=("topic",))}
    assert first(tmp_path, wanted, {}) == []


def test_imports_are_found_wherever_they_stand() -> None:
    assert set(imports(stack(imports=("a", "b")))) == {"a", "b"}
    # A name that is computed is of a stack of somebody else.
    assert set(imports({"Fn::ImportValue": {"Fn::Sub": "x"}})) == set()
