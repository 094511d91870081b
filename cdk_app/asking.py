"""Sources of settings: context (`-c name=…`) and environment, and the forms of their values."""

import re
from collections.abc import Callable, Mapping

# Of tags, tickers and whatever else is listed: a function's environment has 4 KB.
_MOST = 50


class SettingError(Exception):
    """One sentence: which setting is wrong, and how to set it."""


def asked_in(context: Callable[[str], object], environ: Mapping[str, str], name: str) -> str | None:
    """A setting by its name, from context or else from `TABLEWRIGHT_NAME`."""
    value = context(name) or environ.get(f"TABLEWRIGHT_{name.upper()}")
    return str(value) if value else None


def either(environ: Mapping[str, str], what: str) -> str | None:
    """Account or region: as asked for, or as the CDK CLI finds it by the credentials in use."""
    return environ.get(f"TABLEWRIGHT_{what}") or environ.get(f"CDK_DEFAULT_{what}") or None


def listed(name: str, text: str, form: re.Pattern[str], example: str) -> tuple[str, ...]:
    """What a text lists between commas, each once."""
    parts = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not parts:
        raise wrong(f"TABLEWRIGHT_{name}", text, example)
    if len(parts) > _MOST:
        raise SettingError(
            f"TABLEWRIGHT_{name} has {len(parts)} entries: name at most {_MOST}, such as {example}"
        )
    for part in parts:
        checked(form, f"TABLEWRIGHT_{name}", part, example)
    return parts


def checked(form: re.Pattern[str], setting: str, value: str | None, example: str) -> str | None:
    if value is not None and not form.fullmatch(value):
        raise wrong(setting, value, example)
    return value


def wrong(setting: str, value: str, example: str) -> SettingError:
    return SettingError(f"{setting} is '{value}': set it to something like {example}")
