"""Bringing the whole application up on this machine, and down again."""

import contextlib
import os
import signal
import time
from datetime import UTC, datetime

from local.clients.api import Api
from local.clients.forms import Forms
from local.clients.portal import Portal
from local.clients.users import TENANTS, Users
from local.deployment import Deployment, deploy
from local.emulator.cloud import PORT, Cloud, stop_leftover
from local.emulator.connection import Connection
from local.emulator.home import Home, LocalCloudError
from local.guide import guide
from local.progress import Progress
from local.samples import forms as sample_forms
from local.samples import items as sample_items
from local.samples import news as sample_news
from local.samples import portal as sample_portal
from local.samples import sales as sample_sales
from local.samples.trickle import Trickle
from tablewright.testing.child import STOP_SECONDS

POLL_SECONDS = 0.2
# What `up` needs at most to stop a deployment and then the server.
DOWN_SECONDS = 2 * STOP_SECONDS + 5


def up(home: Home, progress: Progress) -> int:
    """Start, deploy and fill the cloud, then hold it until Ctrl-C or `down`."""
    # SIGINT too: a shell makes what it starts in the background ignore it.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    running = home.running()
    if running is not None:
        print("The local cloud runs in another terminal: it gets what has changed.")
        deployment = _fill(home, Connection(running.port), progress)
        print(f"\n{guide(home, deployment)}")
        return 0
    started = time.monotonic()
    with contextlib.ExitStack() as held:
        with progress.step("Starting the cloud"):
            cloud = held.enter_context(Cloud(home))
        if cloud.connection.port != PORT:
            print(f"  Port {PORT} was not free: it has port {cloud.connection.port}.")
        deployment = _fill(home, cloud.connection, progress)
        print(f"Ready after {time.monotonic() - started:.0f} s.\n\n{guide(home, deployment)}\n")
        print("Ctrl-C stops it and keeps its data.", flush=True)
        users = Users(home, cloud.connection, deployment)
        held.enter_context(Trickle(cloud.connection, users, deployment))
        try:
            return _hold(cloud)
        except KeyboardInterrupt:
            print("\nStopping ...", flush=True)
            return 0


def down(home: Home) -> bool:
    """Stop what runs in this folder; False when nothing does."""
    running = home.running()
    if running is None:
        stop_leftover(home)
        return False
    os.kill(running.keeper, signal.SIGTERM)
    deadline = time.monotonic() + DOWN_SECONDS
    while home.running():
        if time.monotonic() > deadline:
            raise LocalCloudError(
                f"Process {running.keeper} does not end. End it with: kill -9 {running.keeper}"
            )
        time.sleep(POLL_SECONDS)
    return True


def seed(
    home: Home, connection: Connection, deployment: Deployment, *, again: bool
) -> dict[str, int]:
    """Load the samples that are not there yet, or all; gives how many of each kind."""
    users = Users(home, connection, deployment)
    users.create()
    sales = 0
    for tenant in TENANTS:
        api = Api(deployment.api_url("sales"), users.token(tenant))
        if again or not sample_sales.is_loaded(api):
            sales += sample_sales.load(api, tenant)
    # Known ones are passed over, and a day later there are new ones.
    now = datetime.now(UTC)
    items = sample_items.load(connection, deployment, now)
    news = sample_news.load(connection, deployment, now)
    forms = sum(
        sample_forms.load(Forms(tenant, connection, deployment, users)) for tenant in TENANTS
    )
    content = sample_portal.load(Portal(deployment, users))
    stored = {"sales": sales, "items": items, "articles": news, "submissions": forms}
    return {**stored, "contents": content}


def _fill(home: Home, connection: Connection, progress: Progress) -> Deployment:
    deployment = deploy(home, connection, progress)
    with progress.step("Users and samples of every system"):
        stored = seed(home, connection, deployment, again=False)
        new = [f"{count} {kind} stored" for kind, count in stored.items() if count]
        progress.say(", ".join(new) or "already there")
    return deployment


def _hold(cloud: Cloud) -> int:
    while cloud.process.poll() is None:
        time.sleep(POLL_SECONDS)
    raise LocalCloudError(
        f"The cloud's server ended with code {cloud.process.returncode}; its output is in "
        f"{cloud.home.server_log}. Its data is kept. Start it again: make local"
    )


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
