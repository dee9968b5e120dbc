"""Whether an entry rests on the lines it cites: who may say such a thing, of whom, and in which words. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from shared.contract.events import Role
from shared.language.text import terms
from warmpath._windows import Shown, Window

ROLES: Final = {
    "fact": frozenset({Role.USER}),
    "preference": frozenset({Role.USER}),
    "opinion": frozenset({Role.USER}),
    "inference": frozenset({Role.USER}),
    "procedure": frozenset({Role.USER, Role.ASSISTANT}),
}
"""Who may say what: an assistant's word makes no fact about anybody. It may describe how something was done."""

_THE_USER: Final = frozenset({"user", "the user", "speaker", "the speaker", "i", "me", "myself"})
_SENTENCES: Final = re.compile(r"[^.!?。！？؟\n]+[.!?。！？؟]?")  # noqa: RUF001 - full-width marks
_ASKS: Final = ("?", "？", "؟")  # noqa: RUF001


class Fault(ValueError):
    """An entry does not rest on its lines."""

    def __init__(self, reason: str, told: str) -> None:
        super().__init__(told)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What an entry rests on."""

    lines: Sequence[Shown]
    """Those cited lines whose speaker may say it, in the order they were said."""
    about: str
    """Whom it is about: a speaker's name as the lines have it, or a name as they write it."""
    asked: Sequence[str] = ()
    """What an assistant asked right before them."""


def grounds(kind: str, text: str, about: str, obj: str | None, cited: Sequence[Shown], window: Window) -> Ground:
    """What an entry rests on.

    Raises:
        Fault: on nothing, or on nobody's word who may say so.
    """
    allowed = [shown for shown in cited if shown.line.role in ROLES[kind]]
    if not allowed:
        raise Fault("wrong_role", f"a {kind} rests on a line with the role `user`, and it cites none")
    subject = _subject(about, allowed, window)
    speakers = {shown.line.speaker for shown in window.shown}
    names = {term for name in (*speakers, subject) for term in terms(name)}
    own = set(terms(text)) - names
    said = _terms_where(window, lambda shown: _is_in(shown, allowed))
    if not own & said and (own or not said):
        raise Fault("unsupported", "`text` has no word in common with the lines it cites")
    _check_not_the_assistants(own, set(terms(obj or "")) - names, said, allowed, window)
    return Ground(lines=allowed, about=subject, asked=tuple(_questions_before(allowed, window)))


def _subject(about: str, allowed: Sequence[Shown], window: Window) -> str:
    wanted = " ".join(about.split()).casefold()
    speakers = {shown.line.speaker.casefold(): shown.line.speaker for shown in window.shown if shown.line.speaker}
    if wanted in speakers:
        return _who_may_speak_of(speakers[wanted], allowed)
    if not wanted or wanted in _THE_USER:
        of_lines = {shown.line.speaker for shown in allowed}
        if len(of_lines) != 1:
            raise Fault("unclear_subject", "`about` is nobody's name, and the lines are of several speakers")
        return of_lines.pop()
    found = _written(about, allowed) or _somebodys(about, speakers, allowed)
    if found is None:
        raise Fault("unknown_subject", f"`about` {about[:60]!r} is no speaker, and stands in none of the cited lines")
    return found


def _somebodys(about: str, speakers: Mapping[str, str], allowed: Sequence[Shown]) -> str | None:
    """`Mira's sister`, where Mira speaks of a sister; None where it is nothing of the kind."""
    whose, found, what = about.replace("\u2019", "'").partition("'s ")
    speaker = speakers.get(whose.strip().casefold())
    if not found or speaker is None or _written(what, allowed) is None:
        return None
    return f"{_who_may_speak_of(speaker, allowed)}'s {' '.join(what.split())}"


def _who_may_speak_of(speaker: str, allowed: Sequence[Shown]) -> str:
    """The speaker, if a cited line is theirs or names them: what one says is not another's."""
    own = any(shown.line.speaker.casefold() == speaker.casefold() for shown in allowed)
    if own or _written(speaker, allowed) is not None:
        return speaker
    raise Fault("wrong_speaker", f"`about` is {speaker!r}, who says none of the cited lines and stands in none")


def _written(name: str, allowed: Sequence[Shown]) -> str | None:
    """A name as a cited line writes it; None where none does."""
    wanted = " ".join(name.split())
    words = r"\s+".join(map(re.escape, wanted.split()))
    pattern = re.compile(words if not wanted.isascii() else rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    for shown in allowed:
        match = pattern.search(shown.text)
        if match is not None:
            return " ".join(match[0].split())
    return None


def sayable(allowed: Sequence[Shown], window: Window) -> str:
    """What the fields of something that rests on some lines may be made of: all but what the assistant alone said."""
    people = (shown.text for shown in window.shown if not _is_assistants(shown) or _is_in(shown, allowed))
    speakers = (shown.line.speaker for shown in window.shown)
    return "\n".join((*people, *speakers, *_questions_before(allowed, window)))


def _check_not_the_assistants(
    own: set[str], obj: set[str], said: set[str], allowed: Sequence[Shown], window: Window
) -> None:
    """Refuse what only the assistant said. What it asked right before an answer is part of the answer."""
    if any(_is_assistants(shown) for shown in allowed):
        return
    people = _terms_where(window, lambda shown: not _is_assistants(shown))
    foreign = _terms_where(window, _is_assistants) - people - _asked_before(allowed, window)
    if (obj & foreign and not obj & said) or len(own & foreign) >= max(1, len(own & said)):
        raise Fault("assistants_word", "only the assistant said that; a person's fact rests on a person's words")


def _asked_before(allowed: Sequence[Shown], window: Window) -> set[str]:
    return {term for question in _questions_before(allowed, window) for term in terms(question)}


def _questions_before(allowed: Sequence[Shown], window: Window) -> Iterator[str]:
    """What the assistant asked right before some lines."""
    for before, shown in pairwise(window.shown):
        if _is_assistants(before) and _is_in(shown, allowed):
            yield from (each for each in _SENTENCES.findall(before.text) if each.strip().endswith(_ASKS))


def _terms_where(window: Window, holds: Callable[[Shown], bool]) -> set[str]:
    return set().union(*(found for shown, found in zip(window.shown, window.terms, strict=True) if holds(shown)))


def _is_assistants(shown: Shown) -> bool:
    return shown.line.role is Role.ASSISTANT


def _is_in(shown: Shown, lines: Sequence[Shown]) -> bool:
    return any(shown is each for each in lines)
