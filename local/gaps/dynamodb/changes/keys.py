"""Gap: a stack that gives a table other keys empties it, or does nothing and says it is done.

A table with other keys is another table. CloudFormation makes it beside the first, then deletes
that one; and refuses to for a name that the template gives, since both would have it. ministack
does so for other types, and is told of these.
"""

from ministack.services.cloudformation import provisioners

from local.gaps import expected
from local.gaps.dynamodb.changes.refusals import GLOBAL_TABLE, TABLE

_FIXED = ("KeySchema", "LocalSecondaryIndexes", "TableName")


def close() -> None:
    replacing = expected.attribute(provisioners, "_REPLACING_PROPERTIES")
    named = expected.attribute(provisioners, "_CUSTOM_NAME_REPLACEMENT")
    types = ("_requires_replacement_dynamodb", "old_props", "new_props")
    type_changes = expected.function(provisioners, *types)
    for known in (replacing, named):
        if TABLE not in known or GLOBAL_TABLE in known:
            raise expected.GapMismatch(f"ministack replaces {GLOBAL_TABLE} by now")
    replacing[TABLE] = tuple({*replacing[TABLE], *_FIXED})
    replacing[GLOBAL_TABLE] = _FIXED
    named[GLOBAL_TABLE] = {"name": "TableName", "requires_replacement": type_changes}
