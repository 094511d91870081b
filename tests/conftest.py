"""Every stage is synthesized once for the whole run; tests read the templates as plain JSON."""

import fcntl
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import botocore.session
import pytest
from botocore.loaders import Loader, create_loader
from hypothesis import settings

from tablewright.runtime import refreshed

if TYPE_CHECKING:
    from tests.infrastructure.synthesis import Assembly

# Found by itself where the wheel is installed.
pytest_plugins = ["tablewright.testing.plugin", "pytester"]

ROOT = Path(__file__).resolve().parents[1]
# Those of the end-to-end tests that deploy a cloud of their own.
OWN_CLOUD = ("test_failover.py", "test_up_and_down.py")
SELDOM = {
    *("staging", "local", "prod-accelerated", "prod-replicated-encrypted"),
    *("prod-us-east-1", "prod-virginia"),
}
# Both are read when aws_cdk is first imported, which starts Node.
os.environ["PATH"] = f"{ROOT / '.build' / 'bin'}{os.pathsep}{os.environ['PATH']}"
os.environ["CDK_VALIDATION"] = "false"

# Neither a busy machine nor chance is a reason for an example to fail: every run tries the same.
# Others are tried by `pytest --hypothesis-profile=random`.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None)
settings.load_profile("repeatable")

# Tests set the clock and expect the new value: on a busy machine a thread takes its time to start.
refreshed.GRACE_SECONDS = 30.0

_models: dict[str | None, dict[Any, Any]] = {}


def _loader(folders: str | None = None) -> Loader:
    """A loader of botocore that has read what others have: each session would read it all anew."""
    made = create_loader(folders)
    made._cache = _models.setdefault(folders, made._cache)
    return made


botocore.session.create_loader = _loader


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The tests of a file run in one process, and so do all that share the deployed cloud."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):  # type: ignore[misc] # it has no types
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            folder, _, name = file.rpartition("/")
            return folder if folder == "tests/e2e" and name not in OWN_CLOUD else file

    return ByFile(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Processes that share the tests begin at either end: what one of them has compiled, the others
    need not."""
    report = yield
    number = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    if isinstance(collector, pytest.Dir) and int(number) % 2:
        report.result.reverse()
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the stages, the quick check synthesizes dev and prod: others have what these have."""
    items.sort(key=_order)  # in whichever order they were collected
    for item in items:
        given = getattr(getattr(item, "callspec", None), "params", {}).values()
        if "infrastructure" in item.nodeid and SELDOM.intersection(map(str, given)):
            item.add_marker(pytest.mark.thorough)


def _order(item: pytest.Item) -> tuple[str, ...]:
    """By path; clouds of their own come later, when the code that they deploy is bundled."""
    path = item.path
    later = path.parents[1] / "integration" / path.name
    return (later if path.name in OWN_CLOUD else path).parts


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> "Callable[[str], Assembly]":
    # Unit tests never come here, and so do not wait for Node.
    from tests.infrastructure.synthesis import Assembly, synthesize_stage

    made: dict[str, Assembly] = {}
    own = tmp_path_factory.getbasetemp()
    # Processes that share the tests share the folder above their own.
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def of(name: str) -> "Assembly":
        if name not in made:
            folder, done = shared / f"stage-{name}", shared / f"stage-{name}.done"
            with (shared / f"stage-{name}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not done.exists():
                    synthesize_stage(name, folder)
                    done.touch()
            made[name] = Assembly(folder)
        return made[name]

    return of


@pytest.fixture(scope="session")
def prod(stage: "Callable[[str], Assembly]") -> "Assembly":
    return stage("prod")


@pytest.fixture(scope="session")
def dev(stage: "Callable[[str], Assembly]") -> "Assembly":
    return stage("dev")
