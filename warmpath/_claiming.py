"""What an entry claims, in the form that claims are compared in: by itself, or as the memory that it acts on. Pure."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from shared.belief.predicates import BUILT_IN, RECORD, claim_of, subject_key
from shared.contract.candidates import Candidate, Change, Neighbour
from shared.contract.errors import InvalidInput
from shared.contract.records import Claim
from shared.language.guessing import language_of
from shared.language.text import normalise, terms
from warmpath._entry import Entry
from warmpath._grounding import Fault


def claimed(entry: Entry, about: str, neighbour: Neighbour | None, speakers: AbstractSet[str]) -> Claim | None:
    """What an entry about somebody claims; with the key of the memory that it acts on, where both fit.

    Raises:
        Fault: what it ends or denies cannot be told, or is somebody else's.
    """
    own = _own(entry, about)
    old = neighbour.claim if neighbour else None
    if old is not None and _is_somebody_elses(about, old.subject, speakers):
        if entry.change is not Change.HOLDS:
            raise Fault("wrong_subject", f"memory {entry.replaces} is of {old.subject!r}, and the entry of {about!r}")
        return own
    if entry.change is not Change.HOLDS:
        if old is not None and subject_key(about) != subject_key(old.subject):
            return _of_another(entry, own, about, old)
        if neighbour is not None and not has_word_of(entry, neighbour, about):
            raise Fault("wrong_memory", f"it says nothing of what memory {entry.replaces} says, and cannot end that")
        return _taken_away(entry, own, old)
    return own if old is None else _in_its_place(entry, own, old)


def ended(candidate: Candidate, neighbour: Neighbour | None) -> Candidate | None:
    """The end of what an entry replaces, if that is of the same kind and subject and could hold beside it.

    Of another kind, the number is more likely a slip than what was meant. What claims nothing of its own may be of any.
    """
    own, old = candidate.claim, neighbour.claim if neighbour else None
    if candidate.change is not Change.HOLDS or old is None or (own is not None and own.key == old.key):
        return None
    if own is not None and _kind_of(own) != _kind_of(old):
        return None
    told = {"claim": old, "change": Change.ENDED, "since": None, "until": candidate.since}
    return candidate.model_copy(update={**told, "schema_name": None, "data": None})


def _of_another(entry: Entry, own: Claim | None, about: str, old: Claim) -> Claim:
    """What is over or never was so of somebody else than the memory is of: their own claim, if it has one."""
    if own is None:
        raise Fault("wrong_subject", f"memory {entry.replaces} is of {old.subject!r}, and the entry of {about!r}")
    return own


def has_word_of(entry: Entry, neighbour: Neighbour, about: str) -> bool:
    """Whether what acts on a memory has a word of it, but for whose it is; nobody can tell across languages."""
    languages = {language_of(entry.text), language_of(neighbour.text)} - {None}
    if len(languages) > 1:
        return True
    subject = neighbour.claim.subject if neighbour.claim else ""
    whose = {*terms(about), *terms(subject)}
    return not ({*terms(f"{entry.text} {entry.object or ''}")} - whose).isdisjoint(terms(neighbour.text))


def _taken_away(entry: Entry, own: Claim | None, old: Claim | None) -> Claim:
    """What is over, or never was so."""
    if old is not None:
        return old
    if own is not None:
        return own
    if entry.replaces is None:
        raise Fault("no_claim", f"what is `{entry.change}` needs `replaces`, or `predicate` and `object`")
    raise Fault("no_claim", f"memory {entry.replaces} cannot be ended or denied by its number alone")


def _in_its_place(entry: Entry, own: Claim | None, old: Claim) -> Claim | None:
    """What has the place of something that is held."""
    if old.predicate.startswith(RECORD):
        return own
    if own is None and entry.object:
        return claim_of(old.subject, old.predicate, normalise(entry.object)[0], BUILT_IN)
    if own is not None and own.predicate == old.predicate:
        # Another spelling of the same subject would make another key, and both would stay open.
        return claim_of(old.subject, own.predicate, own.object, BUILT_IN)
    return own


def _own(entry: Entry, about: str) -> Claim | None:
    if not entry.predicate or not entry.object:
        return None
    try:
        return claim_of(about, normalise(entry.predicate)[0], normalise(entry.object)[0], BUILT_IN)
    except InvalidInput:
        return None


def _is_somebody_elses(about: str, subject: str, speakers: AbstractSet[str]) -> bool:
    """Whether two are certainly not one: each of another speaker, or only one of them somebody's (`Mira's sister`)."""
    one, other = subject_key(about), subject_key(subject)
    if one == other:
        return False
    names = {subject_key(speaker) for speaker in speakers if speaker}
    return {one, other} <= names or ("'s " in about) is not ("'s " in subject)


def _kind_of(claim: Claim) -> tuple[str, str]:
    found = BUILT_IN.find(claim.predicate)
    return subject_key(claim.subject), found.keyed_as or found.name
