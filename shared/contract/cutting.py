"""Takes recalled memories out of what comes in.

An agent puts a block into its prompt, and so it comes back inside a message. Nothing recalled is learned as new, and
every other word stays where it was.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from shared.contract.block import GUARDS, HEADING, MARK, NAME, TAG, escaped, whole_blocks
from shared.contract.forms import JSON_CLOSING, JSON_ITEM, JSON_OPENING, XML_ITEM, markdown_escaped, whole_json

_GUARD: Final = f"(?:{'|'.join(map(re.escape, GUARDS))})"
_IN_OTHER_FORMS: Final = "|".join(each.pattern for each in (XML_ITEM, JSON_ITEM, JSON_CLOSING))
_HINT: Final = re.compile(
    rf'{NAME}|(?:="|memory-)[0-9a-f]{{16}}"?>|"[0-9a-f]{{16}}"\}}|\[m\d{{1,9}}{MARK}[ \]]|{_GUARD}|{_IN_OTHER_FORMS}'
)

_MARK: Final = r"[ \t\r>*+•·|#_\-–\"'`“”‘’«»]"  # noqa: RUF001 - these are the marks people and models quote with
_JSON_TAG: Final = re.compile(rf"\s*(?:{JSON_OPENING.pattern}|{JSON_CLOSING.pattern})")
_LEAD: Final = re.compile(rf"(?:{_MARK}|\d{{1,3}}[.)](?=\s))*+")
_TRAIL: Final = re.compile(rf"{_MARK}*+")
_FENCE: Final = re.compile(r"[ \t>]*(`{3,}|~{3,})[\w+-]*[ \t\r]*")
_OURS: Final = re.compile(
    rf"{HEADING}|(?:<note>)?{_GUARD}(?:</note>)?{_MARK}*$|{_IN_OTHER_FORMS}|{JSON_OPENING.pattern}"
)
_TORN_HEADING: Final = re.compile(r"\[(?:m(?:\d{1,9}(?:[ ~](?:[0-9a-f]{0,12}(?: [^\[\]]*)?)?)?)?)?$")
_TORN_XML_ITEM: Final = re.compile(r"<(?:m(?:e(?:m(?:o(?:r(?:y(?: [^<>]*)?)?)?)?)?)?)?$")
_TORN_IN_JSON: Final = re.compile(
    r'(?:\{"(?:id?|da?y?b?o?o?k?-?m?e?m?o?r?y?)|\], "e?n?d?)(?:"(?:: ?(?:"[m0-9a-f~]{0,16}"?)?)?)?$'
)
_REST_OF_HEADING: Final = re.compile(r"(?:m?\d{0,9}[ ~])?[0-9a-f]{0,12}(?: [^\[\]]*)?\] ")
_REST_OF_LABEL: Final = re.compile(r"[^\[\]]{0,200}\] ")
"""What ends a label, whatever it says. The item's own text follows."""
_REST_OF_XML_ITEM: Final = re.compile(r'(?:[^<>]*">)?[^<>]*</(?:memory|note)>$|/?(?:m?e?m?o?r?y?|n?o?t?e?)>$')
_REST_OF_JSON_ITEM: Final = re.compile(r'.*"\},?$|\}?,?$|(?:.*"memories|[a-z]{0,8})"?:? ?\[$')
_NOTE: Final = re.compile(r"^<?n?o?t?e?>|<(?:/(?:n(?:o(?:t(?:e>?)?)?)?)?)?$")
"""The tags around the guard in XML, or what is left of them."""
_REST_OF_TAG: Final = re.compile(
    r'(?:[a-z/-]{0,15} )?n?o?n?c?e?="[0-9a-f]{16}">|[a-z/-]{0,14}-[0-9a-f]{16}>|[], "end:]{0,9}"[0-9a-f]{16}"\}'
)
_AFTER_AN_ITEM: Final = re.compile(rf"\[m(?!1[ ~])\d|(?:<|&lt;)/{NAME}")
_AN_ESCAPE: Final = re.compile(r"\\(?:[\\nr`*_\[\]<&~]|u[0-9a-f]{4})")
_REST_OF_ESCAPE: Final = re.compile(r"^(?:[\\nr`*_\[\]<&~]|u?[0-9a-f]{1,4})")
_BEFORE_A_VALUE: Final = re.compile(r"[:,\[]\s*\Z")
_AFTER_A_VALUE: Final = re.compile(r"\s*[,}\]]")
_MOST_SPACE_CHARS: Final = 200
_END_CHARS: Final = 32
_MOST_TORN: Final = 4
_MAX_TORN_CHARS: Final = 16_000
_TORN_TAG_CHARS: Final = len(NAME) + 2
_TORN_GUARD_CHARS: Final = 12
_HEX: Final = frozenset("0123456789abcdef")
_SHAPES: Final = (f'<{NAME} nonce="{"0" * 16}">', f"<{NAME}-{'0' * 16}>", f'{{"{NAME}": "{"0" * 16}"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A text without recalled memories."""

    text: str
    blocks: int = 0
    """How many blocks and parts of blocks were cut out."""
    torn: tuple[str, ...] = ()
    """Lines of the text that may be the end of an item: what of ours was cut out right below each was no block's
    beginning. They are left in the text, for nothing in it tells them from the caller's own words; the memories do
    (`is_end_of_item`)."""


def cut(text: str) -> Cut:
    """Take every block of ours out of a text.

    Cut are: whole blocks, wherever they stand (indented, quoted, listed, fenced, inside JSON strings); a half block:
    the opening or closing line and the item and guard lines it still has, the torn one at its end included; and
    single lines in the exact form of an item or of the guard. Of a block torn off at its beginning in the middle of
    an item's text, that item's remains are left, and named in `torn` where a line of ours follows them.

    Text without our markers comes back as it is. Otherwise whole lines go with their line ends, and newlines at both
    ends of what is left are stripped. Linear in the text.
    """
    if not has_marks(text):
        return Cut(text=text)
    rest, whole = _without_spans(text, whole_blocks(text))
    rest, values = _without_json_values(rest)
    rest, in_json = _without_spans(rest, whole_json(rest))
    kept, parts, torn = _without_lines_of_ours(rest)
    blocks = whole + values + in_json + parts
    return Cut(text=kept.strip("\r\n"), blocks=blocks, torn=torn) if blocks else Cut(text=text)


def has_marks(text: str) -> bool:
    """Whether there may be anything of ours in a text; quick."""
    return _HINT.search(text) is not None


def is_end_of_item(line: str, text: str) -> bool:
    """Whether a line is the end of the item that shows a memory of this text, torn off in its text or its label."""
    plain = escaped(text)
    return any(
        shown.endswith(form) or form.partition("] ")[2] == shown
        for shown in (plain.rstrip(), markdown_escaped(plain).rstrip())
        for form in _forms(line)
    )


def ends_to_look_for(line: str) -> set[str]:
    """Short ends, of one of which the text of a memory must be whose item ends in this line; `is_end_of_item` decides.

    What an escape stands for is not in them, also where the tear went through it.
    """
    plain = [_AN_ESCAPE.split(part)[-1] for form in _forms(line) for part in (form, form.partition("] ")[2])]
    ends = {end[-_END_CHARS:] for part in plain for end in (part, _REST_OF_ESCAPE.sub("", part, count=1))}
    return ends - {""}


def _without_spans(text: str, spans: Iterator[tuple[int, int]]) -> tuple[str, int]:
    kept: list[str] = []
    count = end = 0
    for span in spans:
        start, after = _with_quoting(text, end, *span)
        kept.append(text[end:start])
        end, count = after, count + 1
    return _joined([*kept, text[end:]]), count


def _without_json_values(text: str) -> tuple[str, int]:
    """Put an empty string for each block in JSON that is a value in other JSON."""
    kept: list[str] = []
    end = 0
    for start, after in whole_json(text):
        before = _BEFORE_A_VALUE.search(text, max(end, start - _MOST_SPACE_CHARS), start)
        if before and _AFTER_A_VALUE.match(text, after):
            kept += [text[end:start], '""']
            end = after
    return "".join([*kept, text[end:]]), len(kept) // 2


def _with_quoting(text: str, floor: int, start: int, end: int) -> tuple[int, int]:
    """Widen a span by the marks it is quoted with and its line end, where it has its lines for itself.

    Looks back no further than `floor`, where the block before ended.
    """
    line_start = text.rfind("\n", floor, start) + 1 or floor
    if not _LEAD.fullmatch(text, line_start, start):
        return start, end
    after = _line_end(text, _TRAIL, end)
    return (line_start, end) if after is None else _with_fence(text, floor, line_start, after)


def _line_end(text: str, pattern: re.Pattern[str], start: int) -> int | None:
    """Where the next line begins, if `pattern` is all there is from `start` to the end of this one."""
    match = pattern.match(text, start)
    return min(match.end() + 1, len(text)) if match and text[match.end() : match.end() + 1] in {"", "\n"} else None


def _with_fence(text: str, floor: int, start: int, end: int) -> tuple[int, int]:
    """Widen a span of whole lines by the code fence around it, if that would be left empty."""
    fence_start = text.rfind("\n", floor, max(start - 1, floor)) + 1 or floor
    opens = _FENCE.fullmatch(text, fence_start, max(start - 1, fence_start))
    after = _line_end(text, _FENCE, end)
    return (start, end) if opens is None or after is None else (fence_start, after)


def _joined(parts: list[str]) -> str:
    """Join what stood around the blocks; a block between two words was a break between them."""
    joined = [""]
    for part in filter(None, parts):
        joined += ["\n", part] if joined[-1][-1:].isalnum() and part[0].isalnum() else [part]
    return "".join(joined)


def _without_lines_of_ours(text: str) -> tuple[str, int, tuple[str, ...]]:
    """Drop the lines that half blocks are made of; lines that follow each other count as one block."""
    kept: list[str] = []
    torn: list[str] = []
    count = 0
    inside = False
    lines = text.split("\n")
    for place, line in enumerate(lines):
        left = _left_of(line, after_ours=inside, before=next(filter(str.strip, lines[place + 1 : place + 3]), ""))
        if left is None:
            torn += [] if inside or len(torn) == _MOST_TORN else _line_torn_above(line, kept)
            count, inside = count + (not inside), True
            continue
        if left != line:
            count += not inside
        inside = left != line or (inside and not line.strip())
        kept.append(left)
    return "\n".join(kept), count, tuple(torn)


def _line_torn_above(line: str, kept: list[str]) -> list[str]:
    """The line before one of ours, if ours is neither a block's first item nor what stands above that."""
    if not _AFTER_AN_ITEM.match(_content(line)):
        return []
    above = next((each.strip() for each in reversed(kept) if each.strip()), "")
    return [above] if 0 < len(above) <= _MAX_TORN_CHARS else []


def _forms(line: str) -> set[str]:
    """A line as it stands, and as it was before it was quoted or written as HTML."""
    return {form for each in (line.strip(), _content(line)) for form in (each, html.unescape(each).strip()) if form}


def _left_of(line: str, *, after_ours: bool, before: str) -> str | None:
    """What is left of a line; None where all of it is ours. `before` is the line below it, but for one blank."""
    content = _content(line)
    if _OURS.match(content) or _JSON_TAG.match(line) or _begins_tag(content, _TORN_TAG_CHARS):
        return None
    if (after_ours and _is_torn_end(content)) or _is_torn_start(line, before):
        return None
    if _REST_OF_TAG.fullmatch(content) or _is_end_in_other_forms(content, before):
        return None
    left, tags = TAG.subn("", line)
    return left if not tags or _content(left) else None


def _content(line: str) -> str:
    """A line without the marks it is quoted with."""
    lead = _LEAD.match(line)
    return line[lead.end() if lead else 0 :].rstrip()


def _begins_tag(content: str, least_chars: int) -> bool:
    """Whether a line is the beginning of one of our tags and nothing more."""
    tag = "<" + content[2:] if content.startswith("</") else content
    return len(tag) >= least_chars and any(_fits(tag, shape[: len(tag)]) for shape in _SHAPES)


def _fits(fragment: str, shape: str) -> bool:
    """Whether a fragment is this part of an opening line, whatever the nonce."""
    return len(shape) == len(fragment) and all(
        have == want or (want == "0" and have in _HEX) for have, want in zip(fragment, shape, strict=True)
    )


def _is_torn_end(content: str) -> bool:
    """Whether a line, right after lines of ours, is the beginning of a guard line, a heading or a tag."""
    bare = _NOTE.sub("", content)
    torn_guard = len(bare) >= _TORN_GUARD_CHARS and any(guard.startswith(bare) for guard in GUARDS)
    torn_item = any(torn.match(content) for torn in (_TORN_HEADING, _TORN_XML_ITEM, _TORN_IN_JSON))
    return torn_guard or torn_item or (content != "{" and _begins_tag(content, 1))


def _is_end_in_other_forms(content: str, below: str) -> bool:
    """Whether a line, right before one in XML or JSON, is the end of an item in it."""
    following = _content(below)
    if XML_ITEM.match(following) or TAG.match(following):
        return _REST_OF_XML_ITEM.match(content) is not None
    return (JSON_ITEM.match(following) or JSON_CLOSING.match(following)) is not None and (
        _REST_OF_JSON_ITEM.match(content) is not None
    )


def _is_torn_start(line: str, below: str) -> bool:
    """Whether a line, right before one of ours, is the end of an opening or guard line, or begins with a heading's."""
    following = _content(below)
    if not (_OURS.match(following) or TAG.match(following)):
        return False
    line = line.strip()
    least = 1 if following.startswith(("[m1 ", "[m1~")) else _TORN_GUARD_CHARS
    content = _NOTE.sub("", _content(line))
    torn_guard = len(content) >= least and any(guard.endswith(content) for guard in GUARDS)
    torn_opening = bool(line) and any(_fits(line, shape[-len(line) :]) for shape in _SHAPES)
    torn_label = _AFTER_AN_ITEM.match(following) and (_REST_OF_HEADING.match(line) or _REST_OF_LABEL.match(line))
    return torn_guard or torn_opening or bool(torn_label)
