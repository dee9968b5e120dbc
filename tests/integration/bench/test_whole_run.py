"""A small conversation in LoCoMo's shape, measured from its file to the tables on a real database."""

from __future__ import annotations

import json
import re
from datetime import UTC
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.progress import Progress

import hotpath
from bench import cold, locomo, neighbours, night, scopes, speed, starting, statements
from bench.bundles import rendered, tokens_of_ranked
from bench.embedders import Remembering
from bench.figures import Quality, figures
from bench.metrics import ALL
from bench.place import Place
from bench.product import Product, inline_services
from bench.quality import answer
from bench.report import Report, as_json, as_markdown
from bench.synthetic import Writer
from shared.contract.errors import Permanent
from shared.models.embedding import embedder
from shared.testing import RecordingBell
from shared.work.queues import FOLLOWING
from warmpath._door import Door

SESSIONS = {
    "session_1": [
        ("D1:1", "Ines", "I finally bought a second-hand kayak, a red one."),
        ("D1:2", "Tom", "Nice! Mine is in the shed since the accident with the trailer."),
        ("D1:3", "Ines", "The seller threw in two paddles."),
    ],
    "session_2": [
        ("D2:1", "Tom", "My sister Paula starts at the observatory in March."),
        ("D2:2", "Ines", "The one on the hill above Tarifa?"),
        ("D2:3", "Tom", "That one. She will look after the spectrograph."),
    ],
    "session_3": [
        ("D3:1", "Ines", "Tomatoes, at last. Twelve jars of sauce."),
        ("D3:2", "Tom", "Save me a jar, I will bring bread from the mill."),
    ],
}
QUESTIONS = [
    ("What colour is the kayak that Ines bought?", 4, ["D1:1"]),
    ("Where does Paula, who looks after the spectrograph, start?", 1, ["D2:1", "D2:3"]),
    ("How many jars of sauce?", 4, ["D3:01"]),
    ("Which harpsichord did the conductor tune?", 5, []),
]


class UnheardBell(RecordingBell):
    """A bell for the speed test that nobody hears."""

    def drain(self, _timeout_s: float) -> bool:
        return True


@pytest.fixture
def file(tmp_path: Path) -> Path:
    conversation: dict[str, object] = {"session_4_date_time": "9:00 am on 1 June, 2023"}
    for number, (name, turns) in enumerate(SESSIONS.items(), 1):
        conversation[f"{name}_date_time"] = f"1:56 pm on {number} May, 2023"
        conversation[name] = [{"speaker": who, "dia_id": turn_id, "text": text} for turn_id, who, text in turns]
    asked = [{"question": query, "category": kind, "evidence": gold} for query, kind, gold in QUESTIONS]
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([{"sample_id": "conv-1", "conversation": conversation, "qa": asked}]))
    return path


@pytest.fixture
def quality(where: Place, file: Path) -> Quality:
    corpus, encoder = locomo.load(file), Remembering(where.embedder)
    product = Product(inline_services(where, encoder))
    return figures(corpus, answer(corpus, product, encoder, Progress(disable=True)))


def test_recall_and_its_channels_are_measured_beside_the_baselines(quality: Quality) -> None:
    overall = quality.ranking["turn"][ALL]
    assert set(overall) == {
        "rank-bm25",
        "rank-bm25, date and speaker",
        "bare embedder",
        "bare embedder, date and speaker",
        "RRF of BM25 and embedder",
        "recall, sparse alone",
        "recall, dense alone",
        "recall",
    }
    assert {name: by_measure["r@5"].n for name, by_measure in overall.items()} == dict.fromkeys(overall, 3)
    assert overall["recall"]["r@5"].mean == 1
    assert overall["recall, sparse alone"]["MRR"].mean > 0
    assert overall["recall, dense alone"]["MRR"].mean > 0
    assert quality.ranking["session"]["single-hop"]["recall"]["r@5"].mean == 1


def test_verdicts_timings_and_repairs_are_told(quality: Quality) -> None:
    assert {row.kind: row.right.mean for row in quality.verdicts.rows if not row.answerable} == {"adversarial": 1}
    assert quality.verdicts.accuracy["adversarial"].mean == 1
    assert {"embed", "search", "assemble", "database", "total"} <= set(quality.timings_ms)
    assert quality.timings_ms["total"].n == len(QUESTIONS)
    assert quality.tokens.p50 > 0
    assert quality.degraded == 0
    assert quality.remarks == {"repaired: zero-padded id": 1}


def test_every_variant_of_recall_is_measured_on_the_real_tables(quality: Quality) -> None:
    ablations = {each.name: each for each in quality.ablations}
    assert {"without sparse", "without dense", "without rerank", "without neighbours", "fast", "RRF"} <= set(ablations)
    assert ablations["without fresh"].changed == 0, "nothing is on its way"
    assert ablations["without sparse"].changed > 0
    assert {each.figures["r@10"].n for each in quality.ablations} == {3}


def test_a_bundle_is_rendered_for_counting_as_recall_renders_it(where: Place, file: Path) -> None:
    memory = Product(inline_services(where, where.embedder)).feed(locomo.load(file).conversations[0], lambda _: None)
    bundle = memory.ask("What colour is the kayak that Ines bought, and who has paddles?")
    assert len(bundle.items) > 3
    nonce = re.compile(r'nonce="[0-9a-f]{16}"')
    assert nonce.sub("", rendered(bundle.items, UTC)) == nonce.sub("", bundle.text)
    ten = memory.ask_for_ten("What colour is the kayak that Ines bought?")
    assert 0 < tokens_of_ranked(ten, UTC) <= ten.tokens
    assert memory.ask_with_twins("Who bought a kayak?").items


def test_what_an_agent_is_shown_of_the_evidence_is_measured(quality: Quality) -> None:
    assert quality.bundle["all gold turns are in the text"].mean == 1
    assert 0 < quality.bundle["tokens that are of gold turns"].mean < quality.bundle["items that are gold"].mean < 1


def test_the_same_is_asked_before_a_night_and_after_it(where: Place, file: Path) -> None:
    corpus, encoder = locomo.load(file), Remembering(where.embedder)
    product = Product(inline_services(where, encoder))
    found = night.measure(corpus, product, where, encoder, Progress(disable=True))
    assert list(found.accepted) == list(night.NIGHT)
    changes = {change.name: change for change in found.changes}
    assert changes["turn r@5"].before.mean == changes["turn r@5"].after.mean == 1
    assert changes["tokens of the bundle"].before.n == len(QUESTIONS)
    text = as_markdown(Report(model="hash", quality=(), nights=(found,)))
    assert "before a night and after it" in text


def test_the_same_is_asked_before_old_sessions_leave_and_after_it(where: Place, file: Path) -> None:
    corpus, encoder = locomo.load(file), Remembering(where.embedder)
    product = Product(inline_services(where, encoder))
    young, whole = cold.measure(corpus, product, where, encoder, Progress(disable=True))
    assert (young.left, young.hot_after) == (0, young.hot_before), "of a few days nothing is old"
    assert whole.left > 0
    assert whole.words_after < whole.words_before
    assert {change.name for change in whole.changes} == {change.name for change in young.changes}
    text = as_markdown(Report(model="hash", quality=(), colds=(young, whole)))
    assert "before and after all of it has left what is searched" in text
    assert f"{whole.left} memories left in " in text


def test_two_conversations_of_people_with_one_name_are_kept_apart(where: Place, file: Path) -> None:
    corpus = locomo.load(file)
    product = Product(inline_services(where, where.embedder))
    memories = [product.feed(corpus.conversations[0], lambda _: None) for _ in range(2)]
    assert memories[0].scope.tenant_id != memories[1].scope.tenant_id
    ranked = memories[1].rank("Who bought a kayak?")
    assert ranked[0] == "D1:1"
    assert len(ranked) == len(set(ranked))


def test_a_ranking_without_one_of_its_channels_is_refused(
    where: Place, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Product(inline_services(where, where.embedder)).feed(locomo.load(file).conversations[0], lambda _: None)

    def break_down(*_: object) -> None:
        raise RuntimeError("no weights")

    monkeypatch.setattr("hotpath._embed.embedder", break_down)
    with pytest.raises(Permanent, match="recall lacked dense"):
        memory.rank("Who bought a kayak?")


def test_turns_that_were_not_worked_off_are_not_measured(
    where: Place, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = inline_services(where, where.embedder)
    monkeypatch.setattr(services.bell, "ring", lambda *_: None)
    with pytest.raises(Permanent, match=f"3 at {next(iter(FOLLOWING))}"):
        Product(services).feed(locomo.load(file).conversations[0], lambda _: None)


def test_ratios_of_speed_are_measured_on_the_real_statements(where: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.observing.Doorbell", lambda *_: UnheardBell())
    asked = SimpleNamespace(questions=lambda count: [f"What did Mira say, {number}?" for number in range(count)])
    monkeypatch.setattr("bench.neighbours.Writer", lambda _: asked)  # this embedder finds little alike
    monkeypatch.setattr("bench.starting.measure", lambda *_, **__: ())  # of a new process, which has another embedder
    filled = scopes.fill(where, (60, 120), Progress(disable=True))
    few = {"measured": 4, "warm_up": 2, "rounds": 4, "recalls": 6}
    measured = speed.measure(where, filled, Progress(disable=True), **few)
    assert [ratio.bound for ratio in measured.ratios] == [1.5, 2, 1.3, 1.5, 1.5, 1.3, 0.25, 0.5, 5]
    assert all(ratio.value > 0 for ratio in measured.ratios)
    assert {ratio.measured.n for ratio in measured.ratios} == {4}
    assert set(measured.timings_ms) == {60, 120}
    report = Report(model="hash", quality=(), speed=measured)
    assert "fast recall of 120 memories against 60" in as_markdown(report)
    assert len(json.loads(as_json(report))["speed"]["ratios"]) == len(measured.ratios)


def test_a_few_memories_beside_many_that_are_not_all_found_are_not_measured(where: Place) -> None:
    filled = scopes.fill(where, (60,), Progress(disable=True))
    with pytest.raises(Permanent, match=f"hits of {neighbours._HITS}, without nothing"):
        neighbours.measure(where, filled[60], Progress(disable=True), measured=1, warm_up=0)


def test_a_new_process_is_timed_to_its_first_recall_and_one_that_finds_nothing_is_not(where: Place) -> None:
    real = Place(**{name: getattr(where, name) for name in ("settings", "database", "database_url", "migrate_url")})
    scope, nobody = scopes.new_scope("first"), scopes.new_scope("nobody")
    door = Door(inline_services(real, embedder(where.settings)))
    door.observe(scope, [{"role": "user", "text": text} for text in Writer(1).questions(4)], run_id="run-1")
    held, bare = starting.measure(real, scope, Progress(disable=True), rounds=1)
    assert held.measured == bare.measured
    assert 0 < bare.against.p50 < held.measured.p50
    with pytest.raises(Permanent, match="0 hits"):
        starting.measure(real, nobody, Progress(disable=True), rounds=1)


def test_statements_are_noted_as_they_are_run_and_give_the_same_rows_bare(where: Place) -> None:
    filled = scopes.fill(where, (60,), Progress(disable=True))
    with statements.noted() as noted:
        bundle = hotpath.recall(filled[60], Writer(scopes.SEED).questions(1)[0], deadline_ms=30_000)
    texts = [each.query for each in noted]
    assert not statements._HOUSEKEEPING.intersection(texts)
    assert sum("from posting" in text for text in texts) == 1
    with statements.connected(where.database_url, filled[60]) as connection:
        statements.run(connection, noted)
        (whole,) = [each for each in noted if "memory.session_doc = wanted.session_doc" in each.query]
        assert connection.execute(whole.query, whole.parameters).rowcount >= len(bundle.hits) > 0
