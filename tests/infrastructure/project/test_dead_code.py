"""Every module, function, class and method is used by a program, not by tests alone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cdk_app.settings import ROOT
from tablewright.commands.command_line import COMMANDS
from tests.infrastructure.project.code_use import Program
from tests.infrastructure.synthesis import Assembly, resources

# What is held to it, and what it is used by besides: each module of these is a beginning.
HELD = ("tablewright", "lambdas", "stacks")
USERS = (
    "benchmarks",
    "cdk_app",
    "deployment",
    "docs",
    "examples",
    "local",
    "toolchain",
    "typing_tests",
)
PUBLIC = (
    "tablewright",
    "tablewright.changes",
    "tablewright.constructs",
    "tablewright.constructs.nag",
    "tablewright.designs",
    "tablewright.model",
    "tablewright.runtime",
    "tablewright.testing",
    "tablewright.testing.plugin",
)
# Of constructs that no stack here has all parts of.
FUNCTIONS_OF_OTHERS = (
    "tablewright.changes.backfill.scheduled.handler.handler",
    "tablewright.runtime.archive.handlers.expire_items.handler",
    "tablewright.runtime.secrets.primary_key.handler",
)
USED_BY_OTHERS = {
    "tablewright.changes.copying.migration_file: incomplete()": "Migration files call it.",
    "tablewright.constructs.field_keys: grant_rotation()": "For the role of who rotates keys.",
    "tablewright.constructs.functions.bundling: try_bundle()": "CDK calls it, to bundle.",
    "tablewright.constructs.tables.table: from_table_arn()": "For apps of others.",
    "tablewright.constructs.tables.table: from_table_name()": "For apps of others.",
    "tablewright.testing.plugin.dynamodb": "It is a fixture.",
    "tablewright.constructs.nag.RULE_IDS": "Whoever acknowledges a rule names it.",
    **{
        f"tablewright.catalog.sentiment.validation.validate_{name}": "Programs of others call it."
        for name in ("matched_tags", "score", "source_id")
    },
    **{
        f"tablewright.testing.privileges.least_privilege: {name}()": "Tests call it."
        for name in ("assert_exact", "recording")
    },
    **{
        f"tablewright.testing.privileges.platform.{name}": "Tests name what starts a function."
        for name in ("FAILED_EVENTS", "FAILURES", "QUEUE", "STREAM")
    },
    **{
        f"tablewright.constructs.nag: {name}()": "cdk-nag calls it."
        for name in ("_check_resource", "explanation", "level", "rule_suffix_override")
    },
}


@pytest.fixture(scope="module")
def program() -> Program:
    assert {folder.parent.name for folder in ROOT.glob("*/*.py")} == {*HELD, *USERS, "tests"}
    return Program(ROOT, *HELD, *USERS)


@pytest.fixture(scope="module")
def handlers(dev: Assembly, stage: Callable[[str], Assembly]) -> set[str]:
    own = {
        function["Handler"]
        for assembly in (dev, stage("prod-us-east-1"))
        for template in assembly.templates.values()
        for function in resources(template, "AWS::Lambda::Function").values()
    }
    commands = {f"{one.module}.main" for group in COMMANDS.values() for one in group.values()}
    return {*own, *FUNCTIONS_OF_OTHERS, *commands}


@pytest.fixture(scope="module")
def reached(program: Program, handlers: set[str]) -> set[str]:
    modules = program.modules.items()
    commands = {name for name, module in modules if module.is_command}
    users = {name for name in program.modules if name.partition(".")[0] in USERS}
    functions = {handler.rpartition(".")[0] for handler in handlers}
    return program.reached({*users, *PUBLIC, *commands, *functions})


@pytest.mark.thorough
def test_every_module_is_reached_from_where_a_program_begins(
    program: Program, reached: set[str]
) -> None:
    assert program.modules.keys() - reached == set()


def test_every_name_is_used_by_more_than_tests(
    program: Program, reached: set[str], handlers: set[str]
) -> None:
    unused = {
        name
        for name in program.unused(reached, handlers)
        if name.replace(":", ".").split(".")[0] in HELD
    }
    assert unused == USED_BY_OTHERS.keys()


def test_what_nothing_uses_is_found(tmp_path: Path) -> None:
    texts = {
        "app/__init__.py": "",
        "app/main.py": "from app import shop\nfrom app.rules import limit\nshop.sell(limit)\n",
        "app/rules.py": "limit = 1\nother = 2\n_private = other\n",
        "app/shop.py": "class Till:\n    def count(self): ...\ndef sell(n):\n    return Till()\n"
        "def restock(): ...\n@app.get('/')\ndef route(): ...\n",
        "app/forgotten.py": "from app import shop\n\nshop.restock()\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    program = Program(tmp_path, "app")
    reached = program.reached(["app.main"])
    assert program.modules.keys() - reached == {"app.forgotten"}
    assert set(program.unused(reached, set())) == {
        "app.rules._private",
        "app.shop.restock",
        "app.shop: count()",
    }
