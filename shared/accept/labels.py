"""The words that call what follows a password, key, token or secret, in the languages that are known. Pure."""

from __future__ import annotations

import re
from typing import Final

from shared.accept import tongues
from shared.accept.windows import windows

_PHRASE: Final = (
    r"pass[ -]?phrase|(?:seed|recovery|secret|mnemonic|backup)[ -]phrase|seed words|mnemonic|"
    r"wiederherstellungsphrase|phrase de récupération|frase (?:semilla|de recuperación|di recupero|de recuperação)|"
    r"助记词|助記詞|シードフレーズ|시드 구문|сид-фраза"
)
_WORDS: Final = (
    r"password|pass[ -]?code|(?:secret|code)[ -]?word|security (?:question )?answers?|"
    r"secret answer(?=\s?[:=])|(?:my|our) secret answer|"
    r"answer to (?:my|our|the) security question|passwd|pwd|(?:wi-?fi|wlan|wpa[23]?|network)[ -](?:key|code|schlüssel)|"
    r"passwor[dt]|kennwort|losungswort|wachtwoord|"
    r"contraseña|contrasena|clave (?:de acceso|secreta|personal|del? wi-?fi)|"
    r"mots? de passe|(?<![a-z])mdp|"
    r"code secret|senha|palavra-passe|parol[ae] d['\u2019]ordine|parol[ae] (?:d['\u2019]accesso|chiave)|"
    r"(?<![a-z])parola(?=\s?[:=])|"
    r"密码|密碼|口令|パスワード|合言葉|비밀번호|암호|비번|"
    r"(?:password|contraseña|senha|wachtwoord)s(?=\s(?:are|were|son|são|sind|zijn)\s|\s?[:=]|"
    r"\s(?:for|of)\s[^\n:.]{1,40}:[*_]{0,2}\s?\n)|(?:pass|kenn)wörter|"
    r"(?:(?<=here are my )|(?<=here are the )|(?<=these are my ))passwords(?=\s?\n)|"
    r"(?<![a-z])(?:pass|pw)(?=\\*[\"']?\s?[:=])|(?<![a-z])(?:pw|pswd)(?=\s(?:is|was|ist)\s)|"
    r"(?<![a-z£$€] )(?<![\d£$€] )(?<!\w)(?:pw|pswd)(?=\s(?:[a-z]{2,20}\s)?[a-z]\w*\d)"
)
_KEY: Final = (
    r"(?:api|access|secret|auth(?:entication)?|private|encryption|signing|client|master|refresh|bearer|session|service|"
    r"license|webhook|deploy|account|storage|shared|security|app|bot|subscription)[ _-]?"
    r"(?:api[ _-]?|access[ _-]?|auth[ _-]?)?(?:keys?|tokens?|secrets?|schlüssel)|"
    r"clé d['\u2019]api|clave de api|(?<![a-z])(?:token|secret|credentials|creds)"
)
_TELLS_ABOUT: Final = (
    r"(?:hash(?:ed)?|counts?|name|id|len(?:gth)?|type|url|uri|file|path|field|policy|reset|hint|expir\w*|ttl|limit|"
    r"m(?:in|ax)\w*|required|enabled|manager|version|index|usage|endpoint|header|digest|label|prompt|size)"
)
_NAME_GOES_ON: Final = (
    rf"(?:\d(?=\\*[\"']?\s?[:=])|(?:_(?!{_TELLS_ABOUT}\b)[a-z0-9]{{1,20}}){{1,2}}(?=\\*[\"'\]]*\s?[:=])|(?!_))"
)
_LABEL: Final = re.compile(rf"(?:(?P<phrase>{_PHRASE})|(?P<password>{_WORDS})|(?P<key>{_KEY}))(?![a-z]){_NAME_GOES_ON}")
_LABEL_OF_A_TONGUE: Final = re.compile(
    rf"(?P<phrase>(?!))?(?P<key>(?!))?(?P<password>{tongues.LABELS})(?![a-z]){_NAME_GOES_ON}"
)
_HINTS: Final = (
    *("pass", "pw", "pswd", "mdp", "wifi", "wi-fi", "wlan", "kennw", "key", "token", "secret", "cred", "phrase"),
    *("seed", "wachtwoord", "senha", "clave", "palavra", "mnemonic"),
    *("codeword", "code word", "code-word", "security", "losungswort", "frase"),
    *("contrase", "parol"),
)
_ALL_HINTS: Final = (
    *_HINTS,
    *("schlüssel", "clé", "фраз", "密码", "密碼", "口令", "助记", "助記", "パスワ", "合言葉", "フレーズ"),
    *("비밀번호", "암호", "비번", "시드"),
)
_LONGEST_BEFORE: Final = 50
_LONGEST_AFTER: Final = 120
"""How far a label may reach from a hint in it, its ending and sign included."""
_OF_LANGUAGES_KNOWN: Final = re.compile(
    r"passwort|passwörter|kennw|losungswort|mots? de|mdp|contrase|clave|senha|palavra|parola d|wachtwoord|hasło|heslo|"
    r"jelszó|lösen|adgangs|kodeord|passord|"
    r"salasana|парол"
)
"""Labels in whose languages it is known how a password is described (`describing.py`)."""
_PLURAL: Final = re.compile(
    r"(?:words|phrases|codes|keys|tokens|secrets|wörter|schlüssel|contraseñas|senhas|wachtwoorden|пароли)$|^mots"
)


def keywords(lowered: str) -> list[re.Match[str]]:
    """The labels of a lower-cased text, in order. Linear in the text; none cost a text that has no hint of one.

    One of the groups `phrase`, `password` and `key` of each says which kind of word it is.
    """
    plain = lowered.isascii()
    found = _labels(lowered, _LABEL, _HINTS if plain else _ALL_HINTS)
    others = _labels(lowered, _LABEL_OF_A_TONGUE, tongues.HINTS if plain else tongues.ALL_HINTS)
    if not others:
        return found
    taken = {label.start() for label in others}
    return sorted([*others, *(label for label in found if label.start() not in taken)], key=lambda label: label.start())


def _labels(lowered: str, pattern: re.Pattern[str], hints: tuple[str, ...]) -> list[re.Match[str]]:
    stretches = windows(lowered, hints, before=_LONGEST_BEFORE, after=_LONGEST_AFTER)
    return [label for start, end in stretches for label in pattern.finditer(lowered, start, end)]


def kind_of(keyword: re.Match[str]) -> str:
    """The kind of secret that a label announces, as it stands in what is left of the text."""
    if not keyword["key"]:
        return "password"
    said = keyword["key"].removesuffix("s")
    if said.endswith("token"):
        return "token"
    return "secret" if said.endswith(("secret", "cred", "credential")) else "api key"


def is_plural(keyword: re.Match[str]) -> bool:
    """Whether a label announces several values."""
    return _PLURAL.search(keyword[0]) is not None


def is_foreign(keyword: re.Match[str]) -> bool:
    """Whether what follows a label may be described in another language than English, for it is a word of one."""
    return _OF_LANGUAGES_KNOWN.match(keyword[0]) is not None
