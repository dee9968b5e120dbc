"""Vectors outlive the run that made them."""

from __future__ import annotations

import numpy as np
import pytest

from bench.embedders import Remembering
from bench.kept import Kept
from shared.contract.errors import InvalidInput
from shared.models import ModelId
from shared.testing import HashEmbedder


class Refusing(HashEmbedder):
    """An embedder that is not to be asked."""

    def encode_documents(self, texts):
        raise AssertionError(texts)


def test_a_later_run_embeds_nothing_that_is_kept(tmp_path) -> None:
    inner = HashEmbedder()
    first = Remembering(inner, Kept(tmp_path, inner.model))
    made = first.encode_documents(["kayak", "jar"])
    first.forget()
    later = Remembering(Refusing(), Kept(tmp_path, inner.model))
    assert np.array_equal(later.encode_documents(["jar", "kayak"]), made[::-1])


def test_each_save_adds_to_what_is_there(tmp_path) -> None:
    inner = HashEmbedder()
    encoder = Remembering(inner, Kept(tmp_path, inner.model))
    for text in ("kayak", "jar"):
        encoder.encode_documents([text])
        encoder.forget()
    assert set(Kept(tmp_path, inner.model).of(["kayak", "jar", "else"])) == {"kayak", "jar"}


def test_vectors_of_another_model_are_not_taken(tmp_path) -> None:
    inner = HashEmbedder()
    encoder = Remembering(inner, Kept(tmp_path, inner.model))
    encoder.encode_documents(["kayak"])
    encoder.forget()
    other = ModelId(name="other/model", revision="1", dimension=inner.model.dimension)
    assert Kept(tmp_path, other).of(["kayak"]) == {}


def test_no_text_is_written(tmp_path) -> None:
    inner = HashEmbedder()
    encoder = Remembering(inner, Kept(tmp_path, inner.model))
    encoder.encode_documents(["kayak"])
    encoder.forget()
    (written,) = tmp_path.glob("*/*.npz")
    assert b"kayak" not in written.read_bytes()


def test_a_damaged_file_is_an_error_that_names_the_folder(tmp_path) -> None:
    kept = Kept(tmp_path, HashEmbedder().model)
    kept.add({"kayak": np.zeros(3, np.float32)})
    kept.save()
    next(tmp_path.glob("*/*.npz")).write_bytes(b"torn")
    with pytest.raises(InvalidInput, match="give another folder"):
        Kept(tmp_path, HashEmbedder().model)
