"""The dashboard in a browser, in front of the deployed system."""

import re

import pytest
from playwright.sync_api import Page, expect

from local.clients.api import Api
from local.clients.users import Users, email_of
from local.deployment import Deployment
from tests.e2e.support.browser import NARROW, NewPage, browser, new_page, page, screenshot
from tests.e2e.support.items import new_item

__all__ = ["browser", "new_page", "page"]


@pytest.fixture(scope="module")
def dashboard(deployment: Deployment, users: Users) -> Api:
    return Api(deployment.api_url("sentiment"), users.token("acme"))


def sign_in(page: Page, deployment: Deployment, password: str) -> None:
    page.goto(deployment.api_url("sentiment") + "/")
    page.get_by_label("User name or e-mail").fill(email_of("acme"))
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_what_is_handed_in_appears_and_can_be_filtered_by_tag(
    page: Page, deployment: Deployment, users: Users, dashboard: Api
) -> None:
    sign_in(page, deployment, users.password("acme"))
    expect(page.get_by_role("heading", name="Items", exact=True)).to_be_visible()

    space = new_item("A wonderful mission into space, a great success!")
    health = new_item("A terrible week for public health.")
    assert dashboard("POST", "/items", {"items": [space, health]}).status == 202
    # The page asks by itself; nobody reloads it.
    items = page.locator("#items > li")
    shown = items.filter(has_text=space["text"])
    expect(shown).to_be_visible()
    expect(items.filter(has_text=health["text"])).to_be_visible()
    expect(shown).to_contain_text("Positive")
    screenshot(page, "dashboard", whole=False)

    shown.get_by_role("button", name="space").click()
    expect(items.filter(has_text=health["text"])).to_have_count(0)
    expect(shown).to_be_visible()
    expect(page).to_have_url(re.compile("tag=space"))


def test_a_wrong_password_is_said_to_be_wrong(page: Page, deployment: Deployment) -> None:
    sign_in(page, deployment, "Wrong-password-1!")
    expect(page.get_by_role("alert").filter(has_text=re.compile("password", re.I))).to_be_visible()
    expect(page.get_by_role("heading", name="Items", exact=True)).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_telephone(
    new_page: NewPage, deployment: Deployment, users: Users, dashboard: Api, scheme: str
) -> None:
    item = new_item("Security and elections: a great success for everybody involved.")
    assert dashboard("POST", "/items", {"items": [item]}).status == 202
    page = new_page(viewport=NARROW, color_scheme=scheme)
    sign_in(page, deployment, users.password("acme"))
    # With its contents: the empty frame would fit anywhere.
    expect(page.locator("#items > li").filter(has_text=item["text"]).first).to_be_visible()
    expect(page.locator("#summary")).to_have_attribute("aria-busy", "false")
    screenshot(page, f"dashboard-narrow-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
