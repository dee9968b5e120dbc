"""Tells a value that somebody made up as a secret from a word, a placeholder or a name. Pure."""

from __future__ import annotations

import re
from typing import Final

_PLACEHOLDER: Final = re.compile(
    r"\[redacted|<.*|\$[\w{(].*|%\w+%|\{.*|\*+|x{3,}|X{3,}|[•·.…_?-]+|"  # left blank, masked, or to be filled in
    r"%(?:\d{1,2}\$)?[-+#0-9.]{0,6}(?:l{1,2}|z)?[a-z]|"
    r"(?:os\.|process\.|env\.|secrets\.|config\.|settings\.|self\.|getenv|vault:|ref\+).*|"
    r"[A-Za-z_][\w.]*\(.*|"  # a call
    r"(?:your|my|the|an?|some|example|dummy|fake|changeme)[-_][\w-]*|YOUR[-_A-Z]+",
    re.DOTALL,
)
_NAMES_SOMETHING: Final = re.compile(
    r"[a-z][a-z0-9+.-]*://.*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:~|\.{1,2})?/.*|[A-Za-z]:\\.*|"  # an address or a path
    r"[\w-]+\.(?:json|ya?ml|toml|txt|md|py|js|ts|env|pem|key|crt|pdf|docx?|xlsx?|html?|com|org|net|io|dev)|"
    r"\d{4}-\d\d-\d\d.*|\d{1,2}:\d\d.*|\d+(?:st|nd|rd|th)|\d+(?:\.\d+)*(?:[a-z]{1,3}|%)?|v\d+(?:\.\d+)*|"
    r"\d+-?(?:bits?|chars?|characters?|digits?|letters?|words?|bytes?|days?|hours?|minutes?|months?|years?).*|"
    r"(?:oauth|sha|md|aes|rs|hs|es|rsa|base|utf|ed|ecdsa|x|ipv|iso|web|http|tls|ssl|s|erc|python|windows|office)"
    r"-?\d[\d.]*|"
    r"[\w.-]+-(?:encoded|hashed|based|signed|encrypted|compatible|protected|only|like|related|style|free|specific)",
    re.DOTALL | re.IGNORECASE,
)
_SYMBOL: Final = re.compile(r"[!@#$%^&*+=~?|\\]")
_KEY_SYMBOL: Final = re.compile(r"[~!@#$%^&*+=_]")
_PART: Final = re.compile(r"[^\W_]+")
_LONG: Final = 16
_VERY_LONG: Final = 24
_SHORTEST: Final = 6
_KEY_SHORTEST: Final = 8
_MIXED_SHORTEST: Final = 12

_ORDINARY: Final = frozenset(  # the words are easier to read and keep in order as lines
    """
    a able about above absent accepted again all already also always an and any anything as ask at attached back bad be
    because been before behind being below better between blank bool boolean both but by bytes can cannot case-sensitive
    char complex correct could crap default denied different difficult do does due dumb easy either else elsewhere empty
    enough even ever everything exactly false fine for free from fun funny given gone good great guessable had half hard
    has have he her here hers hidden his how i if in incorrect input insecure int integer into invalid is it its just
    kept known lame later less like literally long lost mandatory many me mine missing more most much must my n/a
    necessary needed neither never new next nil no none nonsense not nothing now null obvious of off ok okay old on one
    only open optional or other our ours out over overdue pending perfect plain plaintext please pretty private probably
    prompt public quite random real really right safe same secret secure set shared she short silly simple since so some
    something somewhere soon still str strong string stupid such sure tbd temporary terrible text than that the their
    theirs them then there these they this those to today todo tomorrow too true two unchanged under undefined unique
    unknown unsafe until up valid varchar very via was weak weird well were what when where which while who why will
    with within without words working worse wrong yes yet you your yours
    change characters choose confirm create enter forgot hide letters repeat show submit update
    abgelaufen aktuell alt auf bei dasselbe das dein der die ein eine einfach falsch geheim gleich ihr im in kein
    korrekt leer mein mit neu nicht noch nur richtig schlecht schwach sicher stark und unbekannt unsicher vergessen
    von weg zu bon bonne dans el faux la las le les los ne pas sur correcta correcto incorrecta incorrecto misma mismo
    """.split()  # noqa: SIM905
)
_ORDINARY_ENDINGS: Final = (
    "ed", "ing", "able", "ible", "ful", "less", "ous", "ive", "ary", "ory", "ly", "ical", "tial", "lich", "bar",
)  # fmt: skip
_NOUNS: Final = frozenset(
    {
        "pass",
        "passphrase",
        "passwd",
        "password",
        "passwords",
        "passwort",
        "pwd",
        "username",
        "login",
        "token",
        "key",
        "secret",
    }
)


def is_placeholder(value: str) -> bool:
    """Whether a value stands for a secret without being one: a mask, a variable, a call, `your-api-key`."""
    return _PLACEHOLDER.match(value) is not None if value.startswith("[") else _PLACEHOLDER.fullmatch(value) is not None


def names_something(value: str) -> bool:
    """Whether a value is an address, a path, a file, a date, a number or the name of a format."""
    return _NAMES_SOMETHING.fullmatch(value) is not None


def is_random(value: str) -> bool:
    """Whether a part of a hyphenated value looks drawn at random: letters with digits, mixed case, or long."""
    return any(_is_random_part(part) for part in _PART.findall(value))


def _is_random_part(part: str) -> bool:
    if len(part) < _SHORTEST:
        return False
    mixed = not (part.isdigit() or part.isalpha())
    cases = len(part) >= _LONG and part.lower() != part != part.upper() and part[1:] != part[1:].lower()
    return mixed or cases or len(part) >= _VERY_LONG


def looks_like_key(value: str) -> bool:
    """Whether a value said to be a key, token or secret can be one: eight characters or more that no word has."""
    if len(value) < _KEY_SHORTEST or is_placeholder(value) or _NAMES_SOMETHING.fullmatch(value):
        return False
    if is_random(value):
        return True
    cases = value.lower() != value != value.upper() and any(map(str.isdigit, value))
    return cases and len(value) >= _MIXED_SHORTEST and _KEY_SYMBOL.search(value) is not None


def looks_like_password(value: str) -> bool:
    """Whether a value said to be a password can be nothing else: letters with digits or symbols, or capitals inside."""
    bare = value.rstrip("!?.,")
    if len(bare) < _SHORTEST or is_placeholder(value) or _NAMES_SOMETHING.fullmatch(bare):
        return False
    letters = any(map(str.isalpha, bare))
    digits = any(map(str.isdigit, bare))
    symbols = _SYMBOL.search(bare) is not None
    return letters + digits + symbols > 1 or (bare.isalpha() and bare[1:] != bare[1:].lower() and bare != bare.upper())


def is_ordinary(word: str) -> bool:
    """Whether a word after "the password is" describes the password rather than gives it."""
    folded = word.casefold()
    return folded in _ORDINARY or folded in _NOUNS or folded.endswith(_ORDINARY_ENDINGS)
