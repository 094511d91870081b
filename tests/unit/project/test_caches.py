"""Every cache of something that was read is known, with the reason why it may be one."""

import re

from toolchain.paths import ROOT

DECISION = ROOT / "docs" / "decisions" / "0069-nothing-is-cached-that-can-change.md"
# What a cache of values by their names is made of.
CACHES = re.compile(r"= TtlCache\(|OrderedDict\(\)|@lru_cache|_REFRESH_SECONDS|@cache\ndef \w+\(\w")
# The cache itself, and what depends on its arguments alone.
PURE = {"lambdas/forms/ttl_cache.py", "lambdas/sentiment/page_files.py"}


def test_every_cache_is_in_the_table_of_the_decision() -> None:
    files = [
        file for room in ("lambdas", "tablewright/runtime") for file in (ROOT / room).rglob("*.py")
    ]
    found = {str(f.relative_to(ROOT)) for f in files if CACHES.search(f.read_text())}
    named = set(re.findall(r"^\| `([\w/.]+)`", DECISION.read_text(), re.MULTILINE))
    assert found - PURE == named
