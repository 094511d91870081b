"""Settings of a stage, declared: those of every system, then those of one."""

from cdk_app.declared import every, forms, kind, portal, sales, sentiment
from cdk_app.setting import Setting
from cdk_app.values import Sections

SECTIONS: Sections = {
    name: tuple(
        one for module in modules for one in vars(module).values() if isinstance(one, Setting)
    )
    for name, modules in (
        (None, (kind, every)),
        ("sentiment", (sentiment,)),
        ("sales", (sales,)),
        ("forms", (forms,)),
        ("portal", (portal,)),
    )
}
# In the order in which they are declared.
SETTINGS = tuple(setting for section in SECTIONS.values() for setting in section)
