"""What the demonstration shows of beliefs: a point is right only where all that it asks for is so."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from gateway.accounts import Version
from gateway.demo.believing import Point, Told, shipped
from shared.contract.bundle import Bundle, Item, Verdict
from shared.contract.records import EpistemicType, Kind
from shared.contract.scope import Owner
from shared.contract.turns import TurnId

AT = datetime(2019, 3, 2, tzinfo=UTC)
POINT = Point(
    title="a changed address", asked_by="petra", why=("where?",), recall="Where do I live?", before=AT,
    held=("Porto",), ended=("Varna",), never=("Oslo",),
)  # fmt: skip
VARNA, PORTO = "petra lives in Varna.", "petra lives in Porto."


def belief(text: str, *, over: bool = False) -> Version:
    return Version(
        memory_id=UUID(int=1), version=1, owner=Owner("petra"), kind=Kind.SEMANTIC, epistemic_type=EpistemicType.FACT,
        text=text, claim=None, confidence=0.9, trust=4, valid_from=AT, valid_to=AT if over else None, recorded_at=AT,
        closed_at=None, closed_reason=None,
    )  # fmt: skip


def bundle(*texts: str) -> Bundle:
    items = tuple(
        Item(
            ordinal=place, memory_id=UUID(int=place), text=text, kind="semantic", epistemic_type="fact", speaker=None,
            role=None, origin="user", trust=4, event_time=None, session_id=None, sources=(), score=1.0, rank=place,
        )
        for place, text in enumerate(texts, 1)
    )  # fmt: skip
    return Bundle(
        turn_id=TurnId(UUID(int=9)), items=items, text="", tokens=0, counter="", verdict=Verdict.SUPPORTED, reason="",
        degraded=(), omitted=0, hits=(), watermarks=(), fresh_runs=0, timings_ms={}, plan=(),
    )  # fmt: skip


def told(*beliefs: Version, now: Bundle, before: Bundle) -> Told:
    return Told(point=POINT, beliefs=beliefs, histories=(), whys=(), now=now, before=before)


GOOD = told(belief(VARNA, over=True), belief(PORTO), now=bundle(PORTO), before=bundle(VARNA))


def test_the_shipped_points_are_asked_by_people_of_the_shipped_runs() -> None:
    act = shipped()
    people = {line.speaker for run in act.runs for line in run.messages if line.role == "user"}
    assert {point.asked_by for point in act.points} <= people
    said = " ".join(line.text for run in act.runs for line in run.messages)
    refused = [words for point in act.points if not point.held for words in point.never]
    assert refused
    assert all(words in said for words in refused), "what nobody said is easily never believed"


def test_a_point_is_right_where_all_is_as_it_asks() -> None:
    assert GOOD.right
    assert GOOD.faults == ()


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (told(belief(VARNA, over=True), now=bundle(PORTO), before=bundle(VARNA)), "'Porto' is not believed"),
        (told(belief(VARNA), belief(PORTO), now=bundle(PORTO), before=bundle(VARNA)), "'Varna' is not history"),
        (told(*GOOD.beliefs, now=bundle(VARNA), before=bundle(VARNA)), "nothing of it is recalled"),
        (told(*GOOD.beliefs, now=bundle(PORTO), before=bundle(PORTO)), "'Varna' was not recalled before"),
        (told(*GOOD.beliefs, now=bundle(PORTO, "billed to OSLO"), before=bundle(VARNA)), "'Oslo' is there"),
    ],
)
def test_a_point_is_wrong_where_something_is_not(wrong: Told, fault: str) -> None:
    assert wrong.faults == (fault,)
    assert not wrong.right
