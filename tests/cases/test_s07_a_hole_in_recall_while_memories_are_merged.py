"""S07: while memories are consolidated they are found at every moment; what comes of them is dated as they are."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg
import pytest

import coldpath.proposals
from coldpath.proposals import Done, tidy
from coldpath.reembed import fill as fill_vectors
from coldpath.reindex import Pass
from coldpath.tidying import prepared, tidying
from shared.contract.operations import AddPayload, WrittenEntry
from shared.contract.records import EpistemicType, EvidenceRef, Kind
from shared.contract.scope import Owner
from shared.embedded import open_database
from shared.settings import settings
from shared.store import generations, ledger
from shared.store.beliefs import Draft
from shared.store.db import Role
from shared.testing import HashEmbedder
from tests.cases.adapter import Recalled, Words, said
from tests.cases.consolidating import answer, asking, fill

MIRA = Owner("mira")
BOAT = (
    ("The boat Heron lies at the north pier.", 0.4),
    ("The boat Heron has a green hull.", 0.6),
    ("The boat Heron is rented out in summer.", 0.5),
)
MERGED = "The boat Heron has a green hull, lies at the north pier and is rented out in summer."


def believe(words: Words, number: int, text: str, confidence: float) -> None:
    """Hold what somebody said in a session of its own, in 2024."""
    run, ts = f"boat-{number}", f"2024-06-{number + 1:02}T09:00Z"
    words.ingest("acme", "mira", run, [said(f"As I said: {text}", f"b{number}", ts=ts)])
    with open_database(settings()).transaction(Role.WORKER, "acme", [MIRA]) as session:
        generations.writing(session, "sparse")
        head = ledger.lock(session, MIRA)
        (heard,) = ledger.from_source(session, ledger.Source(run_id=run))
        entry = WrittenEntry(
            kind=Kind.SEMANTIC, epistemic_type=EpistemicType.FACT, text=text, confidence=confidence,
            evidence=(EvidenceRef(sequence=heard.sequence),), valid_from=heard.occurred_at,
        )  # fmt: skip
        draft = Draft(session, head)
        draft.do([], [AddPayload(reason="stated", entries=(entry,))])
        ledger.advance(session, draft.write()[1])


@contextmanager
def polled(words: Words) -> Iterator[list[list[Recalled]]]:
    """Recalls about the boat, one after the other, for the length of the block."""
    found: list[list[Recalled]] = []
    over = threading.Event()

    def poll() -> None:
        while not over.wait(0.02):
            found.append(words.recall("acme", "mira", "Where does the boat Heron lie?"))

    thread = threading.Thread(target=poll)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join()


def consolidated() -> Done:
    database = open_database(settings())
    doing = tidying(settings(), "consolidate", uuid4())
    prepared(database, settings(), "acme", MIRA, doing)
    return tidy(database, "acme", MIRA, doing)


@pytest.mark.timeout(180)
def test_s07_no_poll_is_empty_and_what_is_merged_has_the_times_and_sources_of_what_it_is_made_of(
    words: Words, owner: psycopg.Connection, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(words, "acme", "mira")
    for number, (text, confidence) in enumerate(BOAT):
        believe(words, number, text, confidence)
    shown = [f"As I said: {text}" for text, _ in BOAT]
    before = [each.text for each in words.recall("acme", "mira", "Where does the boat Heron lie?")]
    best = min(before.index(text) for text, _ in BOAT)
    judged = coldpath.proposals._judged

    def held_up(*given: object) -> Done:
        found = judged(*given)  # type: ignore[arg-type]
        threading.Event().wait(1.0)  # under the stream's lock: readers are not to be held up
        return found

    monkeypatch.setattr(coldpath.proposals, "_judged", held_up)
    numbers = [row["doc"] for row in words.current("acme", "mira") if row["text"] in dict(BOAT)]
    lines = sorted(row["doc"] for row in words.current("acme", "mira"))
    entries = (MERGED, [lines.index(number) + 1 for number in numbers])
    with asking(monkeypatch, answer(entries, sort="summary")), polled(words) as polls:
        done = consolidated()
        fill_vectors(open_database(settings()), embedder, "acme", Pass())
    assert len(done.accepted) == 1
    assert len(polls) > 3
    assert all(any("Heron" in each.text for each in poll) for poll in polls)
    bundle = words.bundle("acme", "mira", "Where does the boat Heron lie?")
    told = [each.text for each in bundle.items if each.rank]
    assert MERGED in told or (bundle.covered == 1 and {*shown} <= {*told}), "itself, or all that it was made of"
    (merged,) = (each for each in words.current("acme", "mira") if each["text"] == MERGED)
    assert merged["valid_from"].year == 2024
    cited = "select count(*) from memory_evidence where memory_id = %s"
    assert owner.execute(cited, [merged["memory_id"]]).fetchone() == (3,)
    (sure,) = owner.execute("select confidence from memory where text = %s", [MERGED]).fetchone() or (1.0,)
    assert sure <= 0.4, "no surer than the least certain of them"
    assert min(told.index(text) for text in (MERGED, *dict(BOAT)) if text in told) <= best
    assert {*dict(BOAT), *shown} <= {row["text"] for row in words.current("acme", "mira")}, "the sources are held"
