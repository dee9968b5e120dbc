"""What takes back or puts right what its speaker said right before: `no wait, the 15th`, `Sorry, four`. Pure.

What is put in its place is read where it is of the same kind: a number for a number, a day for a day, a name for a
name. Else nothing is left of what was said: a claim that its speaker has just taken back is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.clauses import Clause
from shared.language.statements.corrections import is_keyed
from shared.language.statements.days import MONTH
from shared.language.statements.meant_states import OF_ANOTHER
from shared.language.statements.stated import LOW, Statement
from shared.language.statements.talk import Message, Spoken
from shared.language.statements.words import word_set
from shared.language.times.words import COUNTS, MONTHS

_HARD: Final = (
    r"no,? (?:wait|hang on|hold on|actually|sorry|scratch that)|(?:wait|sorry|actually|oh)[,.!]* no\b|scratch that"
    r"|strike that|correction|oops|my mistake|make that|or rather|i should say|i meant"
)
"""Whoever says this takes back what stands before it."""
_HESITATION: Final = r"(?-i:[Ee]r+m?|[Uu]m+|[Uu]h+m?)"
"""Not `ER`, where somebody works."""
_SOFT: Final = rf"i mean|sorry|wait|no|nope|actually|hang on|hold on|ugh|well|oh|{_HESITATION}"
_ELLIPTIC: Final = r"or (?:was|were|did|had|used to)\b"
_UNTRUE: Final = (
    r"(?:i (?:lied|was (?:lying|wrong|joking|mistaken)|am lying|'m lying|made (?:that|it) up"
    r"|take (?:that|it) back|misspoke)"
    r"|(?:that|it|this|which)(?:'s| is| was) (?:not (?:true|right|correct|so)|n't (?:true|right|correct)"
    r"|a lie|a joke|false|wrong|untrue|incorrect|made up|my mistake)"
    r"|(?:that|it|this|which) (?:isn't|wasn't) (?:true|right|correct)"
    r"|not true|forget (?:what|that) i said(?: that)?|(?:ignore|disregard|forget) that)"
)
_ANEW: Final = rf"(?:(?-i:[A-Z])[\w'-]*(?: (?-i:[A-Z])[\w'-]*){{0,2}}|\d+|{'|'.join(COUNTS[1:])})\s*[.!]*\s*(?:$|\n)"
"""A name or a number, and no more."""
_WITHIN: Final = re.compile(
    rf"(?:[,;:]|\s[-\u2013]|\u2014)(?=\s+(?:(?:{_HARD})\b|(?:i mean|sorry|wait)\b|{_ELLIPTIC}"
    rf"|(?:but |and )?{_UNTRUE}\s*[.!]*\s*(?:$|\n)"
    rf"|(?:{_HESITATION}),?\s+(?:{_ANEW}|(?:i mean|sorry|no|wait|actually)\b))|\s+well,)",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(
    rf"(?:^|[.!?\n,;:\u2014]|\s[-\u2013])\s*(?:(?:but|and|ok|okay|ah|oh|{_HARD}|{_SOFT})\b[,:;\s]*)+$", re.IGNORECASE
)
"""Whatever marks a correction, with nothing before it in its sentence."""
_AWAY: Final = re.compile(r"\b(?:scratch|strike|forget|ignore|disregard) that(?:,|\s[-\u2013]|\u2014)", re.IGNORECASE)
_MARKED: Final = re.compile(
    rf"^(?P<lead>(?:(?:but|and|ok|okay|ah|oh|{_HARD}|{_SOFT})\b[,:;.! \u2014-]+)+)(?P<rest>\S.*)$", re.IGNORECASE
)
_IS_HARD: Final = re.compile(rf"\b(?:{_HARD})\b", re.IGNORECASE)
_ALL_UNTRUE: Final = re.compile(
    r"^(?:(?:but|and|ok|well|actually|sorry|no|oh|oops|wait|to be honest|tbh)[, ]+)*"
    rf"(?:{_UNTRUE}|(?:scratch|strike) that)"
    r"(?:[, ]+(?:actually|though|sorry|lol|haha|of course))*$",
    re.IGNORECASE,
)
_HAVING_IT: Final = re.compile(
    r"^(?:(?:well|actually|i mean|technically|or|sorry|no)[, ]+)+(?P<who>(?:[\w']+ ){0,4}?)"
    r"(?:do|does|did|has|have|had|is|are|was|were|used to)(?: not|n't)?(?: really| technically| actually)?"
    r"(?: (?:until|till|before|up to|back) .*)?$",
    re.IGNORECASE,
)
"""`Well, the bank has`, `or was until May`: of what is repeated only the auxiliary is left."""
_OF_THEM: Final = ("it ", "it's", "they ", "they're", "but it", "well, it", "actually, it", "actually it", "not ")
_AGREEING: Final = word_set("who everyone everybody so it too also that this there")
_FRAGMENT: Final = re.compile(
    r"^(?:(?:it's|its|it is|that's|they're|it was|make it|rather|only|just|more like)[, ]+)*"
    rf"(?:(?:for )?(?P<lasting>(?:{'|'.join(COUNTS)}|\d+) (?:years?|months?|weeks?))"
    rf"|(?P<number>{'|'.join(COUNTS)}|\d+)(?: of (?:them|those|us))?"
    r"|(?:(?:on|for) )?(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)"
    r"|(?:(?:in|at|to|on|as|from|near|with|is) )?(?P<name>(?-i:[A-Z])[\w'-]*(?: (?-i:[A-Z])[\w'-]*){0,2}))$",
    re.IGNORECASE,
)
_MOST_OF_A_FRAGMENT: Final = 5
_MOST_CLAUSES: Final = 2
"""`no, wait` may be taken for one."""
_NO_FRAGMENT: Final = word_set("""
    about for if thanks thank idea worries problem to you i we that this it please what off kidding way need doubt
    seriously minute second moment one-sec matter wonder rush stress question
""")
_INSTEAD: Final = word_set("one ones instead rather")
_ISO: Final = re.compile(r"\b\d{4}-\d\d-\d\d\b")


def parted(text: str) -> str:
    """The text with a full stop in place of the sign before a correction, so that it is a sentence of its own."""
    text = _WITHIN.sub(lambda match: match.group() if _MARKS.search(text[: match.start()]) else _stopped(match), text)
    return _AWAY.sub(_stopped, text)


def _stopped(match: re.Match[str]) -> str:
    return f"{match.group()[:-1]}."


def revise(clauses: Sequence[Clause], message: Message) -> bool:
    """Take back what stood in the sentence before, where this one does; whether it says no more than that.

    What it is put right to is added to what was found.
    """
    before, words = message.talk.spoken.get(message.speaker), sentence_of(clauses, message.text)
    if before is None or not before.stated:
        return False
    if is_untrue(clauses, message) or _is_elliptic(words):
        # What denies stands: `I never lived there, I was joking` speaks of what was said earlier still.
        _take_back([each for each in before.stated if each.change is Change.HOLDS], message)
        return True
    if words.lower().startswith(_OF_THEM) and OF_ANOTHER.search(words):
        _take_back([each for each in before.stated if each.predicate in {"owns", "pet"}], message)
        return True
    marked = _MARKED.match(words)
    if marked is None or not _is_fragment(marked["rest"], clauses):
        return False
    lead = marked["lead"].lower()
    hard = _IS_HARD.search(lead) is not None or lead.startswith(("sorry", "i mean", "wait"))
    hard = hard or _HESITATES.match(marked["lead"]) is not None
    if not hard and before.line is not message:
        return False
    put_right = _put_right(marked["rest"], before, clauses, message)
    if put_right is not None:
        assert put_right.replaces is not None
        _take_back([put_right.replaces], message)
        message.found.append(put_right)
    elif hard:
        _take_back(before.stated[-1:], message)
    return True


_HESITATES: Final = re.compile(rf"(?:{_HESITATION})\b")


def is_untrue(clauses: Sequence[Clause], message: Message) -> bool:
    """Whether a sentence says of the one before that it is not so, and no more: `which is a lie`."""
    asked = sentence_of(clauses, message.text, to_the_stop=True).endswith("?")
    return not asked and _ALL_UNTRUE.match(sentence_of(clauses, message.text)) is not None


def overtake(clauses: Sequence[Clause], message: Message, found: Sequence[Statement]) -> None:
    """Take back what stood in the sentence before, where this whole one stands for it: `I mean, I studied law`."""
    before, words = message.talk.spoken.get(message.speaker), sentence_of(clauses, message.text)
    marked = _MARKED.match(words)
    if before is None or marked is None:
        return
    lead = marked["lead"].lower()
    hard = _IS_HARD.search(lead) is not None
    if not hard and not lead.startswith("i mean"):
        return
    anew = {(each.subject, each.predicate) for each in found if each.change is Change.HOLDS}
    gone = [each for each in before.stated if (each.subject, each.predicate) in anew and each not in found]
    spoken = Spoken.of(clauses, (), message)
    alike = bool(spoken.words & before.words) and (hard or _turns(clauses))
    dropped = "actually" in lead or "scratch" in lead or "strike" in lead or bool(spoken.norms & _INSTEAD)
    if not found and (alike or (hard and dropped)):
        gone = list(before.stated)
    _take_back(gone, message)


def sentence_of(clauses: Sequence[Clause], text: str, *, to_the_stop: bool = False) -> str:
    """The words of a sentence without what ends it, or with that."""
    behind = _TO_THE_END.match(text, clauses[-1].end)
    end = behind.end() if behind else clauses[-1].end
    written = " ".join(text[clauses[0].start : end + to_the_stop].split()).replace("\u2019", "'")
    return written if to_the_stop else written.strip(" .,!*")


_TO_THE_END: Final = re.compile(r"[^.!?\n]*")
"""A clause ends before `that`, which may lead to another one."""


def _turns(clauses: Sequence[Clause]) -> bool:
    """Whether it is in the past or denied, so that it says other than what was said in the present."""
    tokens = [token for clause in clauses for token in clause.tokens]
    return any(token.tag == "VBD" or token.norm in {"not", "n't", "never", "was", "were", "used"} for token in tokens)


def _is_elliptic(words: str) -> bool:
    found = _HAVING_IT.match(words)
    return found is not None and not set(words.lower().replace(",", " ").split()) & _AGREEING


def _is_fragment(rest: str, clauses: Sequence[Clause]) -> bool:
    words = re.findall(r"[\w']+", rest.lower())
    bare = [word for word in words if word not in {"it's", "its", "that's", "it", "is", "they're", "make"}]
    tokens = [token for clause in clauses for token in clause.tokens if token.norm in bare]
    verbs = any(token.pos in {"VERB", "AUX"} and not token.text[0].isupper() for token in tokens)
    short = len(clauses) <= _MOST_CLAUSES and 0 < len(words) <= _MOST_OF_A_FRAGMENT
    return short and not verbs and not set(bare) & _NO_FRAGMENT


def _take_back(gone: Sequence[Statement], message: Message) -> None:
    message.talk.taken_back += gone


def _put_right(rest: str, before: Spoken, clauses: Sequence[Clause], message: Message) -> Statement | None:
    """The newest of what was said with the number, day or name that is given anew; None where none is of its kind."""
    found = _FRAGMENT.match(rest)
    start, end = clauses[0].start, clauses[-1].end
    day = next((when.day for when in message.whens if start <= when.start < end and when.day), None)
    for each in sorted(before.stated, key=before.place_of, reverse=True):
        anew = None
        if found is not None and found["lasting"]:
            anew = _undated(each)
        elif found is not None and found["number"]:
            anew = _numbered(each, found["number"])
        elif (found is not None and found["day"]) or day is not None:
            anew = _dated(each, int(found["day"]) if found and found["day"] else 0, day)
        elif found is not None and found["name"] and re.fullmatch(MONTH, found["name"], re.IGNORECASE):
            anew = _in_month(each, MONTHS.index(found["name"][:3].lower()) + 1)
        elif found is not None and found["name"] and is_keyed(each.predicate) and each.object[:1].isupper():
            anew = replace(each, object=found["name"], text=each.text.replace(each.object, found["name"]))
        if anew is not None and anew.text != each.text:
            return replace(anew, start=start, end=end, confidence=LOW, replaces=each)
    return None


def _is_number(word: str) -> bool:
    return word.isdecimal() or word.lower() in COUNTS


def _numbered(before: Statement, number: str) -> Statement | None:
    old, _, rest = before.object.partition(" ")
    if not _is_number(old):
        return None
    said = f"{number} {rest}".strip()
    return replace(before, object=said, text=before.text.replace(before.object, said))


def _in_month(before: Statement, month: int) -> Statement | None:
    """What begins in another month of that year."""
    if before.since is None or _ISO.search(before.text):
        return None
    since = before.since.replace(month=month, day=1)
    return replace(before, since=since, text=before.text.replace(f"{before.since:%Y-%m}", f"{since:%Y-%m}"))


def _undated(before: Statement) -> Statement | None:
    """What has been so for another while than was said: since when is left open."""
    return replace(before, since=None, text=_SINCE.sub(".", before.text)) if before.since else None


_SINCE: Final = re.compile(r" since [\d-]+\.$")


def _dated(before: Statement, number: int, day: date | None) -> Statement | None:
    """What takes place on a day, on another one: on `the 15th` of the same month."""
    if _ISO.fullmatch(before.object) is None:
        return None
    old = date.fromisoformat(before.object)
    try:
        new = old.replace(day=number) if number else day
    except ValueError:
        return None
    if new is None:
        return None
    return replace(before, object=new.isoformat(), text=before.text.replace(before.object, new.isoformat()))
