"""A pipe's input template: text in which `<$.path>` stands for a value of the record."""

import json
import re
from typing import Any

_PLACEHOLDER = re.compile(r"<(\$[^>]*|aws\.pipes\.[\w.-]+)>")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_QUOTE = re.compile(r'(?<!\\)"')


def render(template: str, record: Any, reserved: dict[str, Any]) -> str:
    """The template with its placeholders replaced.

    Inside a JSON string the value becomes part of the string, elsewhere it is JSON itself.
    """

    def replaced(placeholder: re.Match[str]) -> str:
        path = placeholder[1]
        value = at(record, path) if path.startswith("$") else reserved.get(path)
        in_string = len(_QUOTE.findall(template, 0, placeholder.start())) % 2 == 1
        if not in_string:
            return json.dumps(value)
        text = "" if value is None else value if isinstance(value, str) else json.dumps(value)
        return json.dumps(text)[1:-1]

    return _PLACEHOLDER.sub(replaced, template)


def at(record: Any, path: str) -> Any:
    """The value at a path such as `$.dynamodb.Keys.PK.S`, None when there is none."""
    value = record
    for name, index in _STEP.findall(path[1:]):
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list) and index and int(index) < len(value):
            value = value[int(index)]
        else:
            return None
    return value
