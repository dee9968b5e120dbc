"""Scopes filled in bulk, past the stages: with what the ledger's and the tables' own writers make of it.

Of ten memories six are episodes, two are beliefs in words of their own, and two are claims. Of the beliefs one in five
says what another says, and has its vector. Rows come portion by portion from where the stream ends, vectors for what
lacks one: who is killed loads the rest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import numpy as np
import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg import sql

from bench.embedders import SPREAD
from bench.scopes import CENTRES, SEED
from bench.synthetic import NAME, SESSION_TURNS, Writer, word
from shared.belief.opening import add_episodes
from shared.belief.predicates import BUILT_IN, claim_of
from shared.contract.events import MESSAGE, Event, EventClass, NewEvent, Precision
from shared.contract.operations import AddPayload, Payload, WrittenEntry
from shared.contract.records import Action, Claim, Decision, EpistemicType, EvidenceRef, Kind
from shared.contract.scope import Owner, Scope
from shared.contract.trust import Origin
from shared.store import generations, ledger, vectors
from shared.store.beliefs import Draft
from shared.store.db import Role, Row

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.place import Place
    from shared.models import Vectors

PORTION: Final = 1_000
"""Memories that one transaction writes, of sessions of its own."""
TWIN_EVERY: Final = 5
CLAIMS_OF_ONE: Final = 8
"""Claims about one person."""
_BEGAN: Final = datetime(2021, 3, 1, 9, tzinfo=UTC)
_ADMITTED: Final = Decision(action=Action.STORE, rule="made_up", reason="It was made up to be kept.", confidence=1.0)
_CONFIDENCE: Final = 0.8
_COPIED: Final[Mapping[str, str]] = {
    "tenant_id": "text",
    "generation": "int4",
    "user_id": "text",
    "model_id": "text",
    "doc": "int4",
    "session_doc": "int4",
    "memory_id": "uuid",
    "version": "int4",
    "kind": "text",
    "open": "bool",
    "text_hash": "bytea",
    "embedding": "halfvec",
}
"""What is written of a vector, and as which type."""


def fill(place: Place, scopes: Mapping[int, Scope], progress: Progress) -> None:
    """Fill scopes, by how many memories each is to have, with rows and vectors; what is there stays.

    Rows are written by the product's own statements of many rows, vectors by COPY.
    """
    centres = place.embedder.encode_documents(Writer(SEED).sentences(CENTRES))
    done = progress.add_task("memories loaded", total=2 * sum(scopes))
    for size, scope in scopes.items():
        loader = _Loader(place, scope)
        for count in loader.load(size):
            progress.advance(done, count)
        for count in loader.embed(centres):
            progress.advance(done, count)
    place.index_vectors()
    place.settle()


class _Loader:
    """Loads one scope."""

    def __init__(self, place: Place, scope: Scope) -> None:
        self._place = place
        self._model_id = place.embedder.model.key
        self._tenant_id = scope.tenant_id
        self._owner = Owner(scope.user_id or "")

    def load(self, size: int) -> Iterator[int]:
        """Write rows until there are `size` memories; how many there were, and how many each portion wrote."""
        with self._place.database.transaction(Role.WORKER, self._tenant_id, [self._owner]) as session:
            doc = ledger.lock(session, self._owner).doc
        yield doc
        while doc < size:
            count = min(PORTION, size - doc)
            self._write(doc, count)
            yield count
            doc += count

    def _write(self, doc: int, count: int) -> None:
        writer, beliefs = Writer(SEED + doc), count // 5
        with self._place.database.transaction(Role.WORKER, self._tenant_id, [self._owner]) as session:
            generations.ensure(session, "memory")
            generations.writing(session, "sparse")
            head = ledger.lock(session, self._owner)
            said = messages(writer.sentences(count - 2 * beliefs), first=doc)
            events, head = ledger.append(session, head, said)
            draft = Draft(session, head)
            draft.do([], operations(events, writer.sentences(beliefs), first=doc))
            _, head = draft.write()
            ledger.advance(session, head)

    def embed(self, centres: Vectors) -> Iterator[int]:
        """Write the vectors that are lacking; how many each portion wrote."""
        with self._place.database.transaction(Role.WORKER, self._tenant_id, [self._owner]) as session:
            [generation] = generations.writing_dense(session, self._model_id)
        after = 0
        while rows := self._lacking(generation, after):
            self._copy(generation, rows, vectors_of([row["text"] for row in rows], centres))
            yield len(rows)
            after = rows[-1]["doc"]
        with self._place.database.transaction(Role.ERASER, self._tenant_id, [self._owner]) as session:
            vectors.recount(session)

    def _lacking(self, generation: int, after: int) -> list[Row]:
        with self._place.database.transaction(Role.WORKER, self._tenant_id, [self._owner]) as session:
            return vectors.lacking(session, generation, self._model_id, after=after, limit=PORTION)

    def _copy(self, generation: int, rows: Sequence[Row], embeddings: Vectors) -> None:
        columns = sql.SQL(", ").join(map(sql.Identifier, _COPIED))
        statement = sql.SQL("copy memory_vector ({}) from stdin with (format binary)").format(columns)
        whose = (self._tenant_id, generation, self._owner, self._model_id)
        with psycopg.connect(self._place.migrate_url) as connection:
            register_vector(connection)
            with connection.cursor() as cursor, cursor.copy(statement) as copy:
                copy.set_types(list(_COPIED.values()))
                for row, embedding in zip(rows, embeddings, strict=True):
                    what = (row["doc"], row["session_doc"], row["memory_id"], row["version"], row["kind"], True)
                    digest = hashlib.sha256(row["text"].encode()).digest()
                    copy.write_row((*whose, *what, digest, HalfVector(embedding)))


def messages(texts: Sequence[str], *, first: int) -> list[NewEvent]:
    """Evidence, in sessions of a day; `first` memories were there before."""
    return [_message(text, first, place) for place, text in enumerate(texts)]


def _message(text: str, first: int, place: int) -> NewEvent:
    session, turn = divmod(place, SESSION_TURNS)
    day = first // SESSION_TURNS + session
    return NewEvent(
        event_class=EventClass.EVIDENCE,
        kind=MESSAGE,
        payload={"text": text},
        origin=Origin.USER,
        actor_role="user",
        speaker=NAME,
        occurred_at=_BEGAN + timedelta(days=day, minutes=turn),
        precision=Precision.INSTANT,
        run_id=f"loaded-{first}-{session}",
        message_id=f"loaded-{first}-{place}",
        message_digest=hashlib.sha256(text.encode()).hexdigest(),
        session_id=f"loaded-{first}-{session}",
    )


def operations(events: Sequence[Event], texts: Sequence[str], *, first: int) -> list[Payload]:
    """What opens an episode for each event, and for each text a belief and a claim that rest on an event of their own.

    Raises:
        ValueError: there are fewer events than texts.
    """
    episodes = add_episodes([(event, _ADMITTED) for event in events])
    found: list[Payload] = [episodes] if episodes else []
    for place, (text, event) in enumerate(zip(texts, events[: len(texts)], strict=True)):
        is_twin = place and place % TWIN_EVERY == 0
        says = f"{texts[place - 1].removesuffix('.')}!" if is_twin else text
        found += [_add(event, says, None), _add(event, *_claimed(first + place, text))]
    return found


def _claimed(number: int, text: str) -> tuple[str, Claim]:
    person = f"{word(number // CLAIMS_OF_ONE % 997)} {word(number // CLAIMS_OF_ONE)}".title()
    claim = claim_of(person, "likes", " ".join(text.split()[3:6]), BUILT_IN)
    return f"{claim.subject} likes {claim.object}.", claim


def _add(event: Event, text: str, claim: Claim | None) -> AddPayload:
    entry = WrittenEntry(
        kind=Kind.SEMANTIC,
        epistemic_type=EpistemicType.FACT,
        text=text,
        claim=claim,
        evidence=(EvidenceRef(sequence=event.sequence),),
        confidence=_CONFIDENCE,
    )
    return AddPayload(reason="made_up", entries=(entry,))


def vectors_of(texts: Sequence[str], centres: Vectors) -> Vectors:
    """(n, dim) float32, unit length, each around one of the centres; the same for texts that differ in their last mark.

    `centres` is (m, dim).
    """
    return np.stack([_vector(text.rstrip(".!"), centres) for text in texts])


def _vector(text: str, centres: Vectors) -> Vectors:
    random = np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"))
    noise = random.standard_normal(centres.shape[1], dtype=np.float32)
    near = centres[random.integers(len(centres))] + SPREAD * noise / np.linalg.norm(noise)
    return np.asarray(near / np.linalg.norm(near), np.float32)
