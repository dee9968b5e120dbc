"""Statements whose subject is left out: `Moved to Berlin`, `Allergic to nuts`, `no more coffee`. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from shared.language.statements.clauses import Clause
from shared.language.statements.phrases import phrase_at
from shared.language.statements.saying import Said, said_in
from shared.language.statements.stated import LOW, Statement
from shared.language.statements.subjects import About, Subject
from shared.language.statements.talk import Message
from shared.language.statements.verbs import LEMMAS, PAST_FORMS
from shared.language.statements.words import DIETS, DRUGS, FOODS_DRUNK, STATES, SUBSTANCES, word_set

_BARE_STATES: Final = (
    frozenset({"allergic", "lactose", "gluten", "married", "based", "single", "born", "retired"}) | DIETS | STATES
)


def left_out(clause: Clause, subject: Subject, message: Message) -> Said | None:  # noqa: C901, PLR0911 - one answer for each form
    """`Moved to Berlin last week`, `Allergic to nuts`, `Not a fan of jazz`: of the speaker."""
    if not clause.begins or subject.next >= len(clause.tokens):
        return None
    token = clause.tokens[subject.next]
    following = clause.tokens[subject.next + 1].norm if subject.next + 1 < len(clause.tokens) else ""
    me = replace(subject, about=About.SELF)
    if token.norm in _BARE_STATES or (
        token.norm in {"no", "not"} and following in {"longer", "a", "into"} | _BARE_STATES
    ):
        negated, over = token.norm == "not", token.norm == "no"
        if over and (verb := _verb_behind(clause, subject.next + 2)):
            return _as_be(clause, me, message, subject.next + 3, over=True, verb=verb)
        at = subject.next + (2 if over else 1 if negated else 0)
        if negated and any(
            each.norm in {"anymore", "longer"} or each.norm == "any" for each in clause.tokens[at + 1 :]
        ):
            negated, over = False, True
        return _as_be(clause, me, message, at, negated=negated, over=over)
    if token.norm == "got" and following in {"ta", "to"}:
        return _present(clause, me, message, token.norm, following)
    if (
        token.norm in PAST_FORMS
        and LEMMAS[token.norm] in _LEFT_OUT
        and (token.tag in {"VBD", "VBN", "VB"} or following in {"my", "our"})
    ):
        ahead = LEMMAS[token.norm] == "book"
        said = said_in(clause, me, message.text, message.whens if ahead else message.behind)
        return replace(said, past=True, passive=False) if said else None
    if token.norm == "been" and following:
        said = said_in(clause, me, message.text, message.behind)
        return replace(said, perfect=True, past=False, passive=False) if said else None
    if (said := _present(clause, me, message, token.norm, following)) is not None:
        return said
    if token.norm in {"love", "hate", "loving"} and following not in {
        "",
        "the",
        "this",
        "that",
        "it",
        "your",
        "you",
        "how",
        "to",
        "them",
        "when",
    }:
        return said_in(clause, me, message.text, message.whens)
    if (token.norm == "starting" and following in {"at", "as"}) or (
        token.norm == "moving" and following in {"to", "back"}
    ):
        return replace(_as_be(clause, me, message, subject.next + 1, verb=LEMMAS[token.norm]), going_on=True)
    if token.norm in {"living", "working"} and following in {"in", "at", "as", "for", "from"}:
        return _as_be(clause, me, message, subject.next + 1, verb=LEMMAS[token.norm])
    return None


def _present(clause: Clause, me: Subject, message: Message, norm: str, following: str) -> Said | None:
    """`still eat fish on Fridays`, `need to renew the passport`, `can't swim`, `flying to Oslo on Friday`."""
    before = clause.tokens[me.next - 1].norm if me.next else ""
    token = clause.tokens[me.next]
    still = before in {"still", "usually", "mostly"} and token.tag in {"VBP", "VB", "VBG"} and norm in LEMMAS
    if (
        norm == "got"
        and following in {"ta", "to"}
        and (said := said_in(clause, replace(me, next=me.next + 2), message.text, message.whens))
    ):
        return replace(said, modal="must", past=False)
    must = (norm in {"need", "have"} and following == "to") or (norm in {"must", "gotta"} and bool(following))
    cannot = norm in {"cannot", "cant"} or (norm in {"ca", "can"} and following in {"not", "n't"})
    if still or must or cannot:
        said = said_in(clause, me, message.text, message.whens)
        return replace(said, going_on=token.tag == "VBG") if said and still else said
    dated = any(clause.start <= when.start < clause.end and when.day for when in message.whens)
    a_thing = any(each.norm in {"is", "'s", "are", "was"} for each in clause.tokens[me.next + 1 :])
    if norm in _COMING and dated and following and not a_thing:
        return replace(_as_be(clause, me, message, me.next + 1, verb=LEMMAS[norm]), going_on=True)
    return None


_COMING: Final = word_set(
    "flying moving starting leaving visiting travelling traveling heading going joining meeting seeing turning"
)
_LEFT_OUT: Final = word_set("""
    move relocate start join quit adopt buy get sell switch stop give retire graduate marry leave divorce
    begin turn go trade win pass finish lose pick inherit break sprain swap replace twist dislocate
     tear fracture visit complete scrap book
""")


def _verb_behind(clause: Clause, at: int) -> str:
    token = clause.tokens[at] if at < len(clause.tokens) else None
    return LEMMAS.get(token.norm, "") if token is not None and token.norm not in DIETS else ""


def _as_be(
    clause: Clause,
    subject: Subject,
    message: Message,
    at: int,
    *,
    negated: bool = False,
    over: bool = False,
    verb: str = "be",
) -> Said:
    return Said(
        subject=replace(subject, next=min(at, len(clause.tokens))),
        verb=verb,
        at=at,
        clause=clause,
        text=message.text,
        whens=message.whens,
        negated=negated,
        over=over,
    )


def no_more(clause: Clause, message: Message) -> Iterator[Statement]:
    """`no more coffee`, `no penicillin for me`."""
    words = [token.norm for token in clause.tokens]
    if words[:1] != ["no"] or len(words) < 3:  # noqa: PLR2004 - no more coffee
        return
    more = words[1] == "more"
    phrase = phrase_at(clause.tokens, 1 + more, message.text)
    rest = words[phrase.next :] if phrase else []
    if (
        phrase is None
        or phrase.article
        or not (rest == ["for", "me"] or (more and not rest))
        or phrase.head.norm not in SUBSTANCES | FOODS_DRUNK | DRUGS
    ):
        return
    yield Statement(
        subject=message.speaker,
        predicate="avoids",
        object=phrase.text,
        start=clause.start,
        end=clause.end,
        confidence=LOW,
        text=f"No {'more ' if more else ''}{phrase.text} for {message.speaker}.",
    )
