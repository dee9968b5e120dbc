"""The stages that a worker carries out, by their word."""

from __future__ import annotations

from typing import Final

from shared.contract.receipts import Stage
from warmpath import append, extract, gate, index, resolve
from warmpath._work import StageFunction

STAGES: Final[dict[Stage, StageFunction]] = {
    Stage.APPEND: append.run,
    Stage.GATE: gate.run,
    Stage.EXTRACT: extract.run,
    Stage.RESOLVE: resolve.run,
    Stage.INDEX: index.run,
}
