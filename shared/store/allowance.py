"""Whether a tenant's day still allows a call of a model. Pure; what was spent is for an `Account` to count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from shared.contract.candidates import Usage

if TYPE_CHECKING:
    from shared.settings import Settings


class Verdict(StrEnum):
    """Whether a model may be called; every value but the first says why not, and rules read instead."""

    CALL = "call"
    NO_TOKENS = "no_tokens_left"
    NO_MONEY = "no_money_left"
    HELD = "held_by_gate"
    """A gate on what models wrote is tripped: see `shared.contract.measures`."""
    NO_PRICE = "price_unknown"
    """There is a limit in money, and what the call would cost is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """What was set aside of a tenant's day for one call, or why nothing was."""

    verdict: Verdict
    settle: Callable[[Usage], None] = lambda _: None
    """Gives back what the call has not cost, or may not have; never raises."""


Account = Callable[[Usage], Hold]
"""Sets aside of a tenant's day what a call may cost at most, so that several workers together never pass its limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What is left of a tenant's day. None: without limit."""

    left_tokens: int | None = None
    left_usd: float | None = None
    is_held: bool = False
    """Whether a gate keeps the tenant's runs from every model."""
    account: Account | None = None
    """Where calls are counted before they are made; None: nowhere."""

    @staticmethod
    def of(settings: Settings, spent: Usage, *, is_held: bool = False) -> Allowance:
        """What is left of the day that the settings allow, after what it has cost so far."""
        whole = Allowance(
            left_tokens=settings.extraction_daily_tokens, left_usd=settings.extraction_daily_usd, is_held=is_held
        )
        return whole.after(spent)

    def after(self, usage: Usage) -> Allowance:
        """What is left once something more was spent. What an unknown price comes to takes all that is left."""
        left_usd = self.left_usd
        if left_usd is not None:
            left_usd = 0.0 if usage.cost_usd is None else left_usd - usage.cost_usd
        tokens = usage.input_tokens + usage.output_tokens
        left_tokens = None if self.left_tokens is None else self.left_tokens - tokens
        return replace(self, left_tokens=left_tokens, left_usd=left_usd)

    @property
    def refusal(self) -> str | None:
        """Why no call at all may be made any more; None while one may be."""
        if self.is_held:
            return Verdict.HELD.value
        if self.left_tokens is not None and self.left_tokens <= 0:
            return Verdict.NO_TOKENS.value
        if self.left_usd is not None and self.left_usd <= 0.0:
            return Verdict.NO_MONEY.value
        return None

    def hold(self, most: Usage) -> Hold:
        """Set aside what a call may cost at most, in the account too; its verdict says whether it may be made.

        Raises:
            DatabaseUnavailable: what the account holds cannot be known.
        """
        verdict = self.verdict(tokens=most.input_tokens + most.output_tokens, cost_usd=most.cost_usd)
        if verdict is not Verdict.CALL or self.account is None:
            return Hold(verdict=verdict)
        return self.account(most)

    def verdict(self, *, tokens: int, cost_usd: float | None) -> Verdict:
        """Whether a call may be made that takes at most so many tokens, sent and answered, and so much money.

        It is asked with the most that the call can take, so that a day's limit is never passed.
        """
        if self.is_held:
            return Verdict.HELD
        if self.left_tokens is not None and tokens > self.left_tokens:
            return Verdict.NO_TOKENS
        if self.left_usd is None:
            return Verdict.CALL
        if cost_usd is None:
            return Verdict.NO_PRICE
        return Verdict.CALL if self.left_usd > 0.0 and cost_usd <= self.left_usd else Verdict.NO_MONEY
