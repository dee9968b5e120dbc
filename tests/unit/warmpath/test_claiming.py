import pytest

from shared.language.tokens import ConservativeCounter
from tests.model_reading import entry, line, memory
from warmpath._checking import checked, settled
from warmpath._windows import windows


def judged(lines, neighbour, **fields):
    [window] = windows(lines, [neighbour], budget_tokens=6_000, counter=ConservativeCounter())
    return checked([entry(**fields)], window)


@pytest.mark.parametrize("change", ["ended", "never"])
def test_what_is_over_for_somebody_is_not_over_for_another(change):
    lines = [line("I moved away from Varna", 1, speaker="Oskar"), line("I keep bees", 2)]
    held = memory("Mira lives in Varna.", obj="Varna")
    said = {"text": "Oskar moved away from Varna.", "about": "Oskar", "replaces": 1}
    [refused] = judged(lines, held, change=change, **said).refused
    assert refused.reason == "wrong_subject"


def test_what_is_over_for_somebodys_sister_is_not_over_for_them():
    held = memory("Mira lives in Varna.", obj="Varna")
    said = {"text": "Mira's sister moved away from Varna.", "about": "Mira's sister", "change": "ended", "replaces": 1}
    [refused] = judged([line("My sister moved away from Varna")], held, **said).refused
    assert refused.reason == "wrong_subject"


def test_what_has_the_place_of_something_of_anothers_keeps_its_own_subject():
    lines = [line("I moved to Porto", 1, speaker="Oskar"), line("I keep bees", 2)]
    said = {"text": "Oskar moved to Porto.", "about": "Oskar", "predicate": "lives_in", "object": "Porto"}
    [taken] = judged(lines, memory("Mira lives in Varna.", obj="Varna"), replaces=1, **said).taken
    assert (taken.candidate.claim.subject, taken.ends) == ("Oskar", None)


@pytest.mark.parametrize("change", ["ended", "never"])
@pytest.mark.parametrize("claim", [{}, {"predicate": "likes", "object": "tea"}])
def test_what_says_nothing_of_a_memory_ends_or_denies_it_by_no_number(change, claim):
    held = memory("Mira lives in Varna.", obj="Varna")
    lines = [line("I never liked tea and I don't drink it anymore")]
    [refused] = judged(lines, held, text="Mira never liked tea.", change=change, replaces=1, **claim).refused
    assert refused.reason == "wrong_memory"


@pytest.mark.parametrize("text", ["Mira no longer lives there.", "Mira left Varna."])
def test_a_word_of_the_memory_is_enough_to_end_it(text):
    held = memory("Mira lives in Varna.", obj="Varna")
    [taken] = judged([line("I left Varna, I no longer live there")], held, text=text, change="ended", replaces=1).taken
    assert taken.candidate.claim.object == "Varna"


def test_a_sentence_that_claims_something_stands_for_its_twin_that_claims_nothing():
    [window] = windows([line("I live in Porto")], [], budget_tokens=6_000, counter=ConservativeCounter())
    said = {"text": "Mira lives in Porto.", "object": "Porto"}
    entries = [entry(**said, predicate=None), entry(**said, predicate="lives_in"), entry(text="Mira is in Porto.")]
    found = settled(checked(entries, window).taken)
    assert [(each.text, each.claim is not None) for each in found] == [
        ("Mira lives in Porto.", True),
        ("Mira is in Porto.", False),
    ]


@pytest.mark.parametrize("change", ["ended", "never"])
def test_what_is_over_for_somebody_who_does_not_speak_is_theirs_and_ends_nothing_of_the_users(change):
    held = memory("Mira lives in Varna.", obj="Varna")
    said = {"text": "Ana never lived in Varna.", "about": "Ana", "change": change, "replaces": 1}
    lines = [line("Ana never lived in Varna")]
    [taken] = judged(lines, held, **said, predicate="lives_in", object="Varna").taken
    assert taken.candidate.claim.subject == "Ana"
    [refused] = judged(lines, held, **said, predicate=None).refused
    assert refused.reason == "wrong_subject"
