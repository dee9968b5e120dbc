"""The command line of the benchmark."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result
from rich.progress import Progress

from bench import __main__ as command
from bench.embedders import Remembering
from bench.figures import Quantiles, figures
from bench.page import BEGIN, END
from bench.plots import PICTURES
from bench.quality import answer
from bench.ratios import Ratio
from bench.report import Report
from bench.speed import Speed
from shared.contract.errors import DatabaseUnavailable
from shared.testing import HashEmbedder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command.main, arguments)


def report(measured_ms: float) -> Report:
    one = Quantiles(p50=1, p95=1, n=1)
    ratio = Ratio(name="r", measured=Quantiles(p50=measured_ms, p95=1, n=1), against=one, bound=2)
    return Report(model="m", quality=(), speed=Speed(ratios=(ratio,), timings_ms={10: {"total": one}}))


@pytest.fixture
def asked(monkeypatch):
    """What was to be measured; the answer is a report whose bounds hold."""
    calls = []

    def measure(corpora, wanted):
        calls.append((corpora, wanted))
        return report(1)

    monkeypatch.setattr(command, "_measure", measure)
    return calls


@pytest.fixture
def locomo_file(tmp_path):
    turn = {"speaker": "Ines", "dia_id": "D1:1", "text": "The kayak leaks."}
    conversation = {"session_1": [turn], "session_1_date_time": "1:56 pm on 8 May, 2023"}
    questions = [{"question": "What leaks?", "category": 4, "evidence": ["D1:9"], "answer": "kayak"}]
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([{"sample_id": "c", "conversation": conversation, "qa": questions}]))
    return path


@pytest.mark.parametrize("sizes", ["", "many", "0,10", "10;20"])
def test_sizes_that_are_no_numbers_are_refused(asked, sizes) -> None:
    result = run("--sizes", sizes)
    assert (result.exit_code, asked) == (2, [])
    assert "10000,100000" in result.output


NOTHING_ELSE = ("--no-speed", "--no-work", "--no-rebuilding", "--no-tidying")


def test_nothing_to_measure_is_an_error(asked) -> None:
    result = run(*NOTHING_ELSE)
    assert (result.exit_code, asked) == (2, [])
    assert "nothing to measure" in result.output


def test_sizes_are_measured_from_small_to_large(asked) -> None:
    assert run("--sizes", "200, 10").exit_code == 0
    assert asked == [([], command.Wanted(sizes=(10, 200), speed=True, work=True, rebuilding=True, tidying=True))]


@pytest.mark.parametrize("part", ["speed", "work", "rebuilding", "tidying"])
def test_each_part_can_be_measured_alone(asked, part) -> None:
    assert run(*(flag for flag in NOTHING_ELSE if flag != f"--no-{part}"), "--sizes", "10").exit_code == 0
    sizes = () if part == "work" else (10,)
    assert asked == [([], command.Wanted(sizes=sizes, **{part: True}))]


def test_a_missed_bound_is_exit_code_one(asked, monkeypatch) -> None:
    monkeypatch.setattr(command, "_measure", lambda *_: report(3))
    result = run()
    assert result.exit_code == 1
    assert "✗" in result.output


def test_what_cannot_be_measured_is_exit_code_two_with_the_reason(asked, monkeypatch) -> None:
    def fail(*_):
        raise DatabaseUnavailable("no answer")

    monkeypatch.setattr(command, "_measure", fail)
    result = run()
    assert (result.exit_code, result.output) == (2, "error: no answer\n")


def test_a_file_that_is_no_data_set_is_exit_code_two(asked, tmp_path) -> None:
    path = tmp_path / "other.json"
    path.write_text("{}")
    result = run("--locomo", str(path), *NOTHING_ELSE)
    assert (result.exit_code, asked) == (2, [])
    assert str(path) in result.output


def test_corrections_beside_the_file_are_used_unless_others_are_given(asked, locomo_file, tmp_path) -> None:
    def corrected(name: str, evidence: str):
        path = tmp_path / name
        path.write_text(json.dumps({"c": {"0": {"question": "What leaks?", "evidence": [evidence]}}}))
        return path

    run("--locomo", str(locomo_file), *NOTHING_ELSE)
    corrected(command.CORRECTIONS, "D1:1")
    run("--locomo", str(locomo_file), *NOTHING_ELSE)
    run("--locomo", str(locomo_file), "--locomo-corrections", str(corrected("mine.json", "D1:8")), "--no-speed")
    gold = [[question.gold_turn_ids for question in corpora[0].questions] for corpora, _ in asked]
    assert gold == [[], [("D1:1",)], []]


def test_files_of_one_kind_are_told_apart_by_their_names(asked, locomo_file) -> None:
    other = locomo_file.with_name("second.part.json")
    other.write_text(locomo_file.read_text())
    run("--locomo", str(locomo_file), "--locomo", str(other), *NOTHING_ELSE)
    run("--locomo", str(locomo_file), *NOTHING_ELSE)
    names = [[corpus.name for corpus in corpora] for corpora, _ in asked]
    assert names == [["LoCoMo (locomo)", "LoCoMo (second)"], ["LoCoMo"]]


def test_so_many_questions_are_asked_of_each_file(asked, tmp_path) -> None:
    turn = {"speaker": "Ines", "dia_id": "D1:1", "text": "The kayak leaks."}
    questions = [{"question": f"What leaks {n}?", "category": 4, "evidence": ["D1:1"]} for n in range(9)]
    conversation = {"session_1": [turn], "session_1_date_time": "1:56 pm on 8 May, 2023"}
    path = tmp_path / "nine.json"
    path.write_text(json.dumps([{"sample_id": "c", "conversation": conversation, "qa": questions}]))
    run("--locomo", str(path), "--questions", "3", *NOTHING_ELSE)
    assert [question.query for question in asked[0][0][0].questions] == [f"What leaks {n}?" for n in (0, 3, 6)]


def test_a_page_without_marks_is_refused_before_anything_is_measured(asked, tmp_path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page")
    result = run("--page", str(page))
    assert (result.exit_code, asked) == (2, [])
    assert str(page) in result.output


def test_pictures_are_written_and_named_in_the_page(asked, monkeypatch, tmp_path, corpus, product) -> None:
    quality = figures(corpus, answer(corpus, product, Remembering(HashEmbedder()), Progress(disable=True)))
    monkeypatch.setattr(command, "_measure", lambda *_: Report(model="m", quality=(quality,)))
    page, plots = tmp_path / "page.md", tmp_path / "made" / "plots"
    page.write_text(f"{BEGIN}\n{END}\n")
    assert run("--page", str(page), "--plots", str(plots)).exit_code == 0
    written = sorted(plots.iterdir())
    assert [path.stem for path in written] == sorted(PICTURES)
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)
    assert "![latency](made/plots/latency.png)" in page.read_text()
    assert "### Made-up" in page.read_text()


def test_figures_are_written_as_json_too(asked, tmp_path) -> None:
    path = tmp_path / "figures.json"
    run("--json", str(path))
    assert json.loads(path.read_text())["speed"]["ratios"][0]["value"] == 1


def test_so_many_conversations_are_taken_of_each_file(asked, tmp_path) -> None:
    turn = {"speaker": "Ines", "dia_id": "D1:1", "text": "The kayak leaks."}
    conversation = {"session_1": [turn], "session_1_date_time": "1:56 pm on 8 May, 2023"}
    questions = [{"question": "What leaks?", "category": 4, "evidence": ["D1:1"]}]
    path = tmp_path / "three.json"
    path.write_text(
        json.dumps([{"sample_id": name, "conversation": conversation, "qa": questions} for name in ("a", "b", "c")])
    )
    run("--locomo", str(path), "--conversations", "2", "--night", "--cold", "--after", "dedupe", *NOTHING_ELSE)
    [([corpus], wanted)] = asked
    assert [each.id for each in corpus.conversations] == ["a", "b"]
    assert [each.conversation_id for each in corpus.questions] == ["a", "b"]
    assert (wanted.night, wanted.cold, wanted.jobs) == (True, True, ("dedupe",))
