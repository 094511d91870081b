"""The whole application on this machine: the ordinary CDK deployment on an emulated AWS."""

import argparse
import random
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from local import items
from local.archive import compacted
from local.clients.forms import FORM, Forms
from local.clients.portal import Portal
from local.clients.receiver import Delivery, Receiver
from local.clients.users import PEOPLE, TENANTS, Users
from local.deployment import Deployment
from local.drill import drill
from local.emulator.connection import Connection, connect
from local.emulator.faults import KINDS, OF_REGIONS, Faults, seconds_of, target_of
from local.emulator.home import DEFAULT, Home, LocalCloudError
from local.logs import Logs
from local.progress import Progress
from local.samples.forms import filled_in
from local.samples.items import ingest
from local.samples.news import article
from local.status import status
from local.up import down, seed, up
from toolchain import ToolchainError

Arguments = argparse.Namespace


def _up(asked: Arguments, home: Home) -> int:
    return up(home, Progress())


def _down(asked: Arguments, home: Home) -> int:
    print("Stopped. Its data is kept." if down(home) else "The local cloud was not running.")
    return 0


def _reset(asked: Arguments, home: Home) -> int:
    down(home)
    if home.root.exists():
        try:
            shutil.rmtree(home.root)
        except OSError as error:
            what = f"{error.filename} cannot be removed: {error.strerror}"
            raise LocalCloudError(f"{what}. Remove {home.root} by hand.") from None
    print("Everything is gone. Start afresh: make local")
    return 0


def _status(asked: Arguments, home: Home) -> int:
    connection, deployment = _deployed(home)
    return _print(status(home, connection, deployment))


def _address(asked: Arguments, home: Home) -> int:
    _, deployment = _deployed(home)
    return _print([deployment.api_url(asked.system)])


def _token(asked: Arguments, home: Home) -> int:
    return _print([Users(home, *_deployed(home)).token(asked.user)])


def _seed(asked: Arguments, home: Home) -> int:
    connection, deployment = _deployed(home)
    stored = seed(home, connection, deployment, again=True)
    return _print(f"{count} {kind} stored" for kind, count in stored.items())


def _logs(asked: Arguments, home: Home) -> int:
    logs = Logs(connect(home), asked.function)
    return _print(logs.follow() if asked.follow else logs.lines())


def _tables(asked: Arguments, home: Home) -> int:
    connection = connect(home)
    if asked.table is None:
        return _print(items.summary(connection))
    return _print(items.listing(connection, asked.table, limit=asked.limit, key=asked.key))


def _fault(asked: Arguments, home: Home) -> int:
    connection, faults = connect(home), Faults(home)
    if asked.kind == "clear":
        return _print([f"Faults ended: {faults.clear()}"])
    if asked.target is None:
        whose = {"throttle": "TABLE"} | dict.fromkeys(OF_REGIONS, "REGION")
        raise LocalCloudError(
            f"Say which one: fault {asked.kind} {whose.get(asked.kind, 'FUNCTION')} --for 60s"
        )
    target = target_of(connection, asked.kind, asked.target)
    return _print([faults.add(asked.kind, target, seconds=seconds_of(asked.duration))])


def _drill(asked: Arguments, home: Home) -> int:
    drill(
        Home(home.root.with_name(f"{home.root.name}-drill")),
        partial(print, flush=True),
        asked.items,
    )
    return 0


def _news(asked: Arguments, home: Home) -> int:
    connection, deployment = _deployed(home)
    now = datetime.now(UTC)
    age = timedelta(seconds=seconds_of(asked.age))
    one = article(f"{now:%Y%m%d%H%M%S%f}", now - age, random.Random())
    ingest(connection, deployment, {"news": [one]})
    return _print([f"{one['source_id']}: {one['text_for_analysis']}"])


def _heal(asked: Arguments, home: Home) -> int:
    connection, deployment = _deployed(home)
    answer = connection.client("lambda").invoke(
        FunctionName=deployment.output("sentiment", "HealFunction"), Payload=b"{}"
    )
    said = answer["Payload"].read().decode()
    if "FunctionError" in answer:
        raise LocalCloudError(f"The heal function failed: {said}")
    return _print([said])


def _archive(asked: Arguments, home: Home) -> int:
    return _print(compacted(*_deployed(home)))


def _submit(asked: Arguments, home: Home) -> int:
    forms = _forms(asked.tenant, home)
    answer = forms.submit(filled_in(random.Random()), asked.form)
    print(answer.text, flush=True)
    return 0 if answer.status == 202 else 1


def _receive(asked: Arguments, home: Home) -> int:
    forms = _forms(asked.tenant, home)

    def told(delivery: Delivery) -> None:
        said = delivery.body[:200].decode(errors="replace")
        print(f"{delivery.status}  {delivery.submission_id}  {said}", flush=True)

    with Receiver(forms.hook_secret, port=asked.port, fails=asked.fail, told=told) as receiver:
        forms.deliver_to(receiver.url)
        print(f"Submissions of {asked.tenant} are delivered to {receiver.url}. Ctrl-C ends it.")
        while True:
            time.sleep(3600)


def _publish(asked: Arguments, home: Home) -> int:
    connection, deployment = _deployed(home)
    portal = Portal(deployment, Users(home, connection, deployment))
    portal.subscribe()
    made = portal.create(asked.title)
    id = made["content_id"]
    print(f"author    wrote {id}, version {made['version']}: {made['title']}", flush=True)
    made = portal.attach(id, "notes.txt", f"Notes on {asked.title}\n".encode())
    print(f"author    attached {made['file_name']}, {made['size_bytes']} bytes", flush=True)
    made = portal.approve(made)
    print(f"approver  made it {made['status']}, version {made['version']}", flush=True)
    told = portal.notification(id)
    print(f"reader    was told: {told['title']}: {told['message']}", flush=True)
    return _print([f"reader    downloaded: {portal.download(id).decode().rstrip()}"])


def _forms(tenant: str, home: Home) -> Forms:
    if tenant not in TENANTS:
        known = ", ".join(TENANTS)
        raise LocalCloudError(f"There is no tenant '{tenant}'. Take one of: {known}")
    connection, deployment = _deployed(home)
    return Forms(tenant, connection, deployment, Users(home, connection, deployment))


def _deployed(home: Home) -> tuple[Connection, Deployment]:
    connection = connect(home)
    return connection, Deployment(home, connection)


def _print(lines: Iterable[object]) -> int:
    for line in lines:
        print(line, flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m local", description=__doc__)
    parser.add_argument(
        "--folder", type=Path, default=DEFAULT, help="where it keeps everything (.build/local)"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[Arguments, Home], int], says: str) -> Any:
        added = commands.add_parser(name, help=says, description=says)
        added.set_defaults(run=run)
        return added

    command("up", _up, "start, deploy and fill the local cloud; Ctrl-C stops it")
    command("down", _down, "stop it from another terminal")
    command("status", _status, "say what runs, where it answers and what is there in name only")
    logs = command("logs", _logs, "print what the functions wrote")
    logs.add_argument("--follow", action="store_true", help="go on until Ctrl-C")
    logs.add_argument(
        "--function", metavar="NAME", help="only this one; a part of its name will do"
    )
    address = command("address", _address, "print the address of a system's API")
    address.add_argument("--system", default="sales", help="the system (default: sales)")
    token = command("token", _token, "sign in and print a token for the APIs")
    token.add_argument("--user", required=True, help=f"one of {', '.join(PEOPLE)}")
    tables = command("tables", _tables, "list the tables, or the items of one")
    tables.add_argument("table", nargs="?", metavar="TABLE", help="a part of its name will do")
    tables.add_argument("--key", default="", help="only partition keys with this in them")
    tables.add_argument("--limit", type=int, default=20, help="how many items (default: 20)")
    says = "let a function fail or time out, a table throttle, a region or its replication be lost"
    fault = command("fault", _fault, says)
    fault.add_argument("kind", choices=(*KINDS, "clear"), help="clear ends all faults")
    fault.add_argument("target", nargs="?", metavar="NAME", help="a part of its name will do")
    fault.add_argument("--for", dest="duration", default="60s", help="60s, 5m (default: 60s)")
    region = command("drill", _drill, "lose a region of a cloud of its own, and see what goes on")
    region.add_argument("what", choices=("region",), help="what is lost")
    region.add_argument("--items", type=int, default=6, help="handed in in each part (default: 6)")
    news = command("news", _news, "hand in an article of financial news")
    news.add_argument("--age", default="1s", help="how long ago it was published (2h)")
    command("heal", _heal, "ask again for the analysis of news that wait for it")
    command("archive", _archive, "compact the archives now, and list their days")
    publish = command("publish", _publish, "write content, approve it, and see who is told of it")
    publish.add_argument("title", nargs="?", default="A demo of everything", help="its title")
    submit = command("submit", _submit, "fill in a form of a tenant's, signed")
    submit.add_argument("--form", default=FORM, help=f"the form (default: {FORM})")
    receive = command("receive", _receive, "be a webhook that submissions are delivered to")
    receive.add_argument("--port", type=int, default=0, help="where (default: any that is free)")
    receive.add_argument("--fail", type=int, default=0, help="answer so many with 503 first")
    for added in (submit, receive):
        added.add_argument("--tenant", default=TENANTS[0], help=f"one of {', '.join(TENANTS)}")
    command("seed", _seed, "load the sample data again")
    command("reset", _reset, "stop it and delete everything that it holds")
    return parser


def main(arguments: Sequence[str] | None = None) -> int | str:
    """Do what was asked for; gives a code, or what went wrong, as `sys.exit` takes them."""
    asked = _parser().parse_args(arguments)
    try:
        result: int = asked.run(asked, Home(asked.folder.absolute()))
    except (LocalCloudError, ToolchainError) as error:
        return str(error)
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return 130
    return result


if __name__ == "__main__":
    sys.exit(main())
