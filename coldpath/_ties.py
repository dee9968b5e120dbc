"""What is tied at the memories that a job proposes to link, while its proposals are judged one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Self
from uuid import UUID

from coldpath._former import ties_at
from shared.contract.operations import LinkPayload
from shared.contract.proposals import Proposal, named
from shared.contract.records import Link, MemoryVersion
from shared.store.db import Session


class Ties:
    """What is tied, open or closed, at the memories that links are proposed between, and what is accepted beside it."""

    def __init__(self, ties: Iterable[Link]) -> None:
        self._at: dict[UUID, list[Link]] = {}
        for tie in ties:
            self._add(tie)

    @classmethod
    def of(cls, session: Session, proposals: Sequence[Proposal], held: Mapping[UUID, MemoryVersion]) -> Self:
        """Those that there are; `held` are the memories that proposals name."""
        ends = {end for each in proposals if isinstance(each.operation, LinkPayload) for end in named(each.operation)}
        return cls(ties_at(session, [held[end] for end in ends if end in held]))

    def at(self, proposal: Proposal) -> list[Link]:
        """Those at the memories of a link."""
        ends = named(proposal.operation) if isinstance(proposal.operation, LinkPayload) else ()
        return [tie for end in ends for tie in self._at.get(end, ())]

    def add(self, link: LinkPayload) -> None:
        """Take in a link that is accepted and not written yet: what its number will be does not matter."""
        self._add(Link(source=link.source, relation=link.relation, target=link.target, opened_by=1))

    def _add(self, tie: Link) -> None:
        for end in (tie.source, tie.target):
            self._at.setdefault(end, []).append(tie)
