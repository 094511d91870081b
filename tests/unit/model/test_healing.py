"""A plan of healing for a table of one's own: what it needs, and what it says is missing."""

from tablewright.catalog.news.design import NEWS, SPARSE_NEWS, news_healing
from tablewright.model import (
    KEYS_ONLY,
    BatchGet,
    Choice,
    Entity,
    Index,
    Key,
    Query,
    Table,
    Text,
    Timestamp,
    Update,
)
from tablewright.model.healing import HealingPlan, healing_fields
from tablewright.model.validation.design import validate


def jobs(*more: Text) -> Table:
    job = Entity(
        "Job",
        key=Key("{job_id}"),
        indexed={"by_state": Key("{state}", "{created_at}")},
        fields=(
            Text("job_id"),
            Choice("state", ("open", "parked", "closed")),
            Timestamp("created_at"),
            Text("outcome", optional=True),
            *(more or healing_fields()),
        ),
        describes="Something to be done.",
    )
    return Table(
        "jobs",
        pk="job_id",
        entities=(job,),
        indexes=(Index("by_state", pk="state", sk="created_at", projects=KEYS_ONLY),),
        patterns=(
            Query("jobs_by_state", "Job", index="by_state", range="created_at"),
            BatchGet("get_jobs", "Job"),
            Update("mark_job", "Job"),
        ),
    )


def plan_of(design: Table) -> HealingPlan:
    return HealingPlan(
        design,
        waiting=design.jobs_by_state,
        read=design.get_jobs,
        mark=design.mark_job,
        pending={"state": "open"},
        parked={"state": "parked"},
        done={"state": "closed"},
        result="outcome",
        age="created_at",
    )


def test_a_table_of_ones_own_can_be_healed() -> None:
    design = jobs()
    assert validate(design) == []
    plan = plan_of(design)
    assert plan.problems() == []
    assert plan.where(plan.parked) == {"state": "parked"}


def test_what_waits_is_in_its_state_and_has_no_result() -> None:
    plan = plan_of(jobs())
    assert plan.waits({"state": "open"})
    assert not plan.waits({"state": "open", "outcome": "done meanwhile"})
    assert not plan.waits({"state": "parked"})


def test_a_plan_says_what_the_table_lacks() -> None:
    (problem,) = plan_of(jobs(Text("note", optional=True))).problems()
    assert "heal_after, heal_attempts, heal_run, parked_at" in problem
    assert "healing_fields()" in problem


def test_a_plan_says_which_pattern_does_not_fit() -> None:
    plan = plan_of(jobs())
    assert plan._replace(mark=plan.read).problems() == [
        "'get_jobs' must be of kind Update and about 'Job'"
    ]
    (problem,) = plan._replace(waiting=plan_of(jobs()).waiting).problems()
    assert problem == "'jobs_by_state' is not an access pattern of 'jobs'"


def test_both_variants_of_news_can_be_healed() -> None:
    plain, sparse = news_healing(NEWS), news_healing(SPARSE_NEWS)
    assert plain.problems() == sparse.problems() == []
    assert plain.where(plain.pending) == {"status": "pending"}
    assert sparse.where(sparse.pending) == {"waiting": "pending"}
    assert sparse.done == {"status": "analyzed", "waiting": None}
