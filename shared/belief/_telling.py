"""Words by which two texts that are worded alike say different things: numbers, dates and negations of a few languages.

In a language that is not listed, a text still differs by its digits and its names, and where there are no vectors by
every word. A word that is listed for nothing costs a twin that is not seen; it never makes two facts one.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from shared.language.characters import FOLD
from shared.language.ordinary import MONTHS, WEEKDAYS


def folded(text: str) -> str:
    """A text with case, width, accents and the digits of all scripts folded, and its signs as they are."""
    composed = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign if (fold := FOLD[ord(sign)]) in {" ", ""} else fold for sign in composed)


# One is an article in half of them, and left out.
_COUNTED: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve",
    "null _ zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "zéro _ deux trois quatre cinq six sept huit neuf dix onze douze",
    "cero _ dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "zero _ due tre quattro cinque sei sette otto nove dieci undici dodici",
    "zero _ dois três quatro cinco seis sete oito nove dez onze doze",
    "nul _ twee drie vier vijf zes zeven acht negen tien elf twaalf",
    "zero _ dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście",
    "ноль _ два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
)
_FURTHER = """
    thirteen 13 fourteen 14 fifteen 15 sixteen 16 seventeen 17 eighteen 18 nineteen 19 twenty 20 thirty 30 forty 40
    fifty 50 sixty 60 seventy 70 eighty 80 ninety 90 hundred 100 thousand 1000 million 1000000 dozen 12 half 0.5
    first 1 second 2 third 3 fourth 4 fifth 5 sixth 6 seventh 7 eighth 8 ninth 9 tenth 10 once 1 twice 2
"""
NUMBERS: Final = {
    folded(word): number
    for row in (
        _FURTHER.split(),
        *([each for number, word in enumerate(row.split()) for each in (word, str(number))] for row in _COUNTED),
    )
    for word, number in zip(row[::2], row[1::2], strict=True)
    if word != "_"
}
"""Words for numbers, to their digits. A word that counts otherwise in two languages counts as in the last of them."""

_DATES = """
    today tomorrow yesterday tonight now later soon next last ago since until before after morning noon afternoon
    evening night weekend daily weekly monthly yearly spring summer autumn winter
    heute morgen gestern jetzt nächste nächsten nächster letzte letzten vor seit bis montag dienstag mittwoch
    donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember
    aujourd'hui demain hier maintenant prochain prochaine dernier dernière depuis lundi mardi mercredi jeudi
    vendredi samedi dimanche janvier février mars avril juin juillet août septembre octobre novembre décembre
    hoy mañana ayer ahora próximo próxima pasado pasada desde hasta lunes martes miércoles jueves viernes sábado
    domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    oggi domani ieri adesso prossimo prossima scorso scorsa lunedì martedì mercoledì giovedì venerdì sabato
    domenica gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
    hoje amanhã ontem agora segunda terça quarta quinta sexta janeiro fevereiro março maio junho julho setembro
    outubro novembro dezembro
"""
DATES: Final = MONTHS | WEEKDAYS | frozenset(folded(_DATES).split())
"""Words that say when."""

_NEGATIONS = """
    not no never none nobody nothing nowhere neither nor without cannot cant dont doesnt didnt isnt arent wasnt werent
    wont hardly barely except unless anymore
    nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder
    ne pas jamais sans aucun aucune rien personne nunca sin ningún ninguno ninguna nada tampoco
    non mai senza nessun nessuno nessuna niente não sem nenhum nenhuma niet geen nooit zonder nie nigdy bez żaden nic
    не нет ни никогда без никто ничего لا لم لن ليس ليست غير بدون
"""
NEGATIONS: Final = frozenset(folded(_NEGATIONS).split())
"""Words that deny, counted where they stand alone."""

NEGATED_WITHIN: Final = re.compile(
    r"[不没沒无無非别別未]|ない|なかった|ません|ずに|않|지 ?못|(?<!\w)안 |없|아니|ไม่|मत|नहीं"
)
"""The same in scripts that write no spaces, or within a word."""

_MEANING_LITTLE = """
    a an the that which who also really very actually basically honestly literally definitely please well so oh ok okay
    and of in on at is are be am do does it its
"""
MEANING_LITTLE: Final = frozenset(_MEANING_LITTLE.split())
"""English words that a text may have or lack and say the same. None that says when, how many, whether, who or whence:
was and had, just and too, to and from change a claim."""
