"""Which language a text is in, guessed by its script and its most common words. Pure, microseconds.

Good for: keeping rules of English away from other languages. Not for: telling apart languages of one script beyond
the seven here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from shared.language.times.books import BOOKS

_SCRIPTS: Final = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7a3]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_ENGLISH: Final = frozenset(
    [
        "the",
        "a",
        "an",
        "and",
        "or",
        "but",
        "of",
        "to",
        "in",
        "on",
        "at",
        "for",
        "with",
        "from",
        "by",
        "is",
        "are",
        "was",
        "were",
        "am",
        "be",
        "been",
        "i",
        "i'm",
        "im",
        "i've",
        "ive",
        "my",
        "me",
        "we",
        "our",
        "us",
        "you",
        "your",
        "he",
        "she",
        "it",
        "they",
        "them",
        "his",
        "her",
        "their",
        "this",
        "that",
        "these",
        "those",
        "not",
        "no",
        "don't",
        "dont",
        "can't",
        "cant",
        "do",
        "does",
        "did",
        "have",
        "has",
        "had",
        "will",
        "would",
        "can",
        "could",
        "should",
        "just",
        "now",
        "new",
        "so",
        "if",
        "when",
        "what",
        "who",
        "where",
        "why",
        "how",
        "as",
        "about",
        "up",
        "out",
        "all",
        "some",
        "like",
        "love",
        "hate",
        "live",
        "work",
        "moved",
        "no",
        "longer",
        "also",
        "please",
        "always",
        "never",
        "it's",
        "its",
        "there",
        "here",
        "than",
        "then",
        "very",
        "really",
        "used",
        "because",
    ]
)
_MORE: Final = {
    "de": """ich bin nicht und der die das ein eine mein meine meinen meiner wir ist sind war habe hat mit zu auf für
        von es auch mehr jetzt gern mag nach aus bei als kein keine esse wohne arbeite heiße mir mich seit dem den im
        zum""",
    "es": """yo soy no y el la los las un una mi mis es son estoy vivo trabajo tengo con de en por para que se me ya más
        pero muy también como desde al del gusta llamo vivía nuestro nuestra""",
    "fr": """je suis ne pas et le la les un une mon ma mes est sont j'ai avec de en pour que se me plus mais très aussi
        depuis au du j'habite j'aime nous notre dans chez""",
    "it": """sono non e il lo la gli un una mio mia è ho con di in per che mi più ma molto anche da al del vivo abito
        lavoro nella nel""",
    "pt": """eu sou não e o a os as um uma meu minha é são estou moro trabalho tenho com de em por para que se me já
        mais mas muito também desde ao do da no na""",
    "nl": """ik ben niet en de het een mijn is zijn heb woon werk met van in op voor dat die maar ook niet meer wij ons
        naar bij""",
}  # fmt: skip
_BY_LANGUAGE: Final[dict[str, frozenset[str]]] = {"en": _ENGLISH} | {
    name: frozenset(words.split()) | (frozenset(BOOKS[name].common.split()) if name in BOOKS else frozenset())
    for name, words in _MORE.items()
}
_LANGUAGES_OF: Final[dict[str, tuple[str, ...]]] = {
    word: tuple(name for name, words in _BY_LANGUAGE.items() if word in words)
    for word in frozenset().union(*_BY_LANGUAGE.values())
}
"""Of each such word, the languages that it is common in."""
_LEAST: Final = 0.12
"""Share of the letters that a script other than Latin has in a text of that language."""


def language_of(text: str) -> str | None:
    """The language of a text (BCP 47), None where nothing tells it."""
    if not text.isascii() and (name := _by_script(text)):
        return name
    counts = dict.fromkeys(_BY_LANGUAGE, 0)
    for word in _WORD.findall(text.casefold().replace("\u2019", "'")):
        for name in _LANGUAGES_OF.get(word, ()):
            counts[name] += 1
    best = max(counts, key=lambda name: (counts[name], name == "en"))
    return best if counts[best] else None


def _by_script(text: str) -> str | None:
    """The language that a script of its own tells."""
    letters = sum(map(str.isalpha, text))
    return next((name for name, script in _SCRIPTS if letters and len(script.findall(text)) > _LEAST * letters), None)


def main_language(texts: Iterable[str]) -> str | None:
    """The language that most of some texts are in, by their letters."""
    counts: dict[str, int] = {}
    for text in texts:
        if found := language_of(text):
            counts[found] = counts.get(found, 0) + len(text)
    return max(counts, key=lambda name: counts[name]) if counts else None
