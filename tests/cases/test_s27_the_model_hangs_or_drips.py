"""S27, what one reading can show of it: a total deadline that follows its setting, and nothing left behind.

That other users' jobs end in time beside it is shown with real workers.
"""

from time import monotonic

import pytest

from shared.contract.candidates import ExtractionStatus, Reading
from shared.contract.errors import ModelUnavailable
from shared.models._deadline import GRACE_S
from shared.settings import load
from tests.model_reading import KEY, asking, entry, facts, line
from tests.scripted_llm import Drip, Hang, Status, scripted
from warmpath._model_extractor import model_extractor

READING = Reading(lines=[line("I keep two beehives")])
SLACK_S = 0.75
AILING = {
    "sends nothing": Hang(),
    "a byte a second": Drip(text=facts(entry())),
    "asks for a minute": Status(code=429, headers={"Retry-After": "60"}),
    "is down": Status(code=503),
}


@pytest.mark.parametrize("deadline_s", [0.5, 1.5])
@pytest.mark.parametrize("ails", AILING.values(), ids=AILING)
def test_a_reading_ends_by_its_deadline_with_an_error_that_may_pass(ails, deadline_s):
    with scripted(ails) as server:
        extractor = asking(server)
        began = monotonic()
        with pytest.raises(ModelUnavailable):
            extractor.extract(READING, deadline_s=deadline_s)
        assert monotonic() - began < deadline_s + GRACE_S + SLACK_S


def test_the_measured_cut_off_follows_the_setting():
    took = {}
    for deadline_s in (0.5, 1.5):
        with scripted(Hang()) as server:
            settings = load(
                extraction_model="openai:scripted",
                extraction_base_url=server.address,
                extraction_api_key=KEY,
                extraction_deadline_s=deadline_s,
            )
            extractor = model_extractor(settings)
            began = monotonic()
            with pytest.raises(ModelUnavailable):
                extractor.extract(READING, deadline_s=settings.extraction_deadline_s)
            took[deadline_s] = monotonic() - began
    assert 0.75 < took[1.5] - took[0.5] < 1.25


def test_the_call_that_mends_an_answer_has_no_deadline_of_its_own():
    with scripted(facts(entry(), entry(lines=[7])), Hang()) as server:
        extractor = asking(server)
        began = monotonic()
        found = extractor.extract(READING, deadline_s=1.2)
        assert monotonic() - began < 1.2 + GRACE_S + SLACK_S
    assert (found.status, len(found.candidates)) == (ExtractionStatus.STORED, 1)


def test_a_long_run_keeps_what_was_read_before_the_time_was_up():
    lines = [line(f"I keep two beehives, number {n}. " + "They do well. " * 60, n) for n in range(1, 6)]
    with scripted(facts(entry()), Hang()) as server:
        found = asking(server, window_tokens=700).extract(Reading(lines=lines), deadline_s=1.5)
    assert (found.status, len(found.candidates)) == (ExtractionStatus.STORED, 1)
    assert found.rejected["model_unavailable"] == 1
    assert found.rejected["no_time_left"] >= 1


def test_calls_that_were_cut_off_leave_no_thread_behind():
    import threading

    with scripted(Hang()) as server:
        for _ in range(3):
            with pytest.raises(ModelUnavailable):
                asking(server).extract(READING, deadline_s=0.3)
        until = monotonic() + 5.0
        while monotonic() < until and any(each.name == "llm" for each in threading.enumerate()):
            threading.Event().wait(0.02)
        assert not [each for each in threading.enumerate() if each.name == "llm"]
