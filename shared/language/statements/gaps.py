"""Clauses that leave out the verb of the one before: `My sister works at Heron and my brother at Acme`. Pure.

What stands behind the second subject is never of the first one, and no name of the second: `and my father Swedish`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from shared.language.statements.clauses import Clause
from shared.language.statements.kinship import owned_relation
from shared.language.statements.phrases import in_times
from shared.language.statements.saying import Said
from shared.language.statements.subjects import About, Subject, subject_of
from shared.language.statements.tagged import Token
from shared.language.statements.talk import Message
from shared.language.statements.verbs import LEMMAS
from shared.language.statements.words import LANGUAGES, NATIONS

_JOINING: Final = frozenset({"and", "but", "while", "whereas", "&"})
_FINITE: Final = frozenset({"VBD", "VBZ", "VBP", "MD"})
_SHARED: Final = frozenset(
    {"be", "live", "work", "study", "speak", "drive", "play", "like", "love", "hate", "enjoy", "prefer", "eat", "drink"}
    | {"learn", "teach", "support", "use", "own", "have", "ride", "collect", "stay", "come", "run", "lead"}
)
"""Verbs that two people are said to share: `I invited Ida and my brother Otto` leaves out none."""
_HOLDERS: Final = frozenset({About.SELF, About.US, About.RELATED, About.NAMED})


def without_gaps(clause: Clause, message: Message) -> tuple[Clause, list[Clause]]:
    """A clause up to where a second subject takes over its verb, and each such rest, which begins with a subject."""
    starts = list(_gaps(clause, message))
    if not starts:
        return clause, []
    ends = [*(start - 1 for start in starts[1:]), len(clause.tokens)]
    rests = [_part(clause, start, end) for start, end in zip(starts, ends, strict=True)]
    return _part(clause, 0, starts[0] - 1), [rest for rest in rests if rest.tokens]


def filled(said: Said, rest: Clause, message: Message) -> Said | None:
    """A rest with the verb of the clause before it; None where that is not plainly so, or cannot be told.

    `I love Vienna and my sister Eva`: whether Eva is what the sister loves, or the sister, nobody can tell.
    """
    subject = _subject_at(rest.tokens, message)
    plain = not (said.negated or said.over or said.doubted or said.modal or said.perfect or said.future)
    if subject is None or not plain or said.verb not in _SHARED or _may_be_name(rest.tokens[subject.next :], subject):
        return None
    return replace(said, subject=subject, at=subject.next, clause=rest, borrowed=())


def _may_be_name(rest: Sequence[Token], subject: Subject) -> bool:
    names = all(token.text[:1].isupper() for token in rest) and rest[0].norm not in NATIONS | LANGUAGES
    return subject.about is About.RELATED and not subject.name and names


def _part(clause: Clause, start: int, end: int) -> Clause:
    tokens = list(clause.tokens[start:end])
    while len(tokens) > 1 and (tokens[-1].text == "," or tokens[-1].norm in _JOINING):
        tokens.pop()
    return replace(clause, tokens=tuple(tokens), begins=clause.begins and start == 0)


def _gaps(clause: Clause, message: Message) -> Iterator[int]:
    """Where a subject begins that has no verb of its own, behind a verb that has another subject."""
    tokens = clause.tokens
    verb = next((at for at, token in enumerate(tokens) if _is_shared(token)), None)
    if verb is None or subject_of(tokens, message.text, message.talk.people).about not in _HOLDERS:
        return
    for at in range(verb + 2, len(tokens) - 1):
        joins = tokens[at - 1].norm in _JOINING or tokens[at - 1].text == ","
        if joins and _is_gap(tokens, at, verb, message):
            yield at


def _is_shared(token: Token) -> bool:
    if token.norm in {"is", "am", "are", "was", "were", "'s", "'m", "'re"}:
        return True
    return token.tag in _FINITE and LEMMAS.get(token.norm) in _SHARED


def _is_gap(tokens: Sequence[Token], at: int, verb: int, message: Message) -> bool:
    times = [(when.start, when.end) for when in message.whens]
    subject = _subject_at(tokens[at:], message)
    if subject is None or at + subject.next >= len(tokens):
        return False
    before, rest = tokens[verb + 1 : at], tokens[at + subject.next :]
    own_verb = any(token.tag in _FINITE or token.norm in {"'s", "'m", "'re"} for token in rest[:2])
    if own_verb or in_times(rest[0], times) or rest[0].text == "," or _is_list_of_people(before):
        return False
    if rest[0].pos == "ADP":
        return any(token.norm == rest[0].norm for token in before)
    if any(token.pos == "ADP" and token.norm != "of" for token in before[:1]):
        return False
    return _is_thing(rest, tokens[verb], subject)


def _is_list_of_people(before: Sequence[Token]) -> bool:
    """Whether what stands before `and` is somebody too: `I live with my wife and my son in Leeds`."""
    words = [token for token in before if token.text != "," and token.norm not in _JOINING]
    owned = any(token.norm in {"my", "our", "his", "her"} for token in words[-3:])
    return owned or "with" in {each.norm for each in words[-3:-1]}


def _is_thing(rest: Sequence[Token], verb: Token, subject: Subject) -> bool:
    """Whether what is left is what the verb is said of, and no name that the second subject goes by."""
    first = rest[0]
    if subject.about is About.NAMED:
        return False
    named = first.text[:1].isupper() and first.norm not in NATIONS | LANGUAGES and subject.about is About.RELATED
    is_be = LEMMAS.get(verb.norm) is None and verb.norm not in LEMMAS
    if named and is_be:
        return False
    return first.pos in {"DET", "NOUN", "PROPN", "ADJ", "NUM", "VERB"}


def _subject_at(tokens: Sequence[Token], message: Message) -> Subject | None:
    """The subject that a rest begins with; what stands last in it is no name of theirs."""
    if tokens[0].norm in {"i", "we"}:
        return Subject(about=About.SELF if tokens[0].norm == "i" else About.US, next=1)
    if tokens[0].norm in {"my", "our"}:
        found = owned_relation(tokens, 1)
        if found is None or found.before & {"ex", "former", "late", "old"}:
            return None
        told = subject_of(tokens, message.text, message.talk.people)
        is_name = told.about is About.RELATED and told.name and told.next < len(tokens)
        if is_name and told.name.lower() not in NATIONS | LANGUAGES and tokens[told.next].pos == "ADP":
            return told
        return Subject(about=About.RELATED, next=found.next, relation=found.relation, said_as=found.said_as)
    told = subject_of(tokens, message.text, message.talk.people)
    return told if told.about is About.NAMED and told.next < len(tokens) and tokens[told.next].pos == "ADP" else None
