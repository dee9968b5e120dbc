"""Pictures of the figures, made without a screen and only where they are asked for."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from rich.progress import Progress

from bench import plots
from bench.embedders import Remembering
from bench.figures import figures
from bench.quality import answer
from shared.contract.errors import Misconfigured
from shared.testing import HashEmbedder


@pytest.fixture
def quality(corpus, product):
    return figures(corpus, answer(corpus, product, Remembering(HashEmbedder()), Progress(disable=True)))


@pytest.mark.parametrize("corpora", [1, 3])
def test_each_picture_has_a_panel_for_each_corpus(quality, tmp_path, corpora) -> None:
    written = plots.write(tmp_path / "new", [replace(quality, corpus=str(number)) for number in range(corpora)])
    assert [path.stem for path in written] == list(plots.PICTURES)
    sizes = {int.from_bytes(path.read_bytes()[16:20]) for path in written}  # the width, in a PNG's header
    assert len(sizes) == 1
    assert sizes.pop() == int(plots._PANEL_INCHES[0] * plots._DPI) * min(2, corpora)


def test_a_corpus_with_questions_of_one_kind_is_drawn_too(corpus, product, tmp_path) -> None:
    one = replace(corpus, questions=corpus.questions[:1])
    made = figures(one, answer(one, product, Remembering(HashEmbedder()), Progress(disable=True)))
    assert len(plots.write(tmp_path, [made])) == len(plots.PICTURES)


def test_a_place_that_cannot_be_written_is_an_error_that_names_it(quality, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Misconfigured, match="file"):
        plots.write(tmp_path / "file", [quality])


def test_without_matplotlib_the_error_says_what_to_install(quality, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(Misconfigured, match="pip install"):
        plots.write(tmp_path, [quality])


def test_matplotlib_is_not_loaded_for_tables_alone() -> None:
    script = "import sys, bench.__main__; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
