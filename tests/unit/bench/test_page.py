"""Tables go between the marks of a page, and nowhere else."""

from __future__ import annotations

import pytest

from bench.page import BEGIN, END, check, put, relative
from shared.contract.errors import InvalidInput


def page(tmp_path, text: str):
    path = tmp_path / "page.md"
    path.write_text(text)
    return path


def test_what_is_between_the_marks_is_replaced_and_the_rest_stays(tmp_path) -> None:
    path = page(tmp_path, f"# Page\n\n{BEGIN}\nold\n{END}\n\nAfter.\n")
    put(path, "## Corpus\n\n| a |\n")
    assert path.read_text() == f"# Page\n\n{BEGIN}\n\n### Corpus\n\n| a |\n\n{END}\n\nAfter.\n"


def test_to_put_the_same_again_changes_nothing(tmp_path) -> None:
    path = page(tmp_path, f"{BEGIN}{END}\n")
    put(path, "## One")
    once = path.read_text()
    put(path, "## One")
    assert path.read_text() == once


@pytest.mark.parametrize("text", ["", BEGIN, END, f"{END}{BEGIN}", f"{BEGIN}{END}{END}", f"{BEGIN}{BEGIN}{END}"])
def test_a_page_without_both_marks_once_is_refused_and_left_alone(tmp_path, text) -> None:
    path = page(tmp_path, text)
    with pytest.raises(InvalidInput, match="once each"):
        check(path)
    with pytest.raises(InvalidInput):
        put(path, "new")
    assert path.read_text() == text


def test_a_page_that_is_not_there_is_an_error_that_names_it(tmp_path) -> None:
    with pytest.raises(InvalidInput, match=r"none\.md"):
        check(tmp_path / "none.md")


def test_a_page_names_a_picture_by_the_way_to_it(tmp_path) -> None:
    assert relative(tmp_path / "docs" / "plots" / "a.png", tmp_path / "docs" / "page.md") == "plots/a.png"
    assert relative(tmp_path / "a.png", tmp_path / "docs" / "page.md") == "../a.png"
