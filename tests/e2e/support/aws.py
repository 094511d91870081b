"""As much of the command `aws` as the operations page uses, for machines that have none.

python -m tests.e2e.support.aws dynamodb describe-table --table-name NAME --query Table.TableArn
"""

import json
import sys
from pathlib import Path
from typing import Any

import boto3
import jmespath  # type: ignore[import-untyped]  # botocore's, without types
from botocore import xform_name

_SERVICES = {"s3api": "s3"}


def main(arguments: list[str]) -> None:
    service, action, *rest = arguments
    client = boto3.client(_SERVICES.get(service, service))
    if action == "wait":
        waiter, *rest = rest
        found = client.get_waiter(waiter.replace("-", "_"))
        found.wait(**_typed(client, found.config.operation, _options(rest)))
        return
    # Of what can be long, the last word is the file that it is written to.
    file = rest.pop() if len(rest) % 2 else None
    options = _options(rest)
    options.pop("cli-binary-format", None)
    query, form = options.pop("query", "@"), options.pop("output", "json")
    method = action.replace("-", "_")
    operation = client.meta.method_to_api_mapping[method]
    answer = getattr(client, method)(**_typed(client, operation, options))
    answer.pop("ResponseMetadata", None)
    if file:
        Path(file).write_bytes(answer.pop("Payload").read())
    told = jmespath.search(query, answer)
    text = "\n".join(_lines(told)) if form == "text" else json.dumps(told, default=str)
    sys.stdout.write(f"{text}\n")


def _options(words: list[str]) -> dict[str, str]:
    """Options and their values; there are none without a value."""
    pairs = zip(words[::2], words[1::2], strict=True)
    return {name.removeprefix("--"): value for name, value in pairs}


def _typed(client: Any, operation: str, options: dict[str, str]) -> dict[str, Any]:
    """The operation's parameters: texts as they are, everything else as JSON."""
    shape = client.meta.service_model.operation_model(operation).input_shape
    known = {xform_name(name, "-"): (name, kind.type_name) for name, kind in shape.members.items()}
    typed = {}
    for option, value in options.items():
        name, kind = known[option]
        typed[name] = value if kind in ("string", "timestamp", "blob") else json.loads(value)
    return typed


def _lines(told: Any) -> list[str]:
    rows = told if isinstance(told, list) else [told]
    return ["\t".join(map(str, row)) if isinstance(row, list) else str(row) for row in rows]


if __name__ == "__main__":
    main(sys.argv[1:])
