"""verdict: whether the evidence answers the query, and why, in a few words. Pure.

    unknown              nothing found bears on the query, or memory could not be asked
    premise_unsupported  what the query says of somebody was said by somebody else
    conflicting          what is held contradicts itself
    stale                the best of it has ended, was replaced, or is too old for what it claims
    supported            something bears on the query

The first that applies, in this order. `judge` is where a further rule goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from shared.contract.bundle import Verdict


class Claim(NamedTuple):
    """What a verdict looks at of a hit."""

    says: str
    """Its side, where it contradicts others: two claims of a group that say the same agree."""
    group: str | None = None
    """What it contradicts others about."""
    until: datetime | None = None
    """When it ended in the world; None where it holds."""
    replaced: bool = False
    """A belief says that something else took its place."""
    at: datetime | None = None
    """When it was said."""
    good_for: timedelta | None = None
    """How long a claim of its kind can be relied on; None for ever."""


class Grounds(NamedTuple):
    """What a verdict rests on."""

    found: bool = False
    """There are hits."""
    evident: bool = False
    """Some of the best bears on the query by itself."""
    shown: bool = False
    """Some of it fits the budget."""
    elsewhere: str = ""
    """Why the query's premise is not supported, where that is so."""
    claims: tuple[Claim, ...] = ()
    """Of the best hits, best first."""
    failure: str = ""
    """Why nothing was asked, where that is so."""


def judge(grounds: Grounds, at: datetime) -> tuple[Verdict, str]:
    """The verdict and its reason; `at` is the time asked about."""
    if grounds.failure:
        return Verdict.UNKNOWN, grounds.failure
    if not grounds.found:
        return Verdict.UNKNOWN, "nothing was found"
    nothing_shown = "" if grounds.shown else ", and none of it fits the budget"
    if not grounds.evident:
        return Verdict.UNKNOWN, f"what was found is not near enough{nothing_shown}"
    for verdict, reason in (
        (Verdict.PREMISE_UNSUPPORTED, grounds.elsewhere),
        (Verdict.CONFLICTING, conflicting(grounds.claims, at)),
        (Verdict.STALE, stale(grounds.claims, at)),
    ):
        if reason:
            return verdict, f"{reason}{nothing_shown}"
    return Verdict.SUPPORTED, f"found memories that bear on the query{nothing_shown}"


def conflicting(claims: Sequence[Claim], at: datetime) -> str:
    """Why the claims contradict each other: some of one group hold on different sides. Empty if none do."""
    sides: dict[str, set[str]] = {}
    for claim in claims:
        if claim.group is not None and _holds(claim, at):
            sides.setdefault(claim.group, set()).add(claim.says)
    for group, said in sides.items():
        if len(said) > 1:
            return f"{len(said)} memories that are held contradict each other about {group}"
    return ""


def stale(claims: Sequence[Claim], at: datetime) -> str:
    """Why the best claim is of the past: it ended, was replaced, or is old for what it is. Empty if it is not."""
    if not claims:
        return ""
    best = claims[0]
    if best.until is not None and best.until <= at:
        return f"the best memory ended on {best.until:%Y-%m-%d}"
    if best.replaced:
        return "the best memory was replaced by a later one"
    if best.good_for is not None and best.at is not None and at - best.at > best.good_for:
        return f"the best memory is {(at - best.at).days} days old, and such a claim is good for {best.good_for.days}"
    return ""


def _holds(claim: Claim, at: datetime) -> bool:
    return not claim.replaced and (claim.until is None or claim.until > at)
