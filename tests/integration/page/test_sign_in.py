"""Signing in, against a user pool: the page proves the password, renews and forgets its tokens."""

import base64
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.support.browser import NewPage, screenshot
from tests.integration.gaps.clouds import Cloud, running
from tests.integration.page.samples import news
from tests.integration.page.server import NEWS, Api

NAME = "sam@acme.example"
PASSWORD = "Correct-horse-7"
FLOWS = ["ALLOW_USER_SRP_AUTH", "ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]
AGE = """() => {
  for (const [place, text] of Object.entries(sessionStorage)) {
    const kept = { ...JSON.parse(text), expires: Date.now() };
    sessionStorage.setItem(place, JSON.stringify(kept));
  }
}"""
KEPT = "Object.values(sessionStorage).map(text => JSON.parse(text))"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    with running(Cloud(tmp_path_factory.mktemp("pool") / "state")) as started:
        yield started


class Pool:
    """A user pool with one user, whose tokens the API takes."""

    def __init__(self, cloud: Cloud, api: Api) -> None:
        self._cognito = cloud.client("cognito-idp")
        pool = self._cognito.create_user_pool(PoolName="page", UsernameAttributes=["email"])
        self.id = pool["UserPool"]["Id"]
        client = self._cognito.create_user_pool_client(
            UserPoolId=self.id, ClientName="page", ExplicitAuthFlows=FLOWS
        )
        self.client_id = client["UserPoolClient"]["ClientId"]
        self._user = {"UserPoolId": self.id, "Username": NAME}
        self._cognito.admin_create_user(
            **self._user, TemporaryPassword=PASSWORD, MessageAction="SUPPRESS"
        )
        api.accepts = self.signed
        api.sign_in |= {
            "url": f"{cloud.endpoint}/",
            "clientId": self.client_id,
            "userPoolId": self.id,
        }

    def settle_password(self) -> None:
        self._cognito.admin_set_user_password(**self._user, Password=PASSWORD, Permanent=True)

    def sign_out_everywhere(self) -> None:
        self._cognito.admin_user_global_sign_out(**self._user)

    def renews(self, refresh_token: str) -> bool:
        try:
            self._cognito.initiate_auth(
                ClientId=self.client_id,
                AuthFlow="REFRESH_TOKEN_AUTH",
                AuthParameters={"REFRESH_TOKEN": refresh_token},
            )
        except self._cognito.exceptions.NotAuthorizedException:
            return False
        return True

    def signed(self, token: str) -> bool:
        try:
            part = token.split(".")[1]
            claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        except (IndexError, ValueError):
            return False
        wanted = {"aud": self.client_id, "token_use": "id"}
        return all(claims.get(name) == value for name, value in wanted.items())


@pytest.fixture
def pool(cloud: Cloud, api: Api) -> Pool:
    return Pool(cloud, api)


@pytest.fixture
def member(pool: Pool) -> Pool:
    pool.settle_password()
    return pool


def sign_in(page: Page, password: str = PASSWORD) -> None:
    page.get_by_label("User name or e-mail").fill(NAME)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()


def shows_items(page: Page) -> None:
    expect(page.locator("#items > li")).to_have_count(20)
    expect(page.get_by_role("heading", name="Sign in")).to_be_hidden()


def sent(page: Page) -> list[dict[str, Any]]:
    """What goes to the sign-in service from now on."""
    bodies: list[dict[str, Any]] = []

    def heard(request: Any) -> None:
        if request.method == "POST":
            bodies.append(json.loads(request.post_data))

    page.on("request", heard)
    return bodies


@pytest.mark.parametrize("plain", [False, True])
def test_the_right_password_opens_the_dashboard(
    member: Pool, api: Api, page: Page, plain: bool
) -> None:
    api.sign_in["password"] = plain
    bodies = sent(page)
    page.goto(api.url)
    expect(page.get_by_label("User name or e-mail")).to_be_focused()
    screenshot(page, "sign-in", whole=False)
    sign_in(page)
    shows_items(page)
    flow = "USER_PASSWORD_AUTH" if plain else "USER_SRP_AUTH"
    assert bodies[0]["AuthFlow"] == flow
    assert (PASSWORD in json.dumps(bodies)) is plain


@pytest.mark.parametrize("plain", [False, True])
def test_a_wrong_password_is_told_and_can_be_corrected(
    member: Pool, api: Api, page: Page, plain: bool
) -> None:
    api.sign_in["password"] = plain
    page.goto(api.url)
    sign_in(page, "Wrong-horse-7")
    expect(page.get_by_role("alert")).to_have_text("Incorrect username or password.")
    expect(page.get_by_label("Password", exact=True)).to_be_focused()
    assert api.requests("/items") == []
    sign_in(page)
    shows_items(page)


def test_the_proof_holds_every_time(member: Pool, api: Api, page: Page) -> None:
    """Whatever the random numbers: some have a high bit or a zero in front, and are padded."""
    api.sign_in["password"] = False
    page.goto(api.url)
    attempt = """async ([signIn, name, password, times]) => {
      const { Session } = await import("./sign_in.js");
      const nowhere = { getItem: () => null, setItem() {}, removeItem() {} };
      for (let n = 0; n < times; n += 1) {
        const session = new Session(signIn, nowhere);
        await session.signIn(name, password);
        if (!session.open) return n;
      }
      return times;
    }"""
    assert page.evaluate(attempt, [api.sign_in, NAME, PASSWORD, 15]) == 15


def test_the_timestamp_is_in_the_form_that_the_service_reads(api: Api, page: Page) -> None:
    page.goto(api.url)
    stamp = """async text => (await import("./srp.js")).stamp(new Date(text))"""
    assert page.evaluate(stamp, "2025-11-06T04:05:09.999Z") == "Thu Nov 6 04:05:09 UTC 2025"
    assert page.evaluate(stamp, "2026-02-28T23:59:59Z") == "Sat Feb 28 23:59:59 UTC 2026"


@pytest.mark.parametrize("plain", [False, True])
def test_a_first_password_is_replaced_by_ones_own(
    pool: Pool, api: Api, page: Page, plain: bool
) -> None:
    api.sign_in["password"] = plain
    page.goto(api.url)
    sign_in(page)
    first = page.get_by_label("New password", exact=True)
    again = page.get_by_label("New password again")
    save = page.get_by_role("button", name="Save and sign in")
    expect(first).to_be_focused()
    screenshot(page, "new-password", whole=False)
    first.fill("Another-horse-8")
    again.fill("Another-horse-9")
    save.click()
    expect(page.get_by_role("alert")).to_have_text("The two passwords differ.")
    for field in (first, again):
        field.fill("Another-horse-8")
    save.click()
    shows_items(page)


@pytest.mark.parametrize("size", [{"width": 1000, "height": 400}, {"width": 390, "height": 600}])
def test_the_dashboard_begins_at_its_top_with_the_focus_there(
    member: Pool, api: Api, new_page: NewPage, size: dict[str, int]
) -> None:
    page = new_page(viewport=size)
    page.goto(api.url)
    sign_in(page)
    shows_items(page)
    expect(page.locator("#title")).to_be_focused()
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Sign out")).to_be_focused()
    # A reload is no sign-in: it takes nobody anywhere.
    page.reload()
    shows_items(page)
    expect(page.locator("body")).to_be_focused()


def test_the_button_says_that_sign_in_is_in_progress(
    member: Pool, api: Api, page: Page, cloud: Cloud
) -> None:
    held: list[Route] = []
    page.route(f"{cloud.endpoint}/", lambda route: held.append(route))
    page.goto(api.url)
    sign_in(page, "Wrong-horse-7")
    button = page.locator("#sign-in-form button")
    expect(button).to_have_text("Signing in…")
    expect(button).to_have_css("opacity", "1")
    expect(page.locator("#announcer")).to_have_text("Signing in…")
    spinner = "getComputedStyle(document.querySelector('#sign-in-form button'), '::before').width"
    assert page.evaluate(spinner) != "auto"
    screenshot(page, "signing-in", whole=False)
    held[0].continue_()
    expect(page.get_by_role("alert")).to_have_text("Incorrect username or password.")
    expect(button).to_have_text("Sign in")
    assert page.evaluate(spinner) == "auto"


def test_without_a_name_or_a_password_nothing_is_sent(member: Pool, api: Api, page: Page) -> None:
    bodies = sent(page)
    page.goto(api.url)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_have_text("Enter your user name and your password.")
    assert bodies == []


def test_a_service_that_does_not_answer_is_told(api: Api, page: Page) -> None:
    page.goto(api.url)
    sign_in(page)
    expect(page.get_by_role("alert")).to_contain_text("The sign-in service cannot be reached.")


def test_a_reload_keeps_the_session_and_another_tab_does_not_have_it(
    member: Pool, api: Api, new_page: NewPage
) -> None:
    page = new_page()
    page.goto(api.url)
    sign_in(page)
    shows_items(page)
    page.reload()
    shows_items(page)
    tab = page.context.new_page()
    tab.goto(api.url)
    expect(tab.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.evaluate("localStorage.length + document.cookie.length") == 0


def test_a_token_about_to_expire_is_renewed_silently(member: Pool, api: Api, page: Page) -> None:
    page.goto(api.url)
    sign_in(page)
    shows_items(page)
    (before,) = page.evaluate(KEPT)
    page.evaluate(AGE)
    bodies = sent(page)
    page.reload()
    shows_items(page)
    assert [body["AuthFlow"] for body in bodies] == ["REFRESH_TOKEN_AUTH"]
    (after,) = page.evaluate(KEPT)
    assert after["refresh"] == before["refresh"]
    assert after["expires"] > page.evaluate("Date.now()")


def test_a_refused_token_is_renewed_once_and_asked_again(
    member: Pool, api: Api, page: Page
) -> None:
    page.goto(api.url)
    sign_in(page)
    shows_items(page)
    refused = page.evaluate(KEPT)[0]["id"]
    api.accepts = lambda token: member.signed(token) and token != refused
    bodies = sent(page)
    page.reload()
    shows_items(page)
    assert [body["AuthFlow"] for body in bodies] == ["REFRESH_TOKEN_AUTH"]


def test_a_token_that_another_call_has_renewed_is_not_renewed_again(api: Api, page: Page) -> None:
    page.goto(api.url)
    calls = """async () => {
      const { Api } = await import("./api.js");
      let [token, renewals, early] = ["old", 0, null];
      const session = {
        token: async () => token,
        renew: async () => { token = "new"; renewals += 1; },
      };
      window.fetch = async (url, { headers }) => {
        const good = headers.Authorization === "Bearer new";
        if (url === "late" && !good) await early;
        return new Response(good ? "{}" : "", { status: good ? 200 : 401 });
      };
      const api = new Api(session);
      const { signal } = new AbortController();
      early = api.get("early", {}, signal);
      await Promise.all([early, api.get("late", {}, signal)]);
      return renewals;
    }"""
    assert page.evaluate(calls) == 1


def test_the_news_goes_on_with_a_renewed_token(member: Pool, api: Api, page: Page) -> None:
    api.feed.hold_seconds = 0.1
    page.goto(api.url)
    sign_in(page)
    expect(page.get_by_text("No financial news yet")).to_be_visible()
    # Nobody else finds out first.
    page.route(re.compile(r"/(items|summary)\?"), lambda route: route.abort())
    refused = page.evaluate(KEPT)[0]["id"]
    bodies = sent(page)
    with page.expect_response(lambda answer: answer.status == 401):
        api.accepts = lambda token: member.signed(token) and token != refused
    api.feed.publish(news(1))
    expect(page.locator("#news > li")).to_have_count(1)
    expect(page.locator("#news-trouble")).to_be_hidden()
    assert [body["AuthFlow"] for body in bodies] == ["REFRESH_TOKEN_AUTH"]
    at = [each.status for each in api.requests(NEWS)].index(401)
    first, second = api.requests(NEWS)[at : at + 2]
    assert first.headers["last-event-id"] == second.headers["last-event-id"] == "after=0"


def test_a_session_that_has_ended_asks_to_sign_in_again(member: Pool, api: Api, page: Page) -> None:
    page.goto(api.url + "#sentiment=positive")
    sign_in(page)
    expect(page.locator("#items > li").first).to_be_visible()
    member.sign_out_everywhere()
    api.accepts = lambda _: False
    page.reload()
    expect(page.get_by_text("Your session has ended.")).to_be_visible()
    assert page.evaluate(KEPT) == []
    api.accepts = member.signed
    sign_in(page)
    expect(page.locator("#chips button")).to_have_text(["Sentiment: positive"])
    expect(page.locator("#items > li").first).to_be_visible()


def test_signing_out_leaves_nothing_behind(member: Pool, api: Api, page: Page) -> None:
    page.goto(api.url)
    sign_in(page)
    shows_items(page)
    refresh = page.evaluate(KEPT)[0]["refresh"]
    assert member.renews(refresh)
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0
    assert page.locator("#items > li, #news > li, .legend-entry").count() == 0
    assert not member.renews(refresh)
