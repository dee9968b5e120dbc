import pytest

from shared.contract.candidates import Change
from shared.language.tokens import ConservativeCounter
from tests.model_reading import entry, line, memory
from warmpath._checking import checked
from warmpath._ending import GUESSED, says_so
from warmpath._windows import windows


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I moved to Porto last week", "en"),
        ("We broke up in March.", "en"),
        ("No.", "en"),
        ("I don't eat meat any more", None),
        ("Ich wohne nicht mehr in Varna", "de"),
        ("Ya no vivo en Varna", "es"),
        ("Je n\u2019habite plus à Varna", "fr"),
        ("Już nie mieszkam w Warnie", "pl"),
        ("Я больше не живу в Варне", None),
        ("もうヴァルナには住んでいません", None),
        ("我已经搬走了", None),
        ("이제 바르나에 살지 않아요", None),
        ("Már nem lakom Várnában, új lakásom van", "hu"),
    ],
)
def test_a_line_that_says_that_something_is_over_is_known_by_its_words(text, language):
    assert says_so([text], language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I live in Varna", "en"),
        ("Varna is lovely in spring", "en"),
        ("Ich wohne in Varna", "de"),
        ("Vivo en Varna", "es"),
        ("J'habite à Varna", "fr"),
        ("Mieszkam w Warnie", "pl"),
        ("Я живу в Варне", None),
        ("ヴァルナに住んでいます", None),
        ("我住在瓦尔纳", None),
        ("바르나에 살아요", None),
    ],
)
def test_a_line_that_only_says_what_is_so_has_no_such_word(text, language):
    assert not says_so([text], language)


def judged(text, *neighbours, **fields):
    [window] = windows([line(text)], neighbours, budget_tokens=6_000, counter=ConservativeCounter())
    [taken] = checked([entry(**{"text": f"Mira: {text}", **fields})], window).taken
    return taken


@pytest.mark.parametrize("change", ["ended", "never"])
def test_an_end_that_no_word_of_its_lines_speaks_of_is_a_guess(change):
    taken = judged("ヴァルナに住んでいます", memory("Mira lives in Varna."), change=change, replaces=1, language="ja")
    assert (taken.candidate.change, taken.candidate.confidence) == (Change(change), GUESSED)


def test_an_end_that_its_line_speaks_of_is_as_sure_as_the_model_says():
    taken = judged("もうヴァルナには住んでいません", memory("Mira lives in Varna."), change="ended", replaces=1)
    assert taken.candidate.confidence == 0.9


def test_a_thing_that_takes_the_place_of_another_ends_that_only_where_the_line_speaks_of_a_change():
    coffee = memory("Mira likes coffee.", predicate="likes", obj="coffee")
    tea = {"predicate": "likes", "object": "tea", "replaces": 1}
    for text, sure in (("I like tea", GUESSED), ("I switched to tea", 0.9)):
        taken = judged(text, coffee, **tea)
        assert taken.candidate.confidence == 0.9
        assert taken.ends is not None
        assert taken.ends.confidence == sure
