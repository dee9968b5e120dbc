"""What a message asks for, or announces, by its last sentence: the label of a secret, and how surely one follows. Pure.

What is the wifi password?        the label, and nothing but its value is an answer
Here comes my password:           likewise
Do you remember the PIN?          the label, but most answers are none
Which password manager is good?   nothing: another thing
"""

# ruff: noqa: RUF001 - words and marks of many scripts

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shared.accept import lock_words
from shared.accept.beside import is_of_tool
from shared.accept.labels import is_plural, keywords
from shared.accept.seen import seen

if TYPE_CHECKING:
    from collections.abc import Mapping

_LAST_CHARS: Final = 240
"""A sentence that asks for a secret is short; of a longer message only the end is read."""
_CLOSES: Final = "\"'”’»)*_`  \t\n"
_SENTENCES: Final = re.compile(r"(?<=[.!?…？！。\n])\s*|\s+[-\u2013\u2014]\s+")
_POLITE: Final = re.compile(
    r"(?:please|thanks|thank you|bitte|danke|por favor|gracias|s'il (?:te|vous) pla[iî]t|merci|per favore|grazie|"
    r"obrigad[oa]|alsjeblieft|proszę|пожалуйста)[.!]?",
    re.IGNORECASE,
)
_NO_VALUE: Final = re.compile(
    r"\b(?:when|where|why|how (?:long|many|often|much|do|does|did|can|could|should|would|to)|whose|"
    r"wann|wo|warum|wieso|wie (?:lang|oft|viele?)|"
    r"cuándo|dónde|por qué|cuánt\w+|quand|où|pourquoi|combien|quando|dove|perché|onde|por que|"
    r"quant\w|wanneer|waar|waarom|hoe (?:lang|vaak|veel))\b",
    re.IGNORECASE,
)
"""Is answered by a time, a place, a reason or a number of something."""
_WHO: Final = re.compile(
    r"\b(?:who|whom|wer|wem|wen|quién|quiénes|qui|chi|quem|wie (?:weet|heeft|kent)|kto|кто|хто)\b", re.IGNORECASE
)
_MY: Final = (
    r"(?:(?:the|my|your|our|his|her|their|its|that|this|der|die|das|dein|deine|ihr|ihre|euer|eure|mein|meine|unser|unsere|"
    r"el|la|tu|su|mi|vuestra|nuestra|le|ton|ta|votre|mon|ma|notre|il|lo|tua|tuo|sua|suo|mia|mio|o|a|sua|seu|tua|teu|minha|"
    r"meu|de|het|je|jouw|uw|mijn|onze)\s|l['’])"
)
_WHAT: Final = (
    r"what(?:['’]?s| is| was| are|['’]re)|was (?:ist|war|lautet)|wie (?:ist|lautet|heißt|war)|"
    r"cu[áa]l (?:es|era)|qu[ée] es|quel(?:le)? (?:est|était)|c['’]est quoi|qual(?: è|['’]è| é|e è)|wat (?:is|was)|"
    r"jakie (?:jest|było)|jaki jest|jaké je|какой|яки[йм]|який"
)
_GIVE: Final = (
    r"(?:tell|give|send|text|show|remind|lend|pass|read)(?: (?:me|us))?(?: of| again| what)?|"
    r"next(?: message| one)? (?:is|comes)|"
    r"(?:may|can|could) (?:i|we) (?:please )?(?:have|get|see)|(?:i|we)(?: will|['’]ll)? (?:just )?need(?: to know)?|"
    r"(?:please |now )?(?:enter|type|type in|state|provide|confirm|say|share)|"
    r"(?:here|this)(?:['’]s| is| are| comes| come| goes)|(?:hier|da) (?:ist|kommt|sind|is|komt)|das ist|"
    r"(?:sag|sagst|nenn|nennst|gib|gibst|schick|schickst|verrat|verrätst)e?(?: du)?(?: mir| uns)?(?: bitte)?(?: mal)?|"
    r"(?:geben|nennen|sagen|verraten) sie(?: mir| uns)?(?: bitte)?|"
    r"(?:dime|dame|pásame|mándame|dinos|me das|me dices|me pasas|aquí (?:va|está|tienes)|esta es|introduce|escribe)|"
    r"(?:dis|donne|envoie|rappelle|dites|donnez)-(?:moi|nous)|(?:donner|dire|envoyer|rappeler)|voici|voilà|"
    r"entrez|saisissez|dimmi|dammi|mandami|mi (?:dai|dici|mandi)|ecco|inserisci|"
    r"(?:me )?(?:diz|diga|dá|dê|passe?|passa|mand[ae])(?:-me)?|"
    r"(?:aqui (?:está|vai)|eis)|digite|(?:geef|zeg|stuur)(?: me| mij| ons)?|podaj|powiedz|oto|"
    r"скажи|дай|напиши|вот|введите"
)
_ASKS: Final = re.compile(
    rf"(?:^|[\s,;:(¿¡\"'“«-])(?:(?:{_WHAT})|(?:{_GIVE}))\s(?:{_MY})?(?:[\w'’.-]{{1,30}}\s){{0,3}}$", re.IGNORECASE
)
"""Before the label: what asks for nothing but the value, or announces it."""
_BARE: Final = re.compile(
    rf"(?:(?:and|so|ok|okay|the|und|y|et|e|en|a|ah|hey|hi)[,]?\s){{0,2}}(?:{_MY})?"
    r"(?:(?!(?:wh|welch|qu|is|are|was|do|did|does|has|have|had|ist|hast?|any|no|new|old|change|reset|forg[eo]t|use|about)\w*\s)"
    r"[\w'’.-]{1,30}\s)?",
    re.IGNORECASE,
)
_WHICH: Final = re.compile(
    r"\b(?:which|what|welches|welche|welchen|qué|quelle?|quale|qual|welk)\s(?:[\w-]{1,20}\s){0,2}$", re.IGNORECASE
)
_USED: Final = re.compile(
    r"\s(?:(?:do|did|does|should|shall|must|can|could|have|has|soll|hast|muss)\s(?:i|we|you|he|she|they|ich|du|wir)\s"
    r"(?:use|used|enter|type|set|choose|chosen|pick|picked|need|give|given|take|try|nehmen|eingeben|benutzt)|"
    r"(?:is|was|ist|war|est|es|è|é)\s(?:it|that|das|es|ça))\b",
    re.IGNORECASE,
)
_IS: Final = r"(?:is|are|ist|lautet|es|est|è|é|jest|это)"
_FOLLOWS: Final = (
    r"(?:this|the following|as follows|follows|below|next|in (?:the|my) next (?:message|one|text)|wie folgt|folgt|"
    r"esta|la siguiente|a seguinte|la seguente)"
)
_TAIL: Final = re.compile(
    r"(?:\s(?:for|to|of|on|at|in|from|für|zum|zur|vom|von|im|pour|de|du|del|della|di|do(?! (?:you|i|we|they)\b)|da|"
    r"para|per|voor|van|od|от|для)(?:\s[^\s,;:.!?]{1,30}){1,6}?)?"
    r"(?:,?\s(?:again|now|please|then|here|nochmal|noch mal|bitte|jetzt|por favor|ahora|déjà|maintenant|s'il te plaît|"
    rf"adesso|agora|ook alweer|though|by the way|anyway|{_IS}|{_FOLLOWS}))*(?:,\s[^\s,;:.!?]{{1,20}})?\s*",
    re.IGNORECASE,
)
_ANNOUNCES: Final = re.compile(rf"\s(?:{_IS}|{_FOLLOWS}|please|bitte|por favor)\s*$", re.IGNORECASE)
"""After the label, where nothing but it stands before: "my password is", "wifi password please"."""
_OF_ANY: Final = re.compile(
    r"\b(?:an|(?<!é )a|any|every|each|no|some|strong|good|weak|secure|safe|favou?rite|best|typical|common|"
    r"ein|eine|einen|un|une|una|uma|een|jakieś)\s(?:[\w'’-]{1,20}\s)?$",
    re.IGNORECASE,
)
_ENDS_WITH_A_SIGN: Final = ("?", "？", ":", "：")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A label of a secret that a message ends with."""

    label: str
    is_number: bool
    """A PIN, a code sent once, or what opens a lock."""
    is_word: bool
    """A password, a phrase or a key; a passcode is both."""
    outright: bool
    """Whether the value alone is an answer, and not "yes", a name or a day."""
    of_whom: bool
    """Whether a name is an answer."""


def _any(rows: Mapping[str, str]) -> str:
    return "|".join(rows.values())


_CODE: Final = re.compile(
    rf"(?<![^\W\d_])(?:{_any(lock_words.PINS)}|{lock_words.CARDS}|{_any(lock_words.ONCE)}|{_any(lock_words.DOORS)}|"
    rf"{lock_words.CODES})(?![^\W\d_])|{lock_words.SPACELESS_DOORS}|{lock_words.SPACELESS_PINS}|{lock_words.SPACELESS_ONCE}"
)


def asked(message: str) -> Asked | None:
    """The secret that the last sentence of a message asks for or announces; None if there is none.

    Reads the last 240 characters. A word of thanks after the sentence is passed over.
    """
    return _asked(_last(seen(message[-_LAST_CHARS:]).text))


def _last(message: str) -> str:
    """The last sentence; the one before where that is a word of thanks."""
    sentences = [said for said in map(str.strip, _SENTENCES.split(message.rstrip(_CLOSES))) if said]
    while len(sentences) > 1 and _POLITE.fullmatch(sentences[-1]):
        sentences.pop()
    return sentences[-1] if sentences else ""


def _asked(sentence: str) -> Asked | None:
    lowered = sentence.lower()
    if len(lowered) != len(sentence) or _NO_VALUE.search(sentence):
        return None
    signed = sentence.rstrip(_CLOSES).endswith(_ENDS_WITH_A_SIGN)
    labels = _labels(lowered)
    for start, end, is_number in labels:
        before, after = sentence[:start], sentence[end:].rstrip(_CLOSES + "?？:：.!…")
        outright = _is_outright(before, after, signed=signed)
        if outright or signed:
            of_whom = _WHO.search(before) is not None
            return Asked(
                label=sentence[start:end],
                is_number=is_number,
                is_word=(start, end, False) in labels,
                outright=outright,
                of_whom=of_whom,
            )
    return None


def _labels(lowered: str) -> list[tuple[int, int, bool]]:
    """The labels from the last to the first, each with whether it is a number's; of two at one place the longer."""
    words = [
        (label.start(), label.end(), False)
        for label in keywords(lowered)
        if not (is_of_tool(lowered, label) or is_plural(label) or _OF_ANY.search(lowered[: label.start()]))
    ]
    numbers = [(*match.span(), True) for match in _CODE.finditer(lowered)]
    return sorted([*words, *numbers], key=lambda label: (label[1], label[1] - label[0], label[2]), reverse=True)


def _is_outright(before: str, after: str, *, signed: bool) -> bool:
    if _WHICH.search(before) and _USED.match(after):
        return True
    if not _TAIL.fullmatch(after):
        return False
    return _ASKS.search(before) is not None or (
        (signed or _ANNOUNCES.search(after) is not None) and _BARE.fullmatch(before) is not None
    )
