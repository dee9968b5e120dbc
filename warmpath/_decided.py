"""Verdicts of the gate on what a person has decided on already: that decision is asked first, and stands."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from shared.belief.deciding import Said
from shared.belief.rules.judging import Judgement
from shared.contract.records import Action, Decision
from shared.store import candidates
from shared.store.candidates import Proposed, Standing
from shared.store.db import Session
from shared.store.deciding import decisions

_REFUSED: Final = Decision(
    action=Action.IGNORE, rule="person_refused", reason="somebody decided that it does not count", confidence=1.0
)
_STANDS: Final = Decision(
    action=Action.IGNORE, rule="person_stands", reason="what somebody approved says it already", confidence=1.0
)
_APPROVED: Final = Decision(
    action=Action.STORE, rule="person_approved", reason="somebody decided that it counts", confidence=1.0
)
_COUNTED: Final = frozenset({Action.STORE, Action.CORROBORATE})
_POLICY: Final = "sensitive_refused"
"""What policy refuses by now was asked about under another one, and policy is decided on last."""


class DecidedBefore:
    """What people decided about some candidates of one stream; looked up once."""

    def __init__(self, session: Session, waiting: list[Proposed]) -> None:
        self._session = session
        self._decisions = decisions(session, waiting)

    def over(self, proposed: Proposed, judgement: Judgement) -> Judgement:
        """The gate's judgement on a candidate, or what a person decided in its place."""
        said = Said.by(proposed.candidate)
        decided = self._decisions.on(said)
        if decided is None or judgement.decision.rule == _POLICY:
            return judgement
        if not decided.counts:
            return replace(judgement, decision=_REFUSED, wait_days=None)
        if self._is_held(proposed, said):
            return replace(judgement, decision=_STANDS, wait_days=None)
        if judgement.decision.action in _COUNTED or not said.is_in_the_words_of(decided.said):
            return judgement
        return replace(judgement, decision=_APPROVED, subject=None, wait_days=None)

    def _is_held(self, proposed: Proposed, said: Said) -> bool:
        """Whether what somebody had count does so, and says it."""
        counting = candidates.of_runs(self._session, [proposed.run_id], {Standing.STORED})
        others = (Said.by(each.candidate) for each in counting if each.sequence != proposed.sequence)
        return any(said.says_what(other) and self._counts(other) for other in others)

    def _counts(self, said: Said) -> bool:
        decided = self._decisions.on(said)
        return decided is not None and decided.counts
