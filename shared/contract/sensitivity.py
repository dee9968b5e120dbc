"""Classes of what is delicate to remember, and what can be done about each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shared.contract.errors import InvalidInput


class Sensitive(StrEnum):
    """Classes of what is delicate; the special categories of the GDPR (articles 9 and 10), and what else does harm."""

    CREDENTIALS = "credentials"
    IDENTITY = "identity"
    """Numbers that stand for a person: of a passport, a social security, an account."""
    HEALTH = "health"
    SEXUALITY = "sexuality"
    RELIGION = "religion"
    POLITICS = "politics"
    CRIME = "crime"
    FINANCE = "finance"
    CHILDREN = "children"


class Policy(StrEnum):
    """What is done with a candidate of a class."""

    STORE = "store"
    ASK = "ask"
    """A person decides."""
    REFUSE = "refuse"


SIDES: Final = ("own", "others")
"""Whether speakers say it of themselves, or of somebody else, who was not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySet:
    """A policy that somebody set."""

    sensitive: Sensitive
    sides: tuple[str, ...]
    policy: Policy


def policies_set(overrides: Mapping[str, str]) -> tuple[PolicySet, ...]:
    """The policies of `{"health": "ask", "finance:others": "refuse"}`, those of one side last, which win.

    Raises:
        InvalidInput: a class, a side or a policy is none, or secrets would be stored.
    """
    return tuple(_set(*each) for each in sorted(overrides.items(), key=lambda each: ":" in each[0]))


def _set(name: str, value: str) -> PolicySet:
    written, _, side = name.partition(":")
    if written not in set(Sensitive) or side not in {"", *SIDES} or name.endswith(":"):
        msg = f"{name!r} is no class of what is sensitive: pass {', '.join(Sensitive)}, or one with :own or :others"
        raise InvalidInput(msg, field=name)
    if value not in set(Policy):
        raise InvalidInput(f"policy {value!r} of {name!r} is none: pass one of {', '.join(Policy)}", field=name)
    if written == Sensitive.CREDENTIALS and value != Policy.REFUSE:
        raise InvalidInput(f"policy {name!r} is {value!r}: secrets are always refused; leave it out", field=name)
    return PolicySet(sensitive=Sensitive(written), sides=(side,) if side else SIDES, policy=Policy(value))
