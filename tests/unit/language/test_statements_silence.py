"""What states nothing of its speaker, however much it looks like a statement."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Told = Callable[[str], set[str]]

QUESTIONS = [
    "Do I live in a flood zone?",
    "Am I allergic to bees?",
    "Should I move to Naples?",
    "What if I worked at NASA?",
    "where do i find good ramen, do you know if i like miso",
    "Can you recommend a book for my son?",
    "I live in Leeds, right?",
]
UNREAL = [
    "If I lived in Paris, I'd be happy",
    "I'd love to live in Rome",
    "I wish I liked olives.",
    "I might move to Spain",
    "I almost moved to Canada last year.",
    "I was going to move to Madrid but changed my mind.",
    "I hope to adopt a cat soon.",
    "I think I'm allergic to cats",
    "I want to be a pilot.",
    "I dreamed I lived on a boat.",
]
OTHERS = [
    "He thinks I live in Paris",
    "My mother thinks I live in sin.",
    "Apparently people say I hate dogs.",
    "According to Jo, I work for the tax office.",
    'He wrote "I am a nurse and I hate cats" in the chat.',
    "I never said I like jazz.",
    "I'm reading a book about a man who lives in Paris.",
]
HANDED_IN = [
    "Translate to German: I live in Cardiff and I love my job.",
    "Proofread this:\nI am a nurse and I live in Bath.",
    "Write me a poem in which I live in Venice and my name is Marco.",
    "I'm married to a walrus. Just kidding!",
    "> I moved to Madrid\nis that grammatical?",
    "```\nI = moved(to='Madrid')\n```",
    "Anna: I live in Rome\nBert: I moved to Oslo",
]
PASSING = [
    "I'm at the airport",
    "I'm in a meeting, back in ten.",
    "I moved the file to Documents.",
    "We moved the meeting to Thursday.",
    "I work nights.",
    "I cook on Tuesday.",
    "I work from home two days a week.",
    "I work with Anna on the budget.",
    "I'm 5 minutes away.",
    "I live for the weekend.",
    "I have a question about the report.",
    "I'm sick of this weather.",
    "I'm blind to her faults.",
    "I lived in Madrid for two years.",
    "I had a dog when I was little.",
    "the city i live in is nice",
    "I'm not a doctor",
    "The eastern field was not sown in May.",
]


@pytest.mark.parametrize("text", QUESTIONS + UNREAL + OTHERS + HANDED_IN + PASSING)
def test_it_states_nothing(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The doctor says that I have cataracts", "Mira has_condition cataracts"),
        ("I told him I live in Leeds", "Mira lives_in Leeds"),
        ("I forgot to mention I am allergic to peanuts", "Mira allergic_to peanuts"),
        ("If it helps, I'm vegan", "Mira diet vegan"),
        ("I moved to Porto because I got a job at Critical", "Mira works_at Critical"),
        ('my cat is called "Mo"', "Mira pet Mo"),
        ("keep in mind that I'm colour-blind", "Mira has_condition colour-blind"),
    ],
)
def test_what_only_looks_so_is_stated_all_the_same(told: Told, text: str, expected: str) -> None:
    assert expected in told(text)
