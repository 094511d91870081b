"""Employees in both directions, and short links with their clicks."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest

from examples.designs.employees import Employee, Employees, Report, move, team
from examples.designs.url_shortener import Clicks, Link, UrlShortener, click
from tablewright.model import InvalidRecord, key_of
from tablewright.runtime import AlreadyExists, Conflict, NotFound, Store, TransactionRefused
from tablewright.testing import Database
from tests.integration.conftest import TODAY

DAY = timedelta(days=1)
HIRED = date(2026, 2, 1)


def employee(alias: str, first: str, last: str = "Archer", *skills: str) -> Employee:
    return Employee(
        alias=alias,
        first_name=first,
        last_name=last,
        title="Engineer",
        hired_on=HIRED,
        skills=set(skills) or None,
    )


PEOPLE = [
    employee("mia", "Mia", "Moss"),
    employee("max", "Max", "Moss"),
    employee("ann", "Ann", "Archer", "python"),
    employee("ann2", "Anna", "Archer", "python", "java"),
    employee("bob", "Bob", "Archer-Moss"),
]
REPORTS = [
    Report(
        manager=manager, alias=alias, line="dotted" if manager == "max" else "solid", since=HIRED
    )
    for manager, alias in (("mia", "ann"), ("mia", "ann2"), ("max", "ann"), ("ann", "bob"))
]


@pytest.fixture
def company(dynamodb: Database) -> Store:
    store = dynamodb.store(Employees)
    everybody: list[Employee | Report] = [*PEOPLE, *REPORTS]
    store.write_many(Employees.load, put=everybody)
    return store


def test_reports_of_a_manager_and_managers_of_a_report(company: Store) -> None:
    assert list(company.each(Employees.reports, manager="mia")) == REPORTS[:2]
    assert list(company.each(Employees.reports, manager="ann2")) == []
    assert [one.manager for one in company.each(Employees.managers, alias="ann")] == ["max", "mia"]
    dotted = company.each(Employees.reports, manager="max", where={"line": "dotted"})
    assert [one.alias for one in dotted] == ["ann"]
    found = list(company.each(Employees.employee_with_reports, alias="ann"))
    assert found == [PEOPLE[2], REPORTS[3]]
    assert sorted(one.alias for one in team(company, "mia")) == ["ann", "ann2"]


def test_employees_are_found_by_alias_and_by_name(company: Store) -> None:
    assert company.get(Employees.employee, alias="ann") == PEOPLE[2]
    aliases = [one.alias for one in company.each(Employees.everybody)]
    assert aliases == ["ann", "ann2", "bob", "max", "mia"]
    beginning = company.each(Employees.everybody, begins_with="ann")
    assert [one.alias for one in beginning] == ["ann", "ann2"]
    archers = company.each(Employees.named, last_name="Archer")
    assert list(archers) == PEOPLE[2:4]
    assert list(company.each(Employees.named, last_name="Archer", after="Ann")) == PEOPLE[3:4]
    java = company.each(
        Employees.named,
        last_name="Archer",
        where=Employee.skills.contains("java") & Employee.skills.is_of_type("SS"),
    )
    assert list(java) == PEOPLE[3:4]


def test_somebody_moves_to_a_manager_who_works_here(company: Store) -> None:
    move(company, "ann", "mia", "bob", HIRED + DAY)
    assert [one.manager for one in company.each(Employees.managers, alias="ann")] == ["bob", "max"]
    for old, new in (("mia", "max"), ("bob", "max"), ("bob", "nobody")):
        with pytest.raises(TransactionRefused):
            move(company, "ann", old, new, HIRED + DAY)
    assert [one.manager for one in company.each(Employees.managers, alias="ann")] == ["bob", "max"]


def test_of_two_moves_at_once_one_happens(company: Store) -> None:
    def attempt(new: str) -> bool:
        try:
            move(company, "bob", "ann", new, HIRED)
            return True
        except TransactionRefused:
            return False

    with ThreadPoolExecutor(2) as threads:
        assert sum(threads.map(attempt, ("mia", "max"))) == 1
    assert company.count(Employees.managers, alias="bob") == 1


def test_an_organisation_is_taken_over_and_people_are_hired_once(company: Store) -> None:
    with pytest.raises(AlreadyExists):
        company.put(Employees.hire, employee("ann", "Other"))
    changed = company.update(Employees.change, PEOPLE[4], {"first_name": "Rob"})
    assert [one.alias for one in company.each(Employees.named, last_name="Archer-Moss")] == ["bob"]
    gone: list[Employee | Report] = [changed, REPORTS[2]]
    company.write_many(Employees.load, put=[REPORTS[3]], delete=gone)
    assert company.get(Employees.employee, alias="bob") is None
    assert [one.manager for one in company.each(Employees.managers, alias="ann")] == ["mia"]


URL = "https://example.com/a?q=1#top"


def link(code: str, minutes: int = 0, url: str = URL, owner: str = "ann") -> Link:
    at = TODAY + timedelta(minutes=minutes)
    return Link(code=code, url=url, owner=owner, made_at=at, expires_at=TODAY + 30 * DAY)


LINKS = [link("tea1"), link("tea12", 1), link("tea3", 2, URL + "2"), link("tea4", 3, owner="anna")]
GONE = Link(code="gone", url=URL, owner="ann", made_at=TODAY - DAY, expires_at=TODAY)


@pytest.fixture
def links(dynamodb: Database) -> Store:
    store = dynamodb.store(UrlShortener)
    for one in (*LINKS, GONE):
        store.put(UrlShortener.shorten, one)
    return store


def codes(found: object) -> list[str]:
    return [one.code for one in found]  # type: ignore[attr-defined]


def test_links_of_an_owner_are_active_or_not_newest_first(links: Store) -> None:
    active = {"owner": "ann", "active": True}
    assert codes(links.each(UrlShortener.of_owner, active)) == ["tea3", "tea12", "tea1"]
    links.update(UrlShortener.change, LINKS[1], Link.active.set(False))
    assert codes(links.each(UrlShortener.of_owner, active)) == ["tea3", "tea1"]
    assert codes(links.each(UrlShortener.of_owner, {**active, "active": False})) == ["tea12"]
    since = links.each(UrlShortener.of_owner, active, after=TODAY)
    assert codes(since) == ["tea3"]


def test_links_to_an_address_are_found_by_the_address(links: Store) -> None:
    assert sorted(codes(links.each(UrlShortener.of_url, url=URL))) == ["tea1", "tea12", "tea4"]
    assert codes(links.each(UrlShortener.of_url, url=URL + "2")) == ["tea3"]
    assert codes(links.each(UrlShortener.of_url, url=URL + "3")) == []


def test_a_code_is_free_once_and_when_its_link_has_expired(links: Store) -> None:
    with pytest.raises(AlreadyExists):
        links.put(UrlShortener.shorten, link("tea1", owner="bob"))
    links.put(UrlShortener.shorten, link("gone"))
    with pytest.raises(InvalidRecord, match="code must be 4 to 16 letters and digits"):
        link("t#1")


def test_clicks_are_counted_by_link_day_and_country(links: Store) -> None:
    def follow(number: int) -> str:
        return click(links, "tea1", ("FR", "PT")[number % 2], TODAY + (number // 12) * DAY)

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(follow, range(24))) == {URL}
    click(links, "tea12", "FR", TODAY)
    found, *days = links.each(UrlShortener.link_with_clicks, code="tea1")
    assert isinstance(found, Link)
    assert found.clicks == 24
    assert all(isinstance(day, Clicks) for day in days)
    assert [(day.clicks, day["countries"]) for day in days] == [(12, {"FR": 6, "PT": 6})] * 2
    first = links.each(UrlShortener.clicks, code="tea1", before=TODAY.date() + DAY)
    assert [one.day for one in first] == [TODAY.date()]


def test_a_link_that_is_out_of_use_leads_nowhere(links: Store) -> None:
    links.update(UrlShortener.change, key_of(LINKS[0]), {"active": False})
    with pytest.raises(Conflict):
        click(links, "tea1", "FR", TODAY)
    for code in ("gone", "nothing"):
        with pytest.raises(NotFound):
            click(links, code, "FR", TODAY)
    assert list(links.each(UrlShortener.clicks, code="tea1")) == []
    removed = links.delete(UrlShortener.drop, code="tea12", when=Link.owner == "ann")
    assert removed == LINKS[1]
    assert links.get(UrlShortener.link, code="tea12") is None
