"""Settings of a stage, declared: those of every system, then those of one."""

from typing import Any

from cdk_app.declared import every, forms, portal, sales, sentiment
from cdk_app.setting import Setting

# By whom they are for, in the order in which they are declared.
SETTINGS: dict[str, tuple[Setting[Any], ...]] = {
    title: tuple(one for one in vars(module).values() if isinstance(one, Setting))
    for title, module in (
        ("Every system", every),
        ("Sentiment and news", sentiment),
        ("Sales", sales),
        ("Forms", forms),
        ("Portal", portal),
    )
}
