"""Whether what stands after "password:" only tells something about a password, and so is none itself. Pure.

After a label with a sign a value is expected, whatever it begins with: "correct horse" is one. What is spared says
something as a whole: "forgotten", "see the vault", "on the fridge", "the same as before", "minimum 8 characters".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shared.accept import describing
from shared.accept.likeness import is_placeholder, names_something

if TYPE_CHECKING:
    from collections.abc import Sequence

_STATES: Final = frozenset(
    """
    use see ask check try is was kept noted hung sits lives stands liegt steht hängt kommt noté rangé guardada escrita
    able absent accepted active added allowed always anything any auto automatic available bad blank blocked bool
    boolean broken cancelled changed checked cleared complex compromised configured correct created current
    declined default
    defined deleted denied different difficult disabled done dynamic easy editable empty enabled encoded encrypted
    entered everything exactly exists expired expiring external failed false fine fixed forgot forgotten generated given
    gone good great guessable half hard hashed hidden incorrect input insecure int integer internal invalid known
    lacking later less local locked long loading lost mandatory managed manual masked matched mine missing n/a necessary
    needed neither never new next nil no none nonsense not nothing now null obvious off ok okay old on one only open
    optional or other ours pending perfect permanent plain plaintext please present private prompt protected provided
    public quite random read real recovered redacted rejected removed renewed required reset restored retrieved reused
    revoked right rotated safe same saved scheduled secret secure sensitive sent set shared short shown silly simple
    skipped soon still stolen stored str string strong stupid successful successfully supplied tba tbd temporary
    terrible test theirs todo too true type typed unavailable unchanged undefined unique unknown unlocked unreadable
    unsafe unset unspecified updated upcoming used user usual valid value varchar various verified very weak weird well
    withheld wrong yes yet yours write written yourself x xx id ids name names case auto-generated case-sensitive
    ephemeral short-lived long-lived opaque symmetric asymmetric
    abgelaufen aktuell alt einfach falsch geheim gesetzt gleich keine keins keines korrekt leer neu nicht nötig
    optionales richtig schlecht schwach sicher stark unbekannt unsicher vergessen verloren erforderlich geändert
    unverändert siehe
    aucun aucune oublié perdu expiré inconnu inconnue requis obligatoire incorrect correcte vide nouveau ancien modifié
    ninguna ninguno olvidada perdida caducada desconocida requerida obligatoria incorrecta correcta vacía nueva cambiada
    nessuna nessuno dimenticata scaduta sconosciuta richiesta sbagliata corretta vuota nuova cambiata
    nenhuma esquecida expirada desconhecida obrigatória incorreta correta vazia nova alterada
    geen vergeten verlopen onbekend vereist verplicht onjuist juist leeg gewijzigd
    brak nieznane wymagane zapomniane wygasło błędne puste zmienione
    нет забыт забыла неизвестен неизвестно обязателен обязательно неверный верный пустой новый сменён изменён
    inget glömt okänt krävs fel glemt ukendt ukjent puuttuu unohtunut
    """.split()  # noqa: SIM905 - easier to read and keep as lines
)
"""What a password is said to be, or a field for one to hold, in a word."""

_ABOUT_ONE: Final = frozenset(
    """
    password passwords passwd passphrase passcode pwd pin username user login token tokens key keys secret secrets
    account accounts credential credentials field code codes email mail bytes details hash wiki vault safe manager admin
    passwort kennwort wachtwoord contraseña senha hasło пароль here there below above attached both value values date
    """.split()  # noqa: SIM905
)
"""Nouns that a description of a password is made of beside its adjectives."""

_DETERMINERS: Final = frozenset(
    """
    a an the my your his her our their its this that these those all any each some
    ein eine der die das mein meine dein ihr unser le la les l' un une mon ma mes ton ta el los las mi tu su il lo gli
    i mio mia o a os as um uma meu minha het een mijn moj moja moje mój mitt min мой моя моё
    """.split()  # noqa: SIM905
)
_SAMES: Final = frozenset(
    """
    same one ones usual gleiche gleichen selbe selben dasselbe même mêmes misma mismo stessa stesso mesma mesmo
    zelfde hetzelfde same sama samma samme тот же
    """.split()  # noqa: SIM905
)
_PRONOUNS: Final = frozenset("i you we they he she it ich du wir sie je tu nous vous yo я мы он она".split())  # noqa: SIM905
_FINITE: Final = frozenset("lost need think know want keep hate got get always never still just already can't".split())  # noqa: SIM905
_PHRASAL: Final = frozenset("love me let us what a the".split())  # noqa: SIM905
_DIGITS: Final = re.compile(r"\d+\+?")
_LONG_NUMBER: Final = re.compile(r"\d[\d./-]{2,39}")
_VARIABLE: Final = re.compile(r"\$(?:[A-Za-z_]*\}?|[{(].*|[A-Z_][A-Z0-9_]*)")
_FILLER: Final = re.compile(
    r"(?:your|my|the|an?|some|example|dummy|fake|changeme|placeholder|insert|enter|here|goes|api|key|token|secret|"
    r"password|passwd|client|access|auth|user|value|app|name|me|change|this|to|be|x+|0+|new|own|real|actual|sample|"
    r"test|id|foo|bar|redacted)"
)
_PARTS: Final = re.compile(r"[-_. ]+")
_HYPHENED: Final = re.compile(r"[^\W_]+(?:[-_][^\W_]+)+")
_COUNTED: Final = frozenset("minimum maximum min max least most exactly between eight six ten twelve four long".split())  # noqa: SIM905


def is_filler(value: str) -> bool:
    """Whether a value stands for a secret without being one: a mask, a variable, a call, `your-api-key`."""
    if value.startswith("$"):
        return _VARIABLE.fullmatch(value) is not None
    if _HYPHENED.fullmatch(value):
        return all(_FILLER.fullmatch(part.lower()) for part in _PARTS.split(value))
    return is_placeholder(value)


def is_wholly_description(words: Sequence[str], *, foreign: bool = False) -> bool:
    """Whether words after a label and a sign describe and are no value.

    `foreign` says that the label is no English word: then a description may be in another language too.
    """
    if not words or is_filler(words[0]) or is_filler(" ".join(words)):
        return True
    folded = [word.casefold().rstrip("!?.,;:)") for word in words]
    if len(words) == 1:
        return _is_state(folded[0]) or (names_something(words[0]) and not _LONG_NUMBER.fullmatch(words[0]))
    return _counts(folded) or _tells(folded, describing.POINTING if foreign else describing.ENGLISH_POINTING)


def _is_state(word: str) -> bool:
    if not word or word in _STATES or word in describing.PREDICATES:
        return True
    parts = _PARTS.split(word)
    return len(parts) > 1 and all(part in _STATES or part in _ABOUT_ONE for part in parts)


def _is_known(word: str, pointing: frozenset[str]) -> bool:
    return _is_state(word) or word in pointing or word in _ABOUT_ONE


def _counts(words: Sequence[str]) -> bool:
    """Whether words say how long a password is: "8 characters", "at least eight letters", "12 of 14"."""
    counted = any(word in _COUNTED or _DIGITS.fullmatch(word) for word in words)
    if counted and any(word in describing.MEASURES for word in words):
        return True
    return _DIGITS.fullmatch(words[0]) is not None and words[1] in describing.ENGLISH_POINTING


def _tells(words: Sequence[str], pointing: frozenset[str]) -> bool:
    first, second = words[0], words[1]
    if all(_is_known(word, pointing) for word in words):
        return True
    if first in _PRONOUNS:
        return second in _FINITE or (second in describing.ENGLISH_POINTING and second not in _PHRASAL) or "'" in second
    if first in _DETERMINERS:
        return second in _SAMES or (second in _STATES and words[2:3] != [] and words[2] in pointing)
    if first in pointing:
        return True
    onward = second in pointing and second not in _DETERMINERS
    return onward and (_is_state(first) or first in _ABOUT_ONE)
