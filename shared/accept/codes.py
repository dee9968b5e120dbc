"""Codes that let somebody in instead of a password, and passwords beside a login's name. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shared.accept.likeness import is_ordinary, is_placeholder, looks_like_password, names_something
from shared.accept.wholly import is_wholly_description
from shared.accept.windows import windows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.accept.known_secrets import Found

_CODES: Final = re.compile(
    r"(?:recovery|back[ -]?up|emergency|scratch|one[ -]time|2fa|mfa|reset)[ -](?:codes?|keys?)|"
    r"(?:wiederherstellungs|backup-|notfall)codes?|codes? de (?:secours|récupération|recuperación|respaldo)|"
    r"códigos? de (?:recuperación|respaldo|recuperação|backup)|codici di (?:recupero|backup)|herstelcodes?|"
    r"kody? (?:zapasowe|odzyskiwania)|(?:резервные|запасные) коды|коды восстановления|"
    r"恢复代?码|恢復碼|备用码|備用碼|リカバリーコード|バックアップコード|복구 코드|백업 코드"
)
_CODE_HINTS: Final = ("code", "kod", "cod", "cód", "код", "key", "码", "碼", "コード", "코드")
_CODE_LINK: Final = re.compile(
    r"(?: for [^\s:=]{1,30}){0,2}"
    r"(?:\s?[:=\uff1a]|\s(?:is|are|were|ist|sind|est|sont|es|son|sono|são|zijn|są|это)\b:?|\s?[是は는은])"
    r"[ \t]{0,3}(?:\n[ \t]{0,8})?|[ ](?=(?:\d[ -]?){6}|(?=[a-z-]{0,9}\d)[a-z0-9]{3,8}-[a-z0-9]{3,8}(?![a-z0-9]))",
    re.IGNORECASE,
)
_CODE_RUN: Final = re.compile(
    r"(?:(?:\d{1,2}[.)]|[-*•])[ \t]{1,2})?[A-Za-z0-9]{3,40}(?:-[A-Za-z0-9]{2,40}){0,8}"
    r"(?:(?:[,;/]?[ \t]{0,3}(?:\r?\n[ \t]{0,8})?(?:and |und |et |y |e )?(?:(?:\d{1,2}[.)]|[-*•])[ \t]{1,2})?)"
    r"(?<![A-Za-z0-9-])(?=[A-Za-z-]{0,40}\d)[A-Za-z0-9]{3,40}(?:-[A-Za-z0-9]{2,40}){0,8}){0,40}(?![\w-])"
)
_LETTERS_RUN: Final = re.compile(r"[A-Z]{4,8}(?:-[A-Z]{4,8}){1,12}(?![\w-])")
_DATED: Final = re.compile(r"\d{4}-\d\d-\d\d")

_NAME: Final = r"[\w.@+'-]{1,80}"
_LOGIN: Final = re.compile(
    r"(?<![a-z])(?:log[ -]?in|u(?=:)|user(?:[ -]?name|[ -]?id)?|account|credentials|creds|benutzer(?:name)?|anmeldung|"
    r"zugangsdaten|identifiants?|utilisateur|usuario|utente|usuário|gebruiker(?:snaam)?|login|логин|użytkownik)"
    rf"(?P<lead>\s?[:=]\s?|\s(?:is|are|ist|sind|est|sont|es|son|è|é|to)\s|\s)(?P<name>{_NAME})\s?(?:[,;/|"
    rf"&+\u2013\u2014-]|(?<=\s)(?:and|with|und|mit|et|y|e)(?=\s)|(?<=\s)(?=p(?:w|wd|ass(?:word|wd)?)?\s?[:=]))"
    r"\s?(?:the |my |das |mein |le |la |el )?"
    r"(?:pass(?:word|wort|code|wd)?|p(?=:)|pw|pwd|kennwort|mot de passe|contraseña|senha|wachtwoord|пароль|hasło)"
    r"(?P<link>\s?[:=]\s?|\s(?:is|ist|est|es|è|é)\s|\s)(?P<value>[^\s\"`<>{};&,“”]{3,200}+)"
)
_PAIR: Final = re.compile(
    r"(?<![a-z])(?:(?P<login>log(?:ged|ging)?[ -]?(?:in|on)|sign(?:ed|ing)?[ -]?in|zugangsdaten|identifiants|accesso)|"
    r"credentials|creds|credenciales|credenziali|credenciais)"
    r"(?P<lead>\s?[:=]\s?|\s(?:is|are|sind|sont|son|sono|são)\s|\s(?:with|as|using|mit|als|avec|con|com)\s|\s)"
    r"(?P<name>[\w.@+'-]{1,80})(?P<sign>\s?[:/|]\s?)(?P<value>[^\s\"`<>{}“”/]{4,200}+)(?!/)"
)
_OF_ADMIN: Final = re.compile(
    r"(?<![\w/.@:+\"'-])(?<!role )(?<!scope )(?:admin|administrator|root|sysadmin)(?::|\s[/:]\s)"
    r"(?P<value>(?=[^\s\d]{0,60}\d)[^\s\"`<>{};,:“”/]{5,60}+)(?![/:@])"
)
_OF_ADDRESS: Final = re.compile(
    r"(?<!\bgit)@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}(?:[:|;]|\s[/|]\s)"
    r"(?P<value>(?=[^\s\d!#$%^&*?]{0,60}[\d!#$%^&*])[^\s\"`<>{};“”/@]{6,100}+)(?![/@])"
)
_COPIES: Final = re.compile(r"(?:^|[\s`$])(?:scp|rsync|git|ssh|sftp|clone|push|pull|remote)\s[^\n]{0,120}$")
"""Before an address: what follows it is the path of a file."""
_OF_NETWORK: Final = re.compile(
    r"(?<![a-z])ssid[^\n]{1,60}?(?:\n[ \t*•|-]{0,8}|[,;/|]\s{0,2}|\s)"
    r"(?:(?:network|security|wpa2?|wi-?fi|wlan|netzwerk)[ -]?)?(?:key|schlüssel|pass|pw|psk|pwd|clé|clave)"
    r"\**\s?[:=]\**\s{0,2}(?P<value>[^\s\"`<>{}“”]{5,100}+)"
)
_IN_A_QR_CODE: Final = re.compile(
    r"wifi:(?:[a-oq-z]:(?:\\.|[^;\\\n]){0,64};){0,5}p:\"?(?P<value>(?:\\.|[^;\\\n\"]){1,80})"
)
"""What phones read to join a network: `WIFI:T:WPA;S:<name>;P:<password>;;`."""
_PAIR_BEFORE: Final = re.compile(
    r"(?<![\w/.:])[\w.@+'-]{1,80}\s?[/:]\s?(?P<value>[^\s\"`<>{}“”/]{6,100}+)\s"
    r"(?:(?:is|are) (?:my|our|the) (?:[\w-]{1,20} ){0,2}|to )(?:log ?-?in|sign in|credentials)"
)
_ANSWER: Final = re.compile(r"security question[^\n]{0,80}?[?.,;] ?answer\s?[:=]\s?(?P<value>[^\n,.;\[]{2,60})")
_NO_PAIR: Final = frozenset(
    """
    email e-mail mail phone telephone mobile password passwort username user name google facebook apple twitter github
    microsoft sso oauth saml ldap sms otp pin passkey code register registration signup sign-up logout signin sign-in
    none guest anonymous yes slow fast fail failure success error page form button screen portal account home settings
    week month
    """.split()  # noqa: SIM905
)
"""Ways to log in, and what else stands in pairs after that word."""
_PASS: Final = re.compile(r"\b(?:my|our|your|his|her|their) pass is (?P<value>[^\s\"`<>{};“”]{4,200}+)")
_IN_A_ROW: Final = re.compile(
    rf"(?<![a-z])(?:log[ -]?in|credentials|creds)\s?[:=]\s?(?P<name>{_NAME})\s(?P<value>\S{{4,200}}+)"
)
_ASKED: Final = "security question"
_NETWORK: Final = "ssid"
_QR_CODE: Final = "wifi:"
_ALONE: Final = (
    (" pass is ", _PASS),
    ("admin", _OF_ADMIN),
    ("root", _OF_ADMIN),
    ("@", _OF_ADDRESS),
    (_NETWORK, _OF_NETWORK),
    (_QR_CODE, _IN_A_QR_CODE),
    (_ASKED, _ANSWER),
)
"""What stands in every match, and the expression."""
_ANY_VALUE: Final = frozenset({_ASKED, _NETWORK, _QR_CODE})
"""After these a plain word is a value too."""
_LOGIN_HINTS: Final = (
    *(
        "login",
        "log in",
        "log-in",
        "log on",
        "logon",
        "logged",
        "logging",
        "sign in",
        "signed in",
        "signing in",
        "sign-in",
    ),
    *("user", "account", "cred", "benutzer", "anmeldung", "zugangsdaten", "identifiant", "utilisateur", "usuario"),
    *("utente", "gebruiker", "accesso", "u:"),
)
_LOGIN_HINTS_BEYOND_ASCII: Final = ("usuário", "логин", "użytkownik")
_LONGEST_PAIR: Final = 200
_LONGEST_VALUE: Final = 240
_ENDS: Final = re.compile(r"[.,;:!?)]*(?:\s*$|\s*\n|[.,;!?)](?:\s|$)|\s(?:and|for|on)\b)")
_AFTER: Final = ".,;:)]'\u2019*_…!?"


def codes(text: str, lowered: str) -> Iterator[Found]:
    """The codes of a list that is called recovery codes or the like, from the first to the last. Linear in the text."""
    stretches = windows(lowered, _CODE_HINTS, before=40, after=40)
    for label in (label for start, end in stretches for label in _CODES.finditer(lowered, start, end)):
        link = _CODE_LINK.match(text, label.end())
        run = link and _CODE_RUN.match(text, link.end())
        letters = link and _LETTERS_RUN.match(text, link.end())
        if run and any(map(str.isdigit, run[0])) and not _DATED.match(run[0]):
            yield *run.span(), "recovery code"
        elif letters:
            yield *letters.span(), "recovery code"


def logins(text: str, lowered: str) -> Iterator[Found]:
    """The password of "login is bob / pass hunter2" and of "credentials: bob:hunter2x". Linear in the text."""
    hints = _LOGIN_HINTS if lowered.isascii() else (*_LOGIN_HINTS, *_LOGIN_HINTS_BEYOND_ASCII)
    for stretch in windows(lowered, hints, before=_LONGEST_PAIR, after=_LONGEST_PAIR + _LONGEST_VALUE):
        for match in _LOGIN.finditer(lowered, *stretch):
            value = _value(text, match)
            said = bool(match["lead"].strip() or match["link"].strip())
            if value and (looks_like_password(value) or (said and not is_ordinary(value))):
                yield match.start("value"), match.start("value") + len(value), "password"
        for match in _pairs(lowered, stretch):
            value = _value(text, match)
            if value and (looks_like_password(value) or _is_pair(text, match, value)):
                yield match.start("value"), match.start("value") + len(value), "password"
    yield from _alone(text, lowered)


def _pairs(lowered: str, stretch: tuple[int, int]) -> Iterator[re.Match[str]]:
    yield from _PAIR.finditer(lowered, *stretch)
    yield from _PAIR_BEFORE.finditer(lowered, *stretch)
    for match in _IN_A_ROW.finditer(lowered, *stretch):
        if any(map(str.isdigit, match["value"])):
            yield match


def _alone(text: str, lowered: str) -> Iterator[Found]:
    """What needs no word for a login: "my pass is …", "admin:…", "mira@…:…", the answer to a security question."""
    for hint, pattern in _ALONE:
        for match in pattern.finditer(lowered) if hint in lowered else ():
            value = _value(text, match)
            if hint == "@" and _COPIES.search(lowered, max(match.start() - _LONGEST_PAIR, 0), match.start()):
                continue
            if value and (looks_like_password(value) or (hint in _ANY_VALUE and not is_wholly_description([value]))):
                yield match.start("value"), match.start("value") + len(value), "password"


def _is_pair(text: str, match: re.Match[str], value: str) -> bool:
    """Whether a name and a word close together are a login and its password: "login: bob/swordfish"."""
    if match.re is not _PAIR or len(match["sign"]) > 1 or not match["lead"].strip(" "):
        return False
    told = match["sign"] == ":" or (match["sign"] == "/" and match["login"])
    ends = _ENDS.match(text, match.start("value") + len(value))
    return bool(told and ends) and not is_ordinary(value) and _NO_PAIR.isdisjoint({match["name"], value.lower()})


def _value(text: str, match: re.Match[str]) -> str | None:
    """What stands for the password; None if it stands for one only."""
    value = text[match.start("value") : match.end("value")].rstrip(_AFTER)
    return None if not value or is_placeholder(value) or names_something(value) else value
