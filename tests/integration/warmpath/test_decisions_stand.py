"""What a person decided stands: through a new reading, a step back, a rebuild, and whatever comes by night."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath import supersede
from coldpath.forget import forget
from coldpath.proposals import Done, Proposed, Tidying, revert, tidy
from coldpath.quarantine import Source, lift, quarantine
from coldpath.replay import replay
from coldpath.unlink import unlink
from shared.contract.events import EventClass
from shared.contract.operations import ClosePayload, LinkPayload
from shared.contract.proposals import Proposal, Refusal
from shared.contract.records import EvidenceRef, MemoryVersion, Operation
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store import batches, ledger, links, memories, reviews
from shared.store.db import Role
from shared.store.reviews import Review, ReviewState
from shared.testing import ScriptedExtractor
from warmpath import rederive, review
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
Script = Mapping[str, Sequence[Mapping[str, Any]]]
LEEDS, YORK = "Mira lives in Leeds.", "Mira lives in York."
KEYED: Final[Script] = {
    "Leeds": [{"text": LEEDS, "claim": ("Mira", "lives_in", "Leeds")}],
    "York": [{"text": YORK, "claim": ("Mira", "lives_in", "York")}],
}
REWORDED: Final[Script] = {
    "Leeds": [{"text": "Mira has a home in Leeds.", "claim": ("Mira", "lives_in", "Leeds")}],
    "York": [{"text": "Mira has a home in York.", "claim": ("Mira", "lives_in", "York")}],
}
MONDAY, TUESDAY = "The choir meets on Monday.", "The choir meets on Tuesday."
UNKEYED: Final[Script] = {"Monday": [{"text": MONDAY}], "Tuesday": [{"text": TUESDAY}]}
NOTHING: Final[Script] = {}
HEALTH = "Mira has a heart condition."
DELICATE: Final[Script] = {"heart": [{"text": HEALTH, "claim": ("Mira", "has_condition", "a heart condition")}]}
DELICATE_REWORDED: Final[Script] = {
    "heart": [{"text": "A heart condition troubles Mira.", "claim": ("Mira", "has_condition", "a heart condition")}]
}


@pytest.fixture
def using(services: Services, reading: Settings) -> Callable[..., Services]:
    """Services whose rules read by a script."""

    def make(script: Script, **settings: Any) -> Services:
        mine = reading.model_copy(update=settings)
        return replace(services, settings=mine, rules=lambda: ScriptedExtractor(script))

    return make


@pytest.fixture
def tell(bell: Any) -> Callable[..., None]:
    def do(mine: Services, text: str, number: int, day: str | None = None) -> None:
        said = {"role": "user", "text": text, **({"ts": f"{day}T12:00Z"} if day else {})}
        Door(mine).observe(MIRA, [said], run_id=f"run-{number}")
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(mine, stage, STAGES[stage], work)

    return do


@pytest.fixture
def held(owner: psycopg.Connection) -> Callable[[], list[str]]:
    """The open beliefs that have not ended."""
    query = """
        select text from memory
        where epistemic_type <> 'evidence' and closed_at is null and valid_to is null order by text
    """
    return lambda: [text for (text,) in owner.execute(query).fetchall()]


def anew(mine: Services) -> rederive.Diff:
    """Read all of it anew, and switch to that."""
    rederive.prepare(mine, MIRA)
    return rederive.switch(mine, MIRA)


def night(services: Services) -> UUID:
    job = Tidying(job="supersede", propose=supersede.propose, batch_id=uuid4(), by_time=True)
    tidy(services.database, "acme", MIRA.owner, job)
    return job.batch_id


def waiting(services: Services) -> list[Review]:
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        return reviews.listed(session, ReviewState.OPEN)


def decide(services: Services, how: str, *given: str) -> None:
    (asked,) = waiting(services)
    getattr(review, how)(services.database, "acme", MIRA.owner, asked.review_id, *given, by="ana")


def is_equal(services: Services) -> bool:
    found = replay(services.database, "acme", MIRA.owner, verify=True)
    assert found.differences == ()
    return found.is_equal


@pytest.mark.parametrize("script", [KEYED, REWORDED], ids=["same_words", "other_words"])
@pytest.mark.parametrize(
    ("given", "expected"), [("first", [LEEDS]), ("second", [YORK]), ("neither", []), ("both", [LEEDS, YORK])]
)
def test_an_answer_stands_whatever_is_read_anew(
    given: str, expected: list[str], script: Script, using: Any, tell: Any, held: Any
) -> None:
    tell(using(KEYED), "I live in Leeds.", 1)
    tell(using(KEYED), "I live in York, as you know.", 2)
    night(using(KEYED))
    decide(using(KEYED), "answer", given)
    assert held() == expected
    mine = using(script)
    rederive.prepare(mine, MIRA)
    assert rederive.compare(mine, MIRA).decided == 1
    assert rederive.switch(mine, MIRA).decided == 1
    night(mine)
    assert held() == expected
    assert waiting(mine) == []
    assert is_equal(mine)
    rederive.back(mine, MIRA)
    night(mine)
    assert held() == expected
    replay(mine.database, "acme", MIRA.owner, verify=False)
    anew(mine)
    night(mine)
    assert (held(), waiting(mine)) == (expected, [])
    assert is_equal(mine)


@pytest.mark.parametrize(
    ("given", "expected"), [("first", [MONDAY]), ("second", [TUESDAY]), ("neither", []), ("both", [MONDAY, TUESDAY])]
)
def test_an_answer_about_what_has_no_claim_stands_too(
    given: str, expected: list[str], using: Any, tell: Any, held: Any
) -> None:
    mine = using(UNKEYED)
    tell(mine, "The choir is on Monday.", 1, "2026-01-10")
    tell(mine, "The choir is on Tuesday.", 2, "2026-01-20")
    night(mine)
    decide(mine, "answer", given)
    assert held() == expected
    assert anew(mine).decided == 1
    night(mine)
    assert (held(), waiting(mine)) == (expected, [])
    rederive.back(mine, MIRA)
    night(mine)
    assert (held(), waiting(mine)) == (expected, [])
    assert is_equal(mine)


def test_an_answer_that_was_given_on_what_is_read_anew_stands_when_that_is_taken_back(
    using: Any, tell: Any, held: Any
) -> None:
    tell(using(KEYED), "I live in Leeds.", 1)
    tell(using(KEYED), "I live in York, as you know.", 2)
    anew(using(REWORDED))
    night(using(REWORDED))
    decide(using(REWORDED), "answer", "second")
    assert held() == ["Mira has a home in York."]
    rederive.back(using(KEYED), MIRA)
    night(using(KEYED))
    assert held() == ["Mira has a home in York."]
    assert waiting(using(KEYED)) == []
    assert is_equal(using(KEYED))


@pytest.mark.parametrize("ask_about", ["semantic", None], ids=["asked", "not_asked"])
@pytest.mark.parametrize("script", [DELICATE, DELICATE_REWORDED], ids=["same_words", "other_words"])
def test_what_was_rejected_is_not_stored_by_another_reading_and_nobody_is_asked_again(
    script: Script, ask_about: str | None, using: Any, tell: Any, held: Any
) -> None:
    tell(using(DELICATE, ask_about="semantic"), "I have a heart condition.", 1)
    decide(using(DELICATE), "reject")
    mine = using(script, ask_about=ask_about)
    diff = anew(mine)
    assert (diff.opened, diff.closed, diff.decided) == ((), (), 1)
    assert (held(), waiting(mine)) == ([], [])
    rederive.back(mine, MIRA)
    assert (held(), waiting(mine)) == ([], [])
    rederive.switch(mine, MIRA)
    assert (held(), waiting(mine)) == ([], [])
    assert is_equal(mine)


class Citing(ScriptedExtractor):
    """Cites given messages for whatever it reads: which of several a model cites is its own."""

    def __init__(self, script: Any, messages: Sequence[int]) -> None:
        super().__init__(script)
        self._cited = tuple(EvidenceRef(sequence=each) for each in messages)

    def extract(self, reading: Any, *, deadline_s: float) -> Any:
        found = super().extract(reading, deadline_s=deadline_s)
        cited = [each.model_copy(update={"evidence": self._cited}) for each in found.candidates]
        return replace(found, candidates=cited)


def citing(mine: Services, script: Script, messages: Sequence[int]) -> Services:
    return replace(mine, rules=lambda: Citing(script, messages))


@pytest.fixture
def tell_run(bell: Any) -> Callable[..., None]:
    def do(mine: Services, *texts: str) -> None:
        Door(mine).observe(MIRA, [{"role": "user", "text": text} for text in texts], run_id="run-1")
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(mine, stage, STAGES[stage], work)

    return do


RUN = ("I have a heart condition.", "It was found last year.", "I do not like it.")


@pytest.mark.parametrize("ask_about", ["semantic", None], ids=["asked", "not_asked"])
@pytest.mark.parametrize("script", [DELICATE, DELICATE_REWORDED], ids=["same_words", "other_words"])
@pytest.mark.parametrize(
    ("first", "again"),
    [((1,), (1, 2)), ((1, 2), (1,)), ((1, 2), (2, 3)), ((1,), (2,)), ((1,), (1, 2, 3))],
    ids=["wider", "narrower", "shifted", "another_line_of_the_run", "all_of_the_run"],
)
def test_what_was_rejected_is_not_stored_whichever_lines_another_reading_cites(
    first: Sequence[int],
    again: Sequence[int],
    script: Script,
    *,
    ask_about: str | None,
    using: Any,
    tell_run: Any,
    held: Any,
) -> None:
    asking = using(DELICATE, ask_about="semantic")
    tell_run(citing(asking, DELICATE, first), *RUN)
    decide(asking, "reject")
    mine = citing(using(script, ask_about=ask_about), script, again)
    diff = anew(mine)
    assert (diff.opened, diff.closed, diff.decided) == ((), (), 1)
    assert (held(), waiting(mine)) == ([], [])
    rederive.back(mine, MIRA)
    assert (held(), waiting(mine)) == ([], [])
    assert is_equal(mine)


@pytest.mark.parametrize("again", [(1, 2), (1,), (2,)], ids=["wider", "the_same", "another_line_of_the_run"])
def test_what_was_approved_counts_on_and_nobody_is_asked_again_whichever_lines_are_cited(
    again: Sequence[int], using: Any, tell_run: Any, held: Any
) -> None:
    asking = using(DELICATE, ask_about="semantic")
    tell_run(citing(asking, DELICATE, (1,)), *RUN)
    decide(asking, "approve")
    mine = citing(using(DELICATE_REWORDED, ask_about="semantic"), DELICATE_REWORDED, again)
    assert anew(mine).decided == 1
    assert (held(), waiting(mine)) == ([HEALTH], [])
    assert is_equal(mine)


@pytest.mark.parametrize("cited", ["it_alone", "with_the_first"])
def test_a_line_of_the_same_run_that_came_after_the_decision_is_new_evidence(
    cited: str, using: Any, tell_run: Any, held: Any, owner: psycopg.Connection
) -> None:
    asking = using(DELICATE, ask_about="semantic")
    tell_run(citing(asking, DELICATE, (1, 2)), *RUN)
    decide(asking, "reject")
    tell_run(using(NOTHING), *RUN, "My heart has a condition, do keep that in mind.")
    query = "select max(sequence) from event where event_class = 'evidence' and user_id = %s"
    (last,) = owner.execute(query, [MIRA.owner]).fetchone() or (0,)
    assert last > len(RUN)
    anew(citing(using(DELICATE), DELICATE, (last,) if cited == "it_alone" else (1, last)))
    assert held() == [HEALTH]
    assert is_equal(asking)


def test_an_answer_stands_where_a_reading_cites_one_more_line(using: Any, tell: Any, held: Any) -> None:
    tell(using(KEYED), "I live in Leeds.", 1)
    tell(using(KEYED), "I live in York, as you know.", 2)
    night(using(KEYED))
    (asked,) = waiting(using(KEYED))
    decide(using(KEYED), "answer", "second")
    script: Script = {"Leeds": REWORDED["Leeds"]}
    with using(KEYED).database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        said = [each.sequence for each in ledger.numbered(session, MIRA.owner, range(1, asked.sequence))
                if each.event_class is EventClass.EVIDENCE]  # fmt: skip
    assert len(said) == 2
    mine = citing(using(script), script, said)
    assert anew(mine).decided >= 1
    night(mine)
    assert (held(), waiting(mine)) == ([YORK], [])
    assert is_equal(mine)


def test_for_what_was_just_said_no_question_and_no_batch_is_looked_for(
    using: Any, tell: Any, held: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(using(KEYED), "I live in Leeds.", 1)
    tell(using(KEYED), "I live in York, as you know.", 2)
    night(using(KEYED))
    decide(using(KEYED), "answer", "second")

    def looked_for(*_: Any, **__: Any) -> Any:
        pytest.fail("decisions on other messages were looked at")

    for module, name in ((reviews, "answered"), (reviews, "questions"), (batches, "reverted"), (ledger, "recorded")):
        monkeypatch.setattr(module, name, looked_for)
    tell(using(UNKEYED), "The choir is on Monday.", 3)
    assert held() == sorted([MONDAY, YORK])


def test_what_was_rejected_and_is_said_in_a_further_message_is_judged_as_if_nobody_had_decided(
    using: Any, tell: Any, held: Any
) -> None:
    mine = using(DELICATE, ask_about="semantic")
    tell(mine, "I have a heart condition.", 1)
    decide(mine, "reject")
    tell(mine, "I do have a heart condition, remember it.", 2)
    decide(mine, "approve")
    assert held() == [HEALTH]
    assert anew(mine).decided == 2
    assert (held(), waiting(mine)) == ([HEALTH], [])
    assert is_equal(mine)


@pytest.mark.parametrize(
    "script", [DELICATE, DELICATE_REWORDED, NOTHING], ids=["same_words", "other_words", "not_proposed"]
)
def test_what_was_approved_stays_in_the_words_that_somebody_has_read(
    script: Script, using: Any, tell: Any, held: Any
) -> None:
    mine = using(script, ask_about="semantic")
    tell(using(DELICATE, ask_about="semantic"), "I have a heart condition.", 1)
    decide(mine, "approve")
    diff = anew(mine)
    assert (diff.opened, diff.closed, diff.decided) == ((), (), 1)
    assert (held(), waiting(mine)) == ([HEALTH], [])
    rederive.back(mine, MIRA)
    assert (held(), waiting(mine)) == ([HEALTH], [])
    anew(mine)
    assert (held(), waiting(mine)) == ([HEALTH], [])
    assert is_equal(mine)


def test_what_was_approved_has_its_claim_from_a_reading_that_gives_one_in_the_same_words(
    using: Any, tell: Any, held: Any, owner: psycopg.Connection
) -> None:
    bare: Script = {"heart": [{"text": HEALTH}]}
    tell(using(bare, ask_about="semantic"), "I have a heart condition.", 1)
    decide(using(bare), "approve")
    diff = anew(using(DELICATE, ask_about="semantic"))
    assert (diff.decided, held(), waiting(using(bare))) == (1, [HEALTH], [])
    query = "select claim_predicate from memory where closed_at is null and text = %s"
    assert owner.execute(query, [HEALTH]).fetchall() != [(None,)]
    assert is_equal(using(bare))


def test_what_was_approved_is_kept_though_the_words_that_it_was_joined_to_are_read_no_more(
    using: Any, tell: Any, held: Any
) -> None:
    bare: Script = {"heart": [{"text": HEALTH}]}
    tell(using(bare), "My heart is weak.", 1)
    tell(using({"heart": [{"text": HEALTH, "confidence": 0.4}]}, ask_about="semantic"), "It is the heart.", 2)
    assert held() == [HEALTH]
    anew(using({"weak": [{"text": "Mira is weak at times, so she says."}], "It is": [{"text": HEALTH}]}))
    assert HEALTH in held()
    assert is_equal(using(bare))


def test_what_is_approved_or_rejected_after_the_switch_stands_when_that_is_taken_back(
    using: Any, tell: Any, held: Any
) -> None:
    tell(using(DELICATE), "I have a heart condition.", 1)
    assert held() == [HEALTH]
    anew(using(DELICATE_REWORDED, ask_about="semantic"))
    assert held() == []
    decide(using(DELICATE), "reject")
    rederive.back(using(DELICATE), MIRA)
    assert held() == [], "what came to count again says what somebody rejected"
    assert is_equal(using(DELICATE))


def test_what_was_forgotten_or_is_in_quarantine_is_not_read_anew(using: Any, tell: Any, held: Any) -> None:
    mine = using(UNKEYED)
    tell(mine, "The choir is on Monday.", 1, "2026-01-10")
    tell(mine, "The choir is on Tuesday.", 2, "2026-01-20")
    with mine.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        monday = next(each for each in memories.beliefs(session, keyed=False, limit=9) if each.text == MONDAY)
    forget(mine.database, MIRA, monday.memory_id)
    quarantine(mine.database, MIRA, Source(run_id="run-2"))
    with pytest.raises(Exception, match="nothing is prepared"):
        anew(mine)
    assert held() == []
    lift(mine.database, MIRA, Source(run_id="run-2"))
    anew(mine)
    assert held() == [TUESDAY]
    assert is_equal(mine)


def test_an_answer_stands_though_what_was_right_is_forgotten(using: Any, tell: Any, held: Any) -> None:
    mine = using(UNKEYED)
    tell(mine, "The choir is on Monday.", 1, "2026-01-10")
    tell(mine, "The choir is on Tuesday.", 2, "2026-01-20")
    night(mine)
    with mine.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        monday = next(each for each in memories.beliefs(session, keyed=False, limit=9) if each.text == MONDAY)
    decide(mine, "answer", "first")
    forget(mine.database, MIRA, monday.memory_id)
    assert held() == []
    assert anew(mine).decided == 1
    assert held() == []
    assert is_equal(mine)


def beliefs(services: Services) -> dict[str, MemoryVersion]:
    """The open beliefs by the object of their claim."""
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        held = memories.beliefs(session, keyed=True, limit=9)
    return {each.claim.object: each for each in held if each.claim}


def expiring(services: Services) -> Proposal:
    leeds = beliefs(services)["Leeds"]
    operation = ClosePayload(op=Operation.EXPIRE, reason="of_no_worth", memory=leeds.memory_id)
    return Proposal(operation=operation, read={leeds.memory_id: leeds.version})


def linking(services: Services) -> Proposal:
    held = beliefs(services)
    source, target = held["Leeds"], held["York"]
    operation = LinkPayload(reason="shares_name", source=source.memory_id, relation="same_topic",
                            target=target.memory_id, score=0.9)  # fmt: skip
    return Proposal(operation=operation, read={each.memory_id: each.version for each in (source, target)})


def does(services: Services, job: str, proposal: Proposal) -> tuple[UUID, Done]:
    given = Tidying(job=job, propose=lambda _: Proposed(proposals=[proposal]), batch_id=uuid4(), by_time=True)
    return given.batch_id, tidy(services.database, "acme", MIRA.owner, given)


@pytest.mark.parametrize(("job", "proposing"), [("prune", expiring), ("link", linking)])
def test_what_somebody_took_back_of_a_job_is_not_done_to_what_is_read_anew(
    job: str, proposing: Callable[[Services], Proposal], using: Any, tell: Any, held: Any
) -> None:
    mine = using(REWORDED)
    tell(using(KEYED), "I live in Leeds.", 1)
    tell(using(KEYED), "I live in York, as you know.", 2)
    batch, done = does(mine, job, proposing(mine))
    assert len(done.accepted) == 1
    revert(mine.database, "acme", batch)
    before = beliefs(mine)["Leeds"].memory_id
    anew(mine)
    assert beliefs(mine)["Leeds"].memory_id != before
    _, again = does(mine, job, proposing(mine))
    assert [reason for _, reason in again.refused] == [Refusal.TAKEN_BACK]
    assert len(held()) == 2
    assert is_equal(mine)


def test_a_link_that_was_taken_back_is_not_made_between_what_is_read_anew(using: Any, tell: Any) -> None:
    mine = using(REWORDED)
    tell(using(KEYED), "I live in Leeds.", 1)
    tell(using(KEYED), "I live in York, as you know.", 2)
    does(mine, "link", linking(mine))
    with mine.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        (made,) = links.of(session, [beliefs(mine)["Leeds"].memory_id])
    unlink(mine.database, "acme", MIRA.owner, made.opened_by)
    anew(mine)
    _, again = does(mine, "link", linking(mine))
    assert [reason for _, reason in again.refused] == [Refusal.TAKEN_BACK]
    assert is_equal(mine)


@pytest.mark.parametrize("day", [None, "2026-01-10"])
def test_both_stands_where_a_reading_gives_a_claim_to_the_same_words(
    day: str | None, using: Any, tell: Any, held: Any
) -> None:
    bare: Script = {"Leeds": [{"text": LEEDS}], "York": KEYED["York"]}
    tell(using(bare), "I live in Leeds.", 1, day)
    tell(using(bare), "I live in York, as you know.", 2, day)
    night(using(bare))
    decide(using(bare), "answer", "both")
    mine = using(KEYED)
    assert anew(mine).decided == 1
    night(mine)
    assert (held(), waiting(mine)) == ([LEEDS, YORK], [])
    assert is_equal(mine)


def test_what_somebody_took_back_an_end_of_stays_beside_the_other_where_both_are_keyed_alike(
    using: Any, tell: Any, held: Any
) -> None:
    bare: Script = {"Leeds": [{"text": LEEDS}], "York": KEYED["York"]}
    tell(using(bare), "I live in Leeds.", 1, "2026-01-10")
    tell(using(bare), "I live in York, as you know.", 2, "2026-01-20")
    batch = night(using(bare))
    assert held() == [YORK]
    revert(using(bare).database, "acme", batch)
    assert held() == [LEEDS, YORK]
    mine = using(KEYED)
    anew(mine)
    night(mine)
    assert held() == [LEEDS, YORK]
    assert is_equal(mine)
    replay(mine.database, "acme", MIRA.owner, verify=False)
    anew(using(REWORDED))
    night(mine)
    assert held() == [LEEDS, YORK]
    assert is_equal(mine)


def test_what_was_rejected_stays_so_when_its_run_is_delivered_again_with_more_in_it(
    using: Any, tell: Any, held: Any, bell: Any
) -> None:
    asking = using(DELICATE, ask_about="semantic")
    tell(asking, "I have a heart condition.", 1)
    decide(asking, "reject")
    mine = citing(using(DELICATE), DELICATE, (1,))
    said = [{"role": "user", "text": text} for text in ("I have a heart condition.", "Take that to heart, please.")]
    Door(mine).observe(MIRA, said, run_id="run-1")
    while bell.rung:
        stage, work = bell.rung.pop(0)
        perform(mine, stage, STAGES[stage], work)
    assert (held(), waiting(mine)) == ([], [])
    assert is_equal(mine)


def test_what_the_user_confirmed_is_a_fact_whatever_is_read_anew(
    using: Any, tell: Any, held: Any, owner: psycopg.Connection
) -> None:
    guess = {"text": "Mira likes Leeds.", "claim": ("Mira", "lives_in", "Leeds"), "epistemic_type": "inference"}
    first: Script = {"guess": [guess], "Leeds it is": KEYED["Leeds"]}
    again: Script = {"guess": [{**guess, "text": "Mira seems to live in Leeds."}], "Leeds it is": REWORDED["Leeds"]}
    tell(using(first), "I guess that one day I settle.", 1, "2026-01-10")
    tell(using(first), "Leeds it is, I live there.", 2, "2026-01-20")
    footing = "select epistemic_type from memory where kind = 'semantic' and closed_at is null"
    before = owner.execute(footing).fetchall()
    anew(using(again))
    assert owner.execute(footing).fetchall() == before == [("fact",)]
    rederive.back(using(first), MIRA)
    assert owner.execute(footing).fetchall() == before
    assert is_equal(using(first))
