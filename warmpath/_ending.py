"""Whether lines say that something is over, has changed or never was so, by the words of 14 languages. Pure.

A model ends memories for having heard them again, or for a line that speaks of something else. Where no word of the
cited lines says that anything is over, its end is as good as a guess: it waits for a second piece of evidence.
Good for: telling such guesses apart. Not for: finding out what has ended; the words may be of something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from shared.language.guessing import language_of

GUESSED: Final = 0.1
"""How sure an end is of which the cited lines have no word: less than a gate lets pass on one piece of evidence."""
_SPACED: Final[Mapping[str, str]] = {
    "en": r"not?|nope|nah|never|\w+n't|cannot|no longer|any ?more|any longer|neither|nor|none|without|former(?:ly)?"
    r"|used to|ex|now|nowadays|these days|since then|instead|rather than|until|wrong|mistaken?|incorrect|untrue|false"
    r"|actually|correction|joking|kidding|lied|made (?:it|that) up|mov(?:e|ed|ing)|left|leav(?:e|es|ing)|quit\w*"
    r"|resign\w*|fired|laid off|let go|retir\w*|stop\w*|ceas\w*|end(?:s|ed|ing)?|over|done with|finish\w*|gave|giv\w+"
    r"|drop(?:s|ped|ping)?|cancel\w*|called off|postpon\w*|resched\w*|sold|sell\w*|lost|los(?:e|ing)|stolen|broke\w*"
    r"|split|divorc\w*|separat\w*|died|dead|pass(?:ed)? away|(?:put|had to put) \w+ down|rehomed|switch\w*|swap\w*"
    r"|chang\w*|replac\w*|bec[ao]m\w+|turn(?:ed|s)|new|renam\w*|got rid|sick of|tired of|fed up|went off|outgr\w+"
    r"|recover\w*|cured|healed|gone|expired|closed|shut|deleted|remov\w*|forget|instead of|except",
    "de": r"nicht|nichts|nie(?:mals)?|kein\w*|nein|nee|mehr|früher|ehemalig\w*|jetzt|inzwischen|mittlerweile"
    r"|stattdessen|statt|ohne|falsch|irrtum|geirrt|stimmt nicht|umgezogen|ziehe|gezogen|verlassen|verließ|gekündigt"
    r"|aufgehört|aufgegeben|abgesagt|abgebrochen|beendet|vorbei|fertig|verkauft|verloren|gestohlen|getrennt|geschieden"
    r"|gestorben|tot|gewechselt|wechsl\w*|geändert|ersetzt|geworden|neu\w*|weg",
    "nl": r"niet|niets|nooit|geen|nee|meer|vroeger|voormalig\w*|nu|inmiddels|tegenwoordig|in plaats|zonder|fout|vergist"
    r"|verhuisd|verlaten|ontslag|gestopt|stop|opgegeven|afgezegd|geannuleerd|voorbij|klaar|verkocht|verloren|gestolen"
    r"|uit elkaar|gescheiden|overleden|dood|gewisseld|veranderd|vervangen|geworden|nieuwe?|weg",
    "sv": r"inte|aldrig|ingen|inget|inga|nej|längre|förr|tidigare|nu|numera|istället|utan|fel|flyttat|flyttade|lämnat"
    r"|slutat|slutade|sagt upp|inställt|avbokat|över|klar|sålt|sålde|förlorat|stulen|skild|dött|dog|död|bytt|bytte"
    r"|ändrat|ersatt|blivit|ny[at]?|borta",
    "es": r"no|ni|nunca|jamás|ningun[ao]?|nada|ya|antes|ex|ahora|actualmente|en lugar|en vez|sin|equivoc\w*|falso"
    r"|mentira|mud\w+|dej\w+|renunci\w*|abandon\w*|par[éó]|cancel\w*|anul\w*|termin\w*|acab\w*|vend\w+|perd\w+|rob\w+|separ\w*"
    r"|divorci\w*|muri\w*|muert\w*|falleci\w*|cambi\w*|reemplaz\w*|nuev[ao]s?",
    "fr": r"ne|n['\u2019]\w+|pas|jamais|plus|aucune?|rien|non|avant|autrefois|ancien\w*|ex|maintenant|désormais"
    r"|à présent|plutôt|au lieu|sans|faux|tromp\w*|erreur|déménag\w*|quitt\w*|démission\w*|arrêt\w*|abandonn\w*"
    r"|annul\w*|termin\w*|fini\w*|vend\w+|perd\w+|vol[ée]\w*|sépar\w*|divorc\w*|mort\w*|décéd\w*|chang\w*|remplac\w*"
    r"|devenue?|nouve\w+",
    "it": r"non|né|mai|nessun\w*|niente|più|no|prima|ex|ora|adesso|ormai|invece|senza|sbagli\w*|falso|trasferit\w*"
    r"|lasciat\w*|lascio|dimess\w*|licenzi\w*|smess\w*|smetto|abbandon\w*|annull\w*|disdett\w*|finit\w*|vend\w+"
    r"|pers[oaie]|perdut\w*|rubat\w*|separat\w*|divorzi\w*|mort[oaie]|cambi\w*|sostituit\w*|diventat\w*|nuov\w+",
    "pt": r"não|nunca|jamais|nenhuma?|nada|nem|já|mais|antes|antig\w*|ex|agora|atualmente|em vez|sem|errad\w*|engan\w*"
    r"|fals\w*|mud\w+|deix\w+|demit\w*|par(?:ei|ou)|desist\w*|cancel\w*|termin\w*|acab\w*|vend\w+|perd\w+|roub\w*"
    r"|separ\w*|divorci\w*|morr\w*|faleceu|troc\w+|substitu\w*|nov[ao]s?",
    "pl": r"nie|nigdy|żad\w+|już|dawniej|były|była|teraz|obecnie|zamiast|bez|błąd|myl\w+|pomyli\w*|przeprowadzi\w*"
    r"|wyprowadzi\w*|odesz\w*|odszed\w*|rzuci\w*|zwolni\w*|przesta\w*|zrezygnowa\w*|odwoła\w*|skończy\w*|sprzeda\w*"
    r"|zgubi\w*|straci\w*|ukrad\w*|rozsta\w*|rozwi\w+|umar\w*|zmar\w*|nie żyje|zmieni\w*|zamieni\w*|now[yae]",
    "ru": r"не|нет|никогда|никак\w*|больше|уже|раньше|бывш\w*|теперь|сейчас|вместо|без|ошиб\w*|неправда|переехал\w*"
    r"|съехал\w*|уш(?:ёл|ел|ла|ли)|уволил\w*|бросил\w*|перестал\w*|отказал\w*|отменил\w*|закончил\w*|продал\w*|потерял\w*"
    r"|украли|расстал\w*|развел\w*|умер\w*|погиб\w*|сменил\w*|поменял\w*|заменил\w*|стал\w*|нов\w+",
    "uk": r"не|ні|ніколи|більше|вже|раніше|колишн\w*|тепер|зараз|замість|без|помил\w*|неправда|переїха\w*|пішов|пішла"
    r"|звільни\w*|кинув|кинула|переста\w*|відмови\w*|скасува\w*|закінчи\w*|прода\w*|втрати\w*|вкрали|розійш\w*|розлучи\w*"
    r"|помер\w*|зміни\w*|заміни\w*|став|стала|нов\w+",
}
"""Words of ending, change and denial, by language; between words."""
_UNSPACED: Final[Mapping[str, str]] = {
    "ja": r"ない|なく|ません|ぬ|じゃな|もう|やめ|辞め|止め|引っ越|引越|移っ|転職|退職|卒業|離婚|別れ|亡くな|死ん"
    r"|売っ|売り|失く|無く|盗ま|変わ|変え|替え|代わり|以前|昔|元々|今は|最近は|違|間違|嘘|中止|キャンセル"
    r"|終わ|新し",
    "zh": r"不|没|沒|无|無|非|别|別|已经|已經|以前|曾|现在|現在|如今|改|换|換|搬|离|離|辞|辭|退|停|戒|取消|结束"
    r"|結束|完了|卖|賣|丢|丟|失|偷|分手|去世|死|错|錯|假|而是|新",
    "ko": r"안 |않|못|없|아니|아닙|더 이상|이제|예전|전에는|지금은|대신|그만|끊|떠나|떠났|옮|이사|퇴사|이직|은퇴"
    r"|이혼|헤어|죽|돌아가|팔|잃|도난|바꾸|바꿨|바뀌|변|틀렸|틀린|거짓|취소|끝|새로",
}
"""Likewise, where words are not parted by spaces, or are grown together."""


def says_so(texts: Iterable[str], language: str | None) -> bool:
    """Whether any text has such a word: of `language` (BCP 47), or of its own as far as that can be told.

    Where `language` is none that is known here, any word of any language does.
    """
    named = (language or "").partition("-")[0].lower()
    if named and named not in _SPACED and named not in _UNSPACED:
        return any(_words(frozenset()).search(text) for text in texts)
    return any(_words(frozenset({language_of(text) or "", named})).search(text) for text in texts)


@cache
def _words(languages: frozenset[str]) -> re.Pattern[str]:
    known = {name for name in languages if name in _SPACED or name in _UNSPACED} or {*_SPACED, *_UNSPACED}
    spaced = "|".join(_SPACED[name] for name in sorted(known) if name in _SPACED)
    unspaced = "|".join(_UNSPACED[name] for name in sorted(known) if name in _UNSPACED)
    parts = [rf"(?<!\w)(?:{spaced})(?!\w)" if spaced else "", unspaced]
    return re.compile("|".join(filter(None, parts)), re.IGNORECASE)
