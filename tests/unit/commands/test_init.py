"""A new app has all that it needs, under its own name."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tablewright import __version__
from tablewright.commands.command_line import main
from tablewright.commands.designs import init
from tablewright.commands.designs.init import app_files, requirement

WANTED = {
    ".github/workflows/test.yml",
    ".gitignore",
    "Makefile",
    "README.md",
    "app.py",
    "cdk.json",
    "my_shop/__init__.py",
    "my_shop/function.py",
    "my_shop/orders.py",
    "my_shop/stack.py",
    "pyproject.toml",
    "requirements.txt",
    "tests/test_orders.py",
    "tests/test_stack.py",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    return tmp_path


def test_an_app_has_its_own_name_everywhere(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "my_shop"]) == 0
    assert "Next: cd my_shop && make test" in capsys.readouterr().out
    made = {str(path.relative_to(here / "my_shop")): path for path in _files(here / "my_shop")}
    assert made.keys() == WANTED
    texts = "".join(path.read_text() for path in made.values())
    assert not any(word in texts for word in ("NAME", "REQUIREMENT", "STACK_ID"))
    # What CloudFormation calls a stack has no underscores.
    assert 'f"my-shop-{stage}"' in made["app.py"].read_text()


def test_its_code_is_as_linters_want_it(here: Path) -> None:
    main(["init", "shop"])
    ruff = (sys.executable, "-m", "ruff")
    rules = ("--isolated", "--line-length=100", "--select=B,E,F,I,RUF,UP,W")
    for command in (("check", *rules), ("format", "--check", *rules[:2])):
        done = subprocess.run(
            (*ruff, *command), cwd=here / "shop", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


def test_its_design_has_nothing_to_be_said_against(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["init", "own_orders"])
    monkeypatch.chdir(here / "own_orders")
    assert main(["check", "--strict"]) == 0
    assert "1 design: 0 errors, 0 warnings" in capsys.readouterr().err


def test_nothing_that_is_there_is_written_over(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "shop").mkdir()
    with pytest.raises(SystemExit) as stop:
        main(["init", "shop"])
    assert stop.value.code == 2
    assert "there is a 'shop' here already" in capsys.readouterr().err
    assert not _files(here / "shop")


@pytest.mark.parametrize("name", ["My-Shop", "1shop", "class", "json", "tablewright", "../shop"])
def test_a_name_that_cannot_be_a_package_s_is_refused(
    name: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["init", name])
    assert stop.value.code == 2
    assert f"'{name}' is" in capsys.readouterr().err
    assert not list(here.iterdir())


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (None, f"=={__version__}"),
        ({"url": "file:///home/sam/tablewright", "dir_info": {}}, f"=={__version__}"),
        ({"url": "https://example.com/t.whl", "archive_info": {}}, " @ https://example.com/t.whl"),
        (
            {"url": "https://example.com/t", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            " @ git+https://example.com/t@abc",
        ),
    ],
)
def test_an_app_requires_the_library_that_made_it(
    origin: dict[str, object] | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Installed:
        def read_text(self, name: str) -> str | None:
            return json.dumps(origin) if origin and name == "direct_url.json" else None

    monkeypatch.setattr(init, "distribution", lambda name: Installed())
    assert requirement() == f"tablewright[{init.EXTRAS}]{expected}"
    assert dict(app_files("shop"))[Path("requirements.txt")].startswith(requirement())


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
