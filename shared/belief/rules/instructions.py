"""Whether a text gives orders to whoever reads it. Pure."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from shared.belief.rules.addressed import ADDRESSED
from shared.belief.rules.addressed_elsewhere import ADDRESSED_ELSEWHERE
from shared.belief.rules.orders import DISGUISED, ENGLISH, OTHERS, Row

_ESCAPED_LINE_END: Final = re.compile(r"(?<!\\)\\+[nr]")
_INVISIBLE: Final = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]")

_SET_APART: Final = re.compile(r"(?<!\w)\w(?:([ .*_-])\w){3,}(?!\w)")
_LEFT_APART: Final = re.compile(r"[ .*_-]")
_WRITTEN_OTHERWISE: Final = str.maketrans("013457@$|аеорсухіѕ", "oieastasiaeopcyxis")  # noqa: RUF001 - that is the point
"""Digits, signs and Cyrillic letters that stand for Latin ones."""
_ENCODED: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}+(?:\r?\n[A-Za-z0-9+/_-]{8,}+)*+")
_LINE_ENDS: Final = re.compile(r"[\r\n]+")
_PRINTABLE: Final = re.compile(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]+")
_URL_SAFE: Final = str.maketrans("-_", "+/")
_MOST_ENCODED: Final = 64
_MOST_ENCODED_CHARS: Final = 8_192


def gives_orders(text: str) -> bool:
    """Whether a text has the shape of an instruction to a model, in some fifteen languages.

    Seen through invisible characters and escapes; in English also where letters are set apart or written as digits.
    Linear in the text.
    """
    shown = _shown(text)
    lowered = shown.lower()
    if _has_one_of(shown, lowered, (*ENGLISH, *OTHERS)):
        return True
    return len(DISGUISED.findall(_undisguised(lowered))) > len(DISGUISED.findall(lowered))


def speaks_to_its_reader(text: str) -> bool:
    """Whether a text from outside (a tool, a document, a page) gives orders or speaks to the machine that reads it.

    Besides what `gives_orders` sees: what is addressed to an assistant, speaks of its memory, tells what only the user
    can tell, or gives the machine something to do; all of it also encoded, as base64, in hexadecimal digits or in
    entities of HTML. Not for the words of people: "Remember: I prefer tea" is theirs to say. Linear in the text.
    """
    return any(map(_speaks, (text, *_decoded(text))))


def _speaks(text: str) -> bool:
    shown = _shown(text)
    return gives_orders(text) or _has_one_of(shown, shown.lower(), (*ADDRESSED, *ADDRESSED_ELSEWHERE))


def _has_one_of(text: str, lowered: str, rows: Iterable[Row]) -> bool:
    return any(any(hint in lowered for hint in hints) and pattern.search(text) for hints, pattern in rows)


def _shown(text: str) -> str:
    """A text without what shows nothing, in plain letters, with its line ends."""
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    return _ESCAPED_LINE_END.sub("\n", text)  # as in the fields of a tool's JSON


def _decoded(text: str) -> Iterator[str]:
    """What stands in a text encoded, where that is text; of an image no more than its beginning is looked at."""
    if "&#" in text or "&lt;" in text:
        yield html.unescape(text)
    for match in islice(_ENCODED.finditer(text), _MOST_ENCODED):
        run = _LINE_ENDS.sub("", match[0])[:_MOST_ENCODED_CHARS]
        for decode in (_from_hex, _from_base64):
            try:
                said = codecs.getincrementaldecoder("utf-8")().decode(decode(run))  # it may be cut within a letter
            except (ValueError, binascii.Error):
                continue
            if said.isprintable() or _PRINTABLE.fullmatch(said):
                yield said
                break


def _from_hex(run: str) -> bytes:
    return bytes.fromhex(run[: len(run) // 2 * 2])


def _from_base64(run: str) -> bytes:
    whole = run[:-1] if len(run) % 4 == 1 else run
    return base64.b64decode(whole.translate(_URL_SAFE) + "=" * (-len(whole) % 4), validate=True)


def _undisguised(lowered: str) -> str:
    """A text with its letters together and in one script; what it says beside that may be lost."""
    together = _SET_APART.sub(lambda match: _LEFT_APART.sub("", match[0]), lowered)
    return together.translate(_WRITTEN_OTHERWISE)
