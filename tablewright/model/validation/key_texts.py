"""Key texts: two readings of one text, found by comparing the regular expressions of its parts.

A regular expression that cannot be modeled (a back reference, case folding, very long repeats)
stands for more texts than it matches, never for fewer. So two readings are never overlooked.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

# The parser of regular expressions, which type checkers do not know.
sre: Any = vars(re)["_constants"]
sre_parse: Any = vars(re)["_parser"]

Ranges = tuple[tuple[int, int], ...]

# U+10FFFF and surrogates are in no key.
ANYTHING: Ranges = ((0, 0xD7FF), (0xE000, 0x10FFFE))
_REPEATS = 128  # exact up to this, then unbounded
_STATES = 4096  # repeats beyond this many states are unbounded, too
_PREFERRED = "a1A0-"  # characters of examples
_LAST_LETTER = 0x3FFFF  # no character beyond is a digit, a letter or a space
_CLASSES: dict[Any, Callable[[str], bool]] = {
    sre.CATEGORY_DIGIT: str.isdecimal,
    sre.CATEGORY_WORD: lambda character: character.isalnum() or character == "_",
    sre.CATEGORY_SPACE: str.isspace,
}
_NEGATED = {
    sre.CATEGORY_NOT_DIGIT: sre.CATEGORY_DIGIT,
    sre.CATEGORY_NOT_WORD: sre.CATEGORY_WORD,
    sre.CATEGORY_NOT_SPACE: sre.CATEGORY_SPACE,
}


class KeyPart(NamedTuple):
    """A field or a literal of a key template, and the texts that it can have there."""

    name: str  # "" for a literal
    pattern: str
    characters: Ranges = ANYTHING


class Readings(NamedTuple):
    """A text that can be read in two ways: the texts of the fields in each."""

    text: str
    one: dict[str, str]
    two: dict[str, str]


@lru_cache(maxsize=2048)
def find_readings(
    one: tuple[KeyPart, ...], two: tuple[KeyPart, ...], differing: int = 0
) -> Readings | None:
    """The shortest text that both templates can have, None if there is none.

    With `differing`, both readings must give a character to different parts, one of which is among
    so many first parts.
    """
    first, second = _automaton(one), _automaton(two)
    start = (first.start, second.start, not differing)
    came_from: dict[Any, Any] = {start: None}
    queue = deque([start])
    shared: dict[tuple[int, int], str] = {}  # by two ranges, which the automata keep
    while queue:
        here = queue.popleft()
        at, other, differs = here
        if differs and first.accepts(at) and second.accepts(other):
            return _readings(one, two, came_from, here)
        for ranges, mine, target in first.moves(at):
            for its_ranges, its, its_target in second.moves(other):
                apart = differs or (mine != its and min(mine, its) < differing)
                there = (target, its_target, apart)
                if there in came_from:
                    continue
                both = id(ranges), id(its_ranges)
                if both not in shared:
                    shared[both] = _example(_common(ranges, its_ranges))
                if shared[both]:
                    came_from[there] = (here, shared[both], mine, its)
                    queue.append(there)
    return None


def _example(ranges: Ranges) -> str:
    """A character of these ranges, "" if they have none."""
    for one in _PREFERRED:
        if any(low <= ord(one) <= high for low, high in ranges):
            return one
    return chr(ranges[0][0]) if ranges else ""


def _readings(
    one: Sequence[KeyPart], two: Sequence[KeyPart], came_from: dict[Any, Any], here: Any
) -> Readings:
    steps = []
    while came_from[here]:
        here, *step = came_from[here]
        steps.append(step)
    steps.reverse()
    texts: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for character, *numbers in steps:
        for parts, number, found in zip((one, two), numbers, texts, strict=True):
            name = parts[number].name
            if name:
                found[name] = found.get(name, "") + character
    return Readings("".join(step[0] for step in steps), *texts)


_Move = tuple[Ranges, int, int]
"""The characters that are read, the part that they are of, and the next state."""


@lru_cache(maxsize=512)
def _automaton(parts: tuple[KeyPart, ...]) -> _Automaton:
    return _Automaton(parts)


class _Automaton:
    """Nondeterministic automaton for a key template: each move reads a character of a part."""

    def __init__(self, parts: Sequence[KeyPart]) -> None:
        self._moves: list[list[_Move]] = []
        self._empty: list[list[int]] = []
        self._closed: dict[int, tuple[list[_Move], bool]] = {}
        state = self.start = self._state()
        for number, part in enumerate(parts):
            if not part.pattern:  # no literal
                continue
            self._part, self._characters = number, part.characters
            state = self._part_of(_parsed(part.pattern), state)
        self._end = state

    def moves(self, state: int) -> list[_Move]:
        """The moves from a state that read a character."""
        return self._closure(state)[0]

    def accepts(self, state: int) -> bool:
        return self._closure(state)[1]

    def _part_of(self, tree: Any, state: int) -> int:
        """The state after a part, which is never empty."""
        first = self._state()
        end = self._add(tree, first)
        # Not the width of the tree: what stands for an expression that is not modeled can be empty.
        if end not in self._reached(first):
            self._empty[state].append(first)
            return end
        # A copy whose moves lead into the original: its own end leads nowhere.
        shift = len(self._moves) - first
        for one in range(first, first + shift):
            self._moves.append(list(self._moves[one]))
            self._empty.append([next + shift for next in self._empty[one]])
        self._empty[state].append(first + shift)
        return end

    def _closure(self, state: int) -> tuple[list[_Move], bool]:
        if state not in self._closed:
            reached = self._reached(state)
            moves = [move for one in reached for move in self._moves[one]]
            self._closed[state] = moves, self._end in reached
        return self._closed[state]

    def _reached(self, state: int) -> list[int]:
        """The states that one leads to without a character, itself included."""
        reached = [state]
        for one in reached:
            reached += [next for next in self._empty[one] if next not in reached]
        return reached

    def _state(self, *before: int) -> int:
        """A new state, which these lead to without a character."""
        self._moves.append([])
        self._empty.append([])
        for one in before:
            self._empty[one].append(len(self._moves) - 1)
        return len(self._moves) - 1

    def _add(self, tree: Iterable[Any], state: int) -> int:
        """The state after what a parsed regular expression matches."""
        for kind, value in tree:
            if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
                least, most, inner = value
                state = self._repeat(least, most, inner, state)
            elif kind is sre.BRANCH:
                state = self._state(*[self._add(one, state) for one in value[1]])
            elif kind is sre.SUBPATTERN:
                other = value[1] & (re.IGNORECASE | re.ASCII)
                state = self._add(_parsed(".*") if other else value[3], state)
            elif kind is sre.ATOMIC_GROUP:
                state = self._add(value, state)
            elif kind in (sre.GROUPREF, sre.GROUPREF_EXISTS):
                state = self._add(_parsed(".*"), state)
            elif kind not in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
                state = self._read(_ranges(kind, value), state)
        return state

    def _read(self, ranges: Ranges, state: int) -> int:
        after = self._state()
        self._moves[state].append((_common(ranges, self._characters), self._part, after))
        return after

    def _repeat(self, least: int, most: Any, tree: Any, state: int) -> int:
        exact = _REPEATS if len(self._moves) < _STATES else 1
        for _ in range(min(least, exact)):
            state = self._add(tree, state)
        if most is sre.MAXREPEAT or most > exact:
            loop = self._state(state)
            self._empty[self._add(tree, loop)].append(loop)
            return loop
        ends = [state]
        for _ in range(most - least):
            ends.append(self._add(tree, ends[-1]))
        return self._state(*ends)


@lru_cache(maxsize=512)
def _parsed(pattern: str) -> Any:
    tree = sre_parse.parse(pattern, 0 if pattern != ".*" else re.DOTALL)
    return sre_parse.parse(".*", re.DOTALL) if tree.state.flags & re.IGNORECASE else tree


def _ranges(kind: Any, value: Any) -> Ranges:
    """The characters that one step of a regular expression matches."""
    if kind is sre.LITERAL:
        return ((value, value),)
    if kind is sre.NOT_LITERAL:
        return _others([(value, value)])
    if kind is sre.RANGE:
        return (value,)
    if kind is sre.CATEGORY:
        return _others(_class(_NEGATED[value])) if value in _NEGATED else _class(value)
    if kind is sre.IN and value[0][0] is sre.NEGATE:
        return _others([one for inner in value[1:] for one in _ranges(*inner)])
    if kind is sre.IN:
        # The others of the others: the same characters in as few ranges as can be.
        return _others(_others([one for inner in value for one in _ranges(*inner)]))
    return ANYTHING


@lru_cache
def _class(category: Any) -> Ranges:
    """The characters of a class such as ``\\d``, in all of Unicode."""
    found: list[tuple[int, int]] = []
    for code in filter(lambda code: _CLASSES[category](chr(code)), range(_LAST_LETTER)):
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return tuple(found)


def _others(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """All characters that are not in these ranges."""
    found, at = [], 0
    for low, high in sorted(ranges):
        found.append((at, low - 1))
        at = max(at, high + 1)
    return tuple(one for one in (*found, (at, 0x10FFFE)) if one[0] <= one[1])


@lru_cache(maxsize=4096)
def _common(one: Ranges, two: Ranges) -> Ranges:
    """The characters that are in both, whose ranges are in their order."""
    found, at, other = [], 0, 0
    while at < len(one) and other < len(two):
        low, high = max(one[at][0], two[other][0]), min(one[at][1], two[other][1])
        if low <= high:
            found.append((low, high))
        if one[at][1] < two[other][1]:
            at += 1
        else:
            other += 1
    return tuple(found)


def without(ranges: Ranges, characters: str) -> Ranges:
    """The ranges without these characters."""
    return _common(ranges, _others([(ord(one), ord(one)) for one in characters]))
