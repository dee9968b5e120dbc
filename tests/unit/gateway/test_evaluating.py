from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from gateway.evaluating import LabelledRun, Verdict, evaluate, load_runs
from gateway.evaluating.scoring import Rate, Stored, fold, judge_run
from shared.contract.errors import InvalidInput
from warmpath._rule_extractor import rule_extractor

GOLDEN = Path(__file__).parents[2] / "golden"


def _run(**fields: object) -> LabelledRun:
    return LabelledRun.model_validate(
        {"id": "one", "owner": "mira", "lines": [("2031-05-24T10:00+00:00", "mira", "I live in Leeds")], **fields}
    )


def _stored(obj: str = "Leeds", *, text: str = "", change: str = "holds", since: date | None = None) -> Stored:
    return Stored(
        subject="mira",
        predicate="lives_in",
        object=obj,
        change=change,
        text=text or f"mira lives in {obj}.",
        since=since,
    )


def _judged(run: LabelledRun, *stored: Stored) -> Verdict:
    return judge_run(run, stored, canonical={"lives_in": "lives_in", "home": "lives_in"}, by_rules=True)


LEEDS = {"subject": "mira", "predicate": "home", "object": ["Leeds", "leeds uk"]}


def test_a_claim_is_right_by_any_of_its_names() -> None:
    verdict = _judged(_run(should=[LEEDS]), _stored("the LEEDS"))
    assert (len(verdict.right), len(verdict.wrong), verdict.found) == (1, 0, 1)


def test_what_no_label_names_is_wrong_and_what_no_claim_names_is_missed() -> None:
    verdict = _judged(_run(should=[LEEDS]), _stored("York"))
    assert (len(verdict.wrong), len(verdict.missed)) == (1, 1)


def test_the_wrong_time_is_wrong() -> None:
    run = _run(should=[{**LEEDS, "since": "2031-05-01..2031-05-31"}])
    assert _judged(run, _stored(since=date(2031, 5, 7))).right
    assert _judged(run, _stored(since=date(2031, 6, 7))).wrong
    assert _judged(run, _stored()).wrong


def test_an_optional_label_is_neither_missed_nor_wrong() -> None:
    run = _run(should=[{**LEEDS, "optional": True}])
    assert not _judged(run).missed
    assert _judged(run, _stored()).right


def test_a_label_for_models_alone_is_not_asked_of_rules() -> None:
    assert not _judged(_run(should=[{**LEEDS, "by_rules": False}])).missed


def test_the_same_in_two_sentences_is_a_duplicate_and_in_one_is_none() -> None:
    run = _run(should=[LEEDS])
    assert _judged(run, _stored(), _stored(text="mira has her home in Leeds.")).duplicates == 1
    assert _judged(run, _stored(), _stored()).duplicates == 0


def test_ending_what_holds_is_a_wrong_update() -> None:
    assert _judged(_run(should=[LEEDS]), _stored(change="ended")).wrong_updates == 1


def test_forbidden_words_and_claims_are_wrong_whatever_else_they_are() -> None:
    verdict = _judged(_run(should=[LEEDS], must_not=["leeds"]), _stored())
    assert verdict.wrong
    assert list(verdict.forbidden) == ["leeds"]
    assert _judged(_run(should=[LEEDS], never=[{"object": "Leeds"}]), _stored()).wrong


def test_words_stand_for_an_object_that_can_be_put_in_many_ways() -> None:
    run = _run(should=[{"subject": "mira", "predicate": "lives_in", "words": ["house", "hill"]}])
    assert _judged(run, _stored("a house on the hill")).right
    assert _judged(run, _stored("a house by the sea")).wrong


@pytest.mark.parametrize(
    ("one", "other"),
    [("3 May", "May 3rd"), ("the Café", "cafe"), ("mira's vet", "Mira vet"), ("their  Job", "job")],
)
def test_ways_to_put_the_same_are_one(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_an_interval_holds_its_share_and_nothing_has_none() -> None:
    low, high = Rate(hits=9, of=10).interval or (1, 0)
    assert 0.59 < low < 0.9 < high < 0.99
    assert Rate(hits=0, of=0).value is None


@pytest.mark.parametrize(
    "text",
    [
        "format = 1\nruns = []\nmore = 1",
        'format = 1\n[[runs]]\nid = "a"\nlines = []',
        'format = 1\n[[runs]]\nid = "a"\nlines = [["2031-13-01", "mira", "hi"]]',
        'format = 1\n[[runs]]\nid = "a"\nlines = [["", "mira@king", "hi"]]',
        'format = 1\n[[runs]]\nid = "a"\nlines = [["", "mira", "hi"]]\nshould = [{subject = "a", predicate = "b"}]',
        "no toml",
    ],
)
def test_a_file_that_does_not_fit_is_refused_by_its_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.toml").write_text(text)
    with pytest.raises(InvalidInput, match=r"odd\.toml"):
        load_runs(tmp_path)


def test_a_folder_without_runs_and_two_runs_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no labelled runs"):
        load_runs(tmp_path)
    run = '[[runs]]\nid = "a"\nlines = [["", "mira", "hi"]]\n'
    (tmp_path / "two.toml").write_text(f"format = 1\n{run}{run}")
    with pytest.raises(InvalidInput, match="'a'"):
        load_runs(tmp_path)


def test_the_labelled_runs_are_many_and_of_several_kinds() -> None:
    runs = load_runs(GOLDEN)
    assert len(runs) >= 60
    assert len({run.language for run in runs}) >= 3
    assert any(run.owner is None for run in runs)
    assert any(label.change == "never" for run in runs for label in run.should)


def test_rules_are_right_and_find_most_of_the_labelled_runs() -> None:
    """Of the runs that they were made with: those in `frozen` are not among them."""
    score = evaluate(rule_extractor(), load_runs(GOLDEN))
    assert (score.precision.value or 0) >= 0.95, [each.wrong for each in score.verdicts if each.wrong]
    assert (score.recall.value or 0) >= 0.85, [each.missed for each in score.verdicts if each.missed]
    assert score.duplicates == score.wrong_updates == 0
    assert not any(each.forbidden for each in score.verdicts)


@pytest.mark.parametrize("folder", ["frozen", "frozen/earlier"])
def test_rules_do_as_well_on_runs_that_they_were_not_made_with(folder: str) -> None:
    score = evaluate(rule_extractor(), load_runs(GOLDEN / folder))
    assert (score.precision.value or 0) >= 0.9
    assert (score.recall.value or 0) >= 0.5
    assert not any(each.forbidden for each in score.verdicts)
