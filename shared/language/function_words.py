"""Terms that tell nothing of what is asked, in other languages than English: words of grammar. Pure.

English ones are no terms at all (`stop_words`). In other languages they are looked up, since a list that is wrong would
lose what is found by them; but whatever holds no more of a query than these has nothing to do with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from shared.language.text import terms
from shared.language.times.books import BOOKS

_JAPANESE: Final = re.compile(r"[\u3041-\u309f何誰私僕俺今]+")
_CHINESE: Final = re.compile(
    "[我你您他她它们們的了是在有和与與就不也都很还還吗嗎呢吧啊什么麼甚怎样樣哪谁誰几幾多少个個这這那里裡被把]"
)
"""With one of these a pair of characters is no word, or one that anything is asked with."""
_KOREAN_WORDS: Final = """
    나 내 내가 나는 나의 제 제가 저는 저의 우리 우리는 뭐 뭘 무엇 무엇을 무엇이 무슨 어떤 어디 어디에 어디서 언제
    누구 누가 왜 어떻게 얼마 했어 했나 했지 해 있어 있나 있나요 인가요 입니까 습니까 이야 뭐야 그 이 저 것
"""
_KOREAN: Final = frozenset(_KOREAN_WORDS.split())
SPACELESS: Final = frozenset({"ja", "zh", "ko", "th"})
"""Languages of scripts that a model trained on English finds alike in meaning, whatever is said."""


def telling_little(of: Iterable[str], language: str | None) -> frozenset[str]:
    """Those of some terms that are words of grammar in a language (BCP 47).

    None in English, or where the language is not known.
    """
    if language == "ja":
        return frozenset(term for term in of if _JAPANESE.fullmatch(term))
    if language == "zh":
        return frozenset(term for term in of if _CHINESE.search(term))
    if language == "ko":
        return _KOREAN.intersection(of)
    return _common(language).intersection(of) if language in BOOKS else frozenset()


@lru_cache(maxsize=len(BOOKS))
def _common(language: str) -> frozenset[str]:
    return frozenset(terms(BOOKS[language].common))
