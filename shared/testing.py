"""Doubles for tests, at the seams of the real things, and fresh databases on a real server."""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from shared.belief.predicates import BUILT_IN, claim_of
from shared.contract.candidates import Candidate, Extraction, ExtractionStatus, Line, Reading
from shared.contract.receipts import Stage, Work
from shared.contract.records import Claim, EpistemicType, EvidenceRef, Kind
from shared.language.text import terms
from shared.models._vectors import ModelId, Vectors
from shared.store.migrate import login_of, migrate

TEMPLATE: Final = "daybook_template"


@dataclass(slots=True)
class RecordingBell:
    """A bell that nobody hears: what was rung is kept in order."""

    rung: list[tuple[Stage, Work]] = field(default_factory=list)

    def ring(self, stage: Stage, work: Work) -> None:
        """Note the ring."""
        self.rung.append((stage, work))

    def waiting(self) -> Mapping[Stage, int]:
        """How many of each stage are in `rung`: whoever hears a ring takes it out."""
        return Counter(stage for stage, _ in self.rung)


@dataclass(frozen=True, slots=True)
class HashEmbedder:
    """An embedder without weights: texts that share words are near, and the same text always has the same vector."""

    name: str = "hash"
    dimension: int = 384

    @property
    def model(self) -> ModelId:
        """Two with other names are two models, whose vectors have nothing to do with each other."""
        return ModelId(name=self.name, revision="1", dimension=self.dimension)

    def encode_query(self, text: str) -> Vectors:
        """(dim,) float32, unit length."""
        vector = np.zeros(self.dimension, np.float32)
        for term in terms(text) or [""]:
            digest = hashlib.sha256(f"{self.name}\x1f{term}".encode()).digest()
            vector += np.random.default_rng(int.from_bytes(digest[:8])).standard_normal(self.dimension, np.float32)
        return np.asarray(vector / np.linalg.norm(vector), np.float32)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, unit length, in the order of the texts."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        return np.stack([self.encode_query(text) for text in texts])


@dataclass(frozen=True, slots=True, kw_only=True)
class Urls:
    """One database, as the application and as the owner of the schema."""

    database_url: str
    migrate_url: str


def make_template(urls: Urls, *, partitions: int) -> None:
    """Make the migrated database that `fresh_database` copies; `urls` are of any database on the server."""
    _recreate(urls.migrate_url, TEMPLATE, from_template="template1")
    with psycopg.connect(_renamed(urls.migrate_url, TEMPLATE), autocommit=True) as connection:
        connection.execute("create extension if not exists vector")
    migrate(_renamed(urls.migrate_url, TEMPLATE), login=login_of(urls.database_url), partitions=partitions)


@contextmanager
def fresh_database(urls: Urls) -> Iterator[Urls]:
    """A database of its own, with the schema and nothing in it; dropped afterwards, whoever is still connected."""
    name = f"test_{secrets.token_hex(6)}"
    _recreate(urls.migrate_url, name, from_template=TEMPLATE)
    try:
        yield Urls(database_url=_renamed(urls.database_url, name), migrate_url=_renamed(urls.migrate_url, name))
    finally:
        with psycopg.connect(urls.migrate_url, autocommit=True) as connection:
            connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def _recreate(url: str, name: str, *, from_template: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))
        connection.execute(
            sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(from_template))
        )


def _renamed(url: str, database: str) -> str:
    parts = conninfo_to_dict(url)
    return f"postgresql://{parts['user']}:{parts['password']}@{parts['host']}:{parts['port']}/{database}"


def _claimed(subject: str, predicate: str, obj: str) -> Claim:
    return claim_of(subject, predicate, obj, BUILT_IN)


@dataclass(slots=True)
class ScriptedExtractor:
    """An extractor that proposes what it is told to, by words that a line holds, and keeps what it was given."""

    script: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """Of a text that a line holds, the fields of the candidates; evidence is that line, unless they say otherwise."""
    name: str = "scripted/1"
    read: list[Reading] = field(default_factory=list)

    def extract(self, reading: Reading, *, deadline_s: float) -> Extraction:
        """Propose what the lines call for."""
        del deadline_s
        self.read.append(reading)
        found = [
            self._candidate(line, fields)
            for line in reading.lines
            for words, proposals in self.script.items()
            if words in line.text
            for fields in proposals
        ]
        status = ExtractionStatus.STORED if found else ExtractionStatus.NOTHING_FOUND
        return Extraction(extractor=self.name, status=status, candidates=found)

    @staticmethod
    def _candidate(line: Line, fields: Mapping[str, Any]) -> Candidate:
        claim = fields.get("claim")
        given = {
            "kind": Kind.SEMANTIC,
            "epistemic_type": EpistemicType.FACT,
            "confidence": 0.9,
            "evidence": (EvidenceRef(sequence=line.sequence),),
            **fields,
        }
        return Candidate(**{**given, "claim": claim and _claimed(*claim)})
