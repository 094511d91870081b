"""Nothing that the project reads is executed: no module can turn text into code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdk_app.settings import ROOT

ROOMS = ("tablewright", "lambdas", "stacks", "deployment", "cdk_app")
EXECUTES = {"eval", "exec", "compile", "execfile", "__import__", "__builtins__", "__loader__"}
MODULES = {
    *("builtins", "cloudpickle", "code", "codeop", "ctypes", "dill", "imp", "marshal", "pickle"),
    *("multiprocessing", "pkgutil", "pty", "pydoc", "runpy", "shelve", "subprocess", "timeit"),
    *("yaml", "zipimport"),
}
IMPORTS = {"import_module", "spec_from_file_location", "SourceFileLoader", "exec_module"}
_PROGRAMS = re.compile("system|popen|startfile|(exec|spawn|posix_spawn)[a-z]*")
# Modules that import by name, each with the source of the name.
EXCEPTIONS = {
    "tablewright/exports.py": "the table of a package's own names, written in that package",
    "tablewright/commands/missing_packages.py": "the table of commands, in command_line.py",
    "tablewright/designs/example_records.py": "Python's own parser of regular expressions",
    "tablewright/commands/named.py": "package.module:NAME, from the command line or pyproject.toml",
    "lambdas/audit/handlers/run_audit.py": "package.module:NAME, written by the stack of the audit",
}
# Modules that import a file, each with who names it.
FILES = {"tablewright/changes/copying/migration_file.py": "a migration, from the command line"}
# Modules that start programs, each with the program.
PROGRAMS = {
    "deployment/cdk.py": "the CDK CLI",
    "tablewright/commands/changes/apply.py": "the deploy command of a stage, from pyproject.toml",
    "tablewright/commands/designs/revision.py": "git, and this library beside a revision's modules",
    "tablewright/constructs/functions/bytecode.py": "Node, which compiles functions",
    "tablewright/constructs/functions/dependencies.py": "pip, with a lock file of requirements",
    "tablewright/testing/child.py": "a command of the tests",
    "tablewright/testing/dynamodb_local.py": "Java",
    "tablewright/testing/engine/machine.py": "Java",
    "tablewright/testing/engine/tools.py": "npm and pip",
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
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "os":
            yield from filter(_PROGRAMS.fullmatch, [node.attr])
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.split(".")[0] in MODULES)
        elif isinstance(node, ast.ImportFrom):
            yield from (one.name for one in node.names if one.name in IMPORTS | EXECUTES)
            if node.module == "os":
                yield from (one.name for one in node.names if _PROGRAMS.fullmatch(one.name))
            if str(node.module).partition(".")[0] in MODULES:
                yield str(node.module)


def test_no_module_executes_text_or_imports_by_a_name_from_a_file() -> None:
    files = [file for room in ROOMS for file in (ROOT / room).rglob("*.py")]
    assert len(files) > 400
    found = {_place(file): {*offences(file.read_text())} for file in files}
    expected = {place: {"import_module"} for place in EXCEPTIONS}
    expected |= {place: {"subprocess"} for place in PROGRAMS}
    expected |= {place: {"exec_module", "spec_from_file_location"} for place in FILES}
    assert {place: names for place, names in found.items() if names} == expected


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
        "import builtins",
        "__builtins__['exec'](text)",
        "import pkgutil",
        "from pydoc import locate",
        "os.system(text)",
        "os.execvp(program, words)",
        "from os import popen",
        "import subprocess",
    ],
)
def test_each_way_of_execution_is_found(source: str) -> None:
    assert [*offences(source)]
    assert not [*offences("re.compile(text); ast.literal_eval(text); store.evaluate(text)")]
