"""Two beliefs of one wording of which one denies the other, or gives another number, date or name for it. Pure.

No vectors are asked: what only means nearly the same ("the front gate's code", "the back gate's code") contradicts
nothing. Of two that are worded alike but for what tells them apart

    a negation      the one denies the other
    a number, date, name    they contradict where it stands behind a verb that says how something is: `is`, `costs`,
                    `begins`; what was done (`bought`, `met`, `was in`) may have been done twice

Only what one person said: of a group each has a code, and a mother, of their own. Of names, not where the thing is one
that somebody may have several of: a friend, a dog, an allergy. Those verbs are English; in other languages only denials
are seen. What is found is asked about, and never closed for it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Final, cast

from shared.belief._telling import folded
from shared.belief.predicates import BUILT_IN, Cardinality
from shared.belief.similarity import bare, telling, told_apart_by, wording
from shared.belief.unkeyed import is_unkeyed
from shared.contract.questions import Question, Why
from shared.contract.records import Kind, MemoryVersion

_STATES: Final = """
    is are costs cost starts start begins begin ends end opens open closes close lives works weighs earns meets meet
    has leaves departs arrives expires
"""
_SAYS_HOW_IT_IS: Final = frozenset(_STATES.split())
_POINTS: Final = ".,;:!?()"


def opposed(memories: Iterable[MemoryVersion]) -> Iterator[Question]:
    """The pairs to ask about among open beliefs, each of what was held before and what came next.

    One of the two at least claims nothing that is keyed: two claims are compared by their keys.
    """
    for group in _worded_alike(memories):
        for first, second in pairwise(group):
            why = _why(first, second)
            if why:
                yield Question(
                    memories=(first.memory_id, second.memory_id), versions=(first.version, second.version), why=why
                )


def who(memory: MemoryVersion) -> str:
    """Who said it, to be compared: what two people say of something does not contradict. Blank: nobody is named."""
    return (memory.speaker or "").casefold()


def _worded_alike(memories: Iterable[MemoryVersion]) -> Iterator[Sequence[MemoryVersion]]:
    semantic = [each for each in memories if each.kind is Kind.SEMANTIC]
    for maybe in _grouped(semantic, lambda each: (each.agent_id, who(each), each.schema_name, bare(each.text))):
        for group in _grouped(maybe, lambda each: wording(each.text)):
            yield sorted(group, key=lambda each: each.doc)


def _grouped(
    memories: Iterable[MemoryVersion], key: Callable[[MemoryVersion], object]
) -> Iterator[Sequence[MemoryVersion]]:
    """Those that have a key in common, of two or more."""
    found: dict[object, list[MemoryVersion]] = {}
    for memory in memories:
        found.setdefault(key(memory), []).append(memory)
    return (group for group in found.values() if len(group) > 1)


def _why(first: MemoryVersion, second: MemoryVersion) -> Why | None:
    return differ_in(first.text, second.text) if is_unkeyed(first) or is_unkeyed(second) else None


def differ_in(first: str, second: str) -> Why | None:
    """In what two sentences of one wording contradict each other; None where they do not."""
    differs = told_apart_by(first, second)
    if differs == "negations":
        odd = (telling(first).negations + telling(second).negations) % 2
        return "negations" if odd else None
    if differs is None or not _is_of_one_thing(first, second, differs):
        return None
    return cast("Why", differs)


def grounds(text: str) -> Iterator[Hashable]:
    """Of what two sentences that contradict each other by `differ_in` have one in common at least.

    What differs must, and all else is equal: so that of many only few need be compared.
    """
    of = telling(text)
    yield wording(text), "negations", of.numbers, of.dates, of.names
    parted = _parted(text)
    if parted is None:
        return
    before, behind = parted
    for differs in ("numbers", "dates", "names"):
        if differs == "names" and any(map(_is_one_of_several, before.split())):
            continue
        equal = tuple(getattr(of, each.name) for each in fields(of) if each.name != differs)
        yield wording(text), differs, equal, _values(before, differs), len(_values(behind, differs))


def _is_of_one_thing(first: str, second: str, differs: str) -> bool:
    """Whether a verb says of one thing how it is, and one value behind it is all that differs."""
    one, other = _parted(first), _parted(second)
    if one is None or other is None:
        return False
    (before, behind), (other_before, other_behind) = one, other
    if differs == "names" and any(map(_is_one_of_several, before.split())):
        return False
    values, others = _values(behind, differs), _values(other_behind, differs)
    unequal = sum(one != other for one, other in zip(values, others, strict=False))
    return len(values) == len(others) and unequal == 1 and _values(before, differs) == _values(other_before, differs)


def _parted(text: str) -> tuple[str, str] | None:
    """What stands before the verb that says how something is, and behind it."""
    words = text.split()
    for place, word in enumerate(words):
        if folded(word).strip(_POINTS) in _SAYS_HOW_IT_IS:
            return " ".join(words[:place]), " ".join(words[place + 1 :])
    return None


def _values(text: str, differs: str) -> tuple[str, ...]:
    return cast("tuple[str, ...]", getattr(telling(text), differs))


def _is_one_of_several(word: str) -> bool:
    known = BUILT_IN.predicates.get(folded(word).strip(_POINTS).removesuffix("'s"))
    return known is not None and known.cardinality is Cardinality.MULTI
