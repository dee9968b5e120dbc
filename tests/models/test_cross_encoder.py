"""The extra `models` with a cross-encoder: a tiny one, made here with random weights."""

import importlib
import os
from pathlib import Path

import numpy as np
import pytest

from shared.contract.errors import Misconfigured
from shared.models.reranking import CrossEncoder, cross_encoder
from shared.settings import load

pytestmark = pytest.mark.torch

WORDS = ["ana", "lives", "in", "porto", "where", "does", "live", "the", "invoice", "was", "paid", "twice", "?", "."]
TEXTS = ["Ana lives in Porto.", "The invoice was paid twice.", "", "Porto. " * 2_000]


def _made(folder: Path, *, labels: int = 1) -> Path:
    """A cross-encoder of one small layer."""
    transformers = importlib.import_module("transformers")
    importlib.import_module("torch").manual_seed(7)
    folder.mkdir(parents=True)
    vocabulary = {word: number for number, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])}
    words = importlib.import_module("tokenizers").BertWordPieceTokenizer(vocabulary, lowercase=True)
    words.save(str(folder / "words.json"))
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    tokeniser = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "words.json"), model_max_length=64, **names
    )
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    config = transformers.BertConfig(
        vocab_size=len(WORDS) + 5, num_labels=labels, max_position_embeddings=64, initializer_range=0.3, **size
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    tokeniser.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _made(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def model(folder: Path) -> CrossEncoder:
    return CrossEncoder(str(folder), threads=1, batch=2)


def test_each_text_has_a_score_in_its_order_whatever_it_is_read_with(model: CrossEncoder) -> None:
    together = model.scores("Where does Ana live?", TEXTS)
    alone = [model.scores("Where does Ana live?", [text])[0] for text in TEXTS]
    assert together.shape == (4,)
    assert np.allclose(together, alone, atol=1e-4)
    assert len({round(float(score), 5) for score in together}) > 1


def test_the_query_is_read_with_the_text(model: CrossEncoder) -> None:
    one, other = (model.scores(query, TEXTS[:1])[0] for query in ("Where does Ana live?", "Was the invoice paid?"))
    assert one != pytest.approx(other, abs=1e-6)


def test_no_texts_have_no_scores_and_load_nothing(tmp_path: Path) -> None:
    assert CrossEncoder(str(tmp_path / "absent"), threads=1, batch=2).scores("anything", []).shape == (0,)


def test_a_model_of_several_labels_is_refused(tmp_path: Path) -> None:
    classifier = CrossEncoder(str(_made(tmp_path / "labels", labels=3)), threads=1, batch=2)
    with pytest.raises(Misconfigured, match="several labels"):
        classifier.scores("Where does Ana live?", TEXTS)


def test_a_name_that_is_not_on_this_machine_is_an_error_and_not_a_download() -> None:
    absent = CrossEncoder("nobody/no-such-reranker", threads=1, batch=2)
    with pytest.raises(
        Misconfigured, match=r"reranker 'nobody/no-such-reranker' cannot be loaded.*hf download nobody/no-such-reranker"
    ):
        absent.scores("anything", TEXTS)


def test_damaged_weights_are_an_error_that_names_the_model(tmp_path: Path) -> None:
    damaged = _made(tmp_path / "damaged")
    os.truncate(damaged / "model.safetensors", 200)
    with pytest.raises(Misconfigured, match="damaged"):
        CrossEncoder(str(damaged), threads=1, batch=2).scores("anything", TEXTS)


def test_the_settings_name_one_for_the_whole_process(folder: Path) -> None:
    settings = load(reranker=str(folder))
    assert cross_encoder(str(folder), settings) is cross_encoder(str(folder), settings)
