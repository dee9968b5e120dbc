"""The laws of fusion, whatever the candidates are."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hotpath._fuse import FEATURES, Ranked, fuse, scores_beside
from hotpath._plan import Plan, plan
from hotpath._search import Candidates
from hotpath.recipes import ChannelPlan
from hotpath.weights import EVIDENT, FLOOR_COSINE
from shared.contract.scope import Owner
from shared.store.db import Row
from shared.store.keys import DOC_BITS
from shared.store.memories import Shown

NOW = datetime(2031, 3, 4, 12, 0, tzinfo=UTC)
ASKED = plan("What did Tomas tell me about the hive on 2031-03-01?", now=NOW)
OWNERS = (Owner("b"), Owner("a"))
MEASURED = tuple(name for name in FEATURES if name not in ("speaker", "date"))
WORDS = tuple(name for name in MEASURED if name.startswith("words"))
MEANINGS = tuple(name for name in MEASURED if name.startswith("meaning"))

score = st.one_of(st.just(0.0), st.floats(0, 50, allow_subnormal=False))
cosine = st.one_of(st.just(float("nan")), st.floats(-1, 1, allow_subnormal=False))
coverage = st.floats(0, 1)
who = st.sampled_from([("Tomas", "user"), ("user", "user"), ("assistant", "assistant"), ("mira", "user"), (None, None)])
when = st.one_of(st.none(), st.integers(-5, 5).map(lambda days: NOW + timedelta(days=days)))


@dataclasses.dataclass(frozen=True)
class One:
    """A candidate with its features."""

    row: Row
    features: Mapping[str, float]


@st.composite
def ones(draw: st.DrawFn, *, least: int = 0) -> list[One]:
    keys = draw(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 9)), unique=True, min_size=least, max_size=8))
    found = []
    for owner, doc in keys:
        speaker, role = draw(who)
        row = {"user_id": owner, "doc": doc, "speaker": speaker, "role": role, "valid_from": draw(when)}
        features = {name: draw(score) for name in WORDS} | {name: draw(cosine) for name in MEANINGS}
        found.append(One(row, features | {"coverage": draw(coverage), "graph": draw(coverage)}))
    return found


def fused(candidates: Sequence[One], made: Plan = ASKED, *, limit: int = 100) -> list[Ranked]:
    names = (*MEASURED, "coverage")
    features = {name: np.array([each.features[name] for each in candidates], np.float64) for name in names}
    rows = [each.row for each in candidates]
    shown = Shown(
        keys=np.array([OWNERS.index(row["user_id"]) << DOC_BITS | row["doc"] for row in rows], np.int64),
        sessions=np.array([row["doc"] for row in rows], np.int64),
        speakers=[row["speaker"] for row in rows],
        roles=[row["role"] for row in rows],
        times=[row["valid_from"] for row in rows],
        asks=[False] * len(rows),
    )
    return fuse(
        made,
        Candidates(shown=shown, owners=OWNERS, features=features),
        asker="mira",
        limit=limit,
        explain=True,
    )


def one(doc: int, **features: float) -> One:
    row: Row = {"user_id": "a", "doc": doc, "speaker": "user", "role": "user", "valid_from": None}
    base = dict.fromkeys(WORDS, 0.0) | dict.fromkeys(MEANINGS, float("nan")) | {"coverage": 0.0, "graph": 0.0}
    return One(row, base | features)


def by_key(ranked: Sequence[Ranked]) -> dict[tuple[str, int], float]:
    return {key_of(each): each.score for each in ranked}


def key_of(ranked: Ranked) -> tuple[str, int]:
    return OWNERS[ranked.key >> DOC_BITS], ranked.key & 0xFFFFFFFF


@given(ones())
def test_scores_lie_between_0_and_1_and_fall(candidates: list[One]) -> None:
    scores = [each.score for each in fused(candidates)]
    assert all(0 <= score <= 1 + 1e-12 for score in scores)
    assert scores == sorted(scores, reverse=True)


@given(ones(), st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_changes_nothing(candidates: list[One], random: object) -> None:
    shuffled = list(candidates)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert [(key_of(each), each.score) for each in fused(shuffled)] == [
        (key_of(each), each.score) for each in fused(candidates)
    ]


@given(ones())
def test_a_channel_that_gave_no_answer_raises_no_score(candidates: list[One]) -> None:
    whole = by_key(fused(candidates))
    silent = [
        dataclasses.replace(each, features={**each.features, **dict.fromkeys(MEANINGS, float("nan"))})
        for each in candidates
    ]
    assert all(score <= whole[key] + 1e-12 for key, score in by_key(fused(silent)).items())


@given(ones(least=1), st.data())
def test_a_candidate_without_a_value_has_no_higher_score_than_with_it(
    candidates: list[One], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(candidates) - 1))
    lacking = dict.fromkeys(data.draw(st.sets(st.sampled_from(MEANINGS), min_size=1)), float("nan"))
    key = (candidates[place].row["user_id"], candidates[place].row["doc"])
    whole = by_key(fused(candidates))
    assume(key in whole)
    without = list(candidates)
    without[place] = One(candidates[place].row, {**candidates[place].features, **lacking})
    assert by_key(fused(without)).get(key, 0.0) <= whole[key] + 1e-12


@given(ones())
def test_equal_scores_stand_by_owner_and_number(candidates: list[One]) -> None:
    alike = [dataclasses.replace(each, row={**each.row, "speaker": "x", "valid_from": None}) for each in candidates]
    alike = [One(each.row, one(1, words=2.0, meaning=0.5).features) for each in alike]
    assert [key_of(each) for each in fused(alike)] == sorted((each.row["user_id"], each.row["doc"]) for each in alike)


@given(ones())
def test_a_limit_keeps_the_best(candidates: list[One]) -> None:
    assert [key_of(each) for each in fused(candidates, limit=2)] == [key_of(each) for each in fused(candidates)][:2]


@pytest.mark.parametrize(
    "features",
    [{"words": 0.001}, {"words_before": 0.001}, {"meaning": FLOOR_COSINE}, {"words": 7.0, "meaning": -0.9}],
    ids=["a word", "a word before it", "just near enough", "a word, far in meaning"],
)
def test_a_lone_candidate_that_matches_has_a_positive_score(features: dict[str, float]) -> None:
    (hit,) = fused([one(1, **features)])
    assert 0 < hit.score <= 1


@given(ones(least=1))
def test_session_neighbours_and_speaker_alone_make_no_hit(candidates: list[One]) -> None:
    below = np.nextafter(FLOOR_COSINE, -1)
    strangers = [
        One(
            {**each.row, "speaker": "Tomas", "valid_from": None},
            {**each.features, "words": 0.0, "words_before": 0.0, "meaning": float(below), "graph": 0.0},
        )
        for each in candidates
    ]
    assert fused(strangers) == []


def test_what_is_of_the_time_asked_about_is_a_hit_where_the_temporal_channel_is_asked() -> None:
    dated = One({**one(1).row, "valid_from": datetime(2031, 3, 1, 8, tzinfo=UTC)}, one(1).features)
    before = One({**one(2).row, "valid_from": datetime(2031, 2, 28, 8, tzinfo=UTC)}, one(2).features)
    assert [hit.key for hit in fused([dated, before])] == [1 << DOC_BITS | 1]
    assert fused([dated, before], plan(ASKED.query, now=NOW, channels=frozenset({"sparse", "dense"}))) == []


def test_floors_are_those_of_the_plan() -> None:
    strict = dataclasses.replace(
        ASKED, channels={"sparse": ChannelPlan(limit=9, floor=5.0), "dense": ChannelPlan(limit=9, floor=0.6)}
    )
    found = [one(1, words=5.0), one(2, words=5.1), one(3, meaning=0.59), one(4, meaning=0.6)]
    assert sorted(hit.session for hit in fused(found, strict)) == [2, 4]


def test_speaker_and_date_raise_a_hit_that_is_one() -> None:
    asked = datetime(2031, 3, 1, 8, tzinfo=UTC)
    plain, said, dated = one(1, words=1.0), one(2, words=1.0), one(3, words=1.0)
    said = One({**said.row, "speaker": "Tomas"}, said.features)
    dated = One({**dated.row, "valid_from": asked}, dated.features)
    other = plan("What did Tomas say about the hive on 2031-03-01?", now=NOW)
    assert not other.about_user
    scores = by_key(fused([plain, said, dated], other))
    assert scores["a", 2] > scores["a", 3] > scores["a", 1]
    assert "+speaker" in fused([said], other)[0].explained


@pytest.mark.parametrize(
    ("query", "favoured"),
    [
        ("What did I say about the hive?", {("mira", "user"), ("user", "user")}),
        ("What have you told me about the hive?", {("assistant", "assistant")}),
        ("What about the hive of Tomas?", {("Tomas", "user")}),
        ("What about the hive?", set()),
    ],
)
def test_who_is_asked_about_is_favoured(query: str, favoured: set[tuple[str, str]]) -> None:
    speakers = [("mira", "user"), ("user", "user"), ("assistant", "assistant"), ("Tomas", "user"), ("sol", "user")]
    candidates = [
        One({**one(doc).row, "speaker": speaker, "role": role}, one(doc, words=1.0).features)
        for doc, (speaker, role) in enumerate(speakers, 1)
    ]
    ranked = fused(candidates, plan(query, now=NOW))
    assert {speakers[each.session - 1] for each in ranked if each.explained["speaker"] == 1.0} == favoured


@given(ones())
def test_what_each_feature_gave_adds_up_to_the_score(candidates: list[One]) -> None:
    for each in fused(candidates):
        given_by = [value for name, value in each.explained.items() if name.startswith("+")]
        assert len(given_by) == len(FEATURES)
        assert np.isclose(sum(given_by), each.score)


def test_a_hit_is_evident_by_cosine_and_coverage_together() -> None:
    (hit,) = fused([one(1, words=1.0, coverage=EVIDENT / 2, meaning=EVIDENT / 2)])
    assert hit.is_evident
    (hit,) = fused([one(1, words=1.0, coverage=EVIDENT / 2, meaning=EVIDENT / 2 - 0.01)])
    assert not hit.is_evident
    (hit,) = fused([one(1, words=1.0, coverage=EVIDENT)])
    assert hit.is_evident, "without a vector the words alone"


def test_where_scores_cannot_be_compared_ranks_are_fused() -> None:
    asked = {name: ASKED.channels[name] for name in ("sparse", "dense")}
    by_ranks = dataclasses.replace(ASKED, fusion="rrf", channels=asked)
    best_by_words = one(1, words=9.0, words_before=9.0, meaning=0.1)
    second_everywhere = one(2, words=8.9, words_before=8.9, meaning=0.5)
    best_by_meaning = one(3, words=0.1, words_before=0.1, meaning=0.9)
    ranked = fused([best_by_words, second_everywhere, best_by_meaning], by_ranks)
    third, second, first = (1 / 63, 1 / 62, 1 / 61)
    expected = {1: first + first + third, 2: second + second + second, 3: third + third + first}
    assert {key_of(each)[1]: each.score for each in ranked} == pytest.approx(
        {doc: score / (3 / 61) for doc, score in expected.items()}
    )


ONLY_WHEN = plan("What did I do on 2031-03-01?", now=NOW)


@given(ones(least=1))
def test_where_only_a_time_is_asked_for_what_lies_there_comes_first_and_is_evident(candidates: list[One]) -> None:
    for made in (ONLY_WHEN, dataclasses.replace(ONLY_WHEN, fusion="rrf")):
        dated = [each.explained["date"] for each in fused(candidates, made)]
        assert dated == sorted(dated, reverse=True)
        assert all(each.is_evident for each in fused(candidates, made) if each.explained["date"])


def test_to_a_query_that_the_model_cannot_read_only_what_is_nearer_than_most_is_near() -> None:
    made = plan("猫の名前は何ですか？", now=NOW)
    cosines = (0.6, 0.61, 0.62, 0.63, 0.9)
    evidence = {
        each.key: each.evidence for each in fused([one(n, meaning=at) for n, at in enumerate(cosines, 1)], made)
    }
    *others, near = [evidence[key] for key in sorted(evidence)]
    assert max(others) < 0.05
    assert near == pytest.approx((0.9 - 0.62) / (1 - 0.62))
    english = fused([one(n, meaning=at) for n, at in enumerate(cosines, 1)], plan("What is my cat called?", now=NOW))
    assert sorted(each.evidence for each in english) == pytest.approx(sorted(cosines))


def test_what_is_on_its_way_is_measured_with_what_the_views_hold() -> None:
    made = plan("What is my cat called?", now=NOW)
    beside = {"words": np.array([4.0, 1.0]), "speaker": np.array([1.0, 1.0]), "date": np.zeros(2)}
    held = [one(1, words=2.0, meaning=0.6, coverage=0.5), one(2, words=0.5, meaning=0.1, coverage=0.1)]
    names = (*MEASURED, "coverage")
    candidates = Candidates(
        shown=Shown(
            keys=np.array([1, 2], np.int64),
            sessions=np.array([1, 2], np.int64),
            speakers=["user", "user"],
            roles=["user", "user"],
            times=[None, None],
            asks=[False, False],
        ),
        owners=OWNERS,
        features={name: np.array([each.features[name] for each in held]) for name in names},
    )
    best, other = scores_beside(made, candidates, beside)
    alone = fuse(made, candidates, asker="user", limit=9, explain=True)[0]
    together = fuse(made, candidates, asker="user", limit=9, explain=True, beside=beside)[0]
    assert 1 >= best > other > 0
    assert together.explained["+words"] < alone.explained["+words"]
    assert best > together.score
    nothing = dataclasses.replace(made, weights=dataclasses.replace(made.weights, words=0.0))
    assert np.isfinite(scores_beside(nothing, candidates, beside)).all()
