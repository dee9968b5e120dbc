r"""The block in other forms: Markdown, XML and JSON. Each is read back exactly, and cut out of what comes in again.

    <daybook-memory nonce="0123456789abcdef">          <daybook-memory-0123456789abcdef>
                                                       <note>the guard line</note>
    the guard line                                     <memory id="m1~5f0c" label="user">I keep bees.</memory>
                                                       </daybook-memory-0123456789abcdef>
    - [m1~5f0c user] I keep *two* beehives.

    </daybook-memory nonce="0123456789abcdef">         {"daybook-memory": "0123456789abcdef", "note": "…", "memories": [
                                                       {"id": "m1~5f0c", "label": "user", "text": "I keep bees."}
                                                       ], "end": "0123456789abcdef"}

Markdown and XML write a text as the block does and then escape what stands for something in them, so an item is one
line there too. In JSON a text is a JSON string.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from shared.contract.block import (
    GUARD,
    GUARDS,
    MARK,
    NAME,
    TAG,
    Item,
    checked_nonce,
    closing,
    escaped,
    escaped_label,
    item_id,
    item_of,
    opening,
    unescaped,
    whole_blocks,
)
from shared.contract.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_Q: Final = r"\\*\""
_NONCE: Final = rf"{_Q}([0-9a-f]{{16}}){_Q}"
_ID: Final = rf"m\d{{1,9}}{MARK}"
XML_ITEM: Final = re.compile(rf'(?:<|&lt;)memory id=(?:"|&quot;){_ID}(?:"|&quot;)')
JSON_ITEM: Final = re.compile(rf"\{{\s*{_Q}id{_Q}\s*:\s*{_Q}{_ID}{_Q}")
JSON_OPENING: Final = re.compile(rf"\{{\s*{_Q}{NAME}{_Q}\s*:\s*{_NONCE}")
JSON_CLOSING: Final = re.compile(rf"(?:\]\s*,\s*)?(?<!\\){_Q}end{_Q}\s*:\s*{_NONCE}\s*\}}")
_JSON_TAG: Final = re.compile(f"(?P<open>{JSON_OPENING.pattern})|{JSON_CLOSING.pattern}")
_XML_LINE: Final = re.compile(r'<memory id="m(\d+)~([0-9a-f]+)" label="([^"<>]*)">([^<>]*)</memory>')
_JSON_ID: Final = re.compile(r"m(\d+)~([0-9a-f]+)")
_NONCE_ALONE: Final = re.compile(r"[0-9a-f]{16}")

_MARKDOWN: Final = re.compile(r"[`*_\[\]<&~]")
_NOT_IN_XML: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;"} | {
    character: f"\\u{ord(character):04x}" for character in "\ufffe\uffff"
}
_XML: Final = re.compile("|".join(_NOT_IN_XML))
_ENTITY: Final = re.compile(r"&(?:amp|lt|gt|quot|#9);")
_CHARACTERS: Final = {entity: character for character, entity in _NOT_IN_XML.items()}
_NOT_ON_A_LINE: Final = re.compile(r"[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def markdown(nonce: str, items: Iterable[Item], *, guard: str = GUARD) -> str:
    """The block as a Markdown list. What a memory says stands there as text: no link, image, code or HTML of it works.

    Raises:
        InvalidInput: as `block.render` does; so do all here.
    """
    lines = [
        f"- [{item_id(item.ordinal, item.memory_id)}{' ' if item.label else ''}"
        f"{markdown_escaped(escaped_label(item.label))}] {markdown_escaped(escaped(item.text))}"
        for item in items
    ]
    return "\n".join([opening(nonce), "", guard, "", *lines, "", closing(nonce)])


def parse_markdown(rendered: str) -> list[Item]:
    """The items of the first block in a text, rendered by `markdown`.

    Raises:
        InvalidInput: there is no whole block in the text, or a line in it is no item; so do all that read.
    """
    return [item_of(line.removeprefix("- ")) for line in _lines_of_first(rendered) if line not in {"", *GUARDS}]


def xml(nonce: str, items: Iterable[Item], *, guard: str = GUARD) -> str:
    """The block as well-formed XML. A character that XML has no way to write is escaped as the block escapes it."""
    name = f"{NAME}-{checked_nonce(nonce)}"
    lines = [
        f'<memory id="{item_id(item.ordinal, item.memory_id)}" label="{_xml_escaped(escaped_label(item.label))}">'
        f"{_xml_escaped(escaped(item.text))}</memory>"
        for item in items
    ]
    return "\n".join([f"<{name}>", f"<note>{guard}</note>", *lines, f"</{name}>"])


def parse_xml(rendered: str) -> list[Item]:
    """The items of the first block in a text, rendered by `xml`."""
    return [_xml_item(line) for line in _lines_of_first(rendered)[1:]]


def json_text(nonce: str, items: Iterable[Item], *, guard: str = GUARD) -> str:
    """The block as a JSON object, a line an item."""
    lines = [
        _on_a_line({"id": item_id(item.ordinal, item.memory_id), "label": item.label, "text": item.text})
        for item in items
    ]
    head = f'{{"{NAME}": "{checked_nonce(nonce)}", "note": {_on_a_line(guard)}, "memories": ['
    return "\n".join([head, ",\n".join(lines), f'], "end": "{nonce}"}}'])


def parse_json(rendered: str) -> list[Item]:
    """The items of a block, rendered by `json_text`."""
    try:
        return [_json_item(one) for one in json.loads(rendered)["memories"]]
    except (ValueError, KeyError, TypeError) as error:
        msg = f"this is no block in JSON: {rendered[:80]!r}"
        raise InvalidInput(msg) from error


def whole_json(text: str) -> Iterator[tuple[int, int]]:
    """Where whole blocks in JSON are in a text, whatever its quotation marks are escaped with."""
    opened: re.Match[str] | None = None
    for tag in _JSON_TAG.finditer(text):
        if tag["open"]:
            opened = tag
        elif opened and opened[2] == tag[3]:
            yield opened.start(), tag.end()
            opened = None


def is_json_block(value: dict[str, Any]) -> bool:
    """Whether a JSON object is a block of ours, or an item of one."""
    if set(value) == {"id", "label", "text"}:
        return _JSON_ID.fullmatch(str(value["id"])) is not None
    return "memories" in value and _NONCE_ALONE.fullmatch(str(value.get(NAME))) is not None


def markdown_escaped(shown: str) -> str:
    """What the block shows, with a backslash before what stands for something in Markdown."""
    return _MARKDOWN.sub(r"\\\g<0>", shown)


def _xml_escaped(shown: str) -> str:
    return _XML.sub(lambda match: _NOT_IN_XML[match[0]], shown)


def _xml_unescaped(written: str) -> str:
    return unescaped(_ENTITY.sub(lambda match: _CHARACTERS[match[0]], written))


def _on_a_line(value: object) -> str:
    written = _NOT_ON_A_LINE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))
    return written.replace(NAME, NAME.replace("-", "\\u002d"))


def _lines_of_first(rendered: str) -> list[str]:
    span = next(whole_blocks(rendered), None)
    if span is None or not TAG.match(rendered, span[0]):
        msg = "there is no whole block in this text: an opening and a closing with the same nonce"
        raise InvalidInput(msg)
    return rendered[slice(*span)].split("\n")[1:-1]


def _xml_item(line: str) -> Item:
    match = _XML_LINE.fullmatch(line)
    if match is None:
        msg = f"a line of this block is not an item: {line[:80]!r}"
        raise InvalidInput(msg)
    ordinal, memory_id, label, text = match.groups()
    return Item(ordinal=int(ordinal), memory_id=memory_id, label=_xml_unescaped(label), text=_xml_unescaped(text))


def _json_item(one: Any) -> Item:
    match = _JSON_ID.fullmatch(one["id"])
    if match is None:
        msg = f"{one['id']!r} is no item's id"
        raise ValueError(msg)
    return Item(ordinal=int(match[1]), memory_id=match[2], label=one["label"], text=one["text"])
