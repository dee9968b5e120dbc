"""Which of two claims of one key says more: `Oslo, Norway` than `Oslo`, `4 May 1990` than `4 May`. Pure.

To say less again contradicts nothing and ends nothing, and to say more is no change in the world: it was so before.
What is counted (`two kids`) or measured (`50 mg sertraline`) has the key of the thing, so that another number takes its
place.
"""

from __future__ import annotations

import re
from typing import Final, Protocol

from shared.contract.candidates import Candidate
from shared.contract.records import Claim

_OF_RECORD: Final = ":"
"""Only predicates of records hold it."""
_NUMBERS: Final = "one two three four five six seven eight nine ten eleven twelve"
_COUNT: Final = re.compile(rf"^(?:\d{{1,3}}|{'|'.join(_NUMBERS.split())}|a few|several|many)\s+(?=[^\W\d])")
_DOSE: Final = re.compile(r"^\d+(?:[.,]\d+)?\s?(?:mg|mcg|µg|μg|g|ml|iu|units?|milligrams?)\s+(?:of\s+)?")
_SAME: Final = dict.fromkeys(("kids", "kid", "child", "children"), "children")
_COUNTED: Final = frozenset({"child", "sibling", "pet", "relative", "friend", "owns"})
_IN_YEARS: Final = frozenset({"age"})
_AS_DIGITS: Final = {word: str(number) for number, word in enumerate(_NUMBERS.split(), 1)}
_YEAR: Final = re.compile(r"^(?:1[89]|20)\d\d$")
_STAGES: Final = {
    "boyfriend": "together", "girlfriend": "together", "fiancé": "engaged", "fiancée": "engaged", "fiance": "engaged",
    "fiancee": "engaged", "husband": "married", "wife": "married", "spouse": "married",
}  # fmt: skip
_KINDS_OF_PARTNER: Final = frozenset({*_STAGES, "partner"})
"""Whoever says that they have no wife any more speaks of the one they had, whatever she is called."""
_THE_ONE: Final = {
    "doctor": "doctor", "dentist": "dentist", "therapist": "therapist", "works_at": "employer", "studies_at": "school",
    "lives_in": "home",
}  # fmt: skip
"""Whoever says that they have changed doctors, were laid off, or that Tim moved, speaks of the one there
was, whatever it is called."""
_STAGE: Final = re.compile(rf"['\u2019]s? (?P<word>{'|'.join(_STAGES)})\b", re.IGNORECASE)


def matter_of(predicate: str, folded: str) -> str:
    """What a claim of a predicate with many objects is about: `children` of `two kids`, else the object itself.

    `folded` is the object as it is known again. `a dog` is one of some, and not counted.
    """
    if predicate in _BY_MATTER:
        return _order(folded).removeprefix("never ")
    if predicate == "takes":
        return _DOSE.sub("", folded) or folded
    if predicate == "prefers":
        return folded.partition(_OVER)[2] or folded
    if predicate not in _COUNTED:
        return folded
    bare = _COUNT.sub("", folded)
    first = folded.removesuffix(bare).strip()
    *before, last = bare.split()
    if first == "one":
        last = last if last in _SAME else f"{last}s"
    elif first and not (last.endswith("s") or last in _SAME):
        return folded
    counted = bool(first) or last.endswith("s") or last == "children"
    return " ".join((*before, _SAME.get(last, last))) if counted else folded


_OVER: Final = " over "
"""Of `coffee over tea` the matter is tea: who says later that they prefer tea says the contrary of it."""


def said_of(predicate: str, folded: str) -> str:
    """What a claim says of its matter, in one way for all who say it: `2 kids` of `two kids`, `never use emojis`."""
    if predicate in _BY_MATTER:
        return _order(folded)
    first, _, rest = folded.partition(" ")
    if predicate not in _COUNTED | _IN_YEARS or first not in _AS_DIGITS:
        return folded
    return f"{_AS_DIGITS[first]} {rest}".strip()


def _order(folded: str) -> str:
    """What is wanted or not wanted, however that is put: `don't ever use emojis` is `never use emojis`."""
    plain = _PUT_BEHIND.sub("", _PUT_BEFORE.sub("", folded.replace("\u2019", "'"))).strip()
    if stopped := _STOPPED.match(plain):
        doing = stopped["doing"]
        plain = f"never {_BASE.get(doing, doing.removesuffix('ing'))}{plain[stopped.end() :]}"
    plain = re.sub(
        r"^no more ", "never use ", re.sub(r"^(?:don't ever|do not ever|dont ever|don't|do not|dont) ", "never ", plain)
    )
    return re.sub(r"^always ", "", plain) or folded


_BY_MATTER: Final = frozenset({"instruction"})
"""Of these a claim is about what is to be done or not, and the newest of one key holds."""
_FROM_NOW: Final = r"(?:from now on|from here on|going forward|in (?:the )?future|from today|by default|as a rule)"
_PUT_BEFORE: Final = re.compile(rf"^(?:(?:{_FROM_NOW}|please|pls|also|you should|you must)[,:]? )+")
_PUT_BEHIND: Final = re.compile(rf"(?:,? (?:{_FROM_NOW}|any ?more|again|ever|please|thanks))+$")
_STOPPED: Final = re.compile(r"^(?:stop|quit) (?P<doing>[a-z]+ing)\b")
_BASE: Final = {
    "using": "use", "giving": "give", "writing": "write", "including": "include", "putting": "put", "making": "make",
    "apologising": "apologise", "apologizing": "apologize", "translating": "translate",
}  # fmt: skip


def says_less(one: Claim, other: Claim) -> bool:
    """Whether a claim says nothing of its key that another one does not, and less than that; never of records."""
    less, more = (" ".join(claim.object.casefold().split()).strip(" .") for claim in (one, other))
    if less == more or not less or one.predicate != other.predicate or _OF_RECORD in one.predicate:
        return False
    parts, of = less.split(", "), more.split(", ")
    if parts == of[: len(parts)] or _COUNT.sub("", more) == less or _DOSE.sub("", more) == less:
        return True
    if one.predicate == "preferred_language" and less.startswith("not "):
        return not more.startswith("not ") and more != less.removeprefix("not ")
    if _is_rest_of_it(one.predicate, less, more) or (one.predicate == "marital_status" and _is_to_whom(less, more)):
        return True
    if more.startswith((f"{less}-", f"{less} ", f"{less}t")) and re.fullmatch(r"\d{4}(?:-\d\d){1,2}|\d{4}", less):
        return True
    *day, year = more.split()
    return _YEAR.match(year) is not None and bool(day) and less in {" ".join(day), year}


def _is_to_whom(less: str, more: str) -> bool:
    """`married` says less than `married to Jonas`, which his death ends."""
    return more.startswith(f"{less} to ")


def _is_rest_of_it(predicate: str, less: str, more: str) -> bool:
    """Whether what stands behind the short form only says it in full: `Siemens AG`, `Anna Berg`, `Grorud, Oslo`."""
    if predicate in _PLACES and more.endswith(f", {less}"):
        return True
    if predicate in _PLACES and _UNNAMED.fullmatch(less):
        return _UNNAMED.fullmatch(more) is None
    rest = more.removeprefix(f"{less} ").split() if more.startswith(f"{less} ") else []
    if predicate in _EMPLOYERS:
        return bool(rest) and all(map(_LEGAL_FORM.fullmatch, rest))
    named = all(word.replace("-", "").replace("'", "").isalpha() and word not in _JOINS for word in rest)
    return predicate in _NAMED and 0 < len(rest) <= _MOST_SURNAMES and named


_PLACES: Final = frozenset({"lives_in", "hometown", "birthplace", "located_in"})
_UNNAMED: Final = re.compile(r"(?:an? |the )?(?:[a-z-]+ ){0,2}(?:village|town|city|suburbs?|countryside|island)")
"""Where somebody lives, by its kind alone: it takes no named place's place."""
_EMPLOYERS: Final = frozenset({"works_at", "second_job"})
_LEGAL_FORM: Final = re.compile(
    r"(?:ag|gmbh|se|kg|co|inc|ltd|llc|llp|plc|corp|corporation|limited|incorporated|company|s\.?a|sas|srl|s\.?p\.?a|b\.?v"
    r"|n\.?v|ab|as|a/s|asa|aps|oy|oyj|sarl|pty|kk)\.?,?"
)
_NAMED: Final = frozenset({"name", "partner", "manager", "mother", "father", "doctor", "dentist", "therapist"})
_JOINS: Final = frozenset({"and", "or", "but", "not", "from", "of", "at", "in", "who", "is", "the", "a", "an", "with"})
_MOST_SURNAMES: Final = 2


def stage_of(predicate: str, text: str) -> str:
    """How far two partners are, by the English word for one that a sentence has; empty where it has none.

    `my boyfriend Tom` and `my husband Tom` name one person, and the second says that something has changed.
    """
    found = _STAGE.search(text) if predicate == "partner" else None
    return _STAGES[found["word"].lower()] if found else ""


class Said(Protocol):
    """What was said of a claim."""

    @property
    def candidate(self) -> Candidate:
        """Its words; they have a claim."""

    @property
    def side(self) -> str:
        """What it says of what its key names."""


def says_no_more(one: Said, other: Said) -> bool:
    """Whether what one says of their key is what the other says, or a part of it.

    Partners are not the same before and after a wedding: what says so is another thing.
    """
    claim, of = one.candidate.claim, other.candidate.claim
    assert claim is not None
    assert of is not None
    stages = {stage_of(claim.predicate, each.candidate.text) for each in (one, other)} - {""}
    kind = claim.object.casefold() if claim.predicate == "partner" else ""
    if len(stages | ({_STAGES[kind]} if kind in _STAGES else set())) > 1:
        return False
    if kind in _KINDS_OF_PARTNER or claim.object.casefold() == _THE_ONE.get(claim.predicate):
        return True
    return one.side == other.side or says_less(claim, of)


def is_refined_by(one: Said, other: Said) -> bool:
    """Whether another statement says what this one does and more, so that nothing has changed in the world."""
    return says_no_more(one, other) and not says_no_more(other, one)
