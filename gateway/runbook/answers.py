"""What a deep question may cost, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Self
from uuid import UUID

from shared.contract.bundle import Source
from shared.contract.errors import InvalidQuery

if TYPE_CHECKING:
    from shared.settings import Settings

LONGEST_S: Final = 86_400.0
_BOUNDS: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "states": (1, 10_000),
        "cited": (1, 1_000),
        "read_bytes": (1, 10**9),
        "output_bytes": (1, 10**8),
        "tree_bytes": (20_000, 10**10),
        "memories": (1, 10**7),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one deep question may cost.

    For a model all bounds are hard. For a command those of time, output, citations and the folder are; `states` and
    `read_bytes` bind what it asks `search.py`, which counts in a file that the command may write, and not what it reads
    by itself.

    Raises:
        InvalidQuery: a bound is not a number within what makes sense.
    """

    states: int = 20
    """Most looks: a search or an opened piece of a file is one."""
    read_bytes: int = 2_000_000
    """Most bytes of what the looks gave."""
    timeout_s: float = 120.0
    """Most seconds of searching."""
    output_bytes: int = 1_000_000
    """Most bytes that an agent may write on stdout and on stderr."""
    cited: int = 20
    """Most memories of an answer."""
    tree_bytes: int = 50_000_000
    """Most bytes of the folder."""
    memories: int = 100_000
    """Most memories in the folder."""

    def __post_init__(self) -> None:
        for name, (least, most) in _BOUNDS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                msg = f"{name} must be a whole number from {least:,} to {most:,}, not {value!r}"
                raise InvalidQuery(msg)
        if isinstance(self.timeout_s, bool) or not isinstance(self.timeout_s, (int, float)):
            raise InvalidQuery(f"timeout_s must be a number of seconds, not {self.timeout_s!r}")
        if not 0 < self.timeout_s <= LONGEST_S:
            raise InvalidQuery(f"timeout_s must be above 0 and at most {LONGEST_S:,.0f}, not {self.timeout_s!r}")

    @classmethod
    def configured(cls, settings: Settings) -> Self:
        """The budget that the settings give."""
        return cls(
            states=settings.deep_states,
            read_bytes=settings.deep_read_bytes,
            timeout_s=settings.deep_timeout_s,
            tree_bytes=settings.deep_tree_bytes,
        )


class DeepVerdict(StrEnum):
    """What the agent says of the question; `unknown` too where it gave no answer that holds."""

    SUPPORTED = "supported"
    UNKNOWN = "unknown"
    CONFLICTING = "conflicting"


class Stopped(StrEnum):
    """Which bound of the budget ended the search or cut its answer."""

    STATES = "states"
    BYTES = "bytes"
    TIME = "time"
    OUTPUT = "output"
    CITED = "cited"


class Failure(StrEnum):
    """What was wrong with an agent."""

    NOT_STARTED = "not_started"
    """The command cannot be started."""
    EXITED = "exited"
    """The command ended with a code that is not 0."""
    NO_JSON = "no_json"
    """The command wrote something else than one JSON document."""
    MISFORMED = "misformed"
    """An action or an answer does not have the form that is asked for."""
    NO_SUCH_SPAN = "no_such_span"
    """The answer cites lines that are not there, or that hold no message."""
    WITHOUT_EVIDENCE = "without_evidence"
    """The verdict needs more cited messages than there are."""
    CHANGED_FILES = "changed_files"
    """The folder was written to."""
    MODEL_FAILED = "model_failed"
    """The model's port raised."""
    FORGOTTEN = "forgotten"
    """What the answer was drawn from was forgotten while it was searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What of the budget was used."""

    states: int = 0
    """Looks. Of a command those by way of `search.py`: what else it reads is not counted."""
    read_bytes: int = 0
    elapsed_s: float = 0.0
    output_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A memory that the answer cites, as the store has it."""

    memory_id: UUID
    text: str
    kind: str
    epistemic_type: str
    speaker: str | None
    role: str | None
    origin: str
    trust: int
    event_time: datetime | None
    """World time; None where it is not known."""
    ended_at: datetime | None
    """When it stopped being true, where it has."""
    session_id: str | None
    run_id: str | None
    sources: tuple[Source, ...]
    """The evidence events that it rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSpan:
    """Lines that the answer cites, and the memories on them."""

    file: str
    start_line: int
    """From 1."""
    end_line: int
    """Inclusive."""
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What the folder lacks of the memories in scope."""

    memories: int
    """How many did not fit; the oldest of the world's time are left out first."""
    of: int
    """How many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepAnswer:
    """What a deep question came to. Only `spans` is evidence; `answer` is what the agent says of it."""

    verdict: DeepVerdict
    reason: str
    """In a few words, why the verdict stands, or what went wrong."""
    answer: str | None
    """The agent's own words: derived, to be quoted as data and never taken for evidence."""
    spans: tuple[FoundSpan, ...]
    stopped: Stopped | None
    failure: Failure | None
    used: Used
    budget: Budget
    left_out: LeftOut
    folder: Path | None
    """Where the files are, if they were to be kept."""
