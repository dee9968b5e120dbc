"""Passwords within command lines: `curl -u bob:…`, `mysql -p…`, `sshpass -p …`, `docker login -p …`. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shared.accept.likeness import looks_like_password
from shared.accept.wholly import is_filler

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.accept.known_secrets import Found

_ARGUMENTS: Final = r"[^\n|;&]{0,300}?"
_VALUE: Final = r"(?:\"(?P<double>[^\"\n]{1,200})\"|'(?P<single>[^'\n]{1,200})'|(?P<bare>[^\s\"'`|;&<>)]{1,200}))"
_OTHER_VALUE: Final = _VALUE.replace("?P<", "?P<r")
_CLIENTS: Final = r"(?:mysql(?:dump|admin|import|show)?|mariadb(?:-dump)?|7z\w?|rar|unrar)"
_LOGINS: Final = (
    r"(?:sshpass|mongo(?:sh|dump|restore)?|(?:docker|podman|az|oc|helm registry) login|ssh|sftp|vncviewer|ldapsearch)"
)
_LOGIN: Final = (
    rf"(?:'[^\s:']{{1,80}}:(?P<insingle>[^'\n]{{1,200}})'|\"[^\s:\"]{{1,80}}:(?P<indouble>[^\"\n]{{1,200}})\"|"
    rf"[^\s:\"']{{1,80}}:{_VALUE})"
)
_FORMS: Final = (
    (" -u", rf"\b(?:curl|wget|https?|xh|ab|siege)\b{_ARGUMENTS}\s-u[ =]?{_LOGIN}"),
    ("--user", rf"\b(?:curl|wget)\b{_ARGUMENTS}\s--(?:proxy-)?user[ =]{_LOGIN}"),
    (" -a ", rf"\b(?:https?|xh)\s{_ARGUMENTS}-a {_LOGIN}|\bredis-cli\b{_ARGUMENTS}\s-a {_OTHER_VALUE}"),
    (
        " -p",
        rf"\b{_CLIENTS}\b{_ARGUMENTS}\s-p(?!ort\b|rotocol\b|\s|$){_VALUE}",
    ),
    (" -p", rf"\b{_LOGINS}\b{_ARGUMENTS}\s-p[ =](?!\d{{2,5}}(?:\s|$)){_VALUE}"),
    (" -w", rf"\bldap\w+\b{_ARGUMENTS}\s-w {_VALUE}"),
    (" -P", rf"\b(?:zip|unzip|sqlcmd|bcp)\b{_ARGUMENTS}\s-P ?{_VALUE}"),
    ("-pass", rf"\bopenssl\b{_ARGUMENTS}\s-pass(?:in|out)? pass:{_VALUE}"),
    ("%", rf"\b(?:smbclient|rpcclient|net)\b{_ARGUMENTS}\s-U ?[^\s%]{{1,80}}%{_VALUE}"),
    ("--pass", rf"\s--(?:http-|ftp-|db-|admin-)?pass(?:word|wd|phrase)?[ =](?!-){_VALUE}"),
    ("identified by", r"(?i:identified by) [\"'](?P<bare>[^\"'\n]{1,200})[\"']"),
    ("IDENTIFIED BY", r"(?i:identified by) [\"'](?P<bare>[^\"'\n]{1,200})[\"']"),
)
_COMMANDS: Final = tuple((hint, re.compile(form)) for hint, form in _FORMS)
_BARE_USER: Final = re.compile(
    r"(?<![\w/.:@+-])(?!(?:mailto|e-?mail|mail|contact|to|from|cc|bcc|sip|sips|xmpp|acct|address|user|login|id|mx|git):)"
    r"[A-Za-z][\w.-]{0,40}:(?P<bare>[^\s:@/\"'<>]{4,80})@[\w-]{1,60}(?:\.[\w-]{1,60}){1,5}"
)
_AFTER: Final = ".,;)]"


def commands(text: str) -> Iterator[Found]:
    """The passwords that stand in a command's arguments, and in `user:password@host` without a scheme."""
    for hint, pattern in _COMMANDS:
        if hint in text:
            for match in pattern.finditer(text):
                yield from _value(match)
    if "@" in text:
        for match in _BARE_USER.finditer(text):
            if looks_like_password(match["bare"]):
                yield *match.span("bare"), "password"


def _value(match: re.Match[str]) -> Iterator[Found]:
    for group, value in match.groupdict().items():
        if value is None:
            continue
        start, end = match.span(group)
        end = start + len(value.rstrip(_AFTER)) if group.endswith("bare") else end
        if end > start and not is_filler(value[: end - start]):
            yield start, end, "password"
