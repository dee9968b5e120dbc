"""Figures before a night and after it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.progress import Progress

from bench.embedders import Remembering
from bench.night import NIGHT, Slept, compared, night_tables
from bench.quality import answer
from bench.report import Report, as_markdown
from bench.systems import WHOLE
from shared.contract.errors import Permanent
from shared.testing import HashEmbedder


@pytest.fixture
def answered(corpus, product):
    return answer(corpus, product, Remembering(HashEmbedder()), Progress(disable=True))


def night(corpus, answered, **changed):
    """The night after which every outcome differs by what is given."""
    after = replace(answered, outcomes=tuple(replace(each, **changed) for each in answered.outcomes))
    return compared(corpus, answered, after, {"dedupe": 1_234})


def by_name(found):
    return {change.name: change for change in found.changes}


def test_a_night_that_changes_nothing_is_worse_on_no_figure(corpus, answered) -> None:
    found = night(corpus, answered)
    assert not any(change.is_worse for change in found.changes)
    assert {change.difference.mean for change in found.changes} == {0}
    assert by_name(found)["turn MRR"].before.n == 2, "without an answer there is nothing to rank"
    assert by_name(found)["tokens of the bundle"].before.n == 3


def test_fewer_tokens_are_better_and_a_worse_ranking_is_worse(corpus, answered) -> None:
    fewer = by_name(night(corpus, answered, tokens=0))["tokens of the bundle"]
    more = by_name(night(corpus, answered, tokens=10_000))["tokens of the bundle"]
    assert (fewer.is_worse, more.is_worse) == (False, True)
    worse = [replace(each, ranked={**each.ranked, WHOLE: ()} if each.ranked else {}) for each in answered.outcomes]
    found = by_name(compared(corpus, answered, replace(answered, outcomes=tuple(worse)), {}))
    assert found["turn r@10"].is_worse
    assert not found["tokens of the bundle"].is_worse


def test_both_sides_stand_beside_each_other_with_what_was_changed(corpus, answered) -> None:
    found = night(corpus, answered, tokens=7)
    text = as_markdown(Report(model="m", quality=(), nights=(found,)))
    assert "## Made-up, before a night and after it" in text
    assert "Changed by each job, in order: dedupe 1,234." in text
    assert "| tokens of the bundle |" in text
    assert "| 7 [7, 7] |" in text
    assert "".join(night_tables(found)).count("✗") == 0


def test_a_night_whose_job_failed_is_not_measured(monkeypatch) -> None:
    failed = type("Failed", (), {"outcome": "failed", "error": "no disk"})
    monkeypatch.setattr("bench.jobs.tidying.tidy", lambda *_: failed)
    memory = type("Memory", (), {"scope": type("Scope", (), {"tenant_id": "acme"})})
    fed = type("Fed", (), {"memories": {"c": memory}})
    with pytest.raises(Permanent, match=f"{NIGHT[0]} on tenant acme ended as failed: no disk"):
        Slept(fed, None, None).feed(type("Conversation", (), {"id": "c", "turns": ()}), lambda _: None)
