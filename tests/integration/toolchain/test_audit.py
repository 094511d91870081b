"""What the audit passes over has its reason beside it."""

import re

from toolchain.install import HERE


def test_every_check_that_is_left_out_says_why() -> None:
    lines = (HERE / "checkov.yaml").read_text().split("skip-check:\n")[1].splitlines()
    skipped = [n for n, line in enumerate(lines) if line.startswith("  - ")]
    assert skipped
    for number in skipped:
        assert re.fullmatch(r"  - CKV\w*_\d+", lines[number])
        assert lines[number - 1].startswith("  # "), lines[number]
