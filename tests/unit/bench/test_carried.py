"""What an earlier run measured is not measured again."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from bench.carried import Carried
from bench.figures import Quantiles
from bench.ratios import Ratio
from bench.rebuilding import Costs
from shared.contract.errors import InvalidInput

ONE = Quantiles(p50=1.5, p95=2.5, n=1)
COSTS = Costs(seconds=ONE, peak_mb=ONE)
RATIO = Ratio(name="p95", measured=ONE, against=ONE, bound=2, at="p95")


def never():
    raise AssertionError("measured again")


def test_what_is_known_is_taken_from_the_file(tmp_path) -> None:
    path = tmp_path / "costs.json"
    first = Carried(path)
    scope = first.scope(10)
    assert first.costs("dedupe", 10, lambda: COSTS) == COSTS
    assert first.ratio("beside", 10, lambda: RATIO) == RATIO
    again = Carried(path)
    assert again.scope(10) == scope
    assert again.costs("dedupe", 10, never) == COSTS
    assert again.ratio("beside", 10, never) == RATIO
    assert again.scope(20) != scope


def test_a_job_that_failed_is_measured_again_and_those_before_it_are_not(tmp_path) -> None:
    path = tmp_path / "costs.json"
    Carried(path).costs("dedupe", 10, lambda: COSTS)
    with pytest.raises(AssertionError):
        Carried(path).costs("profile", 10, never)
    assert Carried(path).costs("dedupe", 10, never) == COSTS
    assert Carried(path).costs("profile", 10, lambda: COSTS) == COSTS
    with pytest.raises(AssertionError):
        Carried(path).costs("dedupe", 100, never)


def test_without_a_file_nothing_is_kept_beyond_the_run(tmp_path) -> None:
    Carried(None).costs("dedupe", 10, lambda: COSTS)
    assert Carried(None).costs("dedupe", 10, lambda: COSTS) == COSTS
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_none_of_ours_is_refused(tmp_path) -> None:
    path = tmp_path / "costs.json"
    path.write_text("seven")
    with pytest.raises(InvalidInput, match="give another file"):
        Carried(path)


def test_nothing_goes_on_in_a_database_that_was_deleted(tmp_path) -> None:
    with pytest.raises(InvalidInput, match="DAYBOOK_DATABASE_URL"):
        Carried(tmp_path / "costs.json", SimpleNamespace(database_url=None))
