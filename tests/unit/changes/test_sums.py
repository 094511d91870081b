"""Sums of entries: the same for the same entries in any order, and not for others."""

from hypothesis import given
from hypothesis import strategies as st

from tablewright.changes.backfill.sums import Sums, bucket_of, fingerprint
from tablewright.runtime.store.records import Item

ENTRIES = st.lists(
    st.builds(
        lambda key, value: {"PK": {"S": key}, "n": {"N": str(value)}},
        st.text(max_size=3),
        st.integers(0, 5),
    ),
    max_size=8,
)


def sums(entries: list[Item]) -> Sums:
    made = Sums(("PK",))
    made.add(entries)
    return made


@given(ENTRIES.flatmap(lambda some: st.tuples(st.just(some), st.permutations(some))))
def test_the_order_does_not_matter(both: tuple[list[Item], list[Item]]) -> None:
    assert sums(both[0]).differing(sums(both[1])) == []


@given(ENTRIES, ENTRIES)
def test_other_entries_have_other_sums(one: list[Item], two: list[Item]) -> None:
    alike = sorted(map(repr, one)) == sorted(map(repr, two))
    assert (sums(one).differing(sums(two)) == []) == alike


def test_a_difference_is_in_the_bucket_of_its_key() -> None:
    one: Item = {"PK": {"S": "a"}, "n": {"N": "1"}}
    assert sums([one]).differing(sums([])) == [bucket_of(one, ("PK",))]
    assert sums([one, one]).total == 2


def test_sets_in_any_order_and_numbers_by_value_are_the_same() -> None:
    assert fingerprint({"a": {"SS": ["x", "y"]}}) == fingerprint({"a": {"SS": ["y", "x"]}})
    assert fingerprint({"a": {"N": "5.0"}}) == fingerprint({"a": {"N": "5"}})
    assert fingerprint({"a": {"B": b"x"}}) == fingerprint({"a": {"B": "eA=="}})
    assert fingerprint({"a": {"L": [{"N": "1"}]}}) != fingerprint({"a": {"L": [{"S": "1"}]}})
    assert fingerprint({"a": {"M": {"b": {"BOOL": True}}}}) != fingerprint({"a": {"BOOL": True}})
