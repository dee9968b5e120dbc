"""What of the memories is so, at a time of the world and as far as was known at a time of ours. Pure; one rule for all.

A belief is current where it is held and true. Retracted, it was never true, at no time of the world; what was known
before the retraction can still be asked for. What a tenant holds for all its users goes before what one of them said of
the same, where it is read: nothing is closed for that, and where the tenant's ends, the user's is current again.

An episode is what was said, which stays so. Where everything that was claimed from it has ended or never was, it is of
the past: to be left out, or shown as history beside what is so instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from shared.belief.predicates import side_of
from shared.contract.records import EpistemicType, MemoryVersion, Operation

_SAY_NOTHING_OF_THE_WORLD: Final = frozenset({Operation.MERGE, Operation.EXPIRE, Operation.QUARANTINE})
"""Closed so, a belief may be as true as ever: another stands for it, or policy does not want it."""


class Standing(StrEnum):
    """How a belief stands to a time of the world."""

    TO_COME = "to_come"
    """It will be so; no contradiction to what is so until then."""
    TRUE = "true"
    ENDED = "ended"
    NEVER = "never"
    """It was retracted."""


def standing(version: MemoryVersion, at: datetime) -> Standing:
    """How a belief stands to the instant `at`. What has no beginning had begun before any time."""
    if version.closed_reason is Operation.RETRACT:
        return Standing.NEVER
    if version.valid_to is not None and version.valid_to <= at:
        return Standing.ENDED
    return Standing.TO_COME if version.valid_from is not None and at < version.valid_from else Standing.TRUE


def current(
    versions: Iterable[MemoryVersion],
    *,
    at: datetime,
    known_at: datetime | None = None,
    before: Iterable[MemoryVersion] = (),
) -> tuple[MemoryVersion, ...]:
    """The beliefs that are held and true at `at`, in order of their documents; of episodes none.

    `versions` are all versions of some memories of one stream; `known_at` asks for what was held then, and without it
    for what is held now. `before` is what is current of the tenant's own stream: it hides what is keyed alike.
    """
    hidden = {version.claim.key for version in before if version.claim}
    held = (version for version in known(versions, known_at) if version.is_open and _is_belief(version))
    true = (version for version in held if standing(version, at) is Standing.TRUE)
    seen = (version for version in true if not (version.claim and version.claim.key in hidden))
    return tuple(sorted(seen, key=lambda version: version.doc))


def conflicts(beliefs: Iterable[MemoryVersion]) -> dict[str, tuple[MemoryVersion, ...]]:
    """Of beliefs that are current together those that contradict each other, by the key of their claim."""
    by_key = _by_key(beliefs)
    sides = {key: {side_of(each.claim) for each in held if each.claim} for key, held in by_key.items()}
    return {key: held for key, held in by_key.items() if len(sides[key]) > 1}


def past(
    episodes: Iterable[MemoryVersion],
    versions: Iterable[MemoryVersion],
    *,
    at: datetime,
    known_at: datetime | None = None,
) -> dict[UUID, tuple[MemoryVersion, ...]]:
    """Of the episodes those that are of the past at `at`, each with the beliefs that are current in its place.

    There may be none: what ended has not always a successor. `versions` are all versions of all memories that cite any
    of the episodes' evidence, and of those with the same claim keys. An episode from which nothing was claimed, or of
    whose claims any is true or to come, is not of the past.
    """
    versions = list(versions)
    claims = [version for version in known(versions, known_at) if _says_something(version)]
    now = _by_key(current(versions, at=at, known_at=known_at))
    found: dict[UUID, tuple[MemoryVersion, ...]] = {}
    for episode in episodes:
        cited = [version for version in claims if _shares_evidence(version, episode)]
        if cited and all(standing(version, at) in {Standing.ENDED, Standing.NEVER} for version in cited):
            keys = dict.fromkeys(version.claim.key for version in cited if version.claim)
            found[episode.memory_id] = tuple(version for key in keys for version in now.get(key, ()))
    return found


def known(versions: Iterable[MemoryVersion], known_at: datetime | None) -> Iterator[MemoryVersion]:
    """Of each memory the last version that was recorded by `known_at`, open where it was closed only later.

    Without `known_at`, the last version of each.
    """
    last: dict[UUID, MemoryVersion] = {}
    for version in versions:
        later = version.memory_id in last and last[version.memory_id].version > version.version
        if not later and (known_at is None or version.recorded_at <= known_at):
            last[version.memory_id] = version
    for version in last.values():
        closed_later = known_at is not None and version.closed_at is not None and version.closed_at > known_at
        yield replace(version, closed_at=None, closed_reason=None, closed_by=None) if closed_later else version


def _is_belief(version: MemoryVersion) -> bool:
    return version.epistemic_type is not EpistemicType.EVIDENCE


def _says_something(version: MemoryVersion) -> bool:
    return version.claim is not None and version.closed_reason not in _SAY_NOTHING_OF_THE_WORLD


def _shares_evidence(version: MemoryVersion, episode: MemoryVersion) -> bool:
    return any(ref.span.overlaps(said.span) for ref in version.evidence for said in episode.evidence)


def _by_key(beliefs: Iterable[MemoryVersion]) -> Mapping[str, tuple[MemoryVersion, ...]]:
    found: dict[str, tuple[MemoryVersion, ...]] = {}
    for version in beliefs:
        if version.claim:
            found[version.claim.key] = (*found.get(version.claim.key, ()), version)
    return found
