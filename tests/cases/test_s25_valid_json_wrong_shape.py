"""S25: good entries are kept, bad ones counted and asked for once more; nothing, failure and refusal are told apart."""

import json

import pytest

from shared import metrics
from shared.contract.candidates import ExtractionStatus, Reading
from shared.contract.receipts import Outcome, Stage
from tests.cases.adapter import said
from tests.cases.beliefs import beliefs
from tests.model_reading import asking, entry, facts, line
from tests.scripted_llm import Refusal, Status, scripted

NUMBER = "You can reach me at 555-0148"  # which no rule reads, so that what is stored is the model's
READING = Reading(lines=[line(NUMBER)])
GOOD = entry("Mira's new number is 555-0148.", predicate="phone", object="555-0148")
MANY = [entry(f"Mira's number is 555-0148, for the {n}th time.") for n in range(5_000)]
REFUSALS = [
    "I'm sorry, but I can't help with extracting personal information.",
    "I cannot assist with that request.",
    "As an AI, I must decline.",
    "Es tut mir leid, dabei kann ich nicht helfen.",
    "申し訳ありませんが、お手伝いできません。",
]

STORED, NOTHING = ExtractionStatus.STORED, ExtractionStatus.NOTHING_FOUND
FAILED, REFUSED = ExtractionStatus.FAILED, ExtractionStatus.REFUSED
TABLE = {
    "a good one and one without text": (facts(GOOD, entry() | {"text": None}), 1, STORED, {"bad_text": 1}, 2),
    "another key": (json.dumps({"entities": [GOOD]}), 0, FAILED, {"unreadable": 1}, 2),
    "no list": ('{"facts": "none"}', 0, FAILED, {"unreadable": 1}, 2),
    "confidence in words": (facts(GOOD | {"confidence": "high"}), 0, FAILED, {"bad_confidence": 1}, 2),
    "five thousand": (facts(*MANY), 10, STORED, {"too_many": 4_900, "too_many_of_a_line": 90}, 1),
    "none": (facts(), 0, NOTHING, {}, 1),
    "a refusal": (REFUSALS[0], 0, REFUSED, {}, 1),
}


@pytest.mark.parametrize(("answer", "stored", "status", "rejected", "calls"), TABLE.values(), ids=TABLE)
def test_each_answer_has_its_count_and_its_status(answer, stored, status, rejected, calls):
    with scripted(answer) as server:
        found = asking(server).extract(READING, deadline_s=20.0)
    assert (len(found.candidates), found.status) == (stored, status)
    assert found.rejected == rejected
    assert found.usage.calls == calls == len(server.requests)


def test_a_bad_entry_that_is_put_right_is_stored_beside_the_good_one():
    mended = entry("Mira's old number was 555-0147.", change="ended", predicate="phone", object="555-0147")
    reading = Reading(lines=[line(f"{NUMBER}, not 555-0147 any more")])
    with scripted(facts(GOOD, mended | {"confidence": 7}), facts(mended)) as server:
        found = asking(server).extract(reading, deadline_s=10.0)
    assert [each.text for each in found.candidates] == [GOOD["text"], mended["text"]]
    assert "entry 2: `confidence`" in server.requests[1].said[-1]
    assert "entry 1" not in server.requests[1].said[-1]


@pytest.mark.parametrize("words", REFUSALS)
def test_a_refusal_is_no_memory_whatever_its_form(words):
    forms = [
        words,
        Refusal(text=words),
        json.dumps({"facts": [], "note": words}, ensure_ascii=False),
        facts(entry(words)),
    ]
    for form in forms:
        with scripted(form) as server:
            found = asking(server).extract(READING, deadline_s=10.0)
        assert found.candidates == []
        assert found.status in {REFUSED, FAILED}


def test_who_says_that_they_cannot_eat_something_has_not_refused():
    with scripted(
        facts(entry("Mira: \u201cI can't eat walnuts.\u201d", predicate="avoids", object="walnuts"))
    ) as server:
        found = asking(server).extract(Reading(lines=[line("I can't eat walnuts")]), deadline_s=10.0)
    assert found.status is STORED


def test_a_provider_that_is_away_is_no_empty_success():
    from shared.contract.errors import ModelUnavailable

    with scripted(Status(code=503)) as server, pytest.raises(ModelUnavailable) as caught:
        asking(server).extract(READING, deadline_s=1.0)
    assert caught.value.details["usage"].calls == 1
    assert caught.value.details["usage"].input_tokens > 0


def test_a_provider_that_goes_away_after_the_first_answer_costs_only_what_was_to_be_mended():
    with scripted(facts(GOOD, entry() | {"text": None}), Status(code=503)) as server:
        found = asking(server).extract(READING, deadline_s=2.0)
    assert (len(found.candidates), found.status) == (1, STORED)
    assert found.usage.calls == 2


OUTCOMES = {STORED: Outcome.EXTRACTED, NOTHING: Outcome.NOTHING_FOUND, FAILED: Outcome.FAILED, REFUSED: Outcome.REFUSED}


def runs_read(status):
    """How many runs were read with such a status, by whichever extractor, as the exporter shows it."""
    samples = (sample for metric in metrics.RUNS_READ.collect() for sample in metric.samples)
    return sum(each.value for each in samples if each.name.endswith("_total") and each.labels["status"] == status)


@pytest.mark.parametrize(("answer", "stored", "status", "rejected", "calls"), TABLE.values(), ids=TABLE)
def test_the_caller_is_told_how_a_run_was_read_and_it_is_counted(  # noqa: PLR0917
    answer, stored, status, rejected, calls, learning, answers
):
    server = answers(answer)
    before = {each: runs_read(each) for each in ExtractionStatus}
    learning.ingest("acme", "Mira", "run-1", [said(NUMBER, "m1", ts="2025-01-10T09:00Z")])
    assert {each: runs_read(each) - before[each] for each in ExtractionStatus} == {
        each: float(each is status) for each in ExtractionStatus
    }
    receipts = {each.stage: each for each in learning.receipts("acme", "Mira", "run-1")}
    read = receipts[Stage.EXTRACT]
    assert read.outcome is OUTCOMES[status]
    assert read.counts == {"candidates": stored, "rejected": sum(rejected.values()), "calls": calls}
    assert len(server.requests) == calls
    settled = receipts[Stage.RESOLVE].outcome
    assert settled is (Outcome.STORED if stored else Outcome.NOTHING_FOUND)
    held = [row["text"] for row in beliefs(learning, "acme", "Mira")]
    assert (len(held) >= 1) == (stored >= 1)
    assert all("555-0148" in text for text in held)


@pytest.mark.parametrize("refusal", REFUSALS)
def test_no_refusal_is_among_what_is_remembered_or_recalled(refusal, learning, answers):
    for n, form in enumerate([refusal, Refusal(text=refusal), facts(entry(refusal))]):
        answers(form)
        learning.ingest("acme", "Mira", f"run-{n}", [said(NUMBER, f"m{n}", ts="2025-01-10T09:00Z")])
    assert {row["text"] for row in learning.current("acme", "Mira")} == {NUMBER}
    assert refusal not in learning.bundle("acme", "Mira", refusal).text


def test_a_run_of_which_nothing_was_read_is_not_taken_for_one_that_worked(learning, answers):
    answers(facts())
    learning.ingest("acme", "Mira", "run-1", [said(NUMBER, "m1")])
    answers(Status(code=503), EXTRACTION_DEADLINE_S="1")
    learning.ingest("acme", "Mira", "run-2", [said("My other number is 555-0149", "m2")])
    outcomes = [
        next(each for each in learning.receipts("acme", "Mira", run) if each.stage is Stage.EXTRACT).outcome
        for run in ("run-1", "run-2")
    ]
    assert outcomes == [Outcome.NOTHING_FOUND, Outcome.FAILED]
