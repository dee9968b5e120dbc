from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shared.contract.errors import Misconfigured
from shared.models import parsing
from shared.models.parsing import digest_of, english_tagger


def test_contractions_are_written_out_and_places_are_of_the_text() -> None:
    text = "I\u2019m Max and don't live here"
    tokens = english_tagger()(text)
    assert [token.norm for token in tokens] == ["i", "am", "max", "and", "do", "not", "live", "here"]
    assert all(text[token.start : token.end] == token.text for token in tokens)


def test_nothing_of_the_library_leaves_the_door() -> None:
    (token,) = english_tagger()("hello")
    assert {type(getattr(token, name)) for name in type(token).__slots__} <= {str, int}


def test_importing_it_loads_no_library() -> None:
    code = (
        "import sys, shared.models.parsing, warmpath._rule_extractor;"
        "sys.exit('spacy' in sys.modules or 'thinc' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_many_threads_read_at_once() -> None:
    tag = english_tagger()
    texts = [f"I moved to town number{n}" for n in range(40)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(tag, texts))
    assert [tokens[-1].text for tokens in found] == [f"number{n}" for n in range(40)]


def test_files_that_are_not_the_known_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "DIGEST", "0" * 64)
    with pytest.raises(Misconfigured, match="digest"):
        parsing._load()


def test_a_digest_is_of_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    first = digest_of(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    renamed = digest_of(tmp_path)
    (tmp_path / "b").write_text("two")
    assert len({first, renamed, digest_of(tmp_path)}) == 3
