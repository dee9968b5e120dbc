"""The values after a label with a sign: `password: …`, `DB_PASSWORD=…`, `"client_secret": "…"`, `Password (wifi): …`.

A sign announces a value, so whatever follows is one, but for what is wholly a description (`wholly.py`): adjectives,
ordinary words and plain numbers hide nothing. Keys and tokens are told from words by their parts, for "Key: C major".
Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shared.accept import labelled
from shared.accept.labels import is_foreign, is_plural
from shared.accept.likeness import looks_like_password
from shared.accept.wholly import is_wholly_description

if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[int, int]

_QUALIFIED: Final = r"(?:[ ]?[(\[][^()\[\]\n]{1,40}[)\]])?"
_QUALITY: Final = (
    r"(?:\s(?:nov[oa]|nueva|nuova|nou|nouveau|atual|actual|actuel|attuale|antig[oa]|vieja|vecchia|ancien|nieuw|nowe|"
    r"новый|старый))?"
)
_SIGN: Final = re.compile(
    rf"{_QUALIFIED}{_QUALITY}(?:\s(?:is|was|are|ist|lautet|sind|est|es|son|è|é|são|jest|to))?"
    r"\\{0,4}(?P<closing>[\"'`\]*_]{0,3})[ \t]{0,2}"
    r"(?P<sign>:[ ]?(?:str|string|SecretStr)[ ]?=|:=|=>|->|→|"
    r"[:=\uff1a]{1,2})[*_]{0,2}(?:</?[a-z]{1,10}>){0,2}[ \t]{0,8}",
    re.IGNORECASE,
)
_FOR: Final = re.compile(
    r"[ ](?:for|to|of|on|at|in|from|für|zum|zur|vom|pour|de|du|del|para|per|di|do|da|voor|van|do|для|от)"
    r"(?:[ ](?!(?:is|was|ist|est|es)\b)[^\s:=,.;!?\[]{1,30}){1,5}?(?=\\{0,4}[\"'`]?[ ]?[:=\uff1a])",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(
    r"\\{0,4}(?:\"(?P<double>[^\"\\\n]{1,400})|'(?P<single>[^'\\\n]{1,400})|`(?P<tick>[^`\n]{1,400})|"
    r"[“„«](?P<curly>[^“”«»\n]{1,400})|[\u2018\u201a](?P<bent>[^\u2018\u2019\n]{1,400})|「(?P<corner>[^「」\n]{1,400}))"
    r"(?=\\{0,4}[\"'`”“»\u2019\u2018」])"
)
_INSTRUCTS: Final = re.compile(
    r"(?:^|\W)(?:invalid|wrong|incorrect|bad|missing|no|forgot(?:ten)?|lost|change|reset|recover|update|weak|strong|"
    r"good|any|every|secure|safe|each|which|what|a|an)[ ]$|(?:^|\W)1$"
)
"""Before a label that begins a message of a program, a piece of advice, or another thing's name (1Password)."""
_OTHER_PASS: Final = re.compile(r"(?:^|\W)(?!my |the |our |your |his |her |and |new |old |with )[^\W\d_]{2,20}[ ]$")
_RUN: Final = re.compile(r"[^\s\"`<>;{}“”\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,512}")
_ENDS: Final = re.compile(r"[.,;:!?)\]}\"'`*_]*(?:\s*$|\s*\n|[.,;!?)\]}\"'&](?:\s|$)|\s(?:and|und|et|y|e)\s|&)")
_PLAIN_WORDS: Final = re.compile(r"(?:[ ][^\W_]{2,20}(?:[-_][^\W_]{1,20}){0,4}){1,2}(?=[ \t.]*(?:\n|$))")
_PARTS: Final = re.compile(r"[^\W_]+(?:[-_][^\W_]+){0,11}")
_AFTER: Final = ".,;:)]'\u2019*_…"
_SEED: Final = re.compile(
    r"(?:[a-z]{3,8}(?:,?\s{1,2}[a-z]{3,8}){11,23}|1[.):]?\s?[a-z]{3,8}(?:,?\s{1,2}\d{1,2}[.):]?\s?[a-z]{3,8}){2,23})(?!\w)"
)
"""Twelve to 24 words of three to eight letters (BIP 39), or numbered ones; they may be words that describe."""
_SEED_WORDS: Final = re.compile(r"[a-z]{3,8}(?:,?\s{1,2}[a-z]{3,8}){11,23}(?![\w'\u2019])", re.IGNORECASE)
_NO_SEED_WORDS: Final = frozenset(
    """
    the and for from was were are has had not never should would could which words but your his her our their been being
    who how because its out without
    """.split()  # noqa: SIM905
)
"""Words of sentences that the list of BIP 39 does not have."""
_SEED_LEAST: Final = 12
_BEFORE_SEED: Final = re.compile(r"\s?[-\u2013\u2014]?\s{1,3}")
_ITEM: Final = re.compile(
    r"[,;/]?[ \t]{0,2}(?:\n[ \t]{0,8}(?:[-*•][ ])?)?(?:(?:and|or|und|oder|et|ou|y|e|o|en|i|и)[ ])?"
)
_WORD: Final = re.compile(r"[^\s\"`<>;{}“”,/]{1,80}")
_JOINS: Final = frozenset("and or und oder et ou y e o en i и".split())  # noqa: SIM905
_MOST_ITEMS: Final = 24
_SHORTEST_KEY: Final = 6
_BARE_KEY_PARTS: Final = 3

_CJK: Final = re.compile(r"[\u3005-\u30ff\u3400-\u9fff]{2,30}|[\uac00-\ud7af]{2,30}(?: [\uac00-\ud7af]{1,20}){0,3}")
_CJK_DESCRIBES: Final = re.compile(
    r"^(?:在|请|請|见|見|问|問|忘|没|沒|无|無|不|未|已|需|必|太|很|错|錯|和|跟|与|同|如|由|(?:正确|正確|默认|默認|空|弱|强|新的|旧的)$)|"
    r"ください|ません|ない|あり|ある|忘れ|不明|なし|同じ|参照|違|に(?:書|保)|^(?:必須|任意|無効|有効|秘密)$|"
    r"있|없|잊|모르|같|참조|변경|필요|하세요|주세요|틀|^(?:필수|선택)"
)


def values(text: str, keyword: re.Match[str]) -> Iterator[Span]:
    """The values that a label and a sign announce, in order. Linear in the text."""
    beside = _BEFORE_SEED.match(text, keyword.end()) if keyword["phrase"] else None
    seed = seed_end(text, beside.end()) if beside else None
    if beside and seed:
        yield beside.end(), seed
        return
    far = _FOR.match(text, keyword.end())
    sign = _SIGN.match(text, far.end() if far else keyword.end())
    if sign is None or is_of_something_else(text, keyword):
        return
    quoted = _QUOTED.match(text, sign.end())
    if quoted:
        yield from _in_quotes(keyword, sign, quoted)
    elif keyword["phrase"] and (words := _SEED.match(text, sign.end())):
        yield words.span()
    elif keyword["key"]:
        yield from _key(text, keyword, sign)
    else:
        yield from _password(text, keyword, sign)


def seed_end(text: str, start: int) -> int | None:
    """Where twelve words or more of a wallet end that begin at `start` and read like no sentence; None if none do."""
    run = _SEED_WORDS.match(text, start)
    end, count = start, 0
    for word in re.finditer(r"[^\W\d_]+", run[0]) if run else ():
        if word[0].casefold() in _NO_SEED_WORDS:
            break
        end, count = start + word.end(), count + 1
    return end if count >= _SEED_LEAST else None


def is_value(keyword: re.Match[str], value: str) -> bool:
    """Whether a field's whole value is a secret, for its name is this label."""
    words = value.split()
    if keyword["key"] and not _is_compound(keyword):
        return len(_PARTS.findall(value)) > 1 and not is_wholly_description(words) and _has_parts(value)
    return not is_wholly_description(words, foreign=is_foreign(keyword))


def is_ticket(text: str, keyword: re.Match[str]) -> bool:
    """Whether "pass" is the end of another thing's name: a boarding pass, a ski pass."""
    before = text[max(keyword.start() - 24, 0) : keyword.start()].lower()
    return keyword[0] == "pass" and _OTHER_PASS.search(before) is not None


def is_of_something_else(text: str, keyword: re.Match[str]) -> bool:
    """Whether a label begins a message of a program or a piece of advice, or is the end of another thing's name."""
    before = text[max(keyword.start() - 24, 0) : keyword.start()].lower()
    return _INSTRUCTS.search(before) is not None or is_ticket(text, keyword)


def _is_compound(keyword: re.Match[str]) -> bool:
    """Whether a label has more than the word for a key: `client_secret`, "API key"."""
    return (
        len(_PARTS.findall(keyword[0].replace(" ", "-"))[0]) > len("credentials")
        or "_" in keyword[0]
        or " " in (keyword[0])
    )


def _in_quotes(keyword: re.Match[str], sign: re.Match[str], quoted: re.Match[str]) -> Iterator[Span]:
    group = quoted.lastgroup or "double"
    value = quoted[group].strip()
    named = _is_compound(keyword) or bool(sign["closing"].strip("*_]")) or "=" in sign["sign"]
    if (
        value
        and (named or not keyword["key"])
        and not is_wholly_description(value.split(), foreign=is_foreign(keyword))
    ):
        yield quoted.span(group)


def _key(text: str, keyword: re.Match[str], sign: re.Match[str]) -> Iterator[Span]:
    run = _RUN.match(text, sign.end())
    if run is None:
        return
    value = run[0].split("&", 1)[0].rstrip(_AFTER)
    end = run.start() + len(value)
    if len(value) < _SHORTEST_KEY or not _ENDS.match(text, end) or is_wholly_description([value]):
        return
    tight = "=" in sign["sign"] and not sign[0].endswith(" ")
    least = 1 if tight and _is_compound(keyword) else 2 if tight or _is_compound(keyword) else _BARE_KEY_PARTS
    if len(re.findall(r"[^\W_]+", value)) >= least and _PARTS.fullmatch(value):
        yield run.start(), end


def _has_parts(value: str) -> bool:
    return len(re.findall(r"[^\W_]+", value)) >= _BARE_KEY_PARTS


def _password(text: str, keyword: re.Match[str], sign: re.Match[str]) -> Iterator[Span]:
    start = sign.end()
    spaceless = _CJK.match(text, start)
    if spaceless:
        if not _CJK_DESCRIBES.search(spaceless[0]):
            yield spaceless.span()
        return
    if is_plural(keyword):
        yield from _items(text, start, foreign=is_foreign(keyword))
    elif "=" in sign["sign"]:
        yield from _assigned(text, keyword, start)
    else:
        yield from _clause(text, keyword, start)


def _clause(text: str, keyword: re.Match[str], start: int) -> Iterator[Span]:
    words = labelled.clause(text, start)
    said = [word for word, _ in words]
    if not is_wholly_description(said, foreign=is_foreign(keyword)):
        yield start, labelled.strong_end(text, start) or words[-1][1]
        return
    for word, end in words[1:]:  # "password: use hunter2"
        if looks_like_password(word):
            yield end - len(word), end


def _assigned(text: str, keyword: re.Match[str], start: int) -> Iterator[Span]:
    """A setting has a word for its value; a line of its own may have two or three."""
    run = _RUN.match(text, start)
    if run is None:
        return
    value = re.split("[&,]", run[0], maxsplit=1)[0].rstrip(_AFTER)
    end = start + len(value)
    option = text[max(keyword.start() - 1, 0) : keyword.start()] == "-"
    more = _PLAIN_WORDS.match(text, end) if value.isalpha() and not option else None
    if not is_wholly_description([value, *(more[0].split() if more else ())]):
        yield start, more.end() if more else end


def _items(text: str, start: int, *, foreign: bool) -> Iterator[Span]:
    """The values of a list, each of a word or a few: "tea, horse battery and milk"."""
    at = start
    for _ in range(_MOST_ITEMS):
        words, end = _item(text, at)
        if words and words[0][0] != "[" and text.startswith(": ", end):  # what the value is for
            at = end + 2
            words, end = _item(text, at)
        if not words or words[0].startswith("[") or is_wholly_description(words, foreign=foreign):
            return
        yield at, end
        link = _ITEM.match(text, end)
        if link is None or not link[0].strip():
            return
        at = link.end()


def _item(text: str, start: int) -> tuple[list[str], int]:
    words: list[str] = []
    at = end = start
    while len(words) < 4:  # noqa: PLR2004 - a passphrase of a list is short
        match = _WORD.match(text, at)
        if match is None or match[0].casefold() in _JOINS:
            break
        bare = match[0].rstrip(_AFTER)
        words.append(bare)
        end = match.start() + len(bare)
        if bare != match[0] or text[match.end() : match.end() + 1] != " ":
            break
        at = match.end() + 1
    return words, end
