"""Statements whose subject is left out: `Moved to Berlin`, `Allergic to nuts`, `no more coffee`. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared.language.statements.clauses import Clause
from shared.language.statements.dates import When
from shared.language.statements.phrases import phrase_at
from shared.language.statements.saying import Said, said_in
from shared.language.statements.stated import LOW, Statement
from shared.language.statements.subjects import About, Subject
from shared.language.statements.tagged import Token
from shared.language.statements.talk import Message
from shared.language.statements.verbs import LEMMAS, PAST_FORMS
from shared.language.statements.words import DIETS, DRUGS, FOODS_DRUNK, STATES, SUBSTANCES, word_set

_BARE_STATES: Final = (
    frozenset({"allergic", "lactose", "gluten", "married", "based", "single", "born", "retired"}) | DIETS | STATES
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """A clause that begins without its subject, which is the speaker."""

    clause: Clause
    me: Subject
    message: Message

    @property
    def at(self) -> int:
        """The place of its first word."""
        return self.me.next

    @property
    def token(self) -> Token:
        """Its first word."""
        return self.clause.tokens[self.at]

    @property
    def norm(self) -> str:
        """The same as it is compared."""
        return self.token.norm

    @property
    def following(self) -> str:
        """The word behind it; empty where there is none."""
        behind = self.clause.tokens[self.at + 1 : self.at + 2]
        return behind[0].norm if behind else ""

    def said(self, whens: Sequence[When]) -> Said | None:
        """It as a sentence of the speaker's, with the times that it may mean."""
        return said_in(self.clause, self.me, self.message.text, whens)

    def as_be(self, at: int, *, negated: bool = False, over: bool = False, verb: str = "be") -> Said:
        """It as what is said behind `at` of the speaker, who is that, or does it."""
        return Said(
            subject=replace(self.me, next=min(at, len(self.clause.tokens))),
            verb=verb,
            at=at,
            clause=self.clause,
            text=self.message.text,
            whens=self.message.whens,
            negated=negated,
            over=over,
        )


def left_out(clause: Clause, subject: Subject, message: Message) -> Said | None:
    """`Moved to Berlin last week`, `Allergic to nuts`, `Not a fan of jazz`: of the speaker."""
    if not clause.begins or subject.next >= len(clause.tokens) or _TAGGED.match(message.text, clause.end):
        return None
    start = _Start(clause=clause, me=replace(subject, about=About.SELF), message=message)
    form = next((read for applies, read in _FORMS if applies(start)), None)
    if form is not None:
        return form(start)
    return _present(start) or next((read(start) for applies, read in _FORMS_BEHIND if applies(start)), None)


_TAGGED: Final = re.compile(
    r"[^.!?\n]*\b(?:are|is|do|does|did|has|have|had|was|were)(?:n't| not)? (?:you|he|she|they|it|we)\s*\?",
    re.IGNORECASE,
)
"""`Not a fan of jazz, are you?` is of whoever is asked."""


def _is_state(start: _Start) -> bool:
    is_denied = start.norm in {"no", "not"} and start.following in {"longer", "a", "into"} | _BARE_STATES
    return start.norm in _BARE_STATES or is_denied


def _state(start: _Start) -> Said:
    """`Allergic to nuts`, `not into jazz any more`, `no longer vegan`, `no longer work there`."""
    negated, over = start.norm == "not", start.norm == "no"
    if over and (verb := _verb_behind(start.clause, start.at + 2)):
        return start.as_be(start.at + 3, over=True, verb=verb)
    at = start.at + (2 if over else 1 if negated else 0)
    if negated and any(each.norm in {"anymore", "longer", "any"} for each in start.clause.tokens[at + 1 :]):
        negated, over = False, True
    return start.as_be(at, negated=negated, over=over)


def _is_got_to(start: _Start) -> bool:
    return start.norm == "got" and start.following in {"ta", "to"}


def _is_past(start: _Start) -> bool:
    if start.norm not in PAST_FORMS or LEMMAS[start.norm] not in _LEFT_OUT:
        return False
    return start.token.tag in {"VBD", "VBN", "VB"} or start.following in {"my", "our"}


def _past(start: _Start) -> Said | None:
    """`Moved to Berlin last week`; what is booked lies ahead."""
    ahead = LEMMAS[start.norm] == "book"
    said = start.said(start.message.whens if ahead else start.message.behind)
    return replace(said, past=True, passive=False) if said else None


def _is_perfect(start: _Start) -> bool:
    return start.norm == "been" and bool(start.following)


def _perfect(start: _Start) -> Said | None:
    """`Been to Oslo twice`."""
    said = start.said(start.message.behind)
    return replace(said, perfect=True, past=False, passive=False) if said else None


def _is_taste(start: _Start) -> bool:
    return start.norm in {"love", "hate", "loving"} and start.following not in _OF_NO_TASTE


def _taste(start: _Start) -> Said | None:
    """`Love jazz`."""
    return start.said(start.message.whens)


def _sets_out(start: _Start) -> bool:
    return start.following in {"starting": {"at", "as"}, "moving": {"to", "back"}}.get(start.norm, ())


def _setting_out(start: _Start) -> Said:
    """`starting at Acme`, `moving back to Oslo`."""
    return replace(_going_on(start), going_on=True)


def _goes_on(start: _Start) -> bool:
    return start.norm in {"living", "working"} and start.following in {"in", "at", "as", "for", "from"}


def _going_on(start: _Start) -> Said:
    """`living in Oslo`, `working from home`."""
    return start.as_be(start.at + 1, verb=LEMMAS[start.norm])


def _present(start: _Start) -> Said | None:
    """`still eat fish on Fridays`, `need to renew the passport`, `can't swim`, `flying to Oslo on Friday`."""
    clause, message, norm, following = start.clause, start.message, start.norm, start.following
    if _is_got_to(start) and (said := _past_two_words(start)):
        return replace(said, modal="must", past=False)
    still = _is_still(start)
    must = (norm in {"need", "have"} and following == "to") or (norm in {"must", "gotta"} and bool(following))
    cannot = norm in {"cannot", "cant"} or (norm in {"ca", "can"} and following in {"not", "n't"})
    if still or must or cannot:
        said = start.said(message.whens)
        return replace(said, going_on=start.token.tag == "VBG") if said and still else said
    dated = any(clause.start <= when.start < clause.end and when.day for when in message.whens)
    a_thing = any(each.norm in {"is", "'s", "are", "was"} for each in clause.tokens[start.at + 1 :])
    if norm in _COMING and dated and following and not a_thing:
        return _setting_out(start)
    return None


def _past_two_words(start: _Start) -> Said | None:
    """What stands behind `got to`."""
    return replace(start, me=replace(start.me, next=start.at + 2)).said(start.message.whens)


def _is_still(start: _Start) -> bool:
    before = start.clause.tokens[start.at - 1].norm if start.at else ""
    is_verb = start.token.tag in {"VBP", "VB", "VBG"} and start.norm in LEMMAS
    return before in {"still", "usually", "mostly"} and is_verb


_COMING: Final = word_set(
    "flying moving starting leaving visiting travelling traveling heading going joining meeting seeing turning"
)
_OF_NO_TASTE: Final = frozenset({"", *word_set("the this that it your you how to them when")})
_LEFT_OUT: Final = word_set("""
    move relocate start join quit adopt buy get sell switch stop give retire graduate marry leave divorce
    begin turn go trade win pass finish lose pick inherit break sprain swap replace twist dislocate
     tear fracture visit complete scrap book
""")


def _verb_behind(clause: Clause, at: int) -> str:
    token = clause.tokens[at] if at < len(clause.tokens) else None
    return LEMMAS.get(token.norm, "") if token is not None and token.norm not in DIETS else ""


_Form = tuple[Callable[[_Start], bool], Callable[[_Start], Said | None]]
_FORMS: Final[tuple[_Form, ...]] = (
    (_is_state, _state),
    (_is_got_to, _present),
    (_is_past, _past),
    (_is_perfect, _perfect),
)
"""What a clause may begin with, and how it is read then; the first that applies decides."""
_FORMS_BEHIND: Final[tuple[_Form, ...]] = (
    (_is_taste, _taste),
    (_sets_out, _setting_out),
    (_goes_on, _going_on),
)
"""Likewise, of what is nothing that is so at present (`_present`)."""


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
