import pytest

from shared.language.tokens import ConservativeCounter
from tests.model_reading import entry, line, memory
from warmpath._checking import checked
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
