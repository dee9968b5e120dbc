"""What a thousand messages of several people became in a database of the first release, schema 0001.

Written row by row, by what that release did and not by today's code, so that it stays what an upgrade really meets.
Only the words of a text are taken by today's rule, which may not change without a reindex.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import NAMESPACE_URL, UUID, uuid5

import numpy as np
import psycopg
from pgvector import HalfVector
from psycopg import sql
from psycopg.types.json import Jsonb

from shared.contract.events import memory_id
from shared.language.indexing import indexed
from shared.testing import HashEmbedder

Row = dict[str, Any]

MESSAGES_OF_A_RUN: Final = 10
"""The last is blank, and becomes no memory."""
EPISODES_OF_A_RUN: Final = MESSAGES_OF_A_RUN - 1
RUNS: Final = {
    ("acme", "mira"): 40,
    ("acme", "oz"): 20,
    ("acme", "room:lab"): 10,
    ("globex", "mira"): 15,
    ("globex", "ida"): 5,
    ("umbrella", "zoë"): 10,
}
SILENT: Final = ("umbrella", "tenant:")
"""Has a stream, and no memory in it."""
OTHER_MODEL: Final = "older@1/7"
_BEGAN: Final = datetime(2026, 3, 2, 9, tzinfo=UTC)
_ENTRY: Final = np.dtype([("doc", "<i4"), ("session", "<i4"), ("length", "<u2"), ("tf", "u1")])
_BLOCK: Final = 160
_HASHED: Final = (
    *("tenant_id", "stream", "sequence", "user_id", "event_class", "kind", "occurred_at", "precision"),
    *("recorded_at", "origin", "actor_role", "speaker", "run_id", "message_id", "message_digest", "agent_id"),
    *("session_id", "caused_by", "schema_version"),
)
_THINGS: Final = ("lamps", "kettles", "violins", "maps", "clocks", "ladders", "lenses")
_CITIES: Final = ("Porto", "Gdansk", "Lyon", "Turku", "Bergen")
_embedder: Final = HashEmbedder()


def text_of(run: int, n: int) -> str:
    """What the nth message of a run says; no two of one person say the same."""
    number = run * MESSAGES_OF_A_RUN + n
    return f"Crate {number} holds {_THINGS[number % 7]} from {_CITIES[number % 5]}, under the label kx{number}."


def fill(url: str, *, share: int = 1) -> None:
    """Write all rows, as a superuser; of each person's runs one in `share`."""
    made = _Made()
    for (tenant, owner), runs in RUNS.items():
        _Person(made, tenant, owner).live(max(2, runs // share))
    _Person(made, *SILENT).say_nothing()
    _Person(made, "acme", "audit:").audit()
    for tenant in sorted({tenant for tenant, _ in RUNS}):
        made.add("generation", *({"tenant_id": tenant, "view": view, "live": 1} for view in ("memory", "sparse")))
        made.add("generation", {"tenant_id": tenant, "view": "dense", "live": 1, "model_id": _embedder.model.key})
    made.rows["generation"] = [
        row | {"model_id": row.get("model_id"), "changed_at": _BEGAN} for row in made.rows["generation"]
    ]
    for user in ("mira", "oz"):
        made.add("participant", {"tenant_id": "acme", "user_id": user, "room_id": "lab", "joined_at": _BEGAN})
    with psycopg.connect(url) as connection:
        for table, rows in made.rows.items():
            _write(connection, table, rows)


def _write(connection: psycopg.Connection, table: str, rows: Sequence[Row]) -> None:
    columns = sql.SQL(", ").join(map(sql.Identifier, rows[0]))
    statement = sql.SQL("copy {} ({}) from stdin").format(sql.Identifier(table), columns)
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(list(row.values()))


@dataclass(slots=True)
class _Made:
    rows: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))

    def add(self, table: str, *rows: Row) -> None:
        self.rows[table] += rows


@dataclass(slots=True)
class _Person:
    """One stream, as it was written."""

    made: _Made
    tenant: str
    owner: str
    sequence: int = 0
    hash: bytes = b"\x00" * 32
    doc: int = 0
    at: datetime = _BEGAN
    words: list[Any] = field(default_factory=list)

    @property
    def stream(self) -> str:
        if self.owner in {"tenant:", "audit:"}:
            return self.owner.removesuffix(":")
        return self.owner if self.owner.startswith("room:") else f"user:{self.owner}"

    @property
    def whose(self) -> Row:
        return {"tenant_id": self.tenant, "user_id": self.owner}

    def live(self, runs: int) -> None:
        """All runs but the last four are done; those wait for each stage, or are parked."""
        for run in range(runs):
            self._say(run)
            last = runs - 1 - run
            self._deliver(run, {0: "gate", 1: "index"}.get(last, "done"), "waiting" if last < 2 else "done")
        self._deliver(runs, "append", "waiting")
        self._deliver(runs + 1, "append", "parked")
        self._index_words()
        self._end()

    def say_nothing(self) -> None:
        self._append("evidence", "message", {"text": " "}, message_id="m0", message_digest=_digest(" "))
        self._end()

    def audit(self) -> None:
        for n in range(3):
            self._append("audit", "verify", {"stream": "user:mira", "events": n, "erased": 0, "sound": True})
        self._end()

    def _say(self, run: int) -> None:
        self.at += timedelta(hours=7)
        said = [self._message(run, n) for n in range(MESSAGES_OF_A_RUN)]
        cited = [{"evidence": {"independent": True, "sequence": n}, "form": "verbatim"} for n in said[:-1]]
        payload = {"entries": cited, "op": "add", "reason": "admitted"}
        added = self._append("operation", "add", payload, run_id=f"run-{run}", caused_by=said[0], origin="unknown")
        begun = self.doc + 1
        for ordinal, source in enumerate(said[:-1]):
            self._remember(run, ordinal, source, added, begun)

    def _message(self, run: int, n: int) -> int:
        blank = n == EPISODES_OF_A_RUN
        text = " " if blank else text_of(run, n)
        about: Row = {"run_id": f"run-{run}", "session_id": f"run-{run}"}
        about |= {
            "occurred_at": self.at,
            "precision": "instant",
            "message_id": f"m{n}",
            "message_digest": _digest(text + str(run) * blank),
        }
        about |= {"actor_role": "user", "speaker": "user"}
        sequence = self._append("evidence", "message", {"text": text}, **about)
        rule = ("ignore", "blank", "it has no letter, digit or picture", 1.0) if blank else _DEFAULT
        decision = dict(zip(("action", "rule", "reason", "confidence"), rule, strict=True))
        place = {"stream": self.stream, "sequence": sequence, "stage": "append"}
        self.made.add("decision", {**self.whose, **place, **decision, "decided_at": self.at})
        return sequence

    def _append(self, event_class: str, kind: str, payload: Row, **more: Any) -> int:
        self.sequence += 1
        text = json.dumps(payload, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        salt = hashlib.sha256(f"{self.tenant}{self.stream}{self.sequence}".encode()).digest()[:16]
        row: Row = dict.fromkeys(_HASHED) | {"precision": "unknown", "origin": "user", "schema_version": 1}
        row |= {**self.whose, "stream": self.stream, "sequence": self.sequence, "recorded_at": self.at}
        row |= {"event_class": event_class, "kind": kind, **more}
        row |= {"payload_hash": hashlib.sha256(salt + text.encode()).digest(), "previous_hash": self.hash}
        header = json.dumps([_plain(row[name]) for name in _HASHED], ensure_ascii=False, separators=(",", ":"))
        self.hash = hashlib.sha256(self.hash + row["payload_hash"] + header.encode()).digest()
        self.made.add("event", row | {"hash": self.hash})
        place = {"stream": self.stream, "sequence": self.sequence}
        self.made.add("event_payload", {**self.whose, **place, "salt": salt, "payload": text})
        return self.sequence

    def _remember(self, run: int, ordinal: int, source: int, added: int, begun: int) -> None:
        self.doc += 1
        text = text_of(run, ordinal)
        version = {"generation": 1, "memory_id": memory_id(self.tenant, self.stream, added, ordinal), "version": 1}
        place = {"doc": self.doc, "session_doc": begun}
        what = {"kind": "episodic", "epistemic_type": "evidence", "text": text, "speaker": "user", "role": "user"}
        worth = {"origin": "user", "trust": 4, "confidence": 1.0, "opened_by": added, "ordinal": ordinal}
        when = {"session_id": f"run-{run}", "run_id": f"run-{run}", "valid_from": self.at, "recorded_at": self.at}
        self.made.add("memory", {**self.whose, **version, **place, **what, **worth, **when})
        rests = {"stream": self.stream, "sequence": source, "independent": True}
        self.made.add("memory_evidence", {**self.whose, **version, **rests})
        self.words.append(indexed(doc=self.doc, session=begun, text=text, speaker="user", at=self.at))
        if run < RUNS[self.tenant, self.owner] - 2:
            self._embed(text, {**version, **place}, _embedder.model.key, _embedder.encode_query(text))
        if (self.tenant, self.owner, self.doc) == ("acme", "mira", 1):
            self._embed(text, {**version, **place}, OTHER_MODEL, np.ones(7, np.float32))

    def _embed(self, text: str, of: Row, model: str, vector: Any) -> None:
        about = {
            "model_id": model,
            "kind": "episodic",
            "open": True,
            "text_hash": hashlib.sha256(text.encode()).digest(),
        }
        self.made.add("memory_vector", {**self.whose, **of, **about, "embedding": HalfVector(vector).to_text()})

    def _deliver(self, run: int, stage: str, state: str) -> None:
        subject = uuid5(NAMESPACE_URL, f"{self.tenant}/{self.owner}/{run}")
        messages = [self._accepted(run, n) for n in range(MESSAGES_OF_A_RUN)] if stage == "append" else []
        payload: Row = {"scope": {"tenant_id": self.tenant, "user_id": "mira" if "room" in self.owner else self.owner}}
        payload |= {"run_id": f"run-{run}", "messages": messages}
        payload |= {"room_id": "lab", "participants": ["mira", "oz"]} if "room" in self.owner else {}
        at = _BEGAN + timedelta(hours=run)
        where = {"stage": stage, "state": state, "attempts": 5 if state == "parked" else 0}
        self.made.add(
            "inbox",
            {**self.whose, "inbox_id": subject, "run_id": f"run-{run}", **where, "accepted_at": at, "changed_at": at}
            | {"message_digests": Jsonb({f"m{n}": _digest(text_of(run, n)) for n in range(MESSAGES_OF_A_RUN)})}
            | {"payload": json.dumps(payload) if messages else None}
            | {"last_error": "ServiceFailed" if state == "parked" else None},
        )
        self._receipt(subject, run, at)

    def _accepted(self, run: int, n: int) -> Row:
        text = text_of(run, n)
        who = {"position": n, "message_id": f"m{n}", "role": "user", "speaker": "user", "origin": "user"}
        return who | {"text": text, "digest": _digest(text), "occurred_at": self.at.isoformat(), "precision": "instant"}

    def _receipt(self, subject: UUID, run: int, at: datetime) -> None:
        outcome = {"stage": "observe", "outcome": "accepted", "reason": "accepted", "counts": Jsonb({"messages": 10})}
        times = {"started_at": at, "finished_at": at}
        self.made.add("receipt", {**self.whose, "subject": subject, "run_id": f"run-{run}", **outcome, **times})

    def _index_words(self) -> None:
        entries: dict[str, list[tuple[int, int, int, int]]] = defaultdict(list)
        for each in self.words:
            for term, tf in each.counts.items():
                entries[term].append((each.doc, each.session, each.length, tf))
        for term, all_of_it in entries.items():
            for block, start in enumerate(range(0, len(all_of_it), _BLOCK)):
                packed = np.array(all_of_it[start : start + _BLOCK], _ENTRY).tobytes()
                place = {"generation": 1, "term": term, "block": block}
                self.made.add("posting", {**self.whose, **place, "entries": packed})
        counts = {"documents": len(self.words), "length_sum": sum(each.length for each in self.words)}
        sessions = sum(each.doc == each.session for each in self.words)
        self.made.add("sparse_stream", {**self.whose, "generation": 1, **counts, "sessions": sessions})

    def _end(self) -> None:
        end = {"last_sequence": self.sequence, "last_hash": self.hash, "last_recorded_at": self.at}
        self.made.add("stream", {**self.whose, "stream": self.stream, **end, "last_doc": self.doc})


_DEFAULT: Final = ("store", "default", "nothing speaks against it", 0.6)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: object) -> object:
    return round(value.timestamp() * 1_000_000) if isinstance(value, datetime) else value
