"""Statements that somebody has no employer: retired, or between jobs. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.phrases import phrase_at
from shared.language.statements.saying import Said
from shared.language.statements.stated import Statement
from shared.language.statements.wording import statement
from shared.language.statements.words import INSTRUMENTS_AND_GAMES, word_set

_SPORTS: Final = INSTRUMENTS_AND_GAMES | word_set("""
    football soccer rugby tennis cricket hockey basketball baseball golf boxing racing cycling running skiing
    swimming volleyball handball athletics gymnastics wrestling competition competing sport sports dating drinking
    social gaming
""")
_INDOORS: Final = word_set("room bed bedroom bath balcony garden study sofa couch corner tent terrace kitchen office")


def retiring(said: Said, who: str) -> Iterator[Statement]:
    """`I retired`, `retired from teaching`, and not what is retired, a sport, or who went to bed."""
    if (said.past or said.perfect) and not said.future and not said.passive and not _is_of_other(said):
        yield statement(said, who, "job", "retired")


def _is_of_other(said: Said) -> bool:
    rest = [token.norm for token in said.rest]
    if said.after == "from":
        return bool(set(rest[1:4]) & _SPORTS)
    if said.after in {"to", "into", "for"}:
        return bool(set(rest[1:4]) & _INDOORS) or rest[1:3] == ["the", "night"]
    thing = phrase_at(said.tokens, said.at, said.text, said.times)
    dated = any(when.start <= said.tokens[said.at].start < when.end for when in said.own_whens) if said.rest else True
    return thing is not None and not dated and bool(thing.owner or thing.article or thing.is_name)


def between_jobs(said: Said, who: str) -> Iterator[Statement]:
    """That there is no employer, whichever there was."""
    if not said.past and not said.negated:
        text = f"{who} is between jobs."
        yield statement(said, who, "works_at", "employer", change=Change.ENDED, text=text)


def is_between_jobs(said: Said) -> bool:
    """`I'm between jobs`, `in between jobs at the moment`."""
    at = said.at + (said.after == "in")
    return said.word(at) == "between" and said.word(at + 1) == "jobs"
