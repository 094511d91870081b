"""`python -m deployment`: what `make bootstrap`, `deploy`, `destroy` and `user` run."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError

from cdk_app.setting import SettingError
from cdk_app.stage_file import FOLDER, StageFile
from deployment import Refused
from deployment.cdk import Cdk
from deployment.deploy import Asked, deploy
from deployment.destroy import destroy
from deployment.target import Target
from deployment.users import ensure_user
from toolchain import ToolchainError

APPROVALS = ("never", "broadening", "any-change")
Options = argparse.Namespace


def main(arguments: list[str], folder: Path = FOLDER) -> int:
    options = _parser().parse_args(arguments)
    try:
        target = Target(StageFile.load(options.stage, folder), os.environ)
        run: Callable[[Options, Target, Cdk], None] = options.run
        run(options, target, Cdk(options.stage, target.settings))
    except (Refused, SettingError, ToolchainError) as refused:
        print(refused, file=sys.stderr)
        return 1
    except (BotoCoreError, ClientError) as error:
        print(f"AWS refused: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _bootstrap(options: Options, target: Target, cdk: Cdk) -> None:
    regions = cdk.synth().regions()
    _say(f"Preparing {target.account} in {', '.join(regions)}.")
    extra: list[str] = []
    if options.execution_policy:
        extra += ["--cloudformation-execution-policies", options.execution_policy]
    if options.boundary:
        extra += ["--custom-permissions-boundary", options.boundary]
    cdk.bootstrap([f"aws://{target.account}/{region}" for region in regions], *extra)


def _deploy(options: Options, target: Target, cdk: Cdk) -> None:
    approve = options.approve or "broadening"
    if approve != "never" and not sys.stdin.isatty():
        raise Refused(
            "There is no terminal to approve changed rights at. Look at them with make diff "
            f"STAGE={target.stage}, then: make deploy STAGE={target.stage} APPROVE=never"
        )
    _say(f"Deploying {target.stage} to account {target.account}, {target.region}.")
    asked = Asked(
        approve=approve,
        take_over=options.take_over,
        context=dict(options.context),
    )
    deploy(target, cdk, asked, _say)


def _destroy(options: Options, target: Target, cdk: Cdk) -> None:
    confirm = f"destroy-{target.stage}"
    if target.file.protects_data and options.confirm != confirm:
        raise Refused(
            f"{target.file} protects the data of {target.stage}. To destroy its stacks: "
            f"make destroy STAGE={target.stage} CONFIRM={confirm}"
        )
    if options.approve != "never" and not sys.stdin.isatty():
        raise Refused(
            "There is no terminal to ask at whether you are sure. If you are: "
            f"make destroy STAGE={target.stage} APPROVE=never"
        )
    destroy(target, cdk, _say, lambda what: _sure(what, target.stage, options.approve))


def _user(options: Options, target: Target, cdk: Cdk) -> None:
    ensure_user(
        target,
        email=options.email,
        tenant=options.tenant or None,
        groups=_list(options.groups),
        say=_say,
    )


def _sure(what: str, stage: str, approve: str) -> bool:
    if approve == "never":
        return True
    return input(f"{what} Type the name of the stage to go on: ").strip() == stage


def _say(line: str) -> None:
    print(line, flush=True)


def _pair(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, value


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deployment", description=__doc__)
    commands = parser.add_subparsers(required=True)
    runs = {"bootstrap": _bootstrap, "deploy": _deploy, "destroy": _destroy, "user": _user}
    made = {name: commands.add_parser(name) for name in runs}
    for name, command in made.items():
        command.set_defaults(run=runs[name])
        command.add_argument("--stage", required=True)
    made["bootstrap"].add_argument("--execution-policy", default="")
    made["bootstrap"].add_argument("--boundary", default="")
    for name in ("deploy", "destroy"):
        made[name].add_argument("--approve", choices=("", *APPROVALS), default="")
    made["deploy"].add_argument("--import", dest="take_over", type=bool, default=False)
    made["deploy"].add_argument("-c", "--context", type=_pair, action="append", default=[])
    made["destroy"].add_argument("--confirm", default="")
    made["user"].add_argument("--email", required=True)
    made["user"].add_argument("--tenant", default="")
    made["user"].add_argument("--groups", default="")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
