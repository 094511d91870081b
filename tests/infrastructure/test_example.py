"""The table alone is of use in somebody else's app."""

import runpy

from cdk_app.settings import ROOT
from tests.infrastructure.synthesis import allowed, resources, template_of


def test_the_example_grants_one_pattern_of_the_one_table() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "sales_in_your_app.py"))
    template = template_of(example["stack"])
    (table,) = resources(template, "AWS::DynamoDB::GlobalTable")
    assert allowed(template, "ReportServiceRole") == {
        ("dynamodb:Query", f"{{{table}.Arn}}/index/GSI1")
    }


def test_the_readme_shows_the_example_as_it_is() -> None:
    code = (ROOT / "examples" / "sales_in_your_app.py").read_text().split('"""')[2].strip()
    assert code in (ROOT / "README.md").read_text()
