"""The best hits read again."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath import _rerank
from hotpath._ask import Ask, Progress, checked
from hotpath._breaker import breakers
from hotpath._bundle import Evidence
from hotpath._expand import Around, Piece
from hotpath._plan import Plan, plan
from hotpath._reading import Reading
from hotpath._rerank import EXPLAINED, Floats, rerank, reranked
from hotpath._threads import Threads
from hotpath.recipes import BALANCED, FAST
from shared.contract.errors import Misconfigured
from shared.contract.scope import Owner, Scope
from shared.models import reranking
from shared.settings import Settings, load

NOW = datetime(2031, 5, 1, tzinfo=UTC)
MODEL = "a/cross-encoder"


def piece(number: int, text: str = "", *, score: float = 0.0, session: str = "one") -> Piece:
    return Piece(
        memory_id=UUID(int=number),
        owner=Owner("mira"),
        doc=number,
        text=text or f"hit {number}",
        kind="episodic",
        epistemic_type="evidence",
        speaker="user",
        role="user",
        origin="user",
        trust=4,
        at=NOW,
        session_id=session,
        sources=(),
        score=score or 1 - number / 100,
        rank=number,
        fresh=False,
        scores={"words": 1.0},
    )


def reading(scores: Sequence[float]) -> _rerank.Read:
    def read(readings: Sequence[Reading]) -> Floats:
        return np.array(scores[: len(readings)])

    return read


def ids(hits: Sequence[Piece]) -> list[int]:
    return [hit.memory_id.int for hit in hits]


def ask(query: str = "Where are the beehives?", *, explain: bool = False) -> Ask:
    return checked(
        Scope(tenant_id="acme", user_id="mira"),
        query,
        budget_tokens=100,
        deadline_ms=None,
        as_of=None,
        known_at=None,
        k=None,
        recipe="balanced",
        explain=explain,
    )


def made(query: str = "Where are the beehives?", *, k: int | None = None) -> Plan:
    return plan(query, now=NOW, k=k, recipe=BALANCED)


def settings(reranker: str = "features") -> Settings:
    found = load(reranker=reranker)
    breakers(found).succeeded("rerank")
    return found


def test_the_hits_are_in_the_order_of_the_second_reading() -> None:
    hits = [piece(number) for number in (1, 2, 3)]
    assert ids(reranked(hits, Around(), reading([0.1, 0.3, 0.2]), most=3)) == [2, 3, 1]


def test_the_places_keep_their_scores_and_ranks() -> None:
    hits = [piece(number) for number in (1, 2, 3)]
    found = reranked(hits, Around(), reading([0.1, 0.3, 0.2]), most=3)
    assert [(hit.score, hit.rank) for hit in found] == [(hit.score, hit.rank) for hit in hits]


def test_hits_beyond_the_depth_stay_where_they_are() -> None:
    hits = [piece(number) for number in (1, 2, 3, 4)]
    assert ids(reranked(hits, Around(), reading([0.1, 0.3]), most=2)) == [2, 1, 3, 4]


def test_equal_scores_change_nothing() -> None:
    hits = [piece(number) for number in (1, 2, 3)]
    assert reranked(hits, Around(), reading([0.5, 0.5, 0.5]), most=3) == hits


def test_an_explanation_says_how_far_each_rose() -> None:
    hits = [piece(number) for number in (1, 2, 3)]
    found = reranked(hits, Around(), reading([0.1, 0.3, 0.2]), most=3, explain=True)
    assert [hit.scores[EXPLAINED] for hit in found] == [1, 1, -2]


@given(st.lists(st.floats(-5, 5), max_size=12), st.integers(0, 12))
def test_no_hit_is_lost_or_there_twice(scores: list[float], most: int) -> None:
    hits = [piece(number) for number in range(1, len(scores) + 1)]
    found = reranked(hits, Around(), reading(scores), most=most)
    assert sorted(ids(found)) == ids(hits)
    assert [hit.score for hit in found] == [hit.score for hit in hits]


def test_what_tells_comes_before_what_asks() -> None:
    asks = piece(1, "Where are the beehives kept now?", score=0.5, session="a")
    tells = piece(2, "The beehives are behind the chapel.", score=0.49, session="b")
    found = rerank(ask(), made(), Progress(deadline_ms=60_000), Evidence(hits=(asks, tells)), settings())
    assert ids(found.hits) == [2, 1]


def test_a_far_better_score_is_not_overturned() -> None:
    asks = piece(1, "Where are the beehives kept now?", score=0.9, session="a")
    tells = piece(2, "The beehives are behind the chapel.", score=0.3, session="b")
    found = rerank(ask(), made(), Progress(deadline_ms=60_000), Evidence(hits=(asks, tells)), settings())
    assert ids(found.hits) == [1, 2]


def test_no_more_hits_are_left_than_the_plan_wants() -> None:
    evidence = Evidence(hits=tuple(piece(number) for number in range(1, 11)))
    found = rerank(ask(), made(k=3), Progress(deadline_ms=60_000), evidence, settings())
    assert len(found.hits) == 3


def test_out_of_time_the_fused_order_stands_and_is_called_degraded() -> None:
    evidence = Evidence(hits=tuple(piece(number, "beehives?" if number == 1 else "") for number in range(1, 51)))
    progress = Progress(deadline_ms=60_000)
    progress.deadline_ms = 0
    found = rerank(ask(), made(), progress, evidence, settings())
    assert ids(found.hits) == list(range(1, made().hits + 1))
    assert progress.failed == ["rerank"]


def test_switched_off_or_not_planned_nothing_is_read_again() -> None:
    hits = (piece(1, "Where are the beehives?", score=0.5), piece(2, "Behind the chapel.", score=0.5))
    for planned, configured in (
        (made(), settings("off")),
        (plan("Where are the beehives?", now=NOW, recipe=FAST), settings()),
    ):
        progress = Progress(deadline_ms=60_000)
        assert rerank(ask(), planned, progress, Evidence(hits=hits), configured).hits == hits
        assert "rerank" not in progress.timings_ms


class Model:
    """A cross-encoder that prefers long texts."""

    def __init__(self, error: Exception | None = None) -> None:
        self.read: list[tuple[str, list[str]]] = []
        self.error = error

    def scores(self, query: str, texts: Sequence[str]) -> Floats:
        if self.error:
            raise self.error
        self.read.append((query, list(texts)))
        return np.array([float(len(text)) for text in texts])


def test_a_model_that_the_settings_name_reads_the_query_with_each_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model()
    monkeypatch.setattr(_rerank, "cross_encoder", lambda _name, _settings: model)
    evidence = Evidence(hits=(piece(1, "Bees."), piece(2, "Behind the chapel.")))
    found = rerank(ask(), made(), Progress(deadline_ms=60_000), evidence, settings(MODEL))
    assert ids(found.hits) == [2, 1]
    assert model.read == [("Where are the beehives?", ["Bees.", "Behind the chapel."])]


def test_a_model_that_fails_leaves_the_fused_order(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model(Misconfigured("no such model"))
    monkeypatch.setattr(_rerank, "cross_encoder", lambda _name, _settings: model)
    evidence = Evidence(hits=(piece(1, "Bees."), piece(2, "Behind the chapel.")))
    progress = Progress(deadline_ms=60_000)
    assert ids(rerank(ask(), made(), progress, evidence, settings(MODEL)).hits) == [1, 2]
    assert progress.failed == ["rerank"]


def test_without_the_extra_a_model_cannot_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reranking.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(Misconfigured, match=r"needs the extra `models`"):
        reranking.cross_encoder("a/model-of-nobody", load())


def test_where_no_thread_can_be_had_the_fused_order_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = Threads(1, "test")
    ended._executor.shutdown()
    monkeypatch.setattr(_rerank, "_threads", lambda _: ended)
    monkeypatch.setattr(_rerank, "cross_encoder", lambda _name, _settings: Model())
    evidence = Evidence(hits=(piece(1, "Bees."), piece(2, "Behind the chapel.")))
    progress = Progress(deadline_ms=60_000)
    assert ids(rerank(ask(), made(), progress, evidence, settings(MODEL)).hits) == [1, 2]
    assert progress.failed == ["rerank"]
