"""Idioms, what another says, and where somebody is only for now make no fact and end none."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from shared.language.statements import Statement, Talk, statements_in
from shared.models.parsing import english_tagger

Told = Callable[[str], set[str]]
Heard = Callable[..., list[set[str]]]


@pytest.fixture
def heard() -> Heard:
    """What each of several messages of one run states, said by Mira."""

    def heard(*texts: str) -> list[set[str]]:
        talk, said_on = Talk(), date(2031, 5, 24)
        found: list[list[Statement]] = [
            statements_in(text, tag=english_tagger(), speaker="Mira", said_on=said_on, talk=talk) for text in texts
        ]
        return [
            {
                f"{'' if each.change == 'holds' else each.change + ' '}{each.subject} {each.predicate} {each.object}"
                for each in one
            }
            for one in found
        ]

    return heard


@pytest.mark.parametrize(
    "text",
    [
        "Figaro is dead tired.",
        "Figaro is dead set on the red bowl.",
        "Otto is dead serious about it.",
        "Otto is dead to me.",
        "Otto is dead on time.",
        "Otto died laughing.",
        "Otto died of embarrassment.",
        "Otto died inside.",
        "Otto died for a coffee.",
        "Otto died on stage last night.",
        "Figaro died in the film.",
        "Figaro dies in the last episode.",
        "Ana died her hair red.",
        "Otto passed away the time on the sofa.",
        "Otto passed on dessert.",
        "Otto was put down as a guest.",
        "My husband died of shame when I sang.",
        "My dog died laughing.",
        "My cat died of boredom.",
        "My boyfriend is dead right.",
    ],
)
def test_an_idiom_of_dying_ends_nothing(told: Told, text: str) -> None:
    assert not {each for each in told(text) if each.startswith("ended")}


@pytest.mark.parametrize(
    "text",
    [
        "Rex died.",
        "Rex is dead.",
        "Rex is dead, we buried him.",
        "Rex is dead and buried.",
        "Rex died of cancer.",
        "Rex died from a tumour.",
        "Rex died peacefully in his sleep.",
        "Rex died at 14.",
        "Rex passed away last night.",
        "Rex passed away in the night.",
        "Rex passed on.",
        "Rex was put down on Monday.",
    ],
)
def test_who_died_is_theirs_no_longer(told: Told, text: str) -> None:
    assert "ended Mira pet Rex" in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "Otto and I broke up last year but got back together.",
        "Ana and I split up but made up again.",
        "My girlfriend broke up with me but we got back together last week.",
        "My bike was stolen, but I got it back.",
        "My car was stolen and the police found it.",
        "My laptop was stolen but the police returned it.",
        "I sold my car but bought it back.",
        "We gave away our cat but she came back.",
        "I left Lindt but they hired me back.",
    ],
)
def test_what_its_own_sentence_undoes_is_not_over(told: Told, text: str) -> None:
    assert not {each for each in told(text) if each.startswith("ended")}


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("Otto and I broke up last year.", "ended Mira partner Otto"),
        ("Otto and I broke up and got back together, then broke up again.", "ended Mira partner Otto"),
        ("Otto and I broke up and won't get back together.", "ended Mira partner Otto"),
        ("My bike was stolen.", "ended Mira owns bike"),
        ("My bike was stolen, but I hope to get it back.", "ended Mira owns bike"),
        ("My car was stolen and never found.", "ended Mira owns car"),
    ],
)
def test_what_is_not_undone_is_over(told: Told, text: str, ended: str) -> None:
    assert ended in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "Otto: I live in Turku",
        "Anna: I live in Turku",
        "Karl Heinz: I live in Turku and I'm 30",
        "Mum: I live in Turku",
        "Fwd: Hello, my name is Otto. I live in Turku.",
        "Otto wrote me: hi, I live in Turku and I'm 30",
        "Otto says: I live in Turku",
        "Email from my landlord: I live in Turku",
        "Otto's reply: I live in Turku",
        "The answer to question 3 is: I live in Turku",
        "Quote of the day: I live in Turku.",
        "Say I live in Turku. Do I pay the tax?",
        "Say I'm a nurse. Do I pay the tax?",
        "She goes, I am from Turku",
        "She was like, I live in Turku",
        "My sister is like I live in Turku now",
        "And he goes: I work at Lindt",
        "Role play: I'm Otto, I live in Turku.",
        "Reply to this as if you were Otto, I live in Turku.",
        "Answer as though you were Otto: I live in Turku.",
        "If you ask my mother I live in Turku.",
        "If you believe Otto, I live in Turku.",
        "On paper I live in Turku.",
        "Officially I live in Turku.",
        "For tax purposes I live in Turku.",
        "Soon I live in Turku.",
        "Eventually I live in Turku.",
        "I wrote that I live in Turku by mistake",
        "I accidentally told them that I live in Turku",
        "One day I live in Turku, the next in Rome",
        "One minute I work at Lindt, the next I don't",
        "Draft an email for me: Dear Sir, I live in Turku and I am allergic to nuts",
        "Compose a reply. Dear Otto, I live in Turku.",
    ],
)
def test_what_another_says_or_nobody_means_is_no_fact_of_theirs(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Update: I live in Turku",
        "PS: I live in Turku",
        "Note to self: I live in Turku",
        "By the way: I live in Turku",
        "Fun fact: I live in Turku",
        "Heads up: I live in Turku",
        "Background: I live in Turku",
        "Address: I live in Turku",
        "My answer: I live in Turku",
        "To answer your question: I live in Turku",
        "The answer to your question is: I live in Turku",
        "I told him: I live in Turku",
        "Mira: I live in Turku",
        "From today: I live in Turku",
        "If you ask me, I live in Turku",
        "I was like, I live in Turku",
        "Wherever she goes, I go. I live in Turku.",
        "Say hello to Otto. I live in Turku.",
        "I'd say I live in Turku.",
        "Draft an email to my landlord. I live in Turku.",
        "I wrote my name wrongly. I live in Turku.",
    ],
)
def test_what_they_say_of_themselves_behind_a_label_stays(told: Told, text: str) -> None:
    assert "Mira lives_in Turku" in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm working at the airport right now, my flight is late",
        "I'm working at the kitchen table today",
        "I'm working at the library today",
        "I'm working at the Berlin office this month",
        "I work at the cafe today.",
        "I work at Lindt on Fridays",
        "I work at a bar at weekends",
        "I live in Spain in winter",
        "I live in Faro over the summer.",
        "We live in Spain during the winter months.",
        "I live in Turku at weekends.",
        "I'm living in Turku temporarily",
        "I'm living in Turku till June",
        "I'm living in Turku until the end of the year",
        "I live in jeans",
        "I live in sweatpants these days.",
        "I moved to Premium",
        "I moved to the Enterprise plan",
        "I'm single this weekend, Otto is away!",
        "I'm single tonight",
        "I have a dog in this fight",
        "My name is Mud",
    ],
)
def test_where_and_what_they_are_for_now_is_not_kept(told: Told, text: str) -> None:
    kept = {"works_at", "lives_in", "marital_status", "partner", "pet", "name"}
    assert not {each for each in told(text) if kept & set(each.split())}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I work at the airport.", "Mira works_at airport"),
        ("I'm working at Lindt now.", "Mira works_at Lindt"),
        ("I'm currently working at Lindt.", "Mira works_at Lindt"),
        ("I started working at Lindt this week.", "Mira works_at Lindt"),
        ("I work at Lindt on weekdays.", "Mira works_at Lindt"),
        ("I work at Lindt and on Fridays I swim.", "Mira works_at Lindt"),
        ("I also work at a bar at weekends.", "Mira second_job bar"),
        ("I live in Turku and spend the summer in Faro.", "Mira lives_in Turku"),
        ("I live in Turku, at least until June.", "Mira lives_in Turku"),
        ("I live in Turku during the week.", "Mira lives_in Turku"),
        ("I'm living in Turku with my wife.", "Mira lives_in Turku"),
        ("I moved to Gold Coast.", "Mira lives_in Gold Coast"),
        ("I'm single.", "Mira marital_status single"),
        ("I'm single again this year.", "Mira marital_status single"),
        ("I have a dog in this flat.", "Mira pet dog"),
        ("My name is Maud.", "Mira name Maud"),
    ],
)
def test_a_home_and_an_employer_are_kept(told: Told, text: str, expected: str) -> None:
    assert expected in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "I retired the old server",
        "I retired my old laptop last week",
        "I retired from football",
        "I've retired from boxing",
        "I retired to my room",
        "I retired to bed",
    ],
)
def test_what_is_retired_leaves_them_their_job(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "I retired.",
        "I have retired.",
        "I retired early.",
        "I retired at 60.",
        "I retired from teaching last year.",
        "I retired from Lindt.",
        "I retired last month.",
        "We retired to Spain.",
    ],
)
def test_who_retired_is_retired(told: Told, text: str) -> None:
    assert "Mira job retired" in told(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My wife works at Lindt too", "Mira's wife works_at Lindt"),
        ("My wife also works at Lindt", "Mira's wife works_at Lindt"),
        ("My husband works at Lindt as well.", "Mira's husband works_at Lindt"),
        ("My wife has a second job at Lindt.", "Mira's wife second_job Lindt"),
        ("I also work at Lindt", "Mira second_job Lindt"),
        ("I'm between jobs.", "ended Mira works_at employer"),
        ("I'm in between jobs at the moment.", "ended Mira works_at employer"),
        ("My wife is between jobs.", "ended Mira's wife works_at employer"),
    ],
)
def test_where_who_works(told: Told, text: str, expected: str) -> None:
    assert told(text) == {expected}


def test_somebody_known_may_move_and_a_firm_may_not(heard: Heard) -> None:
    assert heard("My friend Tim lives in Oslo.", "Tim moved to Turku.")[1] == {"Tim lives_in Turku"}
    assert heard("Tim is my brother.", "Tim has moved to Turku.")[1] == {"Tim lives_in Turku"}
    assert heard("I use Slack.", "Slack moved to Turku.")[1] == {"ended Slack lives_in home"}
