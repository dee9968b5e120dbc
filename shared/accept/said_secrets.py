"""Secrets that can be told only by what is said of them: `password=…`, "the api key is …", "… is my password". Pure.

A value is taken for a secret when it looks like one (`likeness.py`). After the word for a password everything counts
up to the end of the clause (`labelled.py`), where it does not merely describe the password ("is wrong", "is expired").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shared.accept import beside, changes, signed, spoken
from shared.accept.codes import codes, logins
from shared.accept.labelled import run_after, value_end
from shared.accept.labels import is_foreign, is_plural, keywords, kind_of
from shared.accept.likeness import is_ordinary, is_placeholder, looks_like_key, looks_like_password
from shared.accept.listed import listed
from shared.accept.locks import locks
from shared.accept.tables import tables
from shared.accept.wholly import is_wholly_description

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.accept.known_secrets import Found

_ABOUT: Final = (
    r"\s(?:for|to|of|on|at|in|from|with|für|zum|zur|zu|vom|von|pour|de|du|del|della|di|do|da|dos|das|para|per|voor|van|"
    r"til|till|på|от|which|that|i|we)"
    r"(?:\s(?!is\b|was\b|ist\b)[^\s:=,;]{1,40}){1,6}?"
)
_VERB: Final = (
    r"(?:\s?\([^()\n]{1,40}\)|,\s[^,.;:!?\n]{1,40},|\s[-\u2013\u2014]\s[^.;:!?\n]{1,40}\s[-\u2013\u2014])?"
    r"(?:\s?['\u2019]s|\s(?:is|was|are|used to be|ha[sd] been|(?:will|should|must|would) be|equals|became|becomes|"
    r"remains|reads|agora é|ahora es|ora è|adesso è|c['\u2019]est|"
    r"ist|war|lautet|est|était|es|era|é|è|jest|это|är|are|were|sind|son|são|zijn|"
    r"(?<=salasana )on|(?<=heslo )je|"
    r"(?<=passord )er|(?<=passordet )er|(?<=kodeord )er|(?<=kodeordet )er|(?<=adgangskode )er|(?<=adgangskoden )er|"
    r"(?<=hasło )to|(?<=пароль )[-\u2013\u2014]|(?P<to>to)))"
    r"(?:\s(?:now|still|currently|just|simply|again|set to|changed to|always|literally|actually|jetzt|aktuell|ahora))?"
    r"(?:\s?:)?\s{1,2}|"
    r"\s?(?:是|为|為|は|는|은)\s?[:\uff1a]?\s?"
)
_SIGN: Final = (
    r"\\{0,4}[\"'`\]*_]{0,3}\s{0,2}(?::\s?(?:str|string|SecretStr)\s?=|:=|=>|->|→|[:=\uff1a]{1,2})[*_]{0,2}"
    r"[ \t]{0,2}\n?[ \t]{0,8}"
)
_SPACELESS: Final = r"\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef"
_QUOTED: Final = (
    r"(?:\\{0,4}[\"'`]|[“„«\u2018「])(?P<quoted>[^\"'`“”«»\u2019」\\\n<>]{1,400})(?=\\{0,4}[\"'`”“»\u2019」])"
)
_STOPS: Final = rf"\s\"`<>;{{}}“”{_SPACELESS}"
_VALUE: Final = rf"(?:{_QUOTED}|(?P<bare>[^{_STOPS}]{{1,512}}+))"
_REST_OF_RUN: Final = re.compile(rf"[^{_STOPS}]*+")
_LINKED: Final = re.compile(rf"(?:(?P<sign>{_SIGN})|{_VERB}){_VALUE}", re.IGNORECASE)
_LINKED_FAR: Final = re.compile(rf"{_ABOUT}(?:(?P<sign>{_SIGN})|{_VERB}){_VALUE}", re.IGNORECASE)
_BESIDE: Final = re.compile(rf"\s(?:[-\u2013\u2014]\s)?(?P<bare>[^{_STOPS}]{{1,512}}+)")
_IN_A_ROW: Final = re.compile(r"[,;\t|][^\n]*$")
_CHANGED: Final = re.compile(
    r"\b(?:chang|set|reset|updat|switch|rotat)\w{0,4}\s(?:[\w'\u2019-]{1,20}\s){0,4}$", re.IGNORECASE
)
_OF_ANY: Final = re.compile(
    r"(?:^|\W)(?:an?|any|every|each|no|some|which|what|whose|one|strong|good|weak|long|short|secure|ein|eine|jedes|kein|"
    r"un|une|una|chaque|cada|ogni|uma|een|elk)\s(?:[\w'\u2019-]{1,20}\s)?$",
    re.IGNORECASE,
)
"""Before the word for a password: what is said is said of passwords, not of one."""
_BEFORE: Final = re.compile(
    r"(?:^|[\s\"'`(“])(?P<value>[^\s\"'`(“]{6,200})[\"'`”]?\s(?:is|was|ist|est|es)\s"
    r"(?:my|the|our|your|his|her|their|mein|das|mon|le|mi|la)\s(?:[\w'\u2019-]{1,30}\s){0,3}$",
    re.IGNORECASE,
)
_PHRASE_WORDS: Final = re.compile(r"[^\W\d_]{2,12}+(?:(?:,? |,|-)[^\W\d_]{2,12}+){2,23}+")
_PLAIN: Final = re.compile(
    r"[^\W\d_]{4,40}|\d{4,40}|[^\W_]{2,20}(?:-[^\W_]{2,20}){2,8}|[^\W_]{2,20}(?:_[^\W_]{2,20}){1,8}"
)
_PARTED: Final = re.compile(r"[A-Za-z]{2,20}(?:-[A-Za-z]{2,20}){1,6}-\d{2,8}")
_CLAUSE_END: Final = re.compile(
    r"[*_]*(?:[.,;!?…)\]\"'\u2019”»]*\s*(?:$|\n)|[.,;!?)\]\"'\u2019”»\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]|"
    r"\s(?:and|but|und|aber|et|mais|y)\b)"
)
_ELEMENT: Final = re.compile(
    r"<[\w:.-]{0,30}?(?:(?P<password>password|passwd|pwd)|token|secret|api[_-]?key)[\w:.-]{0,10}>"
    r"(?P<value>[^<\n]{1,400})</",
    re.IGNORECASE,
)
_PAIRED: Final = re.compile(r"\w[:/|]\w")
_REPLACED: Final = "[redacted: "
_WINDOW_CHARS: Final = 900
_LONG_QUOTED: Final = 16
_SHORTEST_BESIDE: Final = 7

Span = tuple[int, int]


def said_secrets(text: str) -> Iterator[Found]:
    """Values that the text says are a password, key, token or PIN. Linear in the text."""
    lowered = _lowered(text)
    yield from codes(text, lowered)
    yield from logins(text, lowered)
    labels = keywords(lowered)
    if labels:
        yield from _beside_keywords(text, labels)
        yield from _signed(text, labels)
        yield from tables(text)
    yield from listed(text, lowered, labels)
    if labels and "</" in text:
        for match in _ELEMENT.finditer(text):
            if not is_placeholder(match["value"]) and not is_ordinary(match["value"].strip()):
                yield *match.span("value"), "password" if match["password"] else "api key"
    yield from locks(lowered)


def kind_if_secret(name: str, value: str) -> str | None:
    """What kind of secret the value of a field with this name is; None if it is none."""
    spaced = name.replace("_", " ")
    for said in (name, spaced) if spaced != name else (name,):
        for keyword in keywords(_lowered(f"{said}:")):
            if keyword.end() == len(said) and _is_secret_of_field(keyword, value.strip()):
                return kind_of(keyword)
    return next((kind for *_, kind in locks(_lowered(f"{spaced}: {value}"))), None)


def _is_secret_of_field(keyword: re.Match[str], value: str) -> bool:
    return _is_secret_in_quotes(keyword, value, signed=True) or signed.is_value(keyword, value)


def _lowered(text: str) -> str:
    """The text in lower case, letter for letter, so that places in the one are places in the other."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(char if len(char.lower()) > 1 else char.lower() for char in text)


def _signed(text: str, labels: list[re.Match[str]]) -> Iterator[Found]:
    done = 0
    for keyword in labels:
        if keyword.start() < done or text.endswith(_REPLACED, 0, keyword.start()):
            continue
        for finder in (signed.values, beside.before, beside.beside, spoken.values, changes.values):
            for start, end in finder(text, keyword):
                if spoken.describes(keyword, text[start:end]):
                    continue
                yield start, end, kind_of(keyword)
                done = max(done, end)
                yield from _further(text, keyword, end)
                if end <= keyword.start():
                    yield from _further(text, keyword, keyword.end())


def _further(text: str, keyword: re.Match[str], end: int) -> Iterator[Found]:
    for start, stop in beside.further(text, end) if keyword["password"] else ():
        yield start, stop, "password"


def _beside_keywords(text: str, labels: list[re.Match[str]]) -> Iterator[Found]:
    done = 0
    for keyword in labels:
        if keyword.start() < done or text.endswith(_REPLACED, 0, keyword.start()) or signed.is_ticket(text, keyword):
            continue
        for span in (_value_before(text, keyword), _value_after(text, keyword)):
            if span and span[0] >= done and not spoken.begins_a_description(keyword, text[slice(*span)]):
                yield *span, kind_of(keyword)
                done = span[1]
                yield from _further(text, keyword, done)


def _value_before(text: str, keyword: re.Match[str]) -> Span | None:
    """The value in "… is my password"."""
    low = max(keyword.start() - 300, 0)
    match = _BEFORE.search(text[low : keyword.start()])
    if match is None or not _is_certain(keyword, match["value"]):
        return None
    return low + match.start("value"), low + match.end("value")


def _value_after(text: str, keyword: re.Match[str]) -> Span | None:
    """The value in "password: …", "password is …", "password for the printer is …", "with password …"."""
    start, limit = keyword.end(), keyword.end() + _WINDOW_CHARS
    for pattern in (_LINKED, _LINKED_FAR):
        match = pattern.match(text, start, limit)
        span = _linked_value(text, keyword, match) if match and _links(text, keyword, match) else None
        if span:
            return span
    run = run_after(text, start, limit) if keyword["password"] else None
    if run:
        return run
    match = _BESIDE.match(text, start, limit)
    if match is None or (match[0][0] == "\n" and _IN_A_ROW.search(text, max(start - 80, 0), start)):
        return None
    span = _bare_span(text, match, signed=False)
    return span if _is_certain(keyword, _judged(text, span)) else None


def _links(text: str, keyword: re.Match[str], match: re.Match[str]) -> bool:
    """Whether "to" leads to the new value ("changed the password to …") and not to a thing ("the password to …")."""
    return match["to"] is None or _CHANGED.search(text[max(keyword.start() - 100, 0) : keyword.start()]) is not None


def _linked_value(text: str, keyword: re.Match[str], match: re.Match[str]) -> Span | None:
    signed = match["sign"] is not None
    if match["quoted"] is not None:
        return match.span("quoted") if _is_secret_in_quotes(keyword, match["quoted"].strip(), signed=signed) else None
    phrase = _phrase_end(text, match.start("bare")) if keyword["phrase"] else None
    if phrase:
        return match.start("bare"), phrase
    span = _bare_span(text, match, signed="=" in (match["sign"] or ""))
    value = _judged(text, span)
    if is_plural(keyword) and text.startswith(": ", span[1]):
        return None  # what the first of the values is for
    if keyword["key"]:
        return span if looks_like_key(value) else None
    if _takes_its_clause(text, keyword, match):
        end = value_end(text, match.start("bare"), purpose=match["to"] is not None)
        return (match.start("bare"), max(end, span[1] if looks_like_password(value) else 0)) if end else None
    on_its_line = not signed or "\n" not in match["sign"]
    plain = on_its_line and _PLAIN.fullmatch(value) is not None and not _is_sentence(re.split("[-_]", value))
    return span if looks_like_password(value) or (plain and _CLAUSE_END.match(text, span[1])) else None


def _takes_its_clause(text: str, keyword: re.Match[str], match: re.Match[str]) -> bool:
    """Whether a label says outright that a password follows, in prose or alone on its line.

    A setting (`password=…`) has a single word for its value, and "a strong password is …" speaks of passwords.
    """
    if match["sign"] is not None:
        told = "=" not in match["sign"] and "\n" not in match["sign"]
        return told and not signed.is_of_something_else(text, keyword)
    before = text[max(keyword.start() - 60, 0) : keyword.start()]
    return keyword[0].startswith("senha") or _OF_ANY.search(before) is None  # "a senha" is "the password"


def _is_secret_in_quotes(keyword: re.Match[str], value: str, *, signed: bool) -> bool:
    if is_placeholder(value):
        return False
    if keyword["key"]:
        return looks_like_key(value) or (signed and len(value) >= _LONG_QUOTED and value.isalnum())
    return not is_wholly_description(value.split(), foreign=is_foreign(keyword))


def _is_certain(keyword: re.Match[str], value: str) -> bool:
    """Whether a value can be nothing but a secret, even where no "is" or colon says so."""
    if keyword["key"]:
        if keyword["key"].startswith("cred") and _PAIRED.search(value):
            return False  # a login and a password, of which `codes.logins` takes the second
        return any(map(str.isdigit, value)) and (looks_like_key(value) or _PARTED.fullmatch(value) is not None)
    digits = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return digits and len(value) >= _SHORTEST_BESIDE and looks_like_password(value)


def _bare_span(text: str, match: re.Match[str], *, signed: bool) -> Span:
    """The value without the punctuation after it; in `a=b&c=d` only up to the `&`."""
    start, end = match.span("bare")
    end = _REST_OF_RUN.match(text, end).end()  # type: ignore[union-attr]
    value = text[start:end]
    if signed:
        value = re.split("[&,]", value, maxsplit=1)[0]
    return start, start + len(value.rstrip(".,:)]'\u2019*_…"))


def _phrase_end(text: str, start: int) -> int | None:
    """Where a phrase of three words or more ends that has the clause for itself and reads like no sentence."""
    seed = signed.seed_end(text, start)
    if seed:
        return seed
    match = _PHRASE_WORDS.match(text, start)
    if match is None or not _CLAUSE_END.match(text, match.end()):
        return None
    return None if _is_sentence(re.split("[ ,-]+", match[0])) else match.end()


def _is_sentence(words: list[str]) -> bool:
    """Whether words describe something rather than being a password; one ordinary word among four or more does not."""
    return sum(map(is_ordinary, words)) > (len(words) > 3)  # noqa: PLR2004 - said above


def _judged(text: str, span: Span) -> str:
    """The value without the marks of emphasis around it."""
    return text[slice(*span)].lstrip("(*_'\u2019").rstrip("*_'\u2019")
