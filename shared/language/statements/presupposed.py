"""What a sentence takes for granted: `my sister Tess`, `my late wife Joan`, `my asthma`. Pure.

What is taken for granted stands whatever the sentence does with it: it is so in a question and in an order too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from shared.contract.candidates import Change
from shared.language.ordinary import MONTHS, ORDINARY, WEEKDAYS
from shared.language.statements.called import name_at
from shared.language.statements.clauses import Clause
from shared.language.statements.kinship import owned_relation, relation_of
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.tagged import Token
from shared.language.statements.wording import sentence
from shared.language.statements.words import (
    LANGUAGES,
    LASTING_CONDITIONS,
    MANY,
    NATIONS,
    PETS,
    predicate_of,
)

_OWN: Final = frozenset({"my", "our"})
_PAST_RELATIONS: Final = frozenset({"ex", "former", "previous"})
_ONCE: Final = frozenset(
    ["teacher", "boss", "manager", "flatmate", "roommate", "landlord", "colleague", "coach", "professor", "tutor"]
)
"""Of these an old one is one no longer; an old friend still is one."""
_PARTED: Final = frozenset({"goodbye", "farewell", "lost", "died", "passed", "buried", "rehomed", "sleep"})
"""Beside these nobody is taken for granted to be there."""
_CALLED: Final = frozenset({"called", "named"})
_NAME: Final = r"(?-i:[A-Z][\w\u2019'-]+)"


def _item(name: str = "", inside: str = "", behind: str = "") -> str:
    """One of several with an age, `Leo (9)` or `Leo, 9,`; what is passed names the groups."""
    ends = r"(?=\s*(?:,|\.|!|;|$|and\b|&))"
    return (
        rf"(?:(?:baby|little|big|our|young)\s+)?({name}{_NAME})(?:\s*\(\s*({inside}\d{{1,2}})\s*\)"
        rf"|,?\s+(?:aged?\s+|who(?:'s| is)\s+)?({behind}\d{{1,2}}){ends})?"
    )


_LISTED: Final = re.compile(
    r"\b(?:my|our|have|have got|'ve got|got|with|the)\s+(?:(?:two|three|four|five|six|2|3|4|5|lovely|little|grown-?up"
    rf"|other|older|younger|big)\s+)*(?P<several>{'|'.join(sorted(MANY, key=len, reverse=True))})"
    r"(?:\s+(?:are|is)(?:\s+(?:called|named))?|\s+(?:called|named)|\s*[,:(\u2013\u2014-])?\s+?\(?"
    rf"(?P<list>{_item()}(?:(?:\s*,\s*(?:and\s+|&\s+)?|\s+and\s+|\s*&\s*){_item()})*)",
    re.IGNORECASE,
)
_ITEMS: Final = re.compile(_item("?P<name>", "?P<age>", "?P<ageb>"), re.IGNORECASE)
_AGED_BEFORE: Final = re.compile(
    rf"\b(?:my|our)\s+(?P<age>\d{{1,2}})[ -]?(?:years?|yr|months?)?[ -]?(?:old|y/?o|yo)\s+"
    rf"(?:(?P<who>[a-z]+)(?:,?\s+(?P<name>{_NAME}))?"
    rf"|(?P<name2>{_NAME}))",
    re.IGNORECASE,
)
_AGED_BEHIND: Final = re.compile(
    rf"\b(?:my|our)\s+(?:\w+\s+)??(?P<who>(?-i:[a-z]+))(?:,?\s+(?P<name>{_NAME}))?"
    rf"(?:\s*\((?P<age>\d{{1,2}})\)|,\s*(?P<ageb>\d{{1,2}})\s*,)",
    re.IGNORECASE,
)


_ALONE: Final = re.compile(rf"(?:^|, |\band |& )(?P<name>{_NAME}) \((?P<age>\d|1[0-7])\)(?=[,. ]|$)")


def presupposed(clause: Clause, who: str, text: str) -> Iterator[Statement]:
    """Who is what to the speaker, and what they suffer from, as far as a clause names it by the way."""
    tokens = clause.tokens
    for at, token in enumerate(tokens):
        if token.norm in _OWN and not is_title(tokens, at):
            yield from _of_whom(clause, at, who, text)
            yield from _suffered(clause, at, who, text)
        elif token.norm in {"a", "an"}:
            yield from _called(clause, at, who, text)
    yield from _appositions(clause, who, text)


def _stated(
    clause: Clause, subject: str, predicate: str, what: str, text: str, change: Change = Change.HOLDS
) -> Statement:
    return Statement(
        subject=subject, predicate=predicate, object=what, text=text, start=clause.start, end=clause.end,
        change=change, confidence=FAIR,
    )  # fmt: skip


def _of_whom(clause: Clause, at: int, who: str, text: str) -> Iterator[Statement]:
    """`my sister Tess`, `my friend, Louise`, `my late wife Joan`, `my ex Curtis`."""
    tokens = clause.tokens
    found = owned_relation(tokens, at + 1)
    if found is None or {token.norm for token in tokens} & _PARTED:
        return
    name = _name_behind(tokens, found.next)
    if not name:
        return
    yield from related_as(clause, who, found.relation, text[name[0].start : name[-1].end], found.before)


def is_former(tokens: Sequence[Token], at: int) -> bool:
    """Whether `old` makes a relation one of before: of a flatmate it does, of a friend it does not."""
    return tokens[at].norm == "old" and relation_of(tokens[at + 1].norm if at + 1 < len(tokens) else "") in _ONCE


def is_title(tokens: Sequence[Token], at: int) -> bool:
    """Whether `My` begins the title of something: `watched My Neighbour Totoro`."""
    return at > 0 and all(token.text[0].isupper() for token in tokens[at : at + 2])


def _has_it(before: Sequence[Token]) -> bool:
    """Whether what stands before says that the speaker has somebody, and not that another has."""
    said = {token.norm for token in before}
    if said & {"i", "we", "im", "ive"}:
        return True
    names = (token for token in before[1:] if token.pos == "PROPN" and token.norm not in WEEKDAYS)
    others = any(names) or any(relation_of(token.norm) for token in before)
    return not others and not said & {"he", "she", "they", "who", "has", "had", "his", "her", "their", "you"}


def _called(clause: Clause, at: int, who: str, text: str) -> Iterator[Statement]:
    """`a tutor called Pilar`."""
    found = owned_relation(clause.tokens, at + 1) if _has_it(clause.tokens[:at]) else None
    if found is None or found.relation in PETS or found.next >= len(clause.tokens):
        return
    name = _name_behind(clause.tokens, found.next) if clause.tokens[found.next].norm in _CALLED else []
    if name:
        yield from related_as(clause, who, found.relation, text[name[0].start : name[-1].end], found.before)


def related_as(clause: Clause, who: str, relation: str, name: str, before: frozenset[str]) -> Iterator[Statement]:
    """That somebody is another's relation: dead where `late` is among the words before, over where `ex` is."""
    if "late" in before:
        yield _stated(
            clause, who, predicate_of(relation), name, f"{name} was {who}'s {relation}, and has died.", Change.ENDED
        )
    elif "old" in before and relation in _ONCE:
        return
    elif relation == "ex" or before & _PAST_RELATIONS:
        if relation == "ex" or predicate_of(relation) == "partner":
            yield _stated(clause, who, "former_partner", name, f"{name} is {who}'s ex.")
        else:
            yield _stated(
                clause, who, predicate_of(relation), name, f"{name} is no longer {who}'s {relation}.", Change.ENDED
            )
    else:
        yield _stated(clause, who, predicate_of(relation), name, f"{name} is {who}'s {relation}.")


def _name_behind(tokens: Sequence[Token], at: int) -> list[Token]:
    """The name at a place, also behind a comma or `called`; none where it is spoken to."""
    comma = at < len(tokens) and tokens[at].text == ","
    called = at < len(tokens) and tokens[at].norm in _CALLED
    name = name_at(tokens, at + (comma or called))
    if not name or name[0].norm in MONTHS or name[0].norm in WEEKDAYS or name[0].norm in NATIONS | LANGUAGES:
        return []
    behind = tokens[at + comma + called + len(name) :][:1]
    if comma and behind and behind[0].text != "," and behind[0].tag not in {"VBZ", "VBD", "MD", "POS"}:
        return []
    return name


def _appositions(clause: Clause, who: str, text: str) -> Iterator[Statement]:
    """`Tess, my sister, says`: a name that what it is follows."""
    tokens = clause.tokens
    if {token.norm for token in tokens} & _PARTED:
        return
    for at in range(1, len(tokens) - 2):
        if tokens[at].text != "," or tokens[at + 1].norm not in _OWN:
            continue
        found = owned_relation(tokens, at + 2)
        begin = at - 1
        while begin > 0 and tokens[begin - 1].text[0].isupper() and tokens[begin - 1].pos == "PROPN":
            begin -= 1
        name = name_at(tokens[:at], begin)
        closes = found is not None and (found.next >= len(tokens) or tokens[found.next].text == ",")
        if found is not None and closes and name and len(name) == at - begin and begin > 0:
            yield from related_as(clause, who, found.relation, text[name[0].start : name[-1].end], found.before)


def _suffered(clause: Clause, at: int, who: str, text: str) -> Iterator[Statement]:
    """`my asthma`, `my son's eczema`, `my peanut allergy`."""
    tokens = clause.tokens
    near = {token.norm for token in tokens[max(0, at - 3) : at]} | {token.norm for token in tokens[at:]} - {"not"}
    if near & {"gone", "cured", "outgrew", "outgrown", "no", "not", "n't", "nt", "used"}:
        return
    whose, at = _whose(tokens, at + 1, who, text)
    begin = at
    while at < len(tokens) and tokens[at].pos in {"ADJ", "NOUN", "PROPN"} and at - begin < 4:  # noqa: PLR2004 - words of a condition
        word = tokens[at].norm
        behind = tokens[at + 1].norm if at + 1 < len(tokens) else ""
        if word in LASTING_CONDITIONS:
            yield _stated(clause, whose, "has_condition", word, sentence("has_condition", whose, word, Change.HOLDS))
            return
        if word in {"allergy", "allergies"} and begin < at and behind != "tablets" and tokens[at - 1].pos == "NOUN":
            what = text[tokens[begin].start : tokens[at - 1].end]
            yield _stated(clause, whose, "allergic_to", what, sentence("allergic_to", whose, what, Change.HOLDS))
            return
        at += 1


def _whose(tokens: Sequence[Token], at: int, who: str, text: str) -> tuple[str, int]:
    """Of whom something is that stands behind `my`: the speaker's own, or their son's."""
    found = owned_relation(tokens, at)
    if found is None:
        return who, at
    name = name_at(tokens, found.next)
    end = found.next + len(name)
    if end < len(tokens) and tokens[end].norm in {"'s", "'"}:
        whose = text[name[0].start : name[-1].end] if name else f"{who}'s {found.said_as}"
        return whose, end + 1
    return who, at


def listed(text: str, start: int, end: int, who: str) -> Iterator[Statement]:
    """Who is named as one of several, and how old they are: `my kids are Marlon (9), Tia (6) and baby Jude`."""
    sentence_ = text[start:end]
    for match in _LISTED.finditer(sentence_):
        relation = relation_of(match["several"].lower())
        items = [item for item in _ITEMS.finditer(match["list"]) if _is_person(item["name"])]
        for item in items:
            name = item["name"].removesuffix("'s")
            has = f"{who} has a {relation} called {name}." if relation in PETS else f"{name} is {who}'s {relation}."
            yield _between(start, end, who, predicate_of(relation), name, has)
            if age := item["age"] or item["ageb"]:
                yield _between(start, end, name, "age", age, f"{name} is {age} years old.")
    yield from _aged(text, start, end, who)
    alone = list(_ALONE.finditer(sentence_))
    for match in alone if len(alone) > 1 else ():
        if _is_person(match["name"]):
            yield _between(
                start, end, match["name"], "age", match["age"], f"{match['name']} is {match['age']} years old."
            )


def _is_person(name: str) -> bool:
    folded = name.lower()
    contracted = "'" in folded.replace("\u2019", "'") and folded[:2] in {"i'", "i\u2019"}
    return not contracted and folded not in ORDINARY | NATIONS | LANGUAGES | MONTHS | WEEKDAYS


def _aged(text: str, start: int, end: int, who: str) -> Iterator[Statement]:
    """`my 9-year-old son Leo`, `my daughter (7)`."""
    for pattern in (_AGED_BEFORE, _AGED_BEHIND):
        for match in pattern.finditer(text[start:end]):
            told = match.groupdict()
            name, age = told.get("name") or told.get("name2"), told["age"] or told.get("ageb")
            relation = relation_of((told.get("who") or "").lower())
            if not relation and not told.get("name2"):
                continue
            if name and relation:
                yield _between(start, end, who, predicate_of(relation), name, f"{name} is {who}'s {relation}.")
            whom = name or f"{who}'s {(told.get('who') or '').lower()}"
            yield _between(start, end, whom, "age", str(age), f"{whom} is {age} years old.")


def _between(start: int, end: int, subject: str, predicate: str, what: str, text: str) -> Statement:
    return Statement(
        subject=subject, predicate=predicate, object=what, text=text, start=start, end=end, confidence=FAIR
    )
