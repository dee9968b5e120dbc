"""Names of tasks and queues: each stage and job has one queue and one task, both called by its one word."""

from __future__ import annotations

from typing import Final

from shared.contract.receipts import Stage

APPEND: Final = Stage.APPEND.value
GATE: Final = Stage.GATE.value
EXTRACT: Final = Stage.EXTRACT.value
RESOLVE: Final = Stage.RESOLVE.value
INDEX: Final = Stage.INDEX.value
SWEEP: Final = "sweep"
VERIFY: Final = "verify"
RESUME: Final = "resume"
REINDEX: Final = "reindex"
REEMBED: Final = "reembed"
FILL: Final = "fill"
REPLAY: Final = "replay"
DEDUPE: Final = "dedupe"
EVALUATE: Final = "evaluate"
PROMOTE: Final = "promote"
COMPRESS: Final = "compress"
PROFILE: Final = "profile"
SUPERSEDE: Final = "supersede"
CONSOLIDATE: Final = "consolidate"
LINK: Final = "link"
PRUNE: Final = "prune"
RETAIN: Final = "retain"
GRAPH: Final = "graph"
ANTICIPATE: Final = "anticipate"
REFLECT: Final = "reflect"
REDERIVE: Final = "rederive"

QUEUES: Final = (
    *(APPEND, GATE, EXTRACT, RESOLVE, INDEX, SWEEP),
    *(VERIFY, RESUME, REINDEX, REEMBED, FILL, REPLAY, DEDUPE, PROMOTE, COMPRESS, PROFILE),
    *(SUPERSEDE, CONSOLIDATE, LINK, PRUNE, RETAIN, EVALUATE, GRAPH, ANTICIPATE, REFLECT, REDERIVE),
)

EVERY_TENANT: Final = ""
"""In the place of a tenant's id: the job is done for each of them in turn."""

FOLLOWING: Final[dict[Stage, Stage | None]] = {
    Stage.APPEND: Stage.GATE,
    Stage.GATE: Stage.EXTRACT,
    Stage.EXTRACT: Stage.RESOLVE,
    Stage.RESOLVE: Stage.INDEX,
    Stage.INDEX: None,
}
"""What a run goes to after each stage of the warm path."""
