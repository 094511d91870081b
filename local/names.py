"""Names of what is deployed, and of one of them by its beginning."""

from local.emulator.connection import Connection
from local.emulator.home import LocalCloudError


def function_names(connection: Connection) -> list[str]:
    pages = connection.client("lambda").get_paginator("list_functions").paginate()
    return sorted(one["FunctionName"] for page in pages for one in page["Functions"])


def table_names(connection: Connection) -> list[str]:
    pages = connection.client("dynamodb").get_paginator("list_tables").paginate()
    return sorted(name for page in pages for name in page["TableNames"])


def the_one(part: str, names: list[str], kind: str) -> str:
    """The name that is meant: itself, or the only one that has it in it."""
    found = [name for name in names if name == part]
    found = found or [name for name in names if part.lower() in name.lower()]
    if len(found) == 1:
        return found[0]
    known = "\n  ".join(names) or "(none)"
    many = "More than one" if found else "No"
    raise LocalCloudError(f"{many} {kind} is called '{part}'. There are:\n  {known}")
