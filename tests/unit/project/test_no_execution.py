"""Nothing that the project reads is executed: no module can turn text into code."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdk_app.settings import ROOT

ROOMS = ("tablewright", "lambdas", "stacks", "deployment", "cdk_app")
EXECUTES = {"eval", "exec", "compile", "execfile", "__import__"}
MODULES = {"cloudpickle", "code", "dill", "marshal", "pickle", "runpy", "shelve", "yaml", "imp"}
IMPORTS = {"import_module", "spec_from_file_location", "SourceFileLoader", "exec_module"}
# Modules that import by name, each with the source of the name.
EXCEPTIONS = {
    "tablewright/exports.py": "the table of a package's own names, written in that package",
    "tablewright/commands/missing_packages.py": "the table of commands, in command_line.py",
    "tablewright/designs/example_records.py": "Python's own parser of regular expressions",
    "tablewright/commands/named.py": "package.module:NAME, from the command line or pyproject.toml",
    "lambdas/audit/handlers/run_audit.py": "package.module:NAME, written by the stack of the audit",
}


def offences(source: str) -> Iterator[str]:
    """Names in a module that execute text, unpickle, or import by name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and node.id in EXECUTES | IMPORTS:
            yield node.id
        elif isinstance(node, ast.Attribute) and node.attr in IMPORTS:
            yield node.attr
        elif isinstance(node, ast.Attribute) and node.attr in EXECUTES:
            # `re.compile` and `py_compile.compile` run nothing.
            if ast.unparse(node.value) not in ("re", "py_compile"):
                yield node.attr
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.split(".")[0] in MODULES)
        elif isinstance(node, ast.ImportFrom):
            yield from (one.name for one in node.names if one.name in IMPORTS | EXECUTES)
            if str(node.module).partition(".")[0] in MODULES:
                yield str(node.module)


def test_no_module_executes_text_or_imports_by_a_name_from_a_file() -> None:
    files = [file for room in ROOMS for file in (ROOT / room).rglob("*.py")]
    assert len(files) > 400
    found = {_place(file): {*offences(file.read_text())} for file in files}
    assert {place for place, names in found.items() if names} == EXCEPTIONS.keys()
    assert all(found[place] == {"import_module"} for place in EXCEPTIONS)


def _place(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


@pytest.mark.parametrize(
    "source",
    [
        "exec(text)",
        "run = eval",
        "builtins.exec(text)",
        "compile(text, '', 'exec')",
        "import pickle",
        "from marshal import loads",
        "from importlib import import_module",
        "importlib.import_module(name)",
        "import yaml",
        "from runpy import run_path",
        "__import__(name)",
    ],
)
def test_each_way_of_execution_is_found(source: str) -> None:
    assert [*offences(source)]
    assert not [*offences("re.compile(text); ast.literal_eval(text); store.evaluate(text)")]
