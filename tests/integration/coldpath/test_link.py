"""Memories that have to do with each other: tied, taken back with all that came of it, dropped with what they tie."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath import compress, dedupe, link
from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.proposals import Done, Proposed, Tidying, rehearse, revert, tidy
from coldpath.quarantine import Source, lift, quarantine
from coldpath.reembed import fill
from coldpath.reindex import Pass
from coldpath.replay import replay
from coldpath.unlink import unlink
from gateway.cli import OK, WRONG_INPUT, run
from hotpath import recall
from shared.contract.errors import NotFound
from shared.contract.operations import AddPayload, LinkPayload, WrittenEntry
from shared.contract.proposals import Proposal, Refusal
from shared.contract.records import EpistemicType, EvidenceRef, Kind, Link
from shared.contract.scope import Owner, Scope
from shared.store import generations, ledger, links
from shared.store.beliefs import Draft
from shared.store.db import Role, Session
from shared.testing import HashEmbedder
from warmpath._door import Door
from warmpath._work import Services

MIRA = Scope(tenant_id="acme", user_id="mira")
FIRST = "Oskar Brandt restores the mill at Graz."
SECOND = "Oskar Brandt wants two masons for the mill at Graz."
OTHER = "Tove Lind paints boats."
SAID = "I moved to Porto because the Hallstein mill closed."
MOVED, CLOSED = "I moved to Porto", "the Hallstein mill closed"

Say = Callable[..., None]
Believe = Callable[..., UUID]


@pytest.fixture
def say(services: Services, work_off: Callable[[], object], embedder: HashEmbedder) -> Say:
    """Observe texts, each as a run of its own."""
    numbers = iter(range(1, 1_000))

    def do(*texts: str, scope: Scope = MIRA, **fields: Any) -> None:
        for text in texts:
            number = next(numbers)
            message = {"role": "user", "text": text, "ts": f"2026-01-{number:02}T12:00:00+00:00", **fields}
            Door(services).observe(scope, [message], run_id=f"run-{number}")
            work_off()
        fill(services.database, embedder, scope.tenant_id, Pass())

    return do


@pytest.fixture
def believe(services: Services, work_off: Callable[[], object], embedder: HashEmbedder) -> Believe:
    """Hold a belief on the newest message, or on a stretch of it."""

    def do(text: str, stretch: str | None = None, *, scope: Scope = MIRA, **fields: Any) -> UUID:
        with services.database.transaction(Role.WORKER, scope.tenant_id, [scope.owner]) as session:
            generations.writing(session, "sparse")
            head = ledger.lock(session, scope.owner)
            (header,) = ledger.from_source(session, Source(run_id=ledger.runs(session)[-1]))
            (said,) = ledger.numbered(session, scope.owner, [header.sequence])
            start = (said.payload or {})["text"].index(stretch) if stretch else None
            end = start + len(stretch) if stretch and start is not None else None
            entry = WrittenEntry(
                kind=Kind.SEMANTIC,
                epistemic_type=EpistemicType.FACT,
                text=text,
                evidence=(EvidenceRef(sequence=said.sequence, start=start, end=end),),
                confidence=0.8,
                **fields,
            )
            draft = Draft(session, head)
            draft.do([], [AddPayload(reason="stated", entries=(entry,))])
            effects, end_of = draft.write()
            ledger.advance(session, end_of)
        from coldpath import reindex  # names are entered by index, which no run asks for here

        reindex.reindex(services.database, scope.tenant_id, Pass(), "graph")
        fill(services.database, embedder, scope.tenant_id, Pass())
        return effects.opened[0].memory_id

    return do


def linking(**changes: Any) -> Tidying:
    return Tidying(**{"job": "link", "propose": link.propose, "batch_id": uuid4(), **changes})


def linked(services: Services, given: Tidying | None = None, owner: Owner = MIRA.owner) -> Done:
    return tidy(services.database, "acme", owner, given or linking())


def ties(services: Services, owner: Owner = MIRA.owner) -> list[Link]:
    with services.database.transaction(Role.READER, "acme", [owner], read_only=True) as session:
        return [tie for tie in links.stored(replace(session, owners=(owner,))) if tie.score is not None]


def open_ties(services: Services) -> list[Link]:
    return [tie for tie in ties(services) if tie.closed_by is None]


def texts(owner: psycopg.Connection, user: str = "mira") -> dict[str, UUID]:
    """The open memories of somebody, by their texts."""
    owner.execute("select set_config('row_security', 'off', false)")
    query = "select text, memory_id from memory where closed_at is null and user_id = %s"
    return dict(owner.execute(query, [user]).fetchall())


def is_equal(services: Services, owner: Owner = MIRA.owner) -> bool:
    found = replay(services.database, "acme", owner, verify=True)
    assert found.differences == ()
    return found.is_equal


def test_what_names_the_same_rare_thing_is_tied_and_a_second_pass_proposes_nothing(
    say: Say, services: Services, owner: psycopg.Connection
) -> None:
    say(FIRST, OTHER, SECOND)
    (accepted,) = linked(services).accepted
    held = texts(owner)
    operation = accepted.operation
    assert isinstance(operation, LinkPayload)
    assert (operation.source, operation.relation, operation.target) == (held[SECOND], "same_topic", held[FIRST])
    assert operation.reason == "shared_name"
    (tie,) = open_ties(services)
    assert tie.score == operation.score
    assert is_equal(services)
    assert rehearse(services.database, "acme", MIRA.owner, linking()).accepted == ()
    owner.execute("delete from job_mark")
    assert rehearse(services.database, "acme", MIRA.owner, linking()).accepted == (), "nor one that looks at all anew"


def test_what_has_left_the_hot_tier_keeps_nothing_that_comes_after_it_from_being_tied(
    say: Say, services: Services, owner: psycopg.Connection
) -> None:
    old = Scope(tenant_id="acme", user_id="mira", session_id="old")
    say("Oskar Brandt keeps goats.", "The goats of Oskar Brandt eat hay.", scope=old, ts="2020-05-04T09:00:00+00:00")
    compressing = {"job": "compress", "propose": lambda session: compress.propose(20.0, session), "by_time": True}
    for _ in ("summarised", "left"):
        assert linked(services, linking(**compressing, batch_id=uuid4())).accepted
        say(OTHER)
    cold = "select count(*) from memory where tier = 'cold' and closed_at is null"
    assert owner.execute(cold).fetchone() == (2,)
    linked(services)
    say("Mila Sand plays the viola in Lund.", "Mila Sand sold the viola in Lund.")
    assert linked(services).accepted, "what is cold has no vector in the view, and is not waited for"
    assert linked(services).accepted == ()
    assert is_equal(services)


def test_turns_of_one_session_and_another_agents_are_not_tied(say: Say, services: Services) -> None:
    say(FIRST, SECOND, scope=Scope(tenant_id="acme", user_id="mira", session_id="monday"))
    assert linked(services).accepted == ()
    say(SECOND, scope=Scope(tenant_id="acme", user_id="mira", agent_id="scout"))
    assert linked(services).accepted == ()


def test_a_bad_link_is_taken_back_for_good_with_what_was_written_because_of_it(
    say: Say, believe: Believe, services: Services, owner: psycopg.Connection
) -> None:
    say(SAID)
    moved = believe("Mira moved to Porto.", MOVED)
    closed = believe("The Hallstein mill closed.", CLOSED)
    assert [each.operation.op for each in linked(services).accepted] == ["link", "abstract"]
    (tie,) = open_ties(services)
    assert (tie.source, tie.relation, tie.target) == (closed, "causes", moved)
    written = "Mira moved to Porto \u2014 because: The Hallstein mill closed."
    assert written in texts(owner)
    assert is_equal(services)
    found = unlink(services.database, "acme", MIRA.owner, tie.opened_by)
    assert found.links == (tie.opened_by,)
    assert len(found.memories) == 1
    assert written not in texts(owner)
    assert open_ties(services) == []
    assert ties(services), "it is closed, and there"
    assert is_equal(services)
    owner.execute("delete from job_mark")
    assert linked(services).accepted == (), "it is not proposed again"
    assert unlink(services.database, "acme", MIRA.owner, tie.opened_by).links == ()
    with pytest.raises(NotFound, match="has made no link"):
        unlink(services.database, "acme", MIRA.owner, 1)


def test_what_a_memory_was_merged_into_inherits_its_links_and_loses_them_with_the_first(
    say: Say, believe: Believe, services: Services, owner: psycopg.Connection
) -> None:
    say("The Hallstein archive has old maps.")
    believe("The Hallstein archive keeps old maps of Porto.")
    say("Porto!")
    twin = believe("The Hallstein archive has its Porto catalogue online.")
    linked(services)
    (first,) = [tie for tie in open_ties(services) if tie.source == twin]
    say("Porto again!")
    kept = believe("All of it is on the web.")
    merge_into(services, kept, twin)
    linked(services)
    inherited = [tie for tie in open_ties(services) if tie.via == first.opened_by]
    assert [(tie.source, tie.target) for tie in inherited] == [(kept, first.target)]
    assert is_equal(services)
    found = unlink(services.database, "acme", MIRA.owner, first.opened_by)
    assert found.links == (first.opened_by, inherited[0].opened_by)
    assert is_equal(services)
    owner.execute("delete from job_mark")
    assert kept not in {end for tie in open_ties(services) for end in (tie.source, tie.target) if tie.via}


def merge_into(services: Services, kept: UUID, absorbed: UUID) -> None:
    """What dedupe does, whichever it would have kept."""
    from shared.contract.operations import MergePayload
    from shared.store import memories

    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        generations.writing(session, "sparse")
        head = ledger.lock(session, MIRA.owner)
        held = memories.versions(session, [kept, absorbed])
        evidence = next(each.evidence for each in held if each.memory_id == absorbed)
        draft = Draft(session, head)
        draft.do(held, [MergePayload(reason="same", memory=kept, absorbed=(absorbed,), evidence=evidence)])
        ledger.advance(session, draft.write()[1])


def test_a_batch_of_links_is_taken_back_whatever_became_of_the_memories(
    say: Say, believe: Believe, services: Services, owner: psycopg.Connection
) -> None:
    say(SAID)
    believe("Mira moved to Porto.", MOVED)
    believe("The Hallstein mill closed.", CLOSED)
    given = linking()
    linked(services, given)
    assert open_ties(services)
    tidy(services.database, "acme", MIRA.owner, Tidying(job="dedupe", propose=dedupe.propose, batch_id=uuid4()))
    found = revert(services.database, "acme", given.batch_id)
    assert (found.operations, found.kept) == (2, ())
    assert open_ties(services) == []
    assert not [text for text in texts(owner) if "because:" in text]
    assert is_equal(services)
    owner.execute("delete from job_mark")
    assert linked(services).accepted == ()


def test_a_link_goes_with_either_of_its_memories_when_that_is_forgotten_and_an_erasure_leaves_none(
    say: Say, services: Services, owner: psycopg.Connection
) -> None:
    say(FIRST, SECOND)
    linked(services)
    forget(services.database, MIRA, texts(owner)[FIRST], erase_content=True)
    assert ties(services) == []
    assert is_equal(services)
    say("Oskar Brandt buys a mill at Graz.")
    linked(services)
    assert ties(services)
    erase(services.database, MIRA)
    assert owner.execute("select count(*) from memory_link").fetchone() == (0,)


def test_what_follows_from_a_link_goes_when_one_of_its_sources_is_closed_or_mistrusted(
    say: Say, believe: Believe, services: Services, owner: psycopg.Connection
) -> None:
    say(SAID)
    believe("Mira moved to Porto.", MOVED)
    believe("The Hallstein mill closed.", CLOSED)
    linked(services)
    source = Source(run_id="run-1")
    quarantine(services.database, MIRA, source)
    assert texts(owner) == {}
    lift(services.database, MIRA, source)
    assert any("because:" in text for text in texts(owner))
    close(services, texts(owner)["Mira moved to Porto."])
    (gone,) = linked(services).accepted
    assert gone.operation.op == "expire"
    assert not [text for text in texts(owner) if "because:" in text]
    assert is_equal(services)
    assert linked(services).accepted == ()


def close(services: Services, memory: UUID) -> None:
    from shared.contract.operations import ClosePayload
    from shared.contract.records import Operation
    from shared.store import memories

    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        generations.writing(session, "sparse")
        draft = Draft(session, ledger.lock(session, MIRA.owner))
        retract = ClosePayload(op=Operation.RETRACT, reason="never_so", memory=memory)
        draft.do(memories.versions(session, [memory]), [retract])
        ledger.advance(session, draft.write()[1])


def test_what_changes_while_it_is_thought_about_is_refused_and_what_is_tied_meanwhile_is_not_tied_twice(
    say: Say, services: Services
) -> None:
    say(FIRST, SECOND)

    def late(session: Session) -> Proposed:
        found = link.propose(session)
        linked(services)
        return found

    assert [reason for _, reason in linked(services, linking(propose=late)).refused] == [Refusal.LINKED_ALREADY]
    assert len(open_ties(services)) == 1
    assert is_equal(services)


def test_no_memory_is_tied_to_more_than_a_few_and_nothing_is_looked_at_before_it_has_its_vector(
    say: Say, services: Services, owner: psycopg.Connection
) -> None:
    say(*[f"Oskar Brandt restores mill number {number} at Graz." for number in range(14)])
    owner.execute("create table aside as select * from memory_vector")
    owner.execute("delete from memory_vector where doc > 7")
    linked(services)
    docs = dict(owner.execute("select memory_id, doc from memory").fetchall())
    assert max(docs[tie.source] for tie in open_ties(services)) == 7
    owner.execute("insert into memory_vector select * from aside where doc > 7")
    linked(services)
    assert max(docs[tie.source] for tie in open_ties(services)) == 14
    degree: dict[UUID, int] = {}
    for tie in open_ties(services):
        for end in (tie.source, tie.target):
            degree[end] = degree.get(end, 0) + 1
    assert max(degree.values()) <= 8
    assert linked(services).accepted == ()
    assert is_equal(services)


def test_a_long_stream_is_linked_portion_by_portion_pass_by_pass(
    say: Say, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(*[f"Oskar Brandt restores mill number {number} at Graz." for number in range(9)])
    whole = {(each.operation.source, each.operation.target) for each in proposed(services)}
    monkeypatch.setattr(link, "MOST_LOOKED_AT", 4)
    monkeypatch.setattr(link, "PORTION", 2)
    for _ in range(4):
        linked(services)
    assert {(tie.source, tie.target) for tie in open_ties(services)} == whole
    assert is_equal(services)


def proposed(services: Services) -> tuple[Any, ...]:
    return rehearse(services.database, "acme", MIRA.owner, linking()).accepted


def test_rebuilding_the_tables_gives_the_same_links(say: Say, services: Services) -> None:
    say(FIRST, SECOND, "Oskar Brandt sells the mill at Graz.")
    linked(services)
    first, *_ = before = ties(services)
    unlink(services.database, "acme", MIRA.owner, first.opened_by)
    before = ties(services)
    found = replay(services.database, "acme", MIRA.owner, verify=False)
    assert (found.mended, found.is_equal) == (0, True)
    assert ties(services) == before


def test_a_model_cannot_tie_by_what_is_no_relation(say: Say, services: Services, owner: psycopg.Connection) -> None:
    say(FIRST, SECOND)
    first, second = texts(owner)[FIRST], texts(owner)[SECOND]

    def propose(_session: Session) -> Proposed:
        payload = LinkPayload(reason="said_so", source=first, relation="contradicts", target=second)
        return Proposed(proposals=[Proposal(operation=payload, read={first: 1, second: 1})])

    assert [reason for _, reason in linked(services, linking(propose=propose)).refused] == [Refusal.UNKNOWN_RELATION]


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = OK) -> str:
    assert run([*words]) == code, capsys.readouterr().err
    return capsys.readouterr().out


def test_an_operator_ties_lists_and_takes_back(
    say: Say, services: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    del services
    say(FIRST, SECOND)
    of = ["--tenant", "acme", "--user", "mira"]
    shown = said(capsys, "link", "--tenant", "acme", "--dry-run")
    assert all(words in shown for words in ("same_topic", "1 change would be done"))
    assert json.loads(said(capsys, "link", "--tenant", "acme", "--json"))["accepted"] == 1
    (tie,) = json.loads(said(capsys, "links", *of, "--json"))["links"]
    assert (tie["relation"], tie["target_text"], tie["trust"]) == ("same_topic", FIRST, 4)
    assert "same_topic" in said(capsys, "links", *of)
    beginning = tie["target_id"].replace("-", "")[:12]
    assert json.loads(said(capsys, "links", *of, "--memory", beginning, "--json"))["links"] == [tie]
    assert run(["links", *of, "--memory", "0" * 12]) == WRONG_INPUT
    assert "no memory 00000000-0000" in capsys.readouterr().err
    assert "1 link taken back" in said(capsys, "unlink", *of, str(tie["number"]))
    assert json.loads(said(capsys, "links", *of, "--json"))["links"] == []
    assert run(["unlink", *of, "99999"]) == WRONG_INPUT
    assert "has made no link" in capsys.readouterr().err


def test_a_hit_brings_what_it_is_linked_to_behind_the_turns_around_it(say: Say, services: Services) -> None:
    say(FIRST, OTHER, "The weather is fine.", SECOND, "Rain again.")
    assert FIRST not in {item.text for item in recall(MIRA, "masons", k=1, deadline_ms=60_000).items}
    linked(services)
    found = recall(MIRA, "masons", k=1, explain=True, deadline_ms=60_000)
    assert found.degraded == ()
    (beside,) = [item for item in found.items if item.text == FIRST]
    (tie,) = open_ties(services)
    assert beside.scores == {"linked": tie.score}
    unlink(services.database, "acme", MIRA.owner, tie.opened_by)
    assert FIRST not in {item.text for item in recall(MIRA, "masons", k=1, deadline_ms=60_000).items}


def test_recall_goes_along_links_that_say_why_and_says_so(say: Say, believe: Believe, services: Services) -> None:
    say("I left because the Hallstein mill closed.")
    effect = believe("Off to the sea she went.", "I left")
    believe("The Hallstein mill closed.", CLOSED)
    asked = "What did Hallstein bring about?"
    before = recall(MIRA, asked, explain=True, deadline_ms=60_000)
    assert not any("linked" in item.scores for item in before.items)
    linked(services)
    after = recall(MIRA, asked, explain=True, deadline_ms=60_000)
    assert after.degraded == ()
    (scores,) = [item.scores for item in after.items if item.memory_id == effect]
    assert scores["linked"] == 1.0
    assert scores["graph"] > 0


def test_nobody_is_shown_anothers_links(say: Say, services: Services) -> None:
    say(FIRST, SECOND)
    linked(services)
    for scope in (Scope(tenant_id="acme", user_id="oskar"), Scope(tenant_id="globex", user_id="mira")):
        say("Masons are rare.", scope=scope)
        assert FIRST not in {item.text for item in recall(scope, "masons", deadline_ms=60_000).items}
        with pytest.raises(NotFound):
            unlink(services.database, scope.tenant_id, scope.owner, open_ties(services)[0].opened_by)
