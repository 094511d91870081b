"""Changes of live tables: compared, planned, carried out and verified; and tables adopted.

Each name is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING

from tablewright.exports import lazily

if TYPE_CHECKING:
    from tablewright.changes.adoption.coverage import Coverage, Gap, coverage
    from tablewright.changes.adoption.proposal import Proposal, propose
    from tablewright.changes.backfill.backfill import OUTCOMES, UNSETTLED, Backfill, Reason
    from tablewright.changes.backfill.estimate import BackfillEstimate, estimate
    from tablewright.changes.backfill.refusals import NotBackfillable
    from tablewright.changes.backfill.verification import Found, IndexCheck, Verification, verify
    from tablewright.changes.comparison.compare import compare
    from tablewright.changes.comparison.difference import Consequence, Difference
    from tablewright.changes.copying.migration_file import MigrationDesigns
    from tablewright.changes.copying.pointer import TableClosing, TableMoved, TablePointer
    from tablewright.changes.plan.applying import Unfinished, Work, apply
    from tablewright.changes.plan.live_table import Drifted, LiveTable
    from tablewright.changes.plan.plan import InvalidPlan, Plan
    from tablewright.changes.plan.planning import NotInPlace, plan_steps
    from tablewright.changes.plan.steps import Estimate, Kind, Step

_HOMES = {
    "Backfill": "backfill.backfill",
    "BackfillEstimate": "backfill.estimate",
    "Consequence": "comparison.difference",
    "Coverage": "adoption.coverage",
    "Difference": "comparison.difference",
    "Drifted": "plan.live_table",
    "Estimate": "plan.steps",
    "Found": "backfill.verification",
    "Gap": "adoption.coverage",
    "IndexCheck": "backfill.verification",
    "InvalidPlan": "plan.plan",
    "Kind": "plan.steps",
    "LiveTable": "plan.live_table",
    "MigrationDesigns": "copying.migration_file",
    "NotBackfillable": "backfill.refusals",
    "NotInPlace": "plan.planning",
    "OUTCOMES": "backfill.backfill",
    "Plan": "plan.plan",
    "Proposal": "adoption.proposal",
    "Reason": "backfill.backfill",
    "Step": "plan.steps",
    "UNSETTLED": "backfill.backfill",
    "TableClosing": "copying.pointer",
    "TableMoved": "copying.pointer",
    "TablePointer": "copying.pointer",
    "Unfinished": "plan.applying",
    "Verification": "backfill.verification",
    "Work": "plan.applying",
    "apply": "plan.applying",
    "compare": "comparison.compare",
    "coverage": "adoption.coverage",
    "estimate": "backfill.estimate",
    "plan_steps": "plan.planning",
    "propose": "adoption.proposal",
    "verify": "backfill.verification",
}

__all__ = [
    "OUTCOMES",
    "UNSETTLED",
    "Backfill",
    "BackfillEstimate",
    "Consequence",
    "Coverage",
    "Difference",
    "Drifted",
    "Estimate",
    "Found",
    "Gap",
    "IndexCheck",
    "InvalidPlan",
    "Kind",
    "LiveTable",
    "MigrationDesigns",
    "NotBackfillable",
    "NotInPlace",
    "Plan",
    "Proposal",
    "Reason",
    "Step",
    "TableClosing",
    "TableMoved",
    "TablePointer",
    "Unfinished",
    "Verification",
    "Work",
    "apply",
    "compare",
    "coverage",
    "estimate",
    "plan_steps",
    "propose",
    "verify",
]

__getattr__ = lazily(__name__, _HOMES)
