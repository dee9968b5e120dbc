"""What the shipped weights were fitted on is known by name, and ranked by weights that did not see the question."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench import unfitted
from bench.unfitted import is_in_sample


@pytest.mark.parametrize(
    ("name", "in_sample"),
    [
        ("LongMemEval (s_cleaned_dev)", True),
        ("LongMemEval (s_cleaned_val)", False),
        ("LongMemEval (s_devices)", False),
        ("LongMemEval", False),
        ("LoCoMo (dev)", False),
    ],
)
def test_the_part_that_was_fitted_on_is_known_by_its_file(corpus, name, in_sample) -> None:
    assert is_in_sample(replace(corpus, name=name)) is in_sample


def test_nothing_is_in_sample_where_other_things_were_fitted_on(corpus, monkeypatch) -> None:
    monkeypatch.setattr(unfitted, "FITTED_ON", {"fusion": "own questions"})
    assert not is_in_sample(replace(corpus, name="LongMemEval (s_cleaned_dev)"))
