"""Tables from their descriptions: what the source of one declares, without a file of it."""

from tablewright.designs.description.design import Description
from tablewright.designs.description.errors import Indescribable
from tablewright.designs.source.module import python_source
from tablewright.model.declaration import Table


def declared(description: Description) -> type[Table]:
    """The table that a description is of; raises Indescribable where a class of somebody's own that
    it names is gone."""
    names: dict[str, object] = {"__name__": __name__}
    try:
        exec(python_source(description), names)  # noqa: S102 - source of our own making
    except (AttributeError, ImportError) as error:
        raise Indescribable(
            f"{description['id']} had a class of your own that is not here any more: {error}"
        ) from None
    tables = (one for one in names.values() if isinstance(one, type) and issubclass(one, Table))
    return next(one for one in tables if one is not Table)
