"""What a model ends, completed by what the rules read in the same lines. Pure.

Models end a belief and leave out what has its place ("I moved to Porto": Varna is over, and no word of Porto), or end
one for having heard it again. Both lose something that was said, and rules of high precision can read it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

from shared.belief.predicates import side_of
from shared.contract.candidates import Candidate, Change, Extraction
from shared.contract.records import Claim

SAID_AGAIN: Final = "said_again"
"""Why an end or a denial of a model's is refused: the lines it cites say that it is so."""


def may_lack_something(found: Extraction) -> bool:
    """Whether a model ends or denies anything of which it does not say what is so instead."""
    held = _keys(each for each in found.candidates if each.change is Change.HOLDS)
    return any(each.claim.key not in held for each in _taking_away(found.candidates) if each.claim)


def completed(found: Extraction, rules_say: Iterable[Candidate]) -> Extraction:
    """A model's extraction with what the rules read of the claims that it ends, and without ends that they belie.

    Whatever the model says of a claim besides goes before what the rules say of it.
    """
    own = _keys(each for each in found.candidates if each.change is Change.HOLDS)
    away = {each.claim.key: each for each in _taking_away(found.candidates) if each.claim and each.claim.key not in own}
    lacking = [
        each
        for each in rules_say
        if each.change is Change.HOLDS and each.claim and _shares_line(each, away.get(each.claim.key))
    ]
    said = {_side(each.claim) for each in lacking}
    belied = [each for each in away.values() if _side(each.claim) in said]
    kept = [each for each in found.candidates if each not in belied]
    rejected = {**found.rejected, SAID_AGAIN: len(belied)} if belied else found.rejected
    return replace(found, candidates=[*kept, *lacking], rejected=rejected)


def _taking_away(candidates: Iterable[Candidate]) -> Iterable[Candidate]:
    return (each for each in candidates if each.change is not Change.HOLDS)


def _keys(candidates: Iterable[Candidate]) -> Collection[str]:
    return {each.claim.key for each in candidates if each.claim}


def _side(claim: Claim | None) -> tuple[str, str] | None:
    return (claim.key, side_of(claim)) if claim else None


def _shares_line(candidate: Candidate, ending: Candidate | None) -> bool:
    if ending is None:
        return False
    cited = {ref.sequence for ref in ending.evidence}
    return any(ref.sequence in cited for ref in candidate.evidence)
