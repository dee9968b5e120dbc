"""What stands behind a label that makes it another's words: `Tom: I live in Vienna`, `She was like, I …`. Pure.

Behind a label of what is told (`Update:`, `PS:`) its speaker goes on to speak of themselves. Whether a label is a name
is not written on it, so the tagger is asked: a name stands where only somebody can stand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from shared.language.ordinary import MONTHS, ORDINARY, WEEKDAYS
from shared.language.statements.tagged import Token
from shared.language.statements.words import word_set

Tag = Callable[[str], Sequence[Token]]
_OWN_VOICE: Final = r"\b(?:i|i'm|im|i've|ive|we|we're|my name)\b"
_LABELLED: Final = re.compile(
    rf"(?:^|(?<=[.!?] ))[ \t]*(?P<label>[^\n:.!?]{{2,90}}):[ \t]+(?P<said>(?=[^\n]*{_OWN_VOICE})[^\n]+)",
    re.IGNORECASE | re.MULTILINE,
)
_FORWARDED: Final = re.compile(
    r"(?:^|\n)[ \t-]*(?:fwd?|fw|(?:begin )?forwarded(?: message)?|original message)\b[ \t-]*(?::|(?=\n))", re.IGNORECASE
)
_NAME: Final = re.compile(r"[A-Z][a-z'\u2019-]+(?: [A-Z][a-z'\u2019-]+)?")
_NO_NAME: Final = word_set("""
    hobby hobbies edit job intro status diet profile address spoiler confession occupation medication disclaimer
    summary nationality pronouns birthday skills goals me myself mood bio
""")
_PARENTS: Final = word_set("mum mom dad mother father grandma grandpa granny")
_QUOTING: Final = re.compile(
    r"\b(?:(?:goes|went|says|said|wrote|writes|texted|texts|replied|replies|answered|posted|messaged|emailed|shouted"
    r"|sang|sings|reads|told (?:me|us)|sent (?:me|us)(?: this)?|(?:was|is|were|are|be|'s) (?:just |all )*like)"
    r"(?: (?:me|us|back|to me|this|that|today|yesterday|just now|again|on \w+))*)$"
    r"|\b(?:quote|quotation|lyrics?|caption|headline|proverb|slogan|riddle|meme|tweet)\b"
    r"|\bthe (?:answer|solution) (?:to|for)\b(?!.*\byour\b)",
    re.IGNORECASE,
)
_FROM: Final = re.compile(
    r"(?:a |an |the |this )?(?:message|e-?mail|text|note|letter|reply|post|comment) from (?!me\b)"
    r"|(?-i:[A-Z])[\w-]+'s (?:message|e-?mail|text|note|letter|reply|answer|post|comment|bio|words)$",
    re.IGNORECASE,
)
_OWN_LABEL: Final = re.compile(
    r"\b(?:i|i'd|i've|we|my|our|mine|doctor|gp|dentist|nurse|specialist|allergist|consultant|therapist)\b",
    re.IGNORECASE,
)
"""What their speaker says of themselves, or what somebody found who knows."""
_LIKE: Final = re.compile(
    r"(?<!\bas )(?<!\bhow )(?<!here )\b(?:he|she|they|(?:my|the|this|that|some|our) [\w-]+|(?-i:[A-Z][a-z]+))"
    r"(?: goes,|(?:'s| is| was| were|'re| are) (?:just |all )*like,?)\s+(?=(?-i:I)\b|i'm\b|im\b|we\b|my name\b)"
    r"(?P<said>[^.!?\n]*)",
    re.IGNORECASE,
)


def behind_no_label(text: str, *, tag: Tag, speaker: str) -> str:
    """The text with blanks for what another says in it; as long as the text. `speaker` may stand before a colon."""
    if forwarded := _FORWARDED.search(text):
        text = text[: forwarded.end()] + _blanks(text[forwarded.end() :])
    text = _LIKE.sub(lambda said: _without(said, "said"), text)
    return _LABELLED.sub(
        lambda line: _without(line, "said") if _is_other(line["label"], tag, speaker) else line[0], text
    )


def _is_other(label: str, tag: Tag, speaker: str) -> bool:
    label = " ".join(label.replace("\u2019", "'").split())
    if label.casefold() == speaker.casefold() or label.casefold() in speaker.casefold().split():
        return False
    if _FROM.match(label) or (_QUOTING.search(label) and not _OWN_LABEL.search(label)):
        return True
    return _NAME.fullmatch(label) is not None and _is_somebody(label, tag)


def _is_somebody(label: str, tag: Tag) -> bool:
    words = set(label.lower().split())
    if words <= _PARENTS:
        return True
    if words & (ORDINARY | MONTHS | WEEKDAYS | _NO_NAME):
        return False
    placed = tag(f"{label} lives here with {label}.")
    labelled = tag(f"{label}: I live here.")
    return placed[0].pos == "PROPN" or labelled[0].pos == "PROPN"


def _without(match: re.Match[str], group: str) -> str:
    whole, at = match.group(), match.start(group) - match.start()
    return whole[:at] + _blanks(whole[at : at + len(match[group])]) + whole[at + len(match[group]) :]


def _blanks(text: str) -> str:
    return "".join(sign if sign == "\n" else " " for sign in text)
