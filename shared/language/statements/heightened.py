"""What is denied only to say more: `I don't like tea, I adore it` is no dislike, and a liking. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.stated import Statement
from shared.language.statements.talk import Message
from shared.language.statements.wording import sentence

_MORE: Final = (
    r"(?:no,? )?(?:i|we|he|she|they)(?: (?:just|absolutely|really|actually|positively|totally|simply|truly|bloody))*"
    r" (?:love|adore|worship|cherish|treasure|live for|(?:'m|am) (?:crazy|mad|nuts) about|(?:'m|am) obsessed with)s?"
    r" (?:it|them|him|her|that)\b"
)
_WITHIN: Final = re.compile(rf"(?:,|;|:|\s[-\u2013]|\u2014|\u2026|\.\.\.)\s*(?:but )?{_MORE}", re.IGNORECASE)
_ALONE: Final = re.compile(rf"^{_MORE}", re.IGNORECASE)


def heightened(written: str, found: Sequence[Statement], message: Message) -> list[Statement]:
    """What a sentence states, with a liking in place of a dislike that it, or the one before, says more than."""
    if _WITHIN.search(written.replace("\u2019", "'")):
        return [_turned(each) if _is_disliked(each) else each for each in found]
    before = message.talk.spoken.get(message.speaker)
    if before is None or before.line is not message or not _ALONE.match(written):
        return list(found)
    less = [each for each in before.stated if _is_disliked(each)]
    message.talk.taken_back += less
    return [*found, *(_turned(each) for each in less)]


def _is_disliked(each: Statement) -> bool:
    return each.predicate == "dislikes" and each.change is Change.HOLDS


def _turned(less: Statement) -> Statement:
    return replace(less, predicate="likes", text=sentence("likes", less.subject, less.object, Change.HOLDS))
