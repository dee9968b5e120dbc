"""What takes links back, with what was made because of them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from uuid import UUID

from shared.contract.operations import ClosePayload, Payload, UnlinkPayload
from shared.contract.records import Link, Operation

_CAUSE_GONE = "link_taken_back"


def unlinking(links: Iterable[Link], made: Mapping[UUID, Collection[UUID]], *, reason: str) -> tuple[Payload, ...]:
    """The operations that close links, and what the same job has written of the two memories of one of them.

    `links` are all that go, open or closed; `made` are the open memories that the job has written, with those that
    each was made from.
    """
    going = list(links)
    ends = {frozenset((link.source, link.target)) for link in going}
    closing = [
        UnlinkPayload(
            reason=reason, link=link.opened_by, source=link.source, relation=link.relation, target=link.target
        )
        for link in going
        if link.closed_by is None
    ]
    worn = sorted(memory for memory, sources in made.items() if frozenset(sources) in ends)
    expiring = [ClosePayload(op=Operation.EXPIRE, reason=_CAUSE_GONE, memory=memory) for memory in worn]
    return (*closing, *expiring)
