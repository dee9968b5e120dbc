"""promote: what recalls often rest on is held as semantic, and as an episode again once it serves no more."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from coldpath.proposals import Propose, Proposed
from shared import clock
from shared.belief.lasting import Bar, Report, standings
from shared.belief.rules.sensitivity import Policy, parsed_policies
from shared.belief.usefulness import reported
from shared.contract.events import Event
from shared.settings import Settings, policies_of
from shared.store import ledger, memories
from shared.store.db import Session

MOST_LOOKED_AT: Final = 20_000
"""Episodes of a stream, the newest; some 20 MB."""
MOST_REPORTS: Final = 20_000
"""Reports of a stream, the newest: what has served nobody in so many is an episode like others again."""


def by(settings: Settings) -> Propose:
    """The job, by the settings."""
    policies = parsed_policies(policies_of(settings.sensitivity))
    bar = Bar(
        least_share=settings.promote_least_share,
        kept_share=settings.promote_kept_share,
        least_days=settings.promote_least_days,
        guarded=frozenset(name for name, each in policies.items() if {each.own, each.others} != {Policy.STORE}),
    )
    return partial(propose, bar)


def propose(bar: Bar, session: Session) -> Proposed:
    """What should stand otherwise in the stream of the session's owner.

    Reports are read only where an episode was of use on as many recalls as it must have been days.
    """
    episodes = memories.often_used(session, least_used=bar.least_days, limit=MOST_LOOKED_AT)
    if not episodes:
        return Proposed()
    resting = memories.resting_on(session, {ref.sequence for each in episodes for ref in each.evidence})
    reports = list(_reports(ledger.outcomes(session, limit=MOST_REPORTS)))
    return Proposed(proposals=list(standings(reversed(episodes), reports, resting, bar, at=clock.now())))


def _reports(events: Iterable[Event]) -> Iterable[Report]:
    for event in events:
        outcome = reported(event)
        if outcome is not None:
            yield Report(outcome=outcome, session_id=event.session_id, reported_at=event.recorded_at)
