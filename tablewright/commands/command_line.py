"""Command line: `tablewright`, and the commands under it, each a module with a `main`."""

import os
import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from tablewright import __version__
from tablewright.commands.missing_packages import extra_of, import_command, require_at_start


class Command(NamedTuple):
    """What a command does, and the module that has its `main`."""

    says: str
    module: str


COMMANDS: Mapping[str, Mapping[str, Command]] = {
    "Designs": {
        "init": Command(
            "make a CDK app with one table, one function and their tests",
            "tablewright.commands.designs.init",
        ),
        "check": Command(
            "say what is wrong with designs, and what a change asks of stored items",
            "tablewright.commands.designs.check",
        ),
        "explain": Command(
            "show the calls, the IAM statement and the capacity units of access patterns",
            "tablewright.commands.designs.explain",
        ),
        "doc": Command(
            "write pages of designs, with pictures of their item collections",
            "tablewright.commands.designs.doc",
        ),
        "table": Command(
            "create, describe or drop a design's table, in an account or on an engine",
            "tablewright.commands.designs.table",
        ),
        "export": Command(
            "write designs as a model of NoSQL Workbench, as JSON or as Python",
            "tablewright.commands.designs.export",
        ),
        "import": Command(
            "make designs of a NoSQL Workbench model, or of a table as AWS describes it",
            "tablewright.commands.designs.import_model",
        ),
        "measure": Command(
            "measure what access patterns consume on DynamoDB Local, beside the least they could",
            "tablewright.commands.designs.measure",
        ),
        "cost": Command(
            "say what a design costs a month, by part, and what a change of it would",
            "tablewright.commands.designs.cost",
        ),
    },
    "Changes": {
        "lock": Command(
            "write the meaning of designs to lock files, which changes are compared with",
            "tablewright.commands.changes.lock",
        ),
        "plan": Command(
            "say the ordered steps from one design of a live table to another",
            "tablewright.commands.changes.plan",
        ),
        "apply": Command(
            "carry out a plan on a live table, step by step",
            "tablewright.commands.changes.apply",
        ),
        "backfill": Command(
            "write the items of a live table as its new design writes them",
            "tablewright.commands.changes.backfill",
        ),
        "verify": Command(
            "show that items and indexes of a live table are as its design writes them",
            "tablewright.commands.changes.verify",
        ),
        "migration": Command(
            "copy a live table to a new one by a reviewed migration, with a way back",
            "tablewright.commands.changes.migration",
        ),
        "adopt": Command(
            "propose the design of a table that exists, from its description and some items",
            "tablewright.commands.changes.adopt",
        ),
    },
    "Tests": {
        "install-engine": Command(
            "put DynamoDB Local in place, and a Java where there is none, for tests",
            "tablewright.commands.testing.install_engine",
        ),
    },
    "Items": {
        "bring-back": Command(
            "bring lost items back from a restored table, and nothing that is there",
            "tablewright.commands.items.bring_back",
        ),
        "read-archive": Command(
            "print items of an archive, or put them back into a table",
            "tablewright.commands.items.read_archive",
        ),
        "verify-archive": Command(
            "show that every item is in its table or in the archive, and none twice",
            "tablewright.commands.items.verify_archive",
        ),
        "rotate-keys": Command(
            "make, promote and retire the keys of secret fields",
            "tablewright.commands.items.rotate_keys",
        ),
        "reencrypt": Command(
            "encrypt what is in clear, or what an older key encrypted, with the key of now",
            "tablewright.commands.items.reencrypt",
        ),
    },
    "Operations": {
        "redrive": Command(
            "send again what a stream's consumer could not take",
            "tablewright.commands.operations.redrive",
        ),
        "parked": Command(
            "list and release what healing has parked", "tablewright.commands.operations.parked"
        ),
        "active-region": Command(
            "show which region of a system is active, or make another one active",
            "tablewright.commands.operations.active_region",
        ),
        "audit-isolation": Command(
            "report, and try, what one tenant's session could reach of another's",
            "tablewright.commands.operations.audit_isolation",
        ),
    },
    "Planning": {
        "recommend": Command(
            "say what would make a stage cost less, from its last month",
            "tablewright.commands.operations.recommend",
        ),
        "shard-spread": Command(
            "simulate how evenly tenants' submissions spread over partitions",
            "tablewright.catalog.forms.shard_spread",
        ),
    },
}
_EVERY = {name: command for group in COMMANDS.values() for name, command in group.items()}
_STOPPED = 130  # as shells tell that a program was interrupted


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that is named first, with what follows; gives its exit code.

    Example::

        main(["redrive", "--bucket", "dev-failures", "--function", "dev-project", "--dry-run"])
    """
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("--help", "-h", "help"):
        print(_help())
        return 0
    if name == "--version":
        print(__version__)
        return 0
    if name not in _EVERY:
        near = get_close_matches(name, _EVERY, 1)
        meant = f" Did you mean '{near[0]}'?" if near else ""
        print(
            f"tablewright: there is no command '{name}'.{meant} `tablewright --help` lists them.",
            file=sys.stderr,
        )
        return 2
    return _run(name, _EVERY[name].module, rest)


def _run(name: str, module: str, arguments: list[str]) -> int:
    # Designs are named by module, and those of this folder are not installed.
    sys.path.insert(0, os.getcwd())
    try:
        command, missing = import_command(module)
        if not {"-h", "--help"} & set(arguments):
            require_at_start(missing)
        return int(command.main(arguments))
    except ModuleNotFoundError as error:
        extra = extra_of(error)
        if extra is None:
            raise
        package = str(error.name).partition(".")[0]
        print(
            f"tablewright {name} needs the package {package}, which is not installed: "
            f"pip install 'tablewright[{extra}]'",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        return _STOPPED


def _help() -> str:
    lines = ["usage: tablewright COMMAND [OPTION…]", ""]
    width = max(map(len, _EVERY)) + 2
    for title, commands in COMMANDS.items():
        lines += [f"{title}:"]
        lines += [f"  {name:{width}}{command.says}" for name, command in commands.items()]
        lines += [""]
    lines += [
        "`tablewright COMMAND --help` says more. All can be stopped at any moment and go on where",
        "they were. For example:",
        "",
        "  tablewright redrive --bucket dev-failures --function dev-project --dry-run",
    ]
    return "\n".join(lines)
