"""A plan of healing for a table of one's own: what it needs, and what it says is missing."""

from typing import Any

from cdk_app.settings import ROOT
from docs.site.markdown import blocks
from tablewright.catalog.news.design import News, SparseNews, news_healing
from tablewright.model import (
    KEYS_ONLY,
    BatchGet,
    Choice,
    Entity,
    Field,
    Index,
    Key,
    Query,
    Table,
    Text,
    TimestampText,
    Update,
)
from tablewright.model.healing import Healable, HealingPlan
from tablewright.model.validation.design import validate


class Work(Entity):
    """What jobs have in common."""

    job_id: Field[str] = Text()
    state: Field[str] = Choice(("open", "parked", "closed"))
    created_at: Field[str] = TimestampText(resolution="ms")
    outcome: Field[str | None] = Text(default=None)


class Job(Healable, Work, key=Key("{job_id}")):
    """Something to be done."""


class HopelessJob(Work, key=Key("{job_id}"), name="Job"):
    """Something to be done, and never again."""


def jobs(job: type[Work] = Job) -> type[Table]:
    class Jobs(Table, pk="job_id"):
        by_state = Index(
            pk="state",
            sk="created_at",
            projects=KEYS_ONLY,
            keys={job: Key("{state}", "{created_at}")},
        )
        jobs_by_state = Query(job, by_state, range=Work.created_at)
        get_jobs = BatchGet(job)
        mark_job = Update(job)

    return Jobs


def plan_of(table: Any) -> HealingPlan[Job]:
    return HealingPlan(
        table,
        waiting=table.jobs_by_state,
        read=table.get_jobs,
        mark=table.mark_job,
        pending={"state": "open"},
        parked={"state": "parked"},
        done={"state": "closed"},
        result="outcome",
        age="created_at",
    )


def test_a_table_of_ones_own_can_be_healed() -> None:
    table = jobs()
    assert validate(table) == []
    plan = plan_of(table)
    assert plan.problems() == []
    assert plan.where(plan.parked) == {"state": "parked"}


def test_what_waits_is_in_its_state_and_has_no_result() -> None:
    plan = plan_of(jobs())
    assert plan.waits({"state": "open"})
    assert not plan.waits({"state": "open", "outcome": "done meanwhile"})
    assert not plan.waits({"state": "parked"})


def test_a_plan_says_what_the_table_lacks() -> None:
    (problem,) = plan_of(jobs(HopelessJob)).problems()
    assert "heal_after, heal_attempts, heal_run, parked_at" in problem
    assert "make it a Healable" in problem


def test_a_plan_says_which_pattern_does_not_fit() -> None:
    plan = plan_of(jobs())
    mistaken: dict[str, Any] = {"mark": plan.read}
    assert plan._replace(**mistaken).problems() == [
        "'get_jobs' must be of kind Update and about 'Job'"
    ]
    (problem,) = plan._replace(waiting=plan_of(jobs()).waiting).problems()
    assert problem == "'jobs_by_state' is not an access pattern of 'jobs'"


def test_both_variants_of_news_can_be_healed() -> None:
    plain, sparse = news_healing(News), news_healing(SparseNews)
    assert plain.problems() == sparse.problems() == []
    assert plain.where(plain.pending) == {"status": "pending"}
    assert sparse.where(sparse.pending) == {"waiting": "pending"}
    assert sparse.done == {"status": "analyzed", "waiting": None}


def test_the_plan_on_the_page_is_valid() -> None:
    page = blocks((ROOT / "docs" / "healing.md").read_text())
    (block,) = (block.code for block in page if block.language == "python")
    names: dict[str, Any] = {"__name__": "healing_page"}
    exec(compile(block, "docs/healing.md", "exec"), names)  # noqa: S102 - our own page
    assert names["plan"].problems() == []
