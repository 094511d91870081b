"""A bundle holds what a function imports and nothing else, the same on every machine."""

import ast
import dataclasses
import shutil
import subprocess
from pathlib import Path

import pytest

from cdk_app.settings import ROOT, read
from tablewright.constructs import LIBRARY_SOURCES, BundlingError, PythonCode, Source
from tablewright.constructs.functions import dependencies as cache
from tablewright.constructs.functions.dependencies import LAMBDA, dependencies
from tests.infrastructure.synthesis import HOST

SERVICES = ("dynamodb", "secretsmanager", "sts")


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sales API's bundle as it is deployed to dev."""
    output = tmp_path_factory.mktemp("bundle")
    read(lambda _: None, {}).code("sales", services=SERVICES).write(output)
    return output


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """A lock file that locks nothing."""
    path = tmp_path / "requirements.txt"
    path.write_text("")
    return path


@pytest.fixture
def code(tmp_path: Path, lock: Path) -> PythonCode:
    """Code of an app of one module, with a lock file and no dependencies."""
    app = tmp_path / "app"
    app.mkdir()
    (app / "main.py").write_text("answer = 42\n")
    return PythonCode(sources=(Source(app, "app"),), requirements=lock, services=())


def test_the_bundle_holds_the_handler_the_library_and_their_dependencies(bundle: Path) -> None:
    for part in (
        "lambdas/__init__.py",
        "lambdas/http/__init__.py",
        "lambdas/sales/handlers/api.py",
        "tablewright/catalog/sales/design.py",
        "tablewright/runtime/store/store.py",
        "boto3/__init__.py",
        "aws_lambda_powertools/__init__.py",
    ):
        assert (bundle / part).is_file(), part


def test_the_bundle_holds_nothing_of_cdk(bundle: Path) -> None:
    assert sorted(path.name for path in (bundle / "tablewright").iterdir()) == [
        "__init__.py",
        "__pycache__",
        "catalog",
        "exports.py",
        "model",
        "runtime",
    ]
    assert not (bundle / "aws_cdk").exists()
    assert not list((bundle / "tablewright" / "catalog").rglob("constructs.py"))


def test_everything_that_the_code_imports_is_in_the_bundle(bundle: Path) -> None:
    own = [*(bundle / "lambdas").rglob("*.py"), *(bundle / "tablewright").rglob("*.py")]
    for path in own:
        for module in imports(path):
            if module.split(".")[0] in ("lambdas", "tablewright"):
                place = bundle / module.replace(".", "/")
                assert place.is_dir() or place.with_suffix(".py").is_file(), (path, module)


def test_only_the_models_of_the_services_in_use_are_kept(bundle: Path) -> None:
    models = bundle / "botocore" / "data"
    assert sorted(p.name for p in models.iterdir() if p.is_dir()) == sorted(SERVICES)
    assert {p.name for p in models.iterdir() if p.is_file()} >= {
        "_retry.json",
        "endpoints.json",
        "partitions.json",
        "sdk-default-configuration.json",
    }


def test_the_bundle_holds_no_build_leftovers(bundle: Path) -> None:
    leftovers = {"RECORD", "INSTALLER", "tests"}
    found = [p for p in bundle.rglob("*") if p.name in leftovers or p.suffix == ".pyi"]
    assert found == []


def test_every_module_has_bytecode_and_nothing_else_has(bundle: Path) -> None:
    made = bundle.rglob("*.pyc")
    compiled = {p.parent.parent / f"{p.name.partition('.')[0]}.py" for p in made}
    assert compiled == set(bundle.rglob("*.py"))


def test_unchanged_code_has_the_same_hash_wherever_it_lies(
    code: PythonCode, tmp_path: Path
) -> None:
    shutil.copytree(tmp_path / "app", tmp_path / "elsewhere" / "app")
    moved = dataclasses.replace(code, sources=(Source(tmp_path / "elsewhere" / "app", "app"),))
    (tmp_path / "app" / "__pycache__").mkdir()
    (tmp_path / "app" / "__pycache__" / "main.pyc").write_bytes(b"cached")
    assert code.hash() == code.hash() == moved.hash()


@pytest.mark.parametrize(
    "change", ["content", "name", "text", "lock", "no lock", "services", "platform"]
)
def test_any_change_gives_another_hash(
    change: str, code: PythonCode, lock: Path, tmp_path: Path
) -> None:
    before = code.hash()
    module = tmp_path / "app" / "main.py"
    if change == "content":
        module.write_text("answer = 43\n")
    elif change == "name":
        module.rename(module.with_name("other.py"))
    elif change == "text":
        code = dataclasses.replace(code, texts={"told.json": "{}"})
    elif change == "lock":
        lock.write_text("# none\n")
    elif change == "no lock":
        code = dataclasses.replace(code, requirements=None)
    elif change == "services":
        code = dataclasses.replace(code, services=("sqs",))
    else:
        code = dataclasses.replace(code, platform=HOST)
    assert code.hash() != before


def test_without_a_lock_file_the_bundle_is_the_sources_alone(
    code: PythonCode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_install", lambda *_: pytest.fail("nothing is to be installed"))
    output = tmp_path / "output"
    dataclasses.replace(code, requirements=None).write(output)
    written = {path.relative_to(output) for path in output.rglob("*") if path.is_file()}
    assert written == {Path("app/main.py"), Path("app/__pycache__/main.cpython-313.pyc")}


def test_a_source_that_is_missing_is_named(code: PythonCode, tmp_path: Path) -> None:
    absent = dataclasses.replace(code, sources=(Source(tmp_path / "absent", "absent"),))
    with pytest.raises(BundlingError, match=r"there is no source .*absent"):
        absent.hash()


def test_a_service_that_does_not_exist_is_named(bundle: Path, tmp_path: Path) -> None:
    lock = ROOT / "lambdas" / "requirements.txt"
    code = PythonCode(sources=LIBRARY_SOURCES, requirements=lock, services=("dynamo",))
    with pytest.raises(BundlingError, match="no service named dynamo"):
        code.write(tmp_path / "output")


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TABLEWRIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "dependencies"


def test_dependencies_are_installed_once(
    fresh_cache: Path, lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Path] = []
    monkeypatch.setattr(cache, "_install", lambda lock, platform, target: calls.append(target))
    first = dependencies(lock, LAMBDA)
    assert dependencies(lock, LAMBDA) == first
    assert len(calls) == 1
    assert dependencies(lock, HOST) != first
    assert len(calls) == 2


def test_an_interrupted_installation_leaves_nothing_that_looks_complete(
    fresh_cache: Path, lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(lock: Path, platform: object, target: Path) -> None:
        (target / "half").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(cache, "_install", interrupted)
    with pytest.raises(KeyboardInterrupt):
        dependencies(lock)
    assert list(fresh_cache.iterdir()) == []


def test_what_pip_said_is_passed_on(
    fresh_cache: Path, lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "ERROR: hashes do not match\n")

    monkeypatch.setattr(subprocess, "run", refuse)
    with pytest.raises(BundlingError, match=r"aarch64 and Python 3.13:\n  ERROR: hashes"):
        dependencies(lock)


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found
