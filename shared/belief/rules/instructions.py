"""Whether a text gives orders to whoever reads it. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Each is the shape of an order to whoever reads the text, in words that reports and listings do not use of themselves.
_INSTRUCTIONS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            r"\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,30}"
            r"\b(?:previous|prior|above|earlier|preceding|existing|system|safety)\b[^.!?\n]{0,20}"
            r"\b(?:instructions?|prompts?|rules|guidelines|directives)\b"
        ),
        (
            r"\b(?:remember|memori[sz]e|store|save|keep)\b[^.!?\n]{0,40}"
            r"\b(?:for|in|across) (?:all|any|every|each|later|future)"
            r"(?: (?:later|future|next|coming|other|your|of|the)){0,3} (?:sessions?|conversations?|chats?)\b"
        ),
        r"\b(?:add|save|write|store|commit)\b[^.!?\n]{0,40}\b(?:to|in|into) (?:your|long[- ]?term) memory\b",
        r"(?:^|[\n.>!?\]\"'])\s*(?-i:SYSTEM|DEVELOPER)(?: (?:PROMPT|MESSAGE|OVERRIDE))?\s*:",
        r"<\|(?:im_start|system|start_header_id)\|>|<<SYS>>|\[/?INST\]|</?system(?:[-_]prompt)?>",
        r"\b(?:new|updated|revised|real) (?:system )?instructions?\s*:",
        r"\b(?:do not|don.t|never) (?:tell|inform|mention (?:this|it|that)? ?to|alert|notify|ask) the (?:user|human)\b",
        r"\bfrom now on,? (?:you|the (?:assistant|agent|model|ai))\b",
        r"\b(?:obey|trust|follow) (?:this|these|memor(?:y|ies))\b[^.!?\n]{0,30}\b(?:over|instead of|not) the user\b",
    )
)
_ESCAPED_LINE_END: Final = re.compile(r"\\+[nr]")
_INVISIBLE: Final = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]")


def gives_orders(text: str) -> bool:
    """Whether a text has the shape of an instruction to a model, seen through invisible characters and escapes."""
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    text = _ESCAPED_LINE_END.sub("\n", text)  # as in the fields of a tool's JSON
    return any(pattern.search(text) for pattern in _INSTRUCTIONS)
