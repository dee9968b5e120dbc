"""How somebody is named in a claim: the speaker by name, others by theirs or by what they are to the speaker. Pure."""

from __future__ import annotations

from shared.language.statements.subjects import About, Subject


def named(subject: Subject, speaker: str, last: str = "") -> str:
    """Who a subject is; `last` is whom `they` are, as far as that is known. Empty where nobody can be named."""
    if subject.about in {About.SELF, About.US}:
        return speaker
    if subject.about is About.RELATED:
        return subject.name or f"{speaker}'s {subject.said_as}"
    if subject.about is About.NAMED:
        return subject.name
    return last if subject.about is About.THEY else ""


def is_name(who: str) -> bool:
    """Whether somebody is known by a name, and not only as somebody's: `Mira's doctor`."""
    return who[:1].isupper() and "'s " not in who
