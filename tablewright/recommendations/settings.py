"""Settings of a stage that carry recommendations out, as `make deploy` takes them."""

from collections.abc import Iterable

from tablewright.recommendations.options import Option
from tablewright.recommendations.recommendation import Change, Recommendation

ACCELERATOR = "TABLEWRIGHT_ACCELERATOR"
CAPACITY = "TABLEWRIGHT_CAPACITY"
LOG_DAYS = "TABLEWRIGHT_LOG_DAYS"


def capacity_change(name: str, option: Option) -> Change:
    """The capacity of a table, by the name that settings have for it."""
    if not option.provisioned:
        return Change(words="on demand", setting=CAPACITY, value=f"{name}=on-demand")
    words = f"provisioned, reads {option.reads}, writes {option.writes}"
    value = f"{name}=provisioned:{option.reads}/{option.writes}"
    return Change(words=words, setting=CAPACITY, value=value)


def setting_lines(recommendations: Iterable[Recommendation], *, safe_only: bool) -> list[str]:
    """Lines for a shell, one for each setting; values of the same setting are listed in it."""
    values: dict[str, list[str]] = {}
    for one in recommendations:
        for change in one.changes if one.safe or not safe_only else ():
            if change.setting and change.value:
                values.setdefault(change.setting, []).append(change.value)
    return [f'export {name}="{",".join(dict.fromkeys(some))}"' for name, some in values.items()]
