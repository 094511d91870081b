"""The page on encryption is followed, on the local cloud, down to what its commands print."""

import re
import shlex
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Template

from cdk_app.settings import ROOT, read
from tablewright.commands.command_line import main
from tablewright.runtime.secrets import rotation
from tablewright.runtime.secrets.secrets import encrypted
from tests.integration.gaps.clouds import HOME, Cloud, deploy

TEXT = (ROOT / "docs" / "encryption.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
MODULE, STACK, STORE = (block for kind, block in BLOCKS if kind == "python")
FIRST_KEY, ENCRYPT, ADD, PROMOTE, RETIRE, OFF = (block for kind, block in BLOCKS if not kind)


class Operator:
    """Somebody who does what the page says, in a terminal."""

    def __init__(self, cloud: Cloud, names: dict[str, str], capsys: Any) -> None:
        self._cloud = cloud
        self._names = names
        self._capsys = capsys
        self._ids: dict[str, str] = {}

    def follow(self, step: str) -> None:
        """Run the commands of a block, and find what it shows."""
        for shown in step.split("$ tablewright ")[1:]:
            command, _, expected = shown.partition("\n")
            for name, value in self._names.items():
                command = command.replace(f"${name}", value)
            self._capsys.readouterr()
            assert main(shlex.split(command)) == 0
            told = self._capsys.readouterr().err
            # A bar of progress writes over its own line.
            lines = [line.rpartition("\r")[2] for line in told.splitlines()]
            bar = re.compile(r"item/s|s/item")
            found = [line for line in lines if line.strip() and not bar.search(line)]
            assert self._normal(found) == expected.splitlines()

    def _normal(self, lines: list[str]) -> list[str]:
        """What was printed, with the ids and times of the page."""
        text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "2026-11-17 12:00 UTC", "\n".join(lines))
        return [self._with_known_ids(line) for line in text.splitlines()]

    def _with_known_ids(self, line: str) -> str:
        for id in re.findall(r"\b[0-9a-f]{8}\b", line):
            if id not in self._ids:
                self._ids[id] = ("5f1c09e2", "8a77b3d0")[len(self._ids)]
            line = line.replace(id, self._ids[id])
        return line


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The page's module, where Python finds it."""
    (tmp_path / "clinic.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("clinic", None)


@pytest.fixture
def operator(
    cloud: Cloud, clinic: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Operator:
    made: dict[str, Any] = {}
    exec(compile(STACK, "stack", "exec"), made)  # noqa: S102 - the page's own
    stack: Stack = made["stack"]
    template = {"Resources": Template.from_stack(stack).to_json()["Resources"]}
    ids = deploy(cloud, "clinic", template)
    (ring,) = (id for name, id in ids.items() if name.startswith("PatientKeysRing"))
    (key,) = (id for name, id in ids.items() if name.startswith("PatientKeysKey"))
    for name, value in {
        "AWS_ENDPOINT_URL": cloud.endpoint,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": HOME,
    }.items():
        monkeypatch.setenv(name, value)
    return Operator(cloud, {"RING": ring, "KEY": key}, capsys)


def test_the_page_leads_from_no_encryption_to_new_keys_and_back(
    operator: Operator, cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    program: dict[str, Any] = {}
    exec(compile(STORE, "store", "exec"), program)  # noqa: S102 - the page's own
    patient, patients = program["Patient"], program["Patients"]
    keys = (operator._names["RING"], operator._names["KEY"])
    people = [patient(number=f"p{number}", diagnosis="hay fever") for number in range(3)]

    def stored() -> list[Any]:
        items = cloud.client("dynamodb").scan(TableName="prod-patients")["Items"]
        return [encrypted(item["diagnosis"]) for item in items]

    before = program["store_of"](*keys, writes=False)
    for one in people:
        before.put(patients.admit, one)
    assert stored() == [None] * 3

    def readable(**settings: bool) -> None:
        store = program["store_of"](*keys, **settings)
        found = [store.get(patients.patient, number=one.number) for one in people]
        assert found == people

    for step in (FIRST_KEY, ENCRYPT):
        operator.follow(step)
    assert None not in stored()
    readable()
    # The page waits; that the command does too is tested with a clock of its own.
    monkeypatch.setattr(rotation, "SPREAD", timedelta())
    monkeypatch.setattr(rotation, "IN_FLIGHT", timedelta())
    old = stored()
    operator.follow(ADD)
    readable()
    for step in (PROMOTE, RETIRE):
        operator.follow(step)
        readable()
    assert not {*old} & {*stored()}
    operator.follow(OFF)
    assert stored() == [None] * 3
    readable(writes=False)


def test_every_setting_of_the_page_is_one() -> None:
    named = set(re.findall(r'`encrypted_fields = "(\w+)"`', TEXT))
    for value in named | {"off"}:
        asked = {"TABLEWRIGHT_ENCRYPTED_FIELDS": value}
        assert read({"stage": "prod"}.get, asked).sentiment.encrypted_fields == value
    assert named == {"read", "migrate", "on"}
