"""What takes back a word: `York, not Leeds`, `I meant York`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.clauses import Clause
from shared.language.statements.phrases import Phrase, phrase_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import LOW, Statement
from shared.language.statements.wording import sentence
from shared.language.statements.words import DIETS, word_set

_KEYED: Final = word_set("""
    name preferred_name age birthday birthplace hometown lives_in works_at job studies_at nationality diet
    allergic_to partner mother father child sibling friend manager doctor dentist therapist pet speaks plays
    uses learns vet owns
""")
"""Of these, one object denied beside another was never right; of tastes it says nothing of before."""


def denied_beside(said: Said, found: Sequence[Statement]) -> Iterator[Statement]:
    """That what stands behind `, not` is not so: `I live in York, not Leeds`."""
    tokens = said.tokens
    for at in range(max(said.at, 1), len(tokens) - 1):
        if tokens[at].norm != "not" or not (tokens[at - 1].text in {",", "-"} or tokens[at - 1].norm == "and"):
            continue
        phrase = _behind(said, at + 1)
        held = next(
            (each for each in reversed(found) if each.change is Change.HOLDS and is_keyed(each.predicate)), None
        )
        if held is not None and phrase is not None and held.object[0].isupper() and not phrase.is_name:
            return
        if phrase is not None and phrase.next < len(tokens) and tokens[phrase.next].norm in {"anymore", "any"}:
            return
        if held is not None and held.predicate in _COUNTED:
            return
        if held is not None and held.predicate == "diet" and phrase is not None and phrase.words not in DIETS:
            return
        if phrase is None or held is None or phrase.text.casefold() == held.object.casefold():
            return
        yield replace(
            held,
            object=phrase.text,
            change=Change.NEVER,
            since=None,
            until=None,
            text=sentence(held.predicate, held.subject, phrase.text, Change.NEVER),
        )
        return


def _behind(said: Said, at: int) -> Phrase | None:
    while at < len(said.tokens) and said.tokens[at].norm in {"in", "at", "to", "on", "as", "from"}:
        at += 1
    return phrase_at(said.tokens, at, said.text, said.times)


def is_keyed(predicate: str) -> bool:
    """Whether one object of it, given anew, was never right."""
    return predicate in _KEYED or predicate.startswith("favourite_")


_COUNTED: Final = frozenset({"age", "birthday"})
"""A number that is denied beside the right one says no more than that one does."""
_INSTEAD: Final = re.compile(
    r"^(?:(?:no|nope|sorry|oops|wait|actually|correction|ah|oh|ugh|hang on|hold on|typo|well|ok|my bad"
    r"|scratch that|i mean|it's|its|it is"
    r"|that's|i meant|i meant to say|i mean|should be|that should be|make that|rather)[,:;.! ]+)+"
    r"(?:(?:in|at|on|to) )?(?P<new>[\w'\u2019 -]{1,40}?),?(?: and)? not (?:(?:in|at|on"
    r"|to) )?(?P<old>[\w'\u2019 -]{1,40})$"
    r"|^(?:(?:no|sorry|oops|wait|actually|correction|oh|ugh|wait no|i mean)[,:;.! ]+)*"
    r"not (?:(?:in|at|on|to) )?(?P<old2>[\w'\u2019 -]{1,40}?), (?:but )?(?:(?:in|at|on"
    r"|to) )?(?P<new2>[\w'\u2019 -]{1,40})$"
    r"|^(?:(?:no|sorry|oops|wait|actually|correction|ah|oh|ugh|typo|my bad)[,:;.! ]+)*(?:i meant(?: to (?:say"
    r"|write|type))?|make that|should be|that should(?:'ve been| have been| be|'ve said))"
    r" (?:(?:in|at|on|to) )?(?P<new3>[\w'\u2019 -]{1,40})$",
    re.IGNORECASE,
)


def corrected(clauses: Sequence[Clause], text: str, earlier: Sequence[Statement]) -> Iterator[Statement]:
    """What a sentence puts right of what its speaker stated before, newest first; `earlier` is in order.

    It stands for what it replaces, which was never so and is not to be stored: nothing has to be denied.
    """
    words = " ".join(text[clauses[0].start : clauses[-1].end].split()).strip(" .!*")
    found = _INSTEAD.match(words)
    if found is None:
        return
    new = next(filter(None, (found["new"], found["new2"], found["new3"]))).strip()
    old = (found["old"] or found["old2"] or "").strip()
    target = _target(old, earlier)
    if target is None or not new or new.casefold() == target.object.casefold():
        return
    start, end = clauses[0].start, clauses[-1].end
    yield replace(
        target,
        object=new,
        text=_put(target.text, target.object, new),
        start=start,
        end=end,
        confidence=LOW,
        replaces=target,
    )


def _target(old: str, earlier: Sequence[Statement]) -> Statement | None:
    """What is put right: the newest statement with that object; without one named, the newest of all."""
    holding = [each for each in reversed(earlier) if each.change is Change.HOLDS]
    if not old:
        return holding[0] if holding and is_keyed(holding[0].predicate) else None
    return next(
        (
            each
            for each in holding
            if each.object.casefold() == old.casefold() or old.casefold() in each.object.casefold().split()
        ),
        None,
    )


def _put(text: str, old: str, new: str) -> str:
    return text.replace(old, new) if old in text else text
