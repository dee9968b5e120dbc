"""Values that stand before the word for a password, beside it, or after another value in the same sentence. Pure.

I use hunter2 as my password                       before, with what is done with it
Mellon is the password for the gate                before, as the subject
wifi password blue-lagoon                          beside
My password is tea77, and my wife's is coffee88    the second of two
"""

# ruff: noqa: RUF001 - marks that are written by people

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shared.accept import describing
from shared.accept.likeness import is_ordinary, is_placeholder, looks_like_password, names_something
from shared.accept.wholly import is_wholly_description

if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[int, int]

_MINE: Final = r"(?:(?:my|the|our|your|his|her|their|an?|mein\w{0,2}|das|mon|le|mi|la|minha|il|mijn|мой|наш)\s)?"
_NAMED: Final = r"(?:[\w'\u2019-]{1,30}\s){0,3}"
_TAKES: Final = re.compile(
    r"\b(?:use[sd]?|using|set|have|has|had|choose|chose|picked?|took|take|entered|typed|put|try|verwende\w?|benutz\w{1,3}|"
    r"nehme|nutze|utilise|uso|usamos|utilizo|utilizzo|gebruik|używam|использую)\s[\"'`“‘«]?"
    r"(?P<value>[^\s\"'`“”‘’«»,;:.!?]{1,60}(?:\s[^\s\"'`“”‘’«»,;:.!?]{1,60}){0,4}?)[\"'`”’»]?\s"
    rf"(?:as|for|als|für|comme|como|come|para|jako|как|в качестве)\s{_MINE}{_NAMED}$",
    re.IGNORECASE,
)
_AS: Final = re.compile(r" (?:as|for|als|für|comme|como|come|para|jako|как|качестве) ", re.IGNORECASE)
_SUBJECT: Final = re.compile(
    r"(?:^|[.!?\n,;:(]\s{0,2}|[\"'“])(?:(?:psst|so|and|ok|by the way)[,:]? )?"
    r"(?P<value>[^\W_]{4,40})[\"'”]?\s(?:is|was|ist|war|est|es|è|é|jest)\s"
    r"(?:my|the|our|your|his|her|their|mein|unser|das|mon|le|mi|la|minha|il|moje|мой)\s(?:[\w'\u2019-]{1,30}\s){0,2}$",
    re.IGNORECASE,
)
_OF_ITSELF: Final = re.compile(r"\s{0,2}(?:$|[.,;!?)\"'\n]|(?:for|of|to|on|at|in|für|zum|pour|de|para|per|di|do)\b)")
_TOOL: Final = re.compile(
    r"s?[ -](?:managers?|stores?|apps?|vaults?|safes?|keepers?|generators?|hints?|polic\w*|rules?|resets?|fields?|"
    r"prompts?)\b",
    re.IGNORECASE,
)
_QUALIFIER: Final = re.compile(
    r"\b(?:wi-?fi|wlan|wireless|router|hotspot|guest(?: network)?|network)(?:['\u2019]s)?\s$", re.IGNORECASE
)
_BESIDE: Final = re.compile(
    r"\s(?:[-\u2013\u2014]\s)?(?P<value>[^\W_]{2,30}(?:[-_][^\W_]{1,30}){0,6})(?=[.,;!?)]*(?:\s*$|\n|[.,;!?)]))"
)
_ASKED: Final = re.compile(
    r"(?:\?|…|\.\.\.)\s(?P<is>it(?:['\u2019]s| is) )?[\"'“]?(?P<value>[^\s\"'”.,;!?]{4,100})", re.IGNORECASE
)
_APPOSED: Final = re.compile(
    r"(?:^|[\s\"'“(])(?P<value>[^\s\"'“(,]{4,100}), (?:my|the|our|her|his) (?:[\w'\u2019-]{1,30} ){0,2}$"
)
_THAT_IS: Final = re.compile(
    r"(?:^|[\s\"'“(])(?P<value>[^\s\"'“”(,]{4,100}?)[\"'”]?(?:(?:,|[.;]|\s?[-\u2013\u2014])\s"
    r"(?:that(?:['\u2019]s| is| was)|this is|it['\u2019]s|das ist|das war|c['\u2019]est|es|è|é|dat is|это)\s|\s\()"
    r"(?:my|the|our|your|her|his|their|mein|unser|das|mon|notre|le|mi|la|minha|a|mijn|het|мой)\s"
    r"(?:[\w'\u2019-]{1,30}\s){0,2}$",
    re.IGNORECASE,
)
_BETWEEN_COMMAS: Final = re.compile(r",\s(?P<value>[^\s\"'“(,;]{6,100}),")
_NOW: Final = (
    r"(?:now |and |but ){0,2}(?:now it(?:['\u2019]s| is)|it(?:['\u2019]s| is) now|now is)|jetzt(?: ist es)?|nun ist es|"
    r"maintenant(?: c['\u2019]est)?|ahora(?: es)?|adesso è|ora è|agora(?: é)?|nu is het|nu|teraz to|теперь"
)
"""What leads from the value that was to the one that is."""
_NEXT: Final = re.compile(
    r"[\"'`”’*_]{0,3}(?:[,;.]?\s?\(|[,;.]?\s(?:and|but|then|or|before that|und|oder|et|ou|y|e|o|en|i|и)\s|[,;/.]\s?)"
    rf"(?P<said>(?:{_NOW})\s|(?:[^\s.;!?=:]{{1,20}}\s){{0,5}}?(?:is|was|ist|war|est|es|è|é|:)\s)?"
    r"[\"'`“‘]?(?P<value>[^\s\"'`“”‘’,;()<>]{4,100})"
)
_ANOTHER: Final = re.compile(
    r"[\"'`”’*_]{0,3}(?:[,;]\s|,?\s(?=(?:and|or|und|oder|et|ou|y|e|o|en|i|и)\s))"
    r"(?:(?:and|or|und|oder|et|ou|y|e|o|en|i|и)\s)?"
    r"(?:(?i:else|otherwise|maybe|perhaps|sonst|vielleicht|sinon)[,:]?\s|"
    r"(?i:for|on|at|für|bei|pour|chez|para|per|voor)\s(?:(?i:my|the|our|meine?n?|das|die|den|mon|le|la|mi|el)\s)?"
    r"(?P<of>(?:[^\s.,;!?=:\[]{2,20}:?\s){1,2}?)(?i:(?:it['\u2019]s|is|ist|es|c['\u2019]est)\s)?|"
    r"(?P<named>(?:[^\s.,;!?=:\[]{2,20}\s)?[^\s.,;!?=:\[]{2,20}:\s|[^\W\d_a-z][^\s.,;!?=:\[]{1,20}\s))"
    r"[\"'`“‘]?(?P<value>[^\s\"'`“”‘’,;()<>\[]{4,100})(?=[\"'`”’*_.!?)]*(?:\s*$|\s*\n|[.,;!?)]|\s(?:and|or|und|et|y|e)\s))"
)
"""What leads to a value of another thing: "and for Spotify …", ", Spotify: …", ", or else …"."""
NAMES_OF_NO_PASSWORD: Final = frozenset(
    """
    model room flight order seat version ssid user username login name id router server host hostname network
    device phone serial number ref reference booking invoice plate gate address street vin isbn sku build port modell
    zimmer flug gerät benutzer raum nummer version with by via using new old windows android
    """.split()  # noqa: SIM905
)
"""What is named by letters and figures as passwords are."""
_NAMED_BESIDE: Final = re.compile(
    r"\s(?:[-\u2013\u2014]\s)?(?P<named>(?:[A-Za-z][\w.-]{1,20}\s){1,2}?)(?P<value>[^\s\"'`“”,;()<>\[]{6,100})(?=[.!?]?\s*(?:$|\n))"
)
_BEGINS_LINE: Final = re.compile(r"(?:^|\n)[ \t*•>-]{0,6}$")
_ANOTHERS: Final = re.compile(
    r"(?:['\u2019]s|\b(?:one|other|second|third|old|new|former|previous|mine|yours|hers|theirs)) \S+ $|"
    rf"^(?:{_NOW})\s$",
    re.IGNORECASE,
)
_KNOWN: Final = describing.POINTING | describing.PRONOUNS | describing.PREDICATES | describing.QUALITIES
_SHORTEST: Final = 4
_MOST: Final = 12


def before(text: str, keyword: re.Match[str]) -> Iterator[Span]:
    """The value in "I use … as my password" and in "… is the password"."""
    if not keyword["password"] or is_of_tool(text, keyword):
        return
    low = max(keyword.start() - 160, 0)
    said = text[low : keyword.start()]
    taken = _TAKES.search(said) if _AS.search(said) else None
    if taken and _is_taken(taken["value"]):
        yield low + taken.start("value"), low + taken.end("value")
    apposed = _APPOSED.search(said)
    if apposed and is_strong(apposed["value"]):
        yield low + apposed.start("value"), low + apposed.end("value")
    told = _THAT_IS.search(said) if _OF_ITSELF.match(text, keyword.end()) else None
    if told and is_strong(told["value"]):
        yield low + told.start("value"), low + told.end("value")
    subject = _SUBJECT.search(said)
    if subject and _OF_ITSELF.match(text, keyword.end()) and is_word(subject["value"]):
        yield low + subject.start("value"), low + subject.end("value")


def beside(text: str, keyword: re.Match[str]) -> Iterator[Span]:
    """The value in "wifi password blue-lagoon", with nothing between, and in "My password? It's …"."""
    asked = _ASKED.match(text, keyword.end()) if keyword["password"] else None
    if asked and (is_strong(asked["value"]) or (asked["is"] and is_word(asked["value"]))):
        yield asked.span("value")
    apposed = _BETWEEN_COMMAS.match(text, keyword.end()) if keyword["password"] else None
    if apposed and is_strong(apposed["value"]):
        yield apposed.span("value")
    yield from _named(text, keyword) if keyword["password"] else ()
    match = _BESIDE.match(text, keyword.end()) if keyword["password"] else None
    if match is None or not _QUALIFIER.search(text[max(keyword.start() - 24, 0) : keyword.start()]):
        return
    value = match["value"]
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    if (mixed or "-" in value or "_" in value) and len(value) >= _SHORTEST and not is_wholly_description([value]):
        yield match.span("value")


def _named(text: str, keyword: re.Match[str]) -> Iterator[Span]:
    """The value in "pw gmail Zebra4711", a line of its own."""
    match = _NAMED_BESIDE.match(text, keyword.end())
    if match is None or is_of_tool(text, keyword) or not is_strong(match["value"]):
        return
    begins = _BEGINS_LINE.search(text, max(keyword.start() - 8, 0), keyword.start())
    if begins and all(map(_is_name, match["named"].split())):
        yield match.span("value")


def further(text: str, end: int) -> Iterator[Span]:
    """The other values of a sentence, after one that ends at `end`: in a list, of another, the one before."""
    for _ in range(_MOST):
        another = _of_another(text, end)
        if another:
            end = another[1]
            yield another
            continue
        match = _NEXT.match(text, end)
        if match is None or match["value"].startswith("["):
            return
        value = match["value"].rstrip(".:!?*_'\u2019")
        if not (is_strong(value) or (match["said"] and _is_anothers(match["said"]) and is_word(value))):
            return
        start = match.start("value")
        end = start + len(value)
        yield start, end


def _of_another(text: str, end: int) -> Span | None:
    """The value of another thing, which can be nothing but a password, after one that ends at `end`."""
    match = _ANOTHER.match(text, end)
    if match is None:
        return None
    value = match["value"].rstrip(".:!?*_'\u2019")
    names = [name.rstrip(":").casefold() for name in (match["of"] or match["named"] or "").split()]
    if not is_strong(value) or not NAMES_OF_NO_PASSWORD.isdisjoint(names) or not all(map(_is_name, names)):
        return None
    return match.start("value"), match.start("value") + len(value)


def is_of_tool(text: str, keyword: re.Match[str]) -> bool:
    """Whether a label is part of the name of another thing: a password manager, a password policy."""
    return _TOOL.match(text, keyword.end()) is not None


def _is_taken(value: str) -> bool:
    words = value.split()
    if any(map(is_strong, words)):
        return True
    first = words[0].casefold()
    known = first in describing.POINTING or first in describing.PRONOUNS or is_ordinary(first)
    return not known and not is_wholly_description(words) and not is_placeholder(value)


def is_strong(value: str) -> bool:
    """Whether a value can be nothing but a password: letters and figures in one, and no name of anything."""
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return mixed and "=" not in value and looks_like_password(value) and not names_something(value)


def _is_anothers(said: str) -> bool:
    """Whether "…is" speaks of another password and not of another thing."""
    return _ANOTHERS.search(said) is not None


def _is_name(word: str) -> bool:
    """Whether a word may name what a password is for."""
    return word.casefold() not in _KNOWN and not is_ordinary(word)


def is_word(value: str) -> bool:
    """Whether a word may be a password: none that describes one, and none that begins a description."""
    folded = value.casefold()
    return folded not in _KNOWN and not is_ordinary(value) and not is_wholly_description([value])
