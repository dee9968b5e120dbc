"""Names of tasks and queues: each stage and job has one queue and one task, both called by its one word."""

from __future__ import annotations

from typing import Final

from shared.contract.receipts import Stage

APPEND: Final = Stage.APPEND.value
GATE: Final = Stage.GATE.value
INDEX: Final = Stage.INDEX.value
SWEEP: Final = "sweep"
VERIFY: Final = "verify"

QUEUES: Final = (APPEND, GATE, INDEX, SWEEP, VERIFY)

FOLLOWING: Final[dict[Stage, Stage | None]] = {
    Stage.APPEND: Stage.GATE,
    Stage.GATE: Stage.INDEX,
    Stage.INDEX: None,
}
"""What a run goes to after each stage of the warm path."""
