"""Whether a question carries little but a time: "What did I do yesterday?". By rules, without a model. Pure.

Such a question shares no word and no meaning with what it asks for, so whatever else is known of the memories of the
time says little of which are meant, and of other times nothing.
"""

from __future__ import annotations

import re
from typing import Final

from shared.language.stop_words import STOP_WORDS
from shared.language.time_expressions import Window
from shared.language.times.books import BOOKS

_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_APOSTROPHE: Final = re.compile(r"['\u2019]")
_WORDS: Final = """
    happen happens happened happening occur occurred go goes going went gone say says said saying tell tells told
    telling talk talked talking speak spoke spoken discuss discussed discussing mention mentioned chat
    chatted note noted done anything everything something nothing thing things stuff else new news event events
    activity activities day days week weeks month months year years time times morning afternoon evening night today
    summarise summarize summary recap list show give remind remember recall know please able like much many way
    gemacht machte machten getan tat passiert passierte geschehen geschah los gab gibt es gesagt erzählt besprochen
    gesprochen alles im am um uns
    fait fais faisais faisait passé passe s'est c'est dit parlé raconté arrivé ai qu'ai a ce tu on nous
    hice hizo hicimos hacía pasó paso ocurrió dije hablamos hablé conté sucedió
    fatto feci successo detto parlato abbiamo
    fiz fizemos fazia aconteceu disse falei falamos aconteceram
    gedaan gebeurd gebeurde gezegd verteld ging
    делали случилось произошло сказал сказала говорил говорили рассказывал рассказывала делалось
    حدث حصل تحدثنا جرى فعلنا
"""
"""Words of many languages with which anything at all is asked for."""
_GENERAL: Final = frozenset(_WORDS.split())
_OTHERS: Final = frozenset(word.strip("'") for book in BOOKS.values() for word in book.common.split())
_SPACELESS: Final = re.compile(
    r"(?:何|なに|なん|私|わたし|俺|僕|こと|出来事|起き|起こ|話|言|教えて|ください|どんな|で|す|し|た|て|い|る|っ|ま|あ|り|は|が|を|に|と|も|の|か|ね|よ"
    r"|我|们|們|咱|你|了|在|的|做|干|幹|过|過|什|么|麼|甚|啥|事|情|些|哪|有|发|發|生|说|說|聊|告|诉|訴|吗|嗎|呢|都|是|曾|到底|请|請|天"
    r"|나|내|우리|는|가|은|이|뭐|뭘|무엇|무슨|일|을|를|했|하|었|있|던|어|나|요|니|지|에|도|까|습|말|얘기|이야기|고|났"
    r"|ฉัน|ผม|เรา|ทำ|อะไร|บ้าง|เกิด|ขึ้น|มี|ได้|พูด|คุย|ที่|ครับ|คะ|ค่ะ|เมื่อ|ใน|กัน|นี้)+"
)


def asks_only_when(query: str, window: Window | None) -> bool:
    """Whether a query names a time and nothing else that tells one memory from another."""
    if window is None:
        return False
    rest = _SPACELESS.sub(" ", query.replace(window.matched, " ", 1).casefold())
    return not any(char.isdigit() for char in rest) and all(map(_is_general, _WORD.findall(rest)))


def _is_general(word: str) -> bool:
    plain = _APOSTROPHE.sub("", word)
    return plain in STOP_WORDS or not {word, *_APOSTROPHE.split(word)} - _GENERAL - _OTHERS
