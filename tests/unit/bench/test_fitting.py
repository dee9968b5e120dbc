"""How weights are fitted, on made-up questions."""

import tomllib
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import fit, fitting, own
from bench.corpus import Question
from bench.gathered import Gathered
from hotpath import weights
from hotpath._fuse import FEATURES
from hotpath._premise import Compared

RANDOM = np.random.default_rng(7)


def gathered(number: int, *, answerable: bool = True, margin: float | None = None) -> Gathered:
    """Eight hits, of which the third is gold and has more of the first feature of both kinds."""
    fused, read = RANDOM.random((8, len(FEATURES))), RANDOM.random((8, len(fields(weights.Rerank))))
    fused[2, 0] = read[2, 0] = 1.5
    ids = tuple(f"turn-{at}" for at in range(8))
    return Gathered(
        question=Question(
            id=f"q{number}",
            conversation_id="one",
            query="?",
            kind="made up",
            answer="",
            gold_turn_ids=ids[2:3] if answerable else (),
            gold_session_ids=(),
            answerable=answerable,
        ),
        turn_ids=ids,
        gold=np.array([answerable and at == 2 for at in range(8)]),
        fused=fused,
        read=read,
        compared=None if margin is None else Compared(asked=("Ana",), other="Rui", margin=margin),
        evident=True,
    )


def questions() -> dict[str, list[Gathered]]:
    own_ones = [gathered(number, margin=0.2) for number in range(10)]
    own_ones += [gathered(number, answerable=False, margin=-0.3) for number in range(10, 16)]
    return {own.NAME: own_ones, "LongMemEval": [gathered(number) for number in range(20, 30)]}


def test_a_feature_that_gold_has_more_of_is_worth_more() -> None:
    found = fitting.fit(
        [fitting.pairs(np.array([[1.0, 0.5]]), np.array([[0.0, 0.6], [0.2, 0.4]]))], np.ones(2), l2=0.001, scale=4.0
    )
    assert found[0] > 1.5
    assert found[0] > found[1]


def test_a_strong_pull_leaves_the_start() -> None:
    found = fitting.fit([fitting.pairs(np.eye(2)[:1], np.eye(2)[1:])], np.ones(2), l2=1000.0, scale=4.0)
    assert found == pytest.approx([1, 1], abs=0.01)


def test_what_is_fixed_stays_and_nothing_is_below_the_least() -> None:
    found = fitting.fit(
        [fitting.pairs(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))],
        np.ones(2),
        l2=0.0,
        scale=4.0,
        least=0.05,
        fixed=1,
    )
    assert found.tolist() == [1.0, 0.05]


def test_a_fit_is_the_same_each_time() -> None:
    parts = [fitting.pairs(RANDOM.random((2, 3)), RANDOM.random((5, 3))) for _ in range(4)]
    first, second = (fitting.fit(parts, np.ones(3), l2=0.01, scale=4.0) for _ in range(2))
    assert np.array_equal(first, second)


def test_no_question_is_in_the_fit_of_its_own_fold() -> None:
    parts = [np.full((1, 1), float(number)) for number in range(12)]
    folds = fitting.out_of_fold(parts, lambda some: np.array([part[0, 0] for part in some]))
    assert all(float(number) not in fold for number, fold in enumerate(folds))
    assert all(len(fold) >= 9 for fold in folds)


def test_the_threshold_is_the_least_that_refuses_few_good_questions() -> None:
    margins = np.array([*[0.2] * 22, -0.305, -0.405, -0.3, -0.5])
    answerable = np.array([True] * 24 + [False] * 2)
    assert fitting.threshold(margins, answerable) == 0.0, "two of 24 are few"
    assert fitting.threshold(margins, answerable, refused=1 / 24) == pytest.approx(0.31)
    assert fitting.threshold(margins, answerable, refused=0.0) == pytest.approx(0.41)


@given(
    st.lists(st.tuples(st.floats(-0.5, 1), st.booleans()), min_size=2).filter(lambda some: any(b for _, b in some)),
    st.floats(0, 1),
)
def test_no_threshold_that_refuses_so_few_is_less(judged: list[tuple[float, bool]], refused: float) -> None:
    margins, answerable = np.array([margin for margin, _ in judged]), np.array([right for _, right in judged])
    found = fitting.threshold(margins, answerable, refused=refused)
    shares = {tried: (margins[answerable] < -tried).mean() for tried in np.arange(51) / 100}
    assert shares[found] <= refused
    assert all(share > refused for tried, share in shares.items() if tried < found)


def test_what_is_written_is_a_file_of_weights_as_the_code_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "weights.toml"
    file.write_text(fit.Fitted(questions()).as_toml(), encoding="utf-8")
    held = tomllib.loads(file.read_text(encoding="utf-8"))
    assert set(held["fusion"]) == {each.name for each in fields(weights.Weights)} - fit.NOT_FITTED
    assert all(value >= fit.LEAST for value in held["fusion"].values())
    assert tuple(held["rerank"]) == tuple(each.name for each in fields(weights.Rerank))
    assert 0 <= held["premise"]["elsewhere"] < 1
    assert "10 questions" in held["fitted_on"]["fusion"]
    assert "10 answerable" in held["fitted_on"]["premise"]


def test_the_feature_that_tells_gold_is_worth_the_most() -> None:
    fitted = fit.Fitted(questions())
    assert max(fitted.fusion, key=lambda name: fitted.fusion[name]) == FEATURES[0]
    assert max(fitted.rerank, key=lambda name: fitted.rerank[name]) == "asks"


def test_without_longmemeval_fusion_stays_as_it_is_shipped() -> None:
    held = tomllib.loads(fit.Fitted({own.NAME: questions()[own.NAME]}).as_toml())
    with weights.FILE.open("rb") as file:
        shipped = tomllib.load(file)
    assert held["fusion"] == shipped["fusion"]
    assert held["fitted_on"]["fusion"] == shipped["fitted_on"]["fusion"]


def test_the_report_tells_figures_out_of_fold_and_false_alarms() -> None:
    told = "\n".join(fit.Fitted(questions()).report())
    assert told.count("out of fold") == 2
    assert "0 of 10 answerable called unsupported, 6 of 6 of another person" in told


def test_our_own_questions_rest_on_messages_that_there_are() -> None:
    corpus = own.load()
    ids = {turn.id for turn in corpus.conversations[0].turns}
    assert all(ids.issuperset(each.gold_turn_ids) for each in corpus.questions)
    assert {each.kind for each in corpus.questions if not each.answerable} == {own.ANOTHER_PERSON, own.NEVER_SAID}
    assert len({each.query for each in corpus.questions}) == len(corpus.questions)
