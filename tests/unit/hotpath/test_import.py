"""An agent that imports the two paths pays for neither Celery nor a model, and meets no foreign package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEAVY = ("celery", "kombu", "redis", "torch", "onnxruntime", "sqlalchemy", "psycopg", "tokenizers", "alembic")
ROUNDS = 4
MOST_TIMES_NUMPY = 6

TIMED = "import time; began = time.perf_counter(); import {}; print(time.perf_counter() - began)"


def python(program: str, *, first_on_path: Path = ROOT) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(dict.fromkeys([str(first_on_path), str(ROOT)]))
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONSAFEPATH": "1"}
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def test_importing_loads_no_heavy_package() -> None:
    done = python("import hotpath, warmpath, sys, json; print(json.dumps(sorted(sys.modules)))")
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout)
    assert {"hotpath", "warmpath", "shared"} <= set(loaded)
    assert [name for name in loaded if name.split(".")[0] in HEAVY] == []


def test_importing_with_a_scope_takes_under_six_times_what_numpy_takes() -> None:
    ours, numpys = [], []
    for _ in range(ROUNDS):  # in turn, so that a busy machine is as busy for both
        ours.append(float(python(TIMED.format("hotpath, warmpath, shared.contract.scope")).stdout))
        numpys.append(float(python(TIMED.format("numpy")).stdout))
    assert min(ours) < MOST_TIMES_NUMPY * min(numpys)


@pytest.mark.parametrize("path", ["hotpath", "warmpath"])
def test_a_foreign_package_shared_on_the_path_is_named(path: str, tmp_path: Path) -> None:
    foreign = tmp_path / "shared" / "__init__.py"
    foreign.parent.mkdir()
    foreign.write_text("", "utf-8")
    done = python(f"import {path}", first_on_path=tmp_path)
    assert done.returncode != 0
    error = done.stderr.strip().splitlines()[-1]
    assert error == (
        f"ImportError: {foreign} is another distribution's package `shared`; Daybook's must come first on sys.path: "
        "remove the other, or run from a directory that holds no `shared`"
    )
