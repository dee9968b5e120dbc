from __future__ import annotations

from uuid import UUID, uuid4

from rich.console import Console

from gateway.demo.corpus import Question
from gateway.demo.run import Answer
from gateway.demo.show import expected_line
from gateway.evidence import best, channels, cost_line, show_bundle, verdict_line
from shared.contract.bundle import Bundle, Item, Source, Verdict
from shared.contract.turns import TurnId

SCORES = {"words": 8.62, "meaning": 0.405, "+words": 0.16, "+meaning": 0.09, "+speaker": 0.3, "+date": 0.001}


def _item(ordinal: int, score: float, rank: int | None, text: str = "I keep [two] beehives.") -> Item:
    source = Source(run_id="r", message_id=f"m{ordinal}", stream="user:mira", sequence=ordinal)
    return Item(
        ordinal=ordinal,
        memory_id=uuid4(),
        text=text,
        kind="episodic",
        epistemic_type="evidence",
        speaker="mira",
        role="user",
        origin="user",
        trust=4,
        event_time=None,
        session_id="s",
        sources=(source,),
        score=score,
        rank=rank,
        scores=SCORES,
    )


def _bundle(*items: Item, verdict: Verdict = Verdict.SUPPORTED, degraded: tuple[str, ...] = ()) -> Bundle:
    return Bundle(
        turn_id=TurnId(UUID(int=7)),
        items=items,
        text="",
        tokens=1234,
        counter="estimate",
        verdict=verdict,
        reason="because",
        degraded=degraded,
        omitted=2,
        hits=(),
        watermarks=(),
        fresh_runs=0,
        timings_ms={"plan": 0.1, "embed": 12.4, "total": 20.6, "database": 5.0},
        plan=("searched all",),
    )


def _printed(bundle: Bundle, *, explain: bool) -> str:
    out = Console(width=100, markup=False, highlight=False, color_system=None)
    with out.capture() as captured:
        show_bundle(out, bundle, explain=explain)
    return captured.get()


def test_channels_are_shown_with_what_they_measured_and_gave_the_greatest_first() -> None:
    assert channels(SCORES, 90).plain == "speaker +.30 · words 8.6 +.16 · meaning 0.41 +.09"


def test_channels_that_do_not_fit_are_summed() -> None:
    line = channels(SCORES, 45).plain
    assert line == "speaker +.30 · words 8.6 +.16 · others +.09"
    assert len(line) <= 45


def test_a_message_on_its_way_has_one_score() -> None:
    assert channels({"fresh": 0.5}, 90).plain == "fresh 0.50 +.50"


def test_the_best_are_hits_and_no_neighbours() -> None:
    items = (_item(1, 0.2, 2), _item(2, 0.9, None), _item(3, 0.8, 1))
    assert [item.ordinal for item in best(_bundle(*items), 5)] == [3, 1]
    assert len(best(_bundle(*items), 1)) == 1


def test_a_bundle_is_shown_with_verdict_text_cost_and_what_was_left_out() -> None:
    shown = _printed(_bundle(_item(1, 0.8, 1)), explain=False)
    assert "supported · because" in shown
    assert "I keep [two] beehives." in shown
    assert "2 more did not fit" in shown
    assert "1,234 tokens · 21 ms (Postgres 5.0): plan 0.1 embed 12" in shown
    assert "+.30" not in shown


def test_explained_it_shows_channels_and_plan() -> None:
    shown = _printed(_bundle(_item(1, 0.8, 1)), explain=True)
    assert "speaker +.30" in shown
    assert "plan: searched all" in shown


def test_what_could_not_be_asked_is_named_beside_the_verdict() -> None:
    bundle = _bundle(verdict=Verdict.UNKNOWN, degraded=("dense", "database"))
    assert verdict_line(bundle).plain == "unknown · because · degraded: without dense, database"
    assert cost_line(bundle).startswith("1,234 tokens")


def _answer(evidence: tuple[str, ...], found: tuple[str, ...], verdict: Verdict) -> Answer:
    question = Question(query="How many?", asked_by="mira", evidence=evidence, answer="two")
    return Answer(question=question, bundle=_bundle(verdict=verdict), found=found)


def test_a_question_is_right_when_evidence_was_found_or_unknown_when_there_is_none() -> None:
    supported, unknown = Verdict.SUPPORTED, Verdict.UNKNOWN
    assert (
        expected_line(_answer(("m1", "m2"), ("m1",), unknown)).plain == "✓ expected: two (1 of 2 ★ among the first 5)"
    )
    assert expected_line(_answer(("m1",), (), supported)).plain.startswith("✗ expected: two")
    assert expected_line(_answer((), (), unknown)).plain.startswith("✓ unknown")
    assert expected_line(_answer((), (), supported)).plain.startswith("✗ should have been unknown")
