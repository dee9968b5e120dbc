"""By what a name is known again, and under which other forms it is found. Pure.

Part of the graph view: a change goes together with a reindex.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from shared.language.characters import FOLD, HAN, HANGUL, HIRAGANA, KATAKANA
from shared.language.ordinary import NEVER, ORDINARY

MAX_WORDS: Final = 8
"""Words of one name; a longer sequence of capitals is a heading or shouting."""
MAX_KEY_CHARS: Final = 80
MAX_PHRASES: Final = 128
"""Runs of words of a query that are looked up."""
MAX_CHARS_ASKED: Final = 2_000
_SEPARATORS: Final = re.compile(r"[\W_]+")
_SHORTEST_FORM: Final = 2
_FEWEST_INITIALS: Final = 3
_LONGEST_PHRASE: Final = 4
_OWNING: Final = re.compile(r"(?<=\w)['\u2019]s\b")
_INITIAL: Final = re.compile(r"\b([^\W\d_])\. ?")
_INITIALS: Final = re.compile(r"\b[b-z](?: [b-z]\b)+")
_ARTICLES: Final = frozenset({"the", "a", "an"})
_JOINING = """
    of the de da das do dos del della delle di du des la las le les los van von der den het el al bin ibn ben zu y e
"""
JOINING: Final = frozenset(_JOINING.split())
"""What may stand within a name, small."""
CASELESS: Final = re.compile(rf"[{HAN}{HIRAGANA}{KATAKANA}{HANGUL}]")
"""A character of a script without capitals in which one alone may be a name."""


def key_of(written: str) -> str:
    """By what a name is known: folded, without a possessive ending, a leading article, or punctuation.

    Empty where nothing is left that tells one name from another.
    """
    parts = _parts(written[: 2 * MAX_KEY_CHARS])
    while len(parts) > 1 and parts[0] in _ARTICLES:
        parts = parts[1:]
    key = " ".join(parts[:MAX_WORDS])[:MAX_KEY_CHARS].strip()
    if len(key) < _SHORTEST_FORM and not CASELESS.match(key):
        return ""
    return "" if key.isdigit() else key


def aliases(key: str) -> list[str]:
    """Other forms under which a name is found: the words it begins and ends with, its initials, and short forms.

    A function of the key alone, so which names are alike does not depend on the order in which they came.
    """
    words = key.split()
    forms = [" ".join(part) for n in range(1, len(words)) for part in (words[:n], words[-n:])]
    if len(words) >= _FEWEST_INITIALS:
        forms.append("".join(word[0] for word in words))
    if len(words) == 1 and key.isalpha() and not CASELESS.match(key):
        forms += [key[:n] for n in (3, 4) if len(key) >= n + 2]
    return [form for form in dict.fromkeys(forms) if _tells(form) and form != key]


def _tells(form: str) -> bool:
    """Whether a form may be told from ordinary words."""
    first, _, rest = form.partition(" ")
    last = rest.rpartition(" ")[2] or first
    if NEVER.intersection((first, last)) or JOINING.intersection((first, last)):
        return False
    return len(form) >= _SHORTEST_FORM and form not in ORDINARY and not form.isdigit()


def phrases(text: str) -> list[str]:
    """Keys of all runs of up to four words in a text, whatever their case, that may be names; at most `MAX_PHRASES`."""
    words = _parts(text[:MAX_CHARS_ASKED])
    runs = (words[at : at + n] for at in range(len(words)) for n in range(1, _LONGEST_PHRASE + 1))
    found = dict.fromkeys(form for run in runs if (form := " ".join(run)) and _tells(form))
    return list(found)[:MAX_PHRASES]


def _parts(text: str) -> list[str]:
    """The words of a text, folded; initials that stand together are one, whether they have dots and spaces or not."""
    folded = _OWNING.sub("", unicodedata.normalize("NFKC", text).casefold()).translate(FOLD).replace("'", "")
    if "." in folded:
        folded = _INITIAL.sub(r"\1 ", folded)
    return _INITIALS.sub(_joined, " ".join(filter(None, _SEPARATORS.split(folded)))).split()


def _joined(initials: re.Match[str]) -> str:
    return initials.group().replace(" ", "")
