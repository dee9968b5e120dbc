"""Reading by a model over real HTTP: windows, what it costs, and when it may not be asked."""

from dataclasses import replace

import pytest

from shared.contract.candidates import ExtractionStatus, Reading
from shared.contract.errors import Misconfigured, ModelUnavailable
from shared.models.port import Price
from shared.settings import load
from shared.store.allowance import Allowance
from tests.model_reading import KEY, asking, bot, entry, facts, line, memory
from tests.scripted_llm import Hang, Reply, scripted
from warmpath._model_extractor import BETWEEN_ANSWERS, model_extractor

READING = Reading(lines=[line("I keep two beehives")])
LONG = Reading(lines=[line(f"I keep beehive number {n}. " + "They do well. " * 40, n) for n in range(1, 7)])


def test_the_name_says_provider_model_and_version_of_the_prompt():
    with scripted(facts()) as server:
        provider, model, version = asking(server).name.split("/")
        assert asking(server).extract(READING, deadline_s=5.0).extractor == asking(server).name
    assert (provider, model, len(version)) == ("openai", "scripted", 12)


def test_without_a_model_in_the_settings_there_is_no_extractor():
    assert model_extractor(load()) is None
    with pytest.raises(Misconfigured, match="DAYBOOK_EXTRACTION_API_KEY"):
        model_extractor(load(extraction_model="openai:gpt-5-mini"))


def test_the_settings_reach_the_call():
    with scripted(facts()) as server:
        settings = load(
            extraction_model="openai:scripted",
            extraction_base_url=server.address,
            extraction_api_key=KEY,
            extraction_output_tokens=777,
            extraction_input_usd=1.0,
            extraction_output_usd=10.0,
        )
        found = model_extractor(settings).extract(READING, deadline_s=5.0)
    body = server.requests[0].body
    assert (body["model"], body["max_completion_tokens"]) == ("scripted", 777)
    assert found.usage.cost_usd == pytest.approx((100 * 1.0 + 20 * 10.0) / 1e6)


def test_a_long_run_is_read_in_windows_and_each_thing_taken_once():
    with scripted(facts(entry("Mira keeps beehive number one."))) as server:
        found = asking(server, window_tokens=700).extract(LONG, deadline_s=20.0)
    assert len(server.requests) > 2
    assert [each.text for each in found.candidates] == ["Mira keeps beehive number one."]
    assert found.usage.calls == len(server.requests)
    assert found.answer.count(BETWEEN_ANSWERS) == len(server.requests) - 1


def test_what_was_said_in_the_window_before_is_not_taken_again():
    lines = [line(f"I keep beehive number {n}, and it does well", n) for n in range(1, 30)]
    with scripted(facts(entry("Mira keeps another beehive.", lines=[1]))) as server:
        found = asking(server, window_tokens=700).extract(Reading(lines=lines), deadline_s=20.0)
    assert len(server.requests) > 1
    assert [[ref.sequence for ref in each.evidence] for each in found.candidates] == [[1]]


def test_evidence_is_cited_by_its_sequence_and_not_by_its_number():
    reading = Reading(lines=[bot("hello", 41), line("I keep two beehives", 57), line("and a goat", 60)])
    with scripted(facts(entry("Mira keeps two beehives and a goat.", lines=[3, 2, 2]))) as server:
        found = asking(server).extract(reading, deadline_s=5.0)
    assert [ref.sequence for ref in found.candidates[0].evidence] == [57, 60]


def test_what_every_call_took_is_added_up():
    with scripted(Reply(text="no JSON", usage=(500, 30)), Reply(text=facts(entry()), usage=(600, 40))) as server:
        found = asking(server, price=Price(input_usd=1.0, output_usd=1.0)).extract(READING, deadline_s=5.0)
    assert (found.usage.calls, found.usage.input_tokens, found.usage.output_tokens) == (2, 1_100, 70)
    assert found.usage.cost_usd == pytest.approx(1_170 / 1e6)


def test_an_unknown_price_is_not_nothing():
    with scripted(facts(entry())) as server:
        assert asking(server).extract(READING, deadline_s=5.0).usage.cost_usd is None


@pytest.mark.parametrize(
    ("allowance", "price", "why"),
    [
        (Allowance(left_tokens=0), None, "no_tokens_left"),
        (Allowance(left_tokens=1_500), None, "no_tokens_left"),
        (Allowance(left_usd=0.0), Price(input_usd=1.0, output_usd=1.0), "no_money_left"),
        (Allowance(left_usd=0.000_1), Price(input_usd=1.0, output_usd=1.0), "no_money_left"),
        (Allowance(left_usd=5.0), None, "price_unknown"),
    ],
)
def test_a_model_is_not_asked_for_more_than_the_day_allows(allowance, price, why):
    with scripted(facts(entry())) as server:
        found = replace(asking(server, price=price), allowance=allowance).extract(READING, deadline_s=5.0)
    assert (found.status, found.rejected, found.usage.calls) == (ExtractionStatus.FAILED, {why: 1}, 0)
    assert server.requests == []


def test_a_long_run_stops_where_the_allowance_ends():
    with scripted(Reply(text=facts(entry("Mira keeps beehive number one.")), usage=(3_000, 500))) as server:
        extractor = replace(asking(server, window_tokens=700), allowance=Allowance(left_tokens=8_000))
        found = extractor.extract(LONG, deadline_s=20.0)
    assert found.status is ExtractionStatus.STORED
    assert found.rejected["no_tokens_left"] >= 1
    assert found.usage.input_tokens + found.usage.output_tokens <= 8_000


def test_an_entry_is_not_mended_where_the_allowance_ends():
    with scripted(Reply(text=facts(entry(), entry(lines=[9])), usage=(3_000, 500))) as server:
        extractor = replace(asking(server), allowance=Allowance(left_tokens=4_500))
        found = extractor.extract(READING, deadline_s=5.0)
    assert (len(found.candidates), found.rejected, len(server.requests)) == (1, {"unknown_line": 1}, 1)


def test_memories_are_offered_by_number_and_named_by_no_id():
    reading = replace(READING, neighbours=[memory("Mira lives in Lisbon."), memory("Mira keeps a goat.")])
    with scripted(facts()) as server:
        asking(server).extract(reading, deadline_s=5.0)
    shown = server.requests[0].said[0]
    assert '{"memory": 1, "text": "Mira lives in Lisbon."}\n{"memory": 2, "text": "Mira keeps a goat."}' in shown


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("<think>I can't find anything here</think>" + facts(), ExtractionStatus.NOTHING_FOUND),
        ("I cannot find a fact in these lines.\n" + facts(), ExtractionStatus.NOTHING_FOUND),
        ("I can't help with that.\n" + facts(), ExtractionStatus.REFUSED),
    ],
)
def test_who_finds_nothing_has_not_refused_to_look(said, status):
    with scripted(said) as server:
        assert asking(server).extract(READING, deadline_s=5.0).status is status


def test_a_reading_made_twice_is_the_same_but_for_nothing():
    with scripted(facts(entry(), entry("Mira keeps two beehives, since 2029.", since="2029"))) as server:
        extractor = asking(server)
        assert extractor.extract(READING, deadline_s=5.0) == extractor.extract(READING, deadline_s=5.0)


def test_a_call_that_had_no_answer_in_time_is_counted_as_what_it_may_have_cost():
    with scripted(Hang()) as server, pytest.raises(ModelUnavailable) as caught:
        asking(server, price=Price(input_usd=1.0, output_usd=1.0)).extract(READING, deadline_s=0.3)
    usage = caught.value.details["usage"]
    assert (usage.calls, usage.output_tokens) == (1, 1_000)
    assert usage.cost_usd == pytest.approx((usage.input_tokens + 1_000) / 1e6)


def test_a_broken_answer_that_quotes_who_is_sorry_is_no_refusal():
    good = facts(entry("Mira said: I'm sorry, I can't eat nuts."))
    with scripted(good[:-3], good) as server:
        found = asking(server).extract(Reading(lines=[line("I'm sorry, I can't eat nuts")]), deadline_s=5.0)
    assert (found.status, len(server.requests)) == (ExtractionStatus.STORED, 2)
