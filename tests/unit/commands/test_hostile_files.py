"""Files that anybody may have written run no code, and no command fails on them.

Each file is mutated in its JSON and in its bytes. A command either reads it or refuses it in one
line: an exception that it lets pass fails the test. `SEED` is printed; another one finds others.
"""

import ast
import builtins
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from cdk_app.settings import ROOT
from examples.designs.shop import Shop
from tablewright.commands.command_line import main
from tablewright.designs import InvalidDescription, build_table, describe, python_source
from tablewright.designs.description.node import parse_document
from tablewright.model.fields.text import TextField
from tablewright.recommendations.usage_file import usage_json
from tests.unit.designs.everything import Everything
from tests.unit.recommendations.months import stage, table

SEED = int(os.environ.get("HOSTILE_SEED", "1"))
_RUN = "__import__('os').environ.__setitem__('RAN', '1')"
CANARIES = (
    _RUN,
    f"create={_RUN}, describes",
    f'"); {_RUN}; ("',
    f"'); {_RUN}; ('",
    f'"""\n{_RUN}\n"""',
    f"\\\n{_RUN}\n#",
    f"x\n{_RUN}",
    f"x\r{_RUN}",
    f"x=[{_RUN}]: pass\nclass y",
    "hostile_canary:ran",
    "os:system",
    "builtins:print",
    "__class__",
    "{0.__class__}",
    "\x1b[2J\x9b31m\u202e",
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 10**30, 10**400, -(10**999), 1.5, 1e308, float("inf")),
    *("", " ", "#", "{", "{shard}", "\0", "\ud800", "é" * 3000, [], {}, [[]], [{}], {"": {}}),
    *({"kind": "Text"}, {"kind": "ListOf", "of": {"kind": "Text"}}, ["Order"], float("nan")),
)
Mutation = Callable[[Random, Any], Any]


@pytest.fixture(autouse=True)
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A module whose import is noticed, and an environment in which code would leave a mark."""
    (tmp_path / "hostile_canary.py").write_text(f"{_RUN}\ndef ran(*values): return 'x'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RAN", raising=False)
    for name in ("exec", "eval"):
        monkeypatch.setattr(builtins, name, _guarded(getattr(builtins, name)))
    sys.stdout.write(f"HOSTILE_SEED={SEED}\n")
    yield
    assert "RAN" not in os.environ
    assert "hostile_canary" not in sys.modules


def _guarded(execute: Callable[..., Any]) -> Callable[..., Any]:
    """The standard library executes templates of its own, such as those of named tuples."""

    def guard(code: Any, *more: Any) -> Any:
        assert not isinstance(code, str) or "environ" not in code
        return execute(code, *more)

    return guard


def positions(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, list):
        value = dict(enumerate(value))
    for name, one in value.items() if isinstance(value, dict) else ():
        yield from positions(one, (*path, name))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for name in path:
        value = value[name]
    return value


def replace(random: Random, document: Any) -> Any:
    path = random.choice([*positions(document)])
    value = random.choice((*VALUES, *CANARIES))
    if not path:
        return value
    at(document, path[:-1])[path[-1]] = deepcopy(value)
    return document


def rename(random: Random, document: Any) -> Any:
    path = random.choice([one for one in positions(document) if one and isinstance(one[-1], str)])
    holder = at(document, path[:-1])
    keys = [*holder, *CANARIES, "default", "stored", "kind", "of", "name"]
    holder[random.choice(keys)] = holder.pop(path[-1])
    return document


def delete(random: Random, document: Any) -> Any:
    path = random.choice([one for one in positions(document) if one])
    del at(document, path[:-1])[path[-1]]
    return document


def graft(random: Random, document: Any) -> Any:
    """One part of the document in place of another."""
    paths = [one for one in positions(document) if one]
    source, target = random.choice(paths), random.choice(paths)
    at(document, target[:-1])[target[-1]] = deepcopy(at(document, source))
    return document


def nest(random: Random, document: Any) -> Any:
    path = random.choice([one for one in positions(document) if one])
    holder = at(document, path[:-1])
    for _ in range(random.choice((1, 40, 99, 150))):
        holder[path[-1]] = random.choice(
            ([holder[path[-1]]], {"kind": "ListOf", "of": holder[path[-1]]})
        )
    return document


def insert(random: Random, document: Any) -> Any:
    paths = [one for one in positions(document) if isinstance(at(document, one), dict)]
    holder = at(document, random.choice(paths))
    holder[random.choice(CANARIES)] = random.choice((*VALUES, *CANARIES))
    return document


MUTATIONS: tuple[Mutation, ...] = (replace, replace, rename, delete, graft, nest, insert)


def damaged(random: Random, text: bytes) -> bytes:
    """Bytes that are cut, doubled, exchanged or no UTF-8."""
    start, end = sorted((random.randrange(len(text)), random.randrange(len(text))))
    made = random.choice(
        (b"\xff", b"\0", b"[" * 100_000, b'{"a":' * 5000, b'"', b"NaN", b"\\ud800")
    )
    return random.choice(
        (text[:start], text[:start] + made + text[start:], text[:start] + text[end:], text * 2)
    )


def documents(original: Any, count: int, seed: str) -> Iterator[bytes]:
    """A canary in every string, member names among them; then random mutations."""
    random = Random(f"{SEED} {seed}")
    texts = [path for path in positions(original) if path]
    for number, path in enumerate(random.sample(texts, min(len(texts), count // 2))):
        document, canary = deepcopy(original), CANARIES[number % len(CANARIES)]
        holder = at(document, path[:-1])
        if isinstance(holder[path[-1]], str):
            holder[path[-1]] = canary
        elif isinstance(path[-1], str):
            holder[canary] = holder.pop(path[-1])
        yield json.dumps(document).encode()
    for _ in range(count // 2):
        document = deepcopy(original)
        for _ in range(random.choice((1, 1, 2, 3))):
            if isinstance(document, dict) and document:
                document = random.choice(MUTATIONS)(random, document)
        text = json.dumps(document).encode()
        yield damaged(random, text) if random.random() < 0.2 else text


@pytest.mark.parametrize("design", [Everything, Shop], ids=lambda one: one.__name__)
def test_a_mutated_description_is_built_or_refused(design: Any) -> None:
    built, refused = 0, list[str]()
    for text in documents(describe(design), 1200, "build"):
        try:
            description = parse_document(text).value
            table = build_table(description, design)
            describe(table)
        except InvalidDescription as error:
            refused.append(str(error))
            continue
        built += 1
        declares_only(python_source(description))
    assert built > 50
    assert all(one.isprintable() for one in refused)


def declares_only(source: str) -> None:
    """Generated source has imports and declarations, and calls nothing else."""
    tree = ast.parse(source)
    assert all(one.isprintable() for one in source.splitlines())
    known = {"set_", "set"}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            assert node.module in {
                *("builtins", "collections.abc", "datetime", "decimal", "enum", "typing"),
                *("tablewright.model", "tests.unit.designs.everything", "hostile_canary"),
                *("os", "builtins"),
            }
            known |= {one.asname or one.name for one in node.names}
        elif isinstance(node, ast.ClassDef):
            known.add(node.name)
        else:
            assert isinstance(node, ast.Assign | ast.Expr)
    for one in ast.walk(tree):
        if isinstance(one, ast.Call):
            function = one.func.value if isinstance(one.func, ast.Subscript) else one.func
            assert isinstance(function, ast.Name)
            assert function.id in known
        assert not isinstance(one, ast.Lambda | ast.ListComp | ast.Await | ast.FunctionDef)


def refused_or_read(capsys: pytest.CaptureFixture[str], *arguments: str) -> int:
    try:
        code = main([*arguments])
    except SystemExit as stop:
        code = int(str(stop.code))
    said = capsys.readouterr()
    assert code in (0, 1, 2)
    assert all(one.isprintable() for one in (said.out + said.err).split("\n"))
    if code == 2:
        (last,) = said.err.splitlines()[-1:]
        assert last.startswith((f"tablewright {arguments[0]}: ", "Stopped: ", "By its policies: "))
    return code


PLACE = "examples.designs.shop:Shop"
TENANTS = ("--design", "tablewright.catalog.forms.design:Forms", "--tenants", "a", "ab")
TRAFFIC = ("cost", PLACE, "--traffic", "traffic.toml")
APPLY = ("--table", "t", "--region", "eu-west-1", "--endpoint-url", "http://localhost:1")
COMMANDS = {
    "check": ("check", PLACE, "--against", "x.json"),
    "plan": ("plan", PLACE, "--from", "x.json", "--json"),
    "steps": ("plan", PLACE, "--from", "x.json"),
    "import": ("import", "x.json"),
    "planned": ("check", PLACE, "--against", "shop.json", "--plan", "x.json"),
    "apply": ("apply", "x.json", "--dry-run", *APPLY),
    "prices": (*TRAFFIC, "--prices", "x.json"),
    "measured": ("doc", PLACE, "-o", "docs", "--measured", "x.json"),
    "costs": (*TRAFFIC[:3], "measured.toml"),
    "usage": ("recommend", "--from", "x.json"),
    "policies": ("audit-isolation", *TENANTS, "--policies", "x.json", "--role", "Access"),
    "described": ("adopt", "t", "--description", "x.json", "--items", "items.json"),
    "items": ("adopt", "t", "--description", "described.json", "--items", "x.json"),
}


COUNTS = {"usage": 30}  # a recommendation takes a second
TAG = "${aws:PrincipalTag/tenant}"
STATEMENT = {
    "Effect": "Allow",
    "Action": ["dynamodb:GetItem", "s3:GetObject"],
    "Resource": [{"Fn::GetAtt": ["Table", "Arn"]}, {"Fn::Join": ["", ["arn:b/", TAG, "/*"]]}],
    "Condition": {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [f"T#{TAG}#*"]}},
}
ROLE = {"Policies": [{"PolicyDocument": {"Statement": STATEMENT}}]}
SCHEMA = [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}]
DESCRIBED = {
    "TableName": "t",
    "KeySchema": SCHEMA,
    "AttributeDefinitions": [{"AttributeName": n, "AttributeType": "S"} for n in ("PK", "SK")],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "inverted",
            "KeySchema": [{**SCHEMA[1], "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["n"]},
        }
    ],
}
ITEMS = [
    {
        "PK": {"S": f"ORDER#{number}"},
        "SK": {"S": f"ITEM#{number}"},
        "n": {"N": "1.5"},
        "l": {"L": [{"M": {"b": {"BOOL": True}}}, {"NULL": True}]},
        "s": {"SS": ["a", "b"]},
    }
    for number in range(4)
]
UNITS = dict.fromkeys(("read", "read_floor", "write", "write_floor"), "1.5")
MEASURED = [
    {"pattern": name, "what": "an item", "many": 1, "calls": 1, "computed": None, **UNITS}
    for name in Shop.__design__.patterns
]


def originals(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """A sound file for each command, beside the other files that it reads."""
    old: Any = describe(Shop)
    del old["indexes"]["by_product"]
    old["patterns"] = {n: one for n, one in old["patterns"].items() if "index" not in one}
    files = {"shop": old, "items": {"Items": ITEMS}, "described": {"Table": DESCRIBED}}
    for name, content in files.items():
        Path(f"{name}.json").write_text(json.dumps(content))
    assert main(["plan", PLACE, "--from", "shop.json", "-o", "plan.json"]) == 0
    plan = json.loads(Path("plan.json").read_text())
    capsys.readouterr()
    assert main(["cost", PLACE, "--example"]) == 0
    traffic = capsys.readouterr().out
    Path("traffic.toml").write_text(traffic)
    Path("measured.toml").write_text(f'measured = "x.json"\n{traffic}')
    return {
        **dict.fromkeys(("check", "plan", "steps", "import"), old),
        **dict.fromkeys(("apply", "planned"), plan),
        **dict.fromkeys(("measured", "costs"), MEASURED),
        "prices": {"api_million": "1.10", "functions": {"request_million": 0.2}},
        "usage": json.loads(usage_json(stage(table(), ended="2026-06-30"))),
        "policies": {"Resources": {"Access": {"Type": "AWS::IAM::Role", "Properties": ROLE}}},
        "described": files["described"],
        "items": files["items"],
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_refuse_a_mutated_file_in_one_line(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A plan is applied to a table: here one for which nothing is done yet.
    state = SimpleNamespace(load=dict)
    monkeypatch.setattr("tablewright.commands.changes.apply.state_of", lambda *_: state)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    original = originals(capsys)[command]
    Path("x.json").write_bytes(json.dumps(original).encode())
    assert refused_or_read(capsys, *COMMANDS[command]) in (0, 1)
    codes = set()
    for text in (b"[" * 100_000, b"null", *documents(original, COUNTS.get(command, 100), command)):
        Path("x.json").write_bytes(text)
        codes.add(refused_or_read(capsys, *COMMANDS[command]))
        assert "RAN" not in os.environ, text
    assert 2 in codes


@pytest.mark.parametrize("text", [b"a = " + b"[" * 50_000, b"peak = nan", b"peak = 1e999", b"\xff"])
def test_a_traffic_file_is_refused_in_one_line(
    text: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("traffic.toml").write_bytes(text)
    assert refused_or_read(capsys, *TRAFFIC) == 2


AMBIGUOUS, SLOW = "(a|aa)+$", "a" * 60 + "!"


@pytest.mark.parametrize(
    "field",
    [
        {"kind": "Text", "pattern": AMBIGUOUS, "default": SLOW},
        {"kind": "SetOf", "of": {"kind": "Lines", "pattern": AMBIGUOUS}, "default": [SLOW]},
        {"kind": "PartOf", "of": "Hostile", "default": {"text": SLOW}},
    ],
    ids=lambda field: field["kind"],
)
def test_no_text_of_a_file_is_matched_by_a_pattern_of_it(field: Any) -> None:
    """Such a match takes for ever, and holds up the whole program: so it runs in another."""
    old: Any = describe(Shop)
    text = {"kind": "Text", "pattern": AMBIGUOUS}
    old["parts"]["Hostile"] = {"describes": "A part.", "fields": {"text": text}}
    old["entities"]["Customer"]["fields"]["hostile"] = field
    if field["kind"] != "PartOf":
        del old["parts"]["Hostile"]
    Path("x.json").write_text(json.dumps(old))
    for command in ("check", "plan", "import"):
        done = subprocess.run(
            [sys.executable, "-m", "tablewright", *COMMANDS[command]],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode in (0, 1), done.stderr


def test_a_pattern_of_a_file_is_kept_and_of_limited_length() -> None:
    old: Any = describe(Shop)
    field = {"kind": "Text", "pattern": "[A-Z]{2}", "default": "EU"}
    old["entities"]["Customer"]["fields"]["region"] = field
    built = build_table(old, Shop).__design__.entities["Customer"].by_name["region"]
    assert isinstance(built, TextField)
    assert built.pattern == "[A-Z]{2}"
    field["pattern"] = "a" * 10_001
    with pytest.raises(InvalidDescription, match="its pattern is longer than 10000 characters"):
        build_table(old, Shop)
