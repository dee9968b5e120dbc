"""What a second reading tells of hits."""

from datetime import UTC, datetime

import pytest

from hotpath._plan import plan
from hotpath._reading import FEATURES, Reading, features

NOW = datetime(2031, 5, 1, tzinfo=UTC)


def read(query: str, *readings: Reading, asker: str = "mira") -> list[dict[str, float]]:
    found = features(plan(query, now=NOW), readings, asker=asker, late=lambda: False)
    return [dict(zip(FEATURES, row, strict=True)) for row in found.tolist()]


def said(text: str, speaker: str = "Ana", *, before: str = "", after: str = "", session: str = "one") -> Reading:
    return Reading(text=text, fused=0.5, speaker=speaker, role="user", session=session, before=before, after=after)


@pytest.mark.parametrize("text", ["Did Ana keep bees?", "蜂を飼っていますか？", "Bees? ", "هل لديك نحل؟"])
def test_a_turn_that_is_a_question_asks(text: str) -> None:
    assert read("Where are Ana's bees?", said(text))[0]["asks"] == 1


def test_a_turn_that_tells_before_it_asks_asks_in_part() -> None:
    told = read("Where are Ana's bees?", said("They are in the garden behind the chapel. Why?"))[0]["asks"]
    assert 0 < told < 0.2


def test_a_turn_that_goes_on_after_a_question_tells() -> None:
    assert read("Where are Ana's bees?", said("Bees? They are in the garden."))[0]["asks"] == 0


def test_a_longer_turn_is_longer_up_to_a_bound() -> None:
    lengths = [found["length"] for found in read("bees", said("Yes."), said("bees " * 20), said("bees " * 4_000))]
    assert 0 < lengths[0] < lengths[1] < lengths[2] == 1


def test_a_turn_answers_the_question_before_it_by_the_querys_words_in_that() -> None:
    answer, remark = read(
        "Where does Rui keep the bees?",
        said("Behind the chapel.", "Rui", before="Rui, where do you keep your bees?"),
        said("Behind the chapel.", "Rui", before="I wonder about the bees."),
    )
    assert answer["answers"] > 0
    assert remark["answers"] == 0


def test_the_words_of_the_turns_around_count_with_its_own() -> None:
    alone, among = read(
        "Which mill ground the rye flour?",
        said("The one by the river."),
        said("The one by the river.", before="That rye was lovely.", after="A mill that still grinds flour!"),
    )
    assert alone["around"] == 0
    assert among["around"] > 0.5


def test_a_name_of_one_who_speaks_is_none_of_the_querys_words() -> None:
    assert read("What about Ana?", said("Ana is here."), said("No.", "Rui"))[0]["around"] == 0


def test_a_time_counts_where_one_is_asked_for() -> None:
    text = "We went there last week, on Tuesday."
    assert read("When did they go there?", said(text))[0]["time"] == 1
    assert read("Why did they go there?", said(text))[0]["time"] == 0
    assert read("When did they go there?", said("We went there."))[0]["time"] == 0


def test_a_number_counts_where_one_is_asked_for() -> None:
    assert read("How many hives are there?", said("Seven of them."))[0]["number"] == 1
    assert read("Which hives are there?", said("Seven of them."))[0]["number"] == 0


def test_who_is_asked_about_counts_when_they_speak_of_themselves() -> None:
    own, other, of_another = read(
        "What does Ana keep?",
        said("I keep bees.", "Ana"),
        said("I keep bees.", "Rui"),
        said("Rui keeps bees.", "Ana"),
    )
    assert (own["own"], other["own"], of_another["own"]) == (1, 0, 0)


def test_the_first_person_of_a_query_is_the_asker() -> None:
    mine, theirs = read("What do I keep?", said("I keep bees.", "mira"), said("I keep bees.", "Rui"))
    assert (mine["own"], theirs["own"]) == (1, 0)


def test_better_hits_of_the_session_are_company() -> None:
    found = read("bees", said("a"), said("b", session="two"), said("c"), said("d"))
    assert [each["company"] for each in found] == pytest.approx([0, 0, 1 / 2, 2 / 3])


def test_every_feature_lies_between_0_and_1() -> None:
    found = read(
        "How many years ago did I see Ana's bees?", *[said("I saw 7 bees a year ago? " * n) for n in range(40)]
    )
    assert all(0 <= value <= 1 for each in found for value in each.values())


def test_reading_stops_when_it_is_late() -> None:
    with pytest.raises(TimeoutError):
        features(plan("bees", now=NOW), [said("bees")], asker="mira", late=lambda: True)
