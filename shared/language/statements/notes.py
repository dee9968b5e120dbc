"""Notes without a subject or without a verb, and what follows up on what was just said. Pure.

`Not in Leeds anymore.` `Hull since May.` `Decided: we take the barn.` `Started it Monday.` `That's my nephew Theo.`
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.called import name_at
from shared.language.statements.clauses import Clause
from shared.language.statements.dates import Bound, When
from shared.language.statements.kinship import owned_relation
from shared.language.statements.phrases import phrase_at
from shared.language.statements.presupposed import related_as
from shared.language.statements.saying import Said
from shared.language.statements.stated import FAIR, LOW, Statement
from shared.language.statements.subjects import About
from shared.language.statements.talk import Message
from shared.language.statements.wording import sentence
from shared.language.statements.words import word_set

_NO_PLACE: Final = word_set("mood office pain love debt trouble work bed school meeting town hurry")
_TOLD: Final = frozenset({"takes", "uses", "pet", "owns", "plays", "learns", "works_at", "habit", "member_of", "likes"})
_BEGUN: Final = word_set("start begin pick get collect adopt buy join")
_PRONOUNS: Final = frozenset({"it", "him", "her", "them", "there"})


def notes(clause: Clause, message: Message) -> Iterator[Statement]:
    """What a clause says that has no verb, or none that anything else is read from."""
    yield from _no_longer_in(clause, message)
    yield from _place_since(clause, message)
    yield from _leaving(clause, message)
    yield from _that_is(clause, message)
    yield from _allergic(clause, message)


def _whens(clause: Clause, whens: Sequence[When]) -> list[When]:
    return [when for when in whens if clause.start <= when.start < clause.end]


def _of(
    clause: Clause, who: str, predicate: str, what: str, text: str = "", change: Change = Change.HOLDS
) -> Statement:
    return Statement(
        subject=who, predicate=predicate, object=what, text=text or sentence(predicate, who, what, change),
        start=clause.start, end=clause.end, change=change, confidence=FAIR,
    )  # fmt: skip


def _no_longer_in(clause: Clause, message: Message) -> Iterator[Statement]:
    """`not in Brooklyn anymore`, `no longer in Leeds`."""
    words = [token.norm for token in clause.tokens]
    denied = words[:2] == ["not", "in"] and words[-1] in {"anymore", "more", "longer"}
    if not denied and words[:3] != ["no", "longer", "in"]:
        return
    phrase = phrase_at(clause.tokens, 2 + (not denied), message.text)
    if phrase is None or phrase.article or phrase.owner or phrase.head.norm in _NO_PLACE:
        return
    yield _of(clause, message.speaker, "lives_in", phrase.text, change=Change.ENDED)


def _place_since(clause: Clause, message: Message) -> Iterator[Statement]:
    """`jersey city since aug 1`, `Hull now`, behind a place that was left."""
    left = message.found[-1:] and message.found[-1].predicate == "lives_in" and message.found[-1].change is Change.ENDED
    if not left or not clause.begins:
        return
    at = 1 if clause.tokens[0].norm in {"in", "now"} else 0
    whens = [when for when in _whens(clause, message.behind) if when.bound is Bound.SINCE]
    phrase = phrase_at(clause.tokens, at, message.text, [(when.start, when.end) for when in whens])
    if phrase is None or phrase.article or phrase.owner:
        return
    rest = [token for token in clause.tokens[phrase.next :] if not any(w.start <= token.start < w.end for w in whens)]
    if {token.norm for token in rest} - {"now", "instead"} or not (whens or rest or at):
        return
    since = whens[0].days.first if whens else None
    yield replace(_of(clause, message.speaker, "lives_in", phrase.text), since=since)


_DECIDED: Final = re.compile(
    r"^(?:(?:ok|okay|right|so|well|ha|true|yes|great|fine|good)[,. ]+)*(?:it'?s |that'?s )?"
    r"(?:decided|agreed|settled|decision made|final decision|decision)\s*(?:then)?\s*[,:!\u2014-]+\s*(?P<what>\S.+)$",
    re.IGNORECASE | re.DOTALL,
)
_SHORTEST: Final = 3


def decided(text: str, start: int, end: int, speaker: str) -> Iterator[Statement]:
    """`OK, decided, we're taking the barn!`, `Decision: Postgres, not MySQL`."""
    found = _DECIDED.match(" ".join(text[start:end].replace("\u2019", "'").split()))
    if found is None:
        return
    what = found["what"].strip(" .!,")
    what = re.sub(
        r"^(?:that )?(?:we|i)(?:'re| are|'ll| will|'m| am)? (?:all |both )?(?:going to )?",
        "",
        what,
        flags=re.IGNORECASE,
    )
    if len(what.split()) < _SHORTEST or what.lower().startswith("nothing") or "?" in text[end : end + 2]:
        return
    yield Statement(
        subject=speaker, predicate="decided", object=what, text=f"{speaker} and others decided: {what}.", start=start,
        end=end, confidence=FAIR,
    )  # fmt: skip


_NOTICE: Final = re.compile(
    r"\b(?:(?:handed|put|given|gave|sent|turned|submitted|handing|putting)(?: in)? (?:my|our) (?:notice|papers"
    r"|resignation"
    r"|two weeks'? notice|two weeks)|resigned|resigning)\b(?: (?:at|to|with|from) )?",
    re.IGNORECASE,
)
_LAST_DAY: Final = re.compile(
    r"^(?:so |and |my |the |our )*last (?:working |work )?day\b|\bmy last (?:working |work )?day at\b", re.IGNORECASE
)


def _leaving(clause: Clause, message: Message) -> Iterator[Statement]:
    """`I have put in my papers at Sundaram Looms.` `Last working day is 30 June.`: a job ends, and when."""
    words = message.text[clause.start : clause.end]
    who = message.speaker
    if found := _NOTICE.search(words):
        behind = clause.start + found.end()
        at = next((at for at, token in enumerate(clause.tokens) if token.start >= behind), len(clause.tokens))
        phrase = phrase_at(clause.tokens, at, message.text)
        if phrase is not None and (phrase.is_name or phrase.article == "the") and found.group().endswith(" "):
            yield _of(clause, who, "works_at", phrase.text, change=Change.ENDED)
    elif _LAST_DAY.search(words):
        whens = [when for when in _whens(clause, message.whens) if when.day]
        named = next((at for at, token in enumerate(clause.tokens) if token.norm == "at"), None)
        place = phrase_at(clause.tokens, named + 1, message.text) if named is not None else None
        job = place.text if place is not None and place.is_name else _last_job(message)
        if whens and job:
            message.found[:] = [
                each for each in message.found if not (each.predicate == "works_at" and each.object == job)
            ]
            yield replace(_of(clause, who, "works_at", job, change=Change.ENDED), until=whens[0].days.first)


def _last_job(message: Message) -> str:
    told = [*message.talk.stated.get(message.speaker, []), *message.found]
    return next(
        (each.object for each in reversed(told) if each.predicate == "works_at" and each.subject == message.speaker), ""
    )


def _that_is(clause: Clause, message: Message) -> Iterator[Statement]:
    """`I'm not allergic to peanuts. That's my nephew Theo.`: whom it is true of, instead."""
    words = [token.norm for token in clause.tokens]
    told = [*message.talk.stated.get(message.speaker, []), *message.found]
    denied = next((each for each in reversed(told) if each.predicate not in _OF_PEOPLE), None)
    begins = words[:1] in (["that"], ["it"]) and len(words) > 2 and words[1] in {"'s", "is", "was", "s"}  # noqa: PLR2004 - that 's Theo
    if not begins or denied is None or denied.change is not Change.NEVER or denied.subject != message.speaker:
        return
    found = owned_relation(clause.tokens, 3) if words[2] in {"my", "our"} else None
    at = found.next if found else 2
    name = name_at(clause.tokens, at)
    if not found and not name:
        return
    who = (
        message.text[name[0].start : name[-1].end] if name else f"{message.speaker}'s {found.said_as}" if found else ""
    )
    yield replace(_of(clause, who, denied.predicate, denied.object), confidence=LOW)


_BEFORE_ALLERGIC: Final = re.compile(
    r"\b(?:no|not|n't|nt|never|without|skip|avoid|can't|cant)\b[^.!?]*?\b(?P<what>[a-z]{3,20})"
    r"(?: never| please| pls| thanks| for me)?[,;:. (\u2014-]+"
    r"(?:so |because |cos |since |as )?$|\b(?P<what2>[a-z]{3,20}) never[, ]+$",
    re.IGNORECASE,
)


def _allergic(clause: Clause, message: Message) -> Iterator[Statement]:
    """`no nuts please, I'm allergic`: to what was refused."""
    words = [token.norm for token in clause.tokens]
    if words[-1] != "allergic" or words[:-1] not in ([], ["i", "am"], ["i", "'m"], ["i", "m"], ["im"]):
        return
    found = _BEFORE_ALLERGIC.search(message.text[: clause.start].replace("\u2019", "'"))
    what = (found["what"] or found["what2"]).lower() if found else ""
    if what and what not in {"please", "pls", "thanks", "though", "them", "that", "this", "it", "all"}:
        yield replace(_of(clause, message.speaker, "allergic_to", what), confidence=LOW)


_OF_PEOPLE: Final = frozenset(
    {"partner", "sibling", "friend", "relative", "colleague", "child", "mother", "father", "manager"}
)


def follow_up(said: Said, message: Message) -> bool:
    """Give what was just said the time of `started it Monday`, `we got him last week`; whether that was done."""
    at = said.at + (said.after in {"up", "on"})
    begun = said.verb in _BEGUN and (said.past or said.perfect) and said.word(at) in _PRONOUNS
    whens = [when for when in said.own_whens if when.bound is not Bound.UNTIL]
    if not begun or not whens or said.subject.about not in {About.SELF, About.US} or not message.found:
        return False
    for place in range(len(message.found) - 1, -1, -1):
        each = message.found[place]
        if each.predicate in _TOLD and each.change is Change.HOLDS:
            if each.since is None:
                when = whens[0]
                since = f" since {when.written.partition(' ')[2]}"
                text = f"{each.text.rstrip('.')}{since}."
                message.found[place] = replace(each, since=when.days.first, text=text)
            return True
    return False


def mine(said: Said, message: Message, before: str) -> Iterator[Statement]:
    """`Curtis? He's my ex.`: the one who was named last is what the clause says."""
    if said.subject.about is not About.THEY or said.verb != "be" or said.after not in {"my", "our"} or said.negated:
        return
    found = owned_relation(said.tokens, said.at + 1)
    closes = found is not None and (found.next >= len(said.tokens) or said.tokens[found.next].text in {",", "."})
    if found is not None and closes and before and not said.past:
        yield from related_as(said.clause, message.speaker, found.relation, before, found.before)


def named_in(clause: Clause, text: str, until: int | None = None) -> str:
    """The last person named in a clause, by a name that no preposition of place leads to."""
    at, last = 0, ""
    tokens = clause.tokens[:until]
    while at < len(tokens):
        name = name_at(tokens, at)
        placed = at > 0 and tokens[at - 1].norm in {"in", "at", "to", "from", "on", "near", "for"}
        if name and not placed:
            last = text[name[0].start : name[-1].end]
        at += max(1, len(name))
    return last
