"""Where settings are asked for: context (`-c name=…`), and the environment."""

from collections.abc import Callable, Mapping


def asked_in(context: Callable[[str], object], environ: Mapping[str, str], name: str) -> str | None:
    """A setting by its name, from context or else from `TABLEWRIGHT_NAME`."""
    value = context(name) or environ.get(f"TABLEWRIGHT_{name.upper()}")
    return str(value) if value else None


def either(environ: Mapping[str, str], what: str) -> str | None:
    """Account or region: as asked for, or as the CDK CLI finds it by the credentials in use."""
    return environ.get(f"TABLEWRIGHT_{what}") or environ.get(f"CDK_DEFAULT_{what}") or None
