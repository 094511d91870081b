"""The CDK CLI, and what a synthesis wrote."""

import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deployment import Refused
from deployment.shapes import TABLE, Shape, shape_of_resource
from toolchain import paths
from toolchain.paths import ROOT


@dataclass(frozen=True)
class Stack:
    """A synthesized stack and the region that it belongs to."""

    name: str
    region: str
    template: Mapping[str, Any]

    @property
    def outputs(self) -> dict[str, str]:
        """What the stack gives out that is known before it is deployed."""
        found = self.template.get("Outputs", {}).items()
        return {name: out["Value"] for name, out in found if isinstance(out["Value"], str)}

    @property
    def exports(self) -> set[str]:
        """The names under which other stacks of the region import what it gives out."""
        found = self.template.get("Outputs", {}).values()
        return {out["Export"]["Name"] for out in found if "Export" in out}

    @property
    def has_deletion_protection(self) -> bool:
        """True if a table or a user pool of the stack cannot be deleted."""
        tables = self.resources(TABLE).values()
        pools = self.resources("AWS::Cognito::UserPool").values()
        return any(
            shape_of_resource(table["Properties"], self.region).protected for table in tables
        ) or any(pool["Properties"].get("DeletionProtection") == "ACTIVE" for pool in pools)

    def resources(self, type: str) -> dict[str, Mapping[str, Any]]:
        """The stack's resources of a type, by logical id."""
        found = self.template.get("Resources", {}).items()
        return {id: resource for id, resource in found if resource["Type"] == type}


class Assembly:
    """The stacks that a synthesis wrote into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        manifest = json.loads((folder / "manifest.json").read_text())
        self.stacks = tuple(
            self._stack(id, artifact)
            for id, artifact in manifest["artifacts"].items()
            if artifact["type"] == "aws:cloudformation:stack"
        )

    def regions(self) -> tuple[str, ...]:
        """The regions of the stacks, the one of most of them first."""
        regions = [stack.region for stack in self.stacks]
        return tuple(sorted(set(regions), key=lambda region: (-regions.count(region), region)))

    def regions_with(self, type: str, **properties: str) -> tuple[str, ...]:
        """The regions that have a resource of a type, with these properties."""
        found = {
            stack.region
            for stack in self.stacks
            for resource in stack.resources(type).values()
            if resource.get("Properties", {}).items() >= properties.items()
        }
        return tuple(region for region in self.regions() if region in found)

    def tables(self, region: str) -> dict[str, tuple[Stack, str, Shape]]:
        """Each table of a region's stacks by name: its stack, its logical id there, its shape."""
        return {
            resource["Properties"]["TableName"]: (
                stack,
                id,
                shape_of_resource(resource["Properties"], region),
            )
            for stack in self.stacks
            if stack.region == region
            for id, resource in stack.resources(TABLE).items()
        }

    def _stack(self, id: str, artifact: Mapping[str, Any]) -> Stack:
        properties = artifact["properties"]
        template = json.loads((self.folder / properties["templateFile"]).read_text())
        region = artifact["environment"].rpartition("/")[2]
        # Named only where the name is another than the artifact's.
        return Stack(properties.get("stackName", id), region, template)


class Cdk:
    """The CLI, run for one stage in one account and region.

    Example::

        cdk = Cdk("dev", target.settings)
        cdk.deploy(cdk.synth(), "--require-approval", "never")
    """

    def __init__(self, stage: str, settings: Mapping[str, str]) -> None:
        self._stage = stage
        self._settings = settings
        self._output = ROOT / "cdk.out" / stage

    def synth(self, context: Mapping[str, str] | None = None) -> Assembly:
        asked = {"stage": self._stage, **(context or {})}
        options = [word for name, value in asked.items() for word in ("-c", f"{name}={value}")]
        self._run("synth", "--quiet", "--output", str(self._output), *options)
        return Assembly(self._output)

    def deploy(self, assembly: Assembly, *options: str, only: Sequence[str] = ()) -> None:
        """Deploy all stacks, each after those that it takes from; or `only` these."""
        stacks = ("--exclusively", *only) if only else ("--all",)
        self._run("deploy", *stacks, "--app", str(assembly.folder), *options)

    def destroy(self, assembly: Assembly) -> None:
        self._run("destroy", "--all", "--force", "--app", str(assembly.folder))

    def bootstrap(self, environments: Iterable[str], *options: str) -> None:
        self._run("bootstrap", *environments, *options)

    def _run(self, *command: str) -> None:
        ended = subprocess.run(
            (str(paths.cdk()), *command, "--no-notices"),
            cwd=ROOT,
            env={**paths.environment(), **self._settings},
            check=False,
        )
        if ended.returncode != 0:
            raise Refused(f"cdk {command[0]} ended with code {ended.returncode}: see above.")
