"""Tables from their descriptions: what the source of one declares, without a file of it."""

from tablewright.designs.description.design import Description
from tablewright.designs.source.module import python_source
from tablewright.model.declaration import Table


def declared(description: Description) -> type[Table]:
    """The table that a description is of."""
    names: dict[str, object] = {"__name__": __name__}
    exec(python_source(description), names)  # noqa: S102 - source of our own making
    tables = (one for one in names.values() if isinstance(one, type) and issubclass(one, Table))
    return next(one for one in tables if one is not Table)
