"""Whether lines say that what a memory claims is over, or never was so: of the same subject, kind and thing. Pure.

A shared word is not enough: who goes to the coffee shop in Porto no more may like coffee, and live in Porto. A question
says nothing, and what somebody else is quoted with is theirs.
Good for: refusing an end that its lines do not speak of. Not for: finding ends, which is the model's to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shared.belief.predicates import subject_key
from shared.contract.records import Claim
from shared.language.guessing import language_of
from shared.language.stop_words import STOP_WORDS
from warmpath._ending import says_so
from warmpath._grounding import Fault
from warmpath._kinds import NAMES_ITS_OBJECT, kind_of, speaks_of, word_of
from warmpath._mentioning import mentions
from warmpath._windows import Shown

_SENTENCES: Final = re.compile(r"(?:[^.!?。！？؟\n]|(?<=\d)\.(?=\d))+[.!?。！？؟]*")  # noqa: RUF001 - full-width marks
_ASKS: Final = re.compile(r"[?？؟]\W*$")  # noqa: RUF001
_QUOTED: Final = re.compile(
    '["\u201c\u201e\u00ab\u300c\u300e]([^"\u201c\u201d\u00bb\u300d\u300f]{8,})["\u201c\u201d\u00bb\u300d\u300f]'
    r"|(?<!\w)['\u2018]((?:[^'\u2019]|(?<=\w)['\u2019](?=\w))+)['\u2019](?!\w)"
)
_JOINS: Final = re.compile(r"^(?:and|but|or|because|though|while|whereas)\s", re.IGNORECASE)
_CLAUSES: Final = re.compile(r"[,;:–—]\s|\s(?=(?:and|but|or|because|though|while|whereas)\s)", re.IGNORECASE)  # noqa: RUF001
_SHORT_WORDS: Final = 3
"""A stretch of a sentence that is no longer says nothing by itself: `not any more`."""
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_POINTS_BACK: Final = re.compile(
    r"\b(?:it|its|that|this|there|them|they|he|she|him|her|one|ones|both|either|neither|those|these)\b", re.IGNORECASE
)
_OF_ONESELF: Final = re.compile(r"\b(?:i|i'\w+|im|ive|we|we'\w+|weve)\b", re.IGNORECASE)
_TO_ONESELF: Final = re.compile(r"\b(?:me|us|mine|ours)\b", re.IGNORECASE)
_OF_ANOTHER: Final = re.compile(r"\b(?:he|she|they|(?:he|she|they)'\w+)\b", re.IGNORECASE)
_OPENS: Final = frozenset(
    ["yes", "yeah", "yep", "ok", "okay", "well", "sadly", "finally", "actually", "sorry", "hey", "oh", "ah", "please"]
)
_DETERMINERS: Final = frozenset(["my", "our", "the", "this", "that", "these", "those", "a", "an"])
_ANSWERS: Final = frozenset(["no", "nope", "nah", "not", "never", "neither", "none"])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stretch:
    """A part of a sentence, with what was said before it."""

    text: str
    before: str
    speaker: str

    @property
    def in_english(self) -> bool:
        return language_of(f"{self.before} {self.text}") == "en"

    @property
    def around(self) -> str:
        """The words by which it is told what it speaks of."""
        short = len(_WORD.findall(self.text)) <= _SHORT_WORDS
        words = _WORD.findall(self.text.casefold())
        answers = bool(words) and words[0] in _ANSWERS | _OPENS
        points = not self.in_english or short or answers or _POINTS_BACK.search(self.text) is not None
        return f"{self.before} {self.text}" if points else self.text


def is_over(claim: Claim, lines: Sequence[Shown], asked: Sequence[str], language: str | None, *, whole: bool) -> bool:
    """Whether some lines say beyond doubt that what is claimed is over; False where it is a guess.

    `asked` is what was asked right before them, `language` what the model calls theirs. Without `whole` the thing
    itself need not be named: something of its kind has its place.

    Raises:
        Fault: they speak of something else, of somebody else, or say nothing of the sort themselves.
    """
    said = [(shown.line.speaker, sentence) for shown in lines for sentence in asserted(shown.text)]
    if not says_so((sentence for _, sentence in said), language):
        if says_so((shown.text for shown in lines), language):
            raise Fault("not_said", "its lines only ask whether it is over, or quote somebody else; that ends nothing")
        return False
    first: Fault | None = None
    for clause in (True, False):
        for stretch in _stretches(said, " ".join(asked), clauses=clause):
            if not says_so([stretch.text], language):
                continue
            fault = _fault(claim, stretch, whole=whole)
            if fault is None:
                return clause
            first = first or fault
    if first is None:
        return False
    raise first


def asserted(text: str) -> Iterator[str]:
    """The sentences of a text that say something in the speaker's own name: no question, nothing that is quoted."""
    for sentence in _SENTENCES.findall(_QUOTED.sub(_of_ones_own, text)):
        if sentence.strip() and not _ASKS.search(sentence):
            yield sentence.strip()


def _of_ones_own(quoted: re.Match[str]) -> str:
    """What is quoted, where it is a title or a word; nothing where it is somebody's sentence."""
    words = quoted[1] or quoted[2] or ""
    is_a_sentence = says_so([words], language_of(words)) and len(_WORD.findall(words)) > _SHORT_WORDS
    return " " if is_a_sentence else quoted[0]


def _stretches(said: Sequence[tuple[str, str]], asked: str, *, clauses: bool) -> Iterator[_Stretch]:
    before = asked
    for speaker, sentence in said:
        for part in _clauses(sentence) if clauses else [sentence]:
            yield _Stretch(text=part, before=before, speaker=speaker)
            before = part


def _clauses(sentence: str) -> list[str]:
    """The parts of a sentence that say something each; a short one belongs to the one before it."""
    found: list[str] = []
    for part in filter(str.strip, _CLAUSES.split(sentence)):
        if found and (_length(part) <= _SHORT_WORDS or _length(found[-1]) < _SHORT_WORDS):
            found[-1] += f", {part.strip()}"
        else:
            found.append(part.strip())
    return found


def _length(part: str) -> int:
    """Its words, but for the one that joins it to what is before."""
    return len(_WORD.findall(_JOINS.sub("", part)))


def _fault(claim: Claim, stretch: _Stretch, *, whole: bool) -> Fault | None:
    """Why a stretch does not say that what is claimed is over; None where it does."""
    if whole and not _names(claim, stretch):
        return Fault("not_its_object", f"its lines say nothing of {claim.object!r}; cite the line that does, too")
    if speaks_of(claim.predicate, stretch.around) is False:
        return Fault("not_its_kind", f"its lines say of {claim.object!r} something else than that it {claim.predicate}")
    if not _is_of(claim, stretch):
        return Fault("not_its_subject", f"its lines say that of somebody else than {claim.subject!r}")
    return None


def _names(claim: Claim, stretch: _Stretch) -> bool:
    if stretch.in_english and kind_of(claim.predicate) in NAMES_ITS_OBJECT and _owned(claim, stretch.around):
        return True
    named = mentions(stretch.around, claim.object)
    return named is None or (named and not (stretch.in_english and _is_part_of_more(claim.object, stretch.around)))


def _owned(claim: Claim, text: str) -> bool:
    """Whether the word for what somebody is to one stands there by itself: `my sister`, but not `my sister's dog`."""
    words = word_of(claim.predicate).pattern
    return re.search(rf"\b(?:my|our|the)\s+(?:\w+\s+)?{words}(?!['\u2019]s\b)", text, re.IGNORECASE) is not None


def _is_part_of_more(obj: str, text: str) -> bool:
    """Whether a thing is only ever named as a part of the name of another: `coffee` of `the coffee shop`."""
    last = _WORD.findall(obj)[-1:]
    follows = re.findall(rf"(?<!\w){re.escape(last[0])}(?!\w)(?:[ ]+([^\W\d_]+))?", text, re.IGNORECASE) if last else []
    return bool(follows) and all(map(_is_a_thing, follows))


def _is_a_thing(word: str) -> bool:
    """Whether a word behind a noun may be another noun, as far as its form tells."""
    plain = word.casefold()
    if not plain or plain in STOP_WORDS or says_so([plain], "en"):
        return False
    return not plain.endswith(("ly", "ed", "s")) and plain not in {"today", "yesterday", "ever", "never", "because"}


def _is_of(claim: Claim, stretch: _Stretch) -> bool:
    """Whether a stretch is of the subject of a claim, as far as that can be told: in English alone."""
    if not stretch.in_english:
        return True
    if subject_key(claim.subject) != subject_key(stretch.speaker):
        whose = claim.subject.rpartition("'s ")[2]
        return mentions(stretch.around, whose) is not False
    if _OF_ONESELF.search(stretch.text):
        return True
    if _OF_ANOTHER.search(stretch.text) and not _acts(claim):
        return False
    return _TO_ONESELF.search(stretch.text) is not None or _leads(claim, stretch)


def _acts(claim: Claim) -> bool:
    """Whether the thing is somebody, who may be spoken of in the place of the one whose it is."""
    return kind_of(claim.predicate) in NAMES_ITS_OBJECT or claim.predicate in {"pet", "manager", "colleague"}


def _leads(claim: Claim, stretch: _Stretch) -> bool:
    """Whether the first words of a stretch are of the thing, of its kind or its end, and of nobody else."""
    words = [each.casefold() for each in _WORD.findall(stretch.text)]
    while words and (words[0] in _OPENS or words[0].endswith("ly")):
        words = words[1:]
    if not words or words[0] in _ANSWERS or (words[0] in STOP_WORDS and words[0] not in _DETERMINERS):
        return True
    lead = words[1:3] if words[0] in _DETERMINERS else words[:1]
    if any(re.search(r"['\u2019]s$", each) for each in lead):
        return False
    named = " ".join(lead)
    return (
        mentions(named, claim.object) is True
        or word_of(claim.predicate).search(named) is not None
        or (words[0] not in _DETERMINERS and says_so([named], "en"))
        or mentions(named, claim.subject) is True
    )
