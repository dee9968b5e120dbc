"""The port to language models: what is asked, where, and what is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, Protocol

from pydantic import BaseModel, SecretStr

INSTALL: Final = "pip install 'daybook-memory[llm]'"
"""What the clients of providers come with."""


class Finish(StrEnum):
    """Why an answer ends where it does."""

    STOP = "stop"
    """The model had said what it had to say."""
    LENGTH = "length"
    """It was cut off: what stands there is half of something."""
    REFUSED = "refused"
    """The model or its provider declined; the text, if there is one, says so."""
    UNKNOWN = "unknown"
    """The provider did not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One turn of what a model is shown after the system's words."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a model costs, in US dollars a million tokens."""

    input_usd: float
    output_usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model answered, and what it cost, with what came before it at this call and was no answer."""

    text: str
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """None where the model's price is not known, which is not the same as for nothing."""
    model: str
    """The model as the provider names it; a provider may answer with a later version than was asked for."""
    finish: Finish


class Llm(Protocol):
    """A language model. Safe with threads and across forks; keeps no connection between calls."""

    @property
    def name(self) -> str:
        """`provider:model`, as it was configured."""

    def cost_usd(self, input_tokens: int, output_tokens: int) -> float | None:
        """What so many tokens cost at most; None where the model's price is not known."""

    def complete(
        self,
        system: str,
        messages: Sequence[Said],
        *,
        schema: type[BaseModel] | None = None,
        max_output_tokens: int,
        deadline_s: float,
    ) -> Answer:
        """Answer within `deadline_s` seconds in all, whatever a server sends or does not send.

        With a `schema` the provider is asked for JSON of that shape, where it can be; the text may be anything all the
        same. Failures that pass (no connection, too many requests, an ailing server) are tried again while there is
        time.

        Raises:
            ModelUnavailable: no answer came in time; the same call may succeed later. Its `details` say in `answers`
                how many attempts were answered with what is no answer; without it, that is not known.
            Misconfigured: the provider will not take this call: the key, the model's name, a quota, the size.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Which model, where, with which key. Its `repr` holds no key."""

    name: str
    """`provider:model`."""
    base_url: str | None = None
    """Of a server that speaks the provider's protocol; None for the provider's own."""
    api_key: SecretStr | None = None
    price: Price | None = None
    """Instead of what the client's own table says."""

    @property
    def provider(self) -> str:
        """The part before the colon."""
        return self.name.partition(":")[0]

    @property
    def model(self) -> str:
        """The part after it."""
        return self.name.partition(":")[2]
