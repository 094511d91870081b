"""Employees and managers: who reports to whom, in both directions, and people by name.

After the employee model of NoSQL Workbench and the adjacency lists in AWS's documentation of
DynamoDB: an edge lies with the manager, and an index that swaps the table's keys turns it round.
"""

from datetime import date
from typing import Literal

from tablewright.model import (
    KEYS_ONLY,
    BatchGet,
    BatchWrite,
    Check,
    Choice,
    Collection,
    Date,
    Delete,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Name,
    Put,
    Query,
    SetOf,
    Table,
    Text,
    Update,
)
from tablewright.runtime import Store

Line = Literal["solid", "dotted"]


class Employee(
    Entity,
    key=Key("EMPLOYEE#{alias}", "EMPLOYEE"),
    example={
        "alias": "ann",
        "first_name": "Ann",
        "last_name": "Archer",
        "title": "Engineer",
        "hired_on": date(2026, 2, 1),
        "skills": {"python"},
    },
):
    """Somebody who works here."""

    alias: Field[str] = Text()
    first_name: Field[str] = Name()
    last_name: Field[str] = Name()
    title: Field[str] = Text()
    hired_on: Field[date] = Date()
    skills: Field[set[str] | None] = SetOf(Text(), default=None)


class Report(
    Entity,
    key=Key("EMPLOYEE#{manager}", "REPORT#{alias}"),
    example={"manager": "mia", "alias": "ann", "line": "solid", "since": date(2026, 2, 1)},
):
    """Somebody reports to a manager."""

    manager: Field[str] = Text()
    alias: Field[str] = Text()
    line: Field[Line] = Choice(Line)
    since: Field[date] = Date()


class Employees(Table, pk="PK", sk="SK"):
    """Employees, and who reports to whom."""

    inverted = Index(
        pk="SK",
        sk="PK",
        keys={
            Report: Key("REPORT#{alias}", "EMPLOYEE#{manager}"),
            Employee: Key("EMPLOYEE", "EMPLOYEE#{alias}"),
        },
    )
    by_name = Index(
        pk="last_name",
        sk="first_name",
        keys={Employee: Key("{last_name}", "{first_name}")},
        projects=KEYS_ONLY,
    )

    hire = Put(Employee, create=True, describes="Hire somebody.")
    employee = Get(Employee, describes="An employee.")
    employees = BatchGet(Employee, describes="Any number of employees.")
    change = Update(Employee, describes="Change an employee.")
    works_here = Check(Employee, describes="See, while writing, that somebody works here.")
    everybody = Query(Employee, inverted, range=Employee.alias, describes="All, by alias.")
    named = Query(
        Employee,
        by_name,
        range=Employee.first_name,
        hydrate=True,
        describes="Employees of a name, or of the beginning of a first name.",
    )
    add_report = Put(Report, create=True, describes="Let somebody report to a manager.")
    end_report = Delete(Report, describes="Let somebody report to a manager no longer.")
    reports = Query(Report, filters=(Report.line,), describes="Who reports to a manager.")
    managers = Query(Report, inverted, describes="To whom somebody reports.")
    employee_with_reports = Collection(
        Employee, Report, describes="An employee, and who reports to this one."
    )
    load = BatchWrite[Employee | Report](Employee, Report, describes="Take over an organisation.")


def move(store: Store, alias: str, old: str, new: str, since: date) -> None:
    """Let somebody report to a new manager and to the old one no longer.

    Raises TransactionRefused where that was not the manager, or the new one does not work here.
    """
    report = Report(manager=new, alias=alias, line="solid", since=since)
    store.transact_write(
        store.to_delete(Employees.end_report, manager=old, alias=alias, missing_ok=False),
        store.to_put(Employees.add_report, report),
        store.to_check(Employees.works_here, alias=new),
    )


def team(store: Store, manager: str) -> list[Employee]:
    """The employees who report to a manager, whole."""
    reports = store.each(Employees.reports, manager=manager)
    return store.get_many(Employees.employees, [{"alias": one.alias} for one in reports])
