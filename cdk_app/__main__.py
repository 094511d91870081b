"""Entry point of the CDK app: ``cdk synth -c stage=dev``."""

import os
import sys

from aws_cdk import App
from jsii.errors import JavaScriptError

from cdk_app.application import build
from cdk_app.setting import SettingError
from cdk_app.settings import read


def main() -> None:
    app = App()
    try:
        build(app, read(app.node.try_get_context, os.environ, report=_report))
        app.synth()
    except SettingError as error:
        raise SystemExit(str(error)) from None
    except RuntimeError as error:
        # CDK's messages say all; the traceback would only be of the bridge to it.
        if isinstance(error.__cause__, JavaScriptError) and "CDK_DEBUG" not in os.environ:
            raise SystemExit(str(error)) from None
        raise


def _report(line: str) -> None:
    print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
