"""How careful the gate is, by the settings."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.accept.registered import asked_about
from shared.belief.rules.context import Limits, our_words
from shared.belief.rules.sensitivity import Policies, Sensitive, parsed_policies
from shared.contract.errors import InvalidInput, Misconfigured
from shared.settings import names_of, policies_of

if TYPE_CHECKING:
    from shared.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Care:
    """See the fields of the same names of `GateContext`."""

    policies: Mapping[Sensitive, Policies]
    asked_about: AbstractSet[str]
    ours: AbstractSet[str]
    limits: Limits


def care(settings: Settings) -> Care:
    """How careful the gate is.

    Raises:
        Misconfigured: DAYBOOK_SENSITIVITY names no class or no policy, or DAYBOOK_ASK_ABOUT no kind and no schema.
    """
    try:
        policies = parsed_policies(policies_of(settings.sensitivity))
    except InvalidInput as error:
        raise Misconfigured(f"DAYBOOK_SENSITIVITY: {error}") from error
    return Care(
        policies=policies,
        asked_about=asked_about(settings),
        ours=_ours(settings),
        limits=Limits(
            confidence_floor=settings.gate_confidence,
            defer_days=settings.defer_days,
            review_days=settings.review_days,
        ),
    )


def verified_sources(settings: Settings) -> AbstractSet[str]:
    """The tools and documents whose word makes a fact of what was concluded: whoever settles a claim is given them."""
    return frozenset(names_of(settings.verified_sources))


def _ours(settings: Settings) -> AbstractSet[str]:
    """The words of our own that a model is shown; rules are shown none."""
    if settings.extraction_model is None:
        return our_words()
    from warmpath._prompt import ours

    return our_words(ours())
