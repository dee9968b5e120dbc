"""Candidates and contexts to judge, for tests of the gate."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from shared.belief.rules.context import GateContext, Held, Source
from shared.belief.rules.gate import judge
from shared.belief.rules.judging import Judgement
from shared.contract.candidates import Candidate, Line
from shared.contract.events import Role
from shared.contract.records import Claim, EpistemicType, EvidenceRef, Kind
from shared.contract.trust import Origin

SAID_AT = datetime(2031, 3, 4, 9, 0, tzinfo=UTC)
BEES_SAID = "I keep two beehives behind the garage."
ORIGINS: Mapping[Role, Origin] = {Role.USER: Origin.USER, Role.ASSISTANT: Origin.ASSISTANT, Role.TOOL: Origin.TOOL}


def at(day: int) -> datetime:
    """A world time, `day` days after what is said is said."""
    return SAID_AT + timedelta(days=day)


def line(text: str, sequence: int = 1, *, role: Role = Role.USER, **fields: Any) -> Line:
    """What the user Mira says, unless told otherwise."""
    given: dict[str, Any] = {
        "speaker": "Mira" if role is Role.USER else role.value,
        "origin": ORIGINS.get(role, Origin.UNKNOWN),
        "said_at": SAID_AT,
        "zone": UTC,
        **fields,
    }
    return Line(sequence=sequence, text=text, role=role, **given)


def claim(object_: str, predicate: str = "location", subject: str = "Mira") -> Claim:
    """What is claimed of Mira, unless told otherwise."""
    return Claim(subject=subject, predicate=predicate, object=object_, key=f"{subject.casefold()}|{predicate}")


def candidate(text: str, *evidence: int | EvidenceRef, **fields: Any) -> Candidate:
    """A sure semantic fact that cites the first line, unless told otherwise."""
    refs = tuple(ref if isinstance(ref, EvidenceRef) else EvidenceRef(sequence=ref) for ref in evidence or (1,))
    given = {"kind": Kind.SEMANTIC, "epistemic_type": EpistemicType.FACT, "confidence": 0.9, **fields}
    return Candidate(text=text, evidence=refs, **given)


def context(*lines: Line | str, **fields: Any) -> GateContext:
    """A run of these lines, of Mira, in which nothing is a secret but `swordfish`."""
    numbered = [each if isinstance(each, Line) else line(each, at) for at, each in enumerate(lines, 1)]
    given: dict[str, Any] = {
        "run_id": "run-2",
        "owner_speaker": "Mira",
        "holds_secret": lambda text: "swordfish" in text,
        **fields,
    }
    return GateContext(lines={each.sequence: each for each in numbered}, **given)


def held(text: str, subject: Any = 77, **fields: Any) -> Held:
    """A semantic sentence of Mira's from an earlier run, since the day before."""
    given: dict[str, Any] = {
        "kind": Kind.SEMANTIC,
        "since": at(-1),
        "sources": frozenset({Source("Mira", "run-1", at(-1).date())}),
        **fields,
    }
    return Held(subject=subject, text=text, **given)


def judged(text: str, *said: Line | str, room: bool = False, **fields: Any) -> Judgement:
    """A sentence before the gate, read from all of the lines."""
    lines = said or (text,)
    numbered = [each if isinstance(each, Line) else line(each, at) for at, each in enumerate(lines, 1)]
    owner = None if room else "Mira"
    told = candidate(text, *(each.sequence for each in numbered), **fields)
    return judge(told, context(*numbered, room=room, owner_speaker=owner))
