"""What is known of a run while it is read, and of a message. Plain state, for one reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from shared.language.statements.dates import When
from shared.language.statements.stated import Statement
from shared.language.statements.subjects import Subject


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
    month: date | None = None
    """The first of the month that was spoken of last."""


@dataclass(slots=True)
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
