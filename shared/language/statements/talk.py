"""What is known of a run while it is read, and of a message. Plain state, for one reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from shared.language.statements.clauses import Clause
from shared.language.statements.dates import When
from shared.language.statements.stated import Statement
from shared.language.statements.subjects import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """The sentence that somebody said last."""

    stated: tuple[Statement, ...]
    words: frozenset[str]
    """Of what it speaks: its nouns, names and verbs in their basic form."""
    norms: frozenset[str]
    line: Message

    @classmethod
    def of(cls, clauses: Sequence[Clause], stated: Sequence[Statement], message: Message) -> Spoken:
        """A sentence of a message with what was read from it."""
        tokens = [token for clause in clauses for token in clause.tokens]
        telling = (token for token in tokens if token.pos in {"NOUN", "PROPN", "VERB", "ADJ", "NUM"})
        words = frozenset(token.lemma.lower() for token in telling)
        return cls(stated=tuple(stated), words=words, norms=frozenset(token.norm for token in tokens), line=message)

    def place_of(self, stated: Statement) -> int:
        """Where the object of one of its statements is written; what is said last is what is put right."""
        return self.line.text.rfind(stated.object, 0, stated.end)


@dataclass(slots=True, kw_only=True)
class Talk:
    """What has been stated so far, by whom: what a correction or a pronoun leans on. One for each run."""

    people: frozenset[str] = frozenset()
    """Names, folded, of those who take part or are known."""
    addresses_agent: bool = True
    """Whether orders are meant for the agent: not where several people talk among themselves."""
    named: dict[str, dict[str, str]] = field(default_factory=dict)
    """By speaker, whom they named as somebody of theirs, and as what: the one that `she` may be."""
    stated: dict[str, list[Statement]] = field(default_factory=dict)
    """By speaker, in order."""
    spoken: dict[str, Spoken] = field(default_factory=dict)
    """By speaker, the sentence before the one that is read."""
    taken_back: list[Statement] = field(default_factory=list)
    """What was stated and is taken back by its speaker; nothing of it is to be stored."""
    month: date | None = None
    """The first of the month that was spoken of last."""


@dataclass(slots=True, eq=False)
class Message:
    """One message while it is read."""

    text: str
    speaker: str
    whens: Sequence[When]
    behind: Sequence[When]
    talk: Talk
    last: str = ""
    """Whom `they` are."""
    spoken: str = ""
    """The person that was named last, whatever for."""
    animal: str = ""
    """An animal that has no name yet."""
    before: Subject | None = None
    whens_before: Sequence[When] = ()
    listed: list[Statement] = field(default_factory=list)
    """Who is named as one of several in the sentence that is read."""
    found: list[Statement] = field(default_factory=list)
    said_on: date | None = None
