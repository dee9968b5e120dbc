"""What kind of answer a question wants is told by rules, and each rule has its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath._shape import RULES, Shape, shape_of

SMALL_TALK = [
    "hi",
    "Hello!",
    "  hey there  ",
    "Good morning, everyone!",
    "thanks",
    "Thank you so much!!",
    "thx a lot",
    "OK.",
    "okay",
    "How are you doing today?",
    "what's up?",
    "(cool)",
    "Bye…",
    "see you again",
    "Guten Morgen!",
    "merci beaucoup",
    "ありがとう！",
    "你好",
]
QUESTIONS = {
    Shape.SINGLE_FACT: [
        "hi, where did I put the smoker?",
        "What did Tomas thank you for?",
        "okay, and the second hive?",
        "Nice in March?",
        "history",
        "no sugar",
        "hello 你好",
        "bees?",
        "?",
        "Where does Tomas live?",
        "Who wrote Immune?",
        "What is the name of my dentist?",
        "What colour is Tove's boat?",
        "Ubi apes sunt?",
    ],
    Shape.ASSISTANT: [
        "What was the restaurant you recommended?",
        "Did you give me a list of seeds?",
        "Remind me what we settled on",
        "In our last conversation, what came up about bees?",
        "How many seeds did you say I need?",
    ],
    Shape.MULTI_HOP: [
        "Who is the mother of the man who built the boat?",
        "What is the river in the town where Tove was born?",
        "Where does the wife of my brother's landlord work?",
        "What do Tomas and Tove have in common?",
        "Do Tomas and Tove both keep bees?",
        "Which is heavier, the smoker or the extractor?",
        "When was the author of the book that Tove gave me born?",
        "How many seats has the theatre located in the city where Oskar studied?",
    ],
    Shape.TEMPORAL: [
        "When did I plant the plums?",
        "What month did we move?",
        "How long have I had the boat?",
        "How many weeks ago did I call Oskar?",
        "How often do I swim?",
        "How old is Tove?",
        "Which came first?",
        "In what order did the hives swarm?",
        "Wann war ich in Porto?",
        "¿Cuándo vino Tove?",
        "Quand est-ce que j'ai déménagé ?",
        "いつ引っ越しましたか？",
        "我什么时候搬家的？",
    ],
    Shape.PREFERENCE: [
        "Can you suggest a film for tonight?",
        "Any tips for a tidy shed?",
        "What is my favourite tea?",
        "Does Tove like liquorice?",
        "What should I cook for Oskar?",
        "Which tea do I like most?",
        "Was ist mein Lieblingsfilm?",
        "おすすめの映画は？",
    ],
    Shape.LIST: [
        "How many hives do I keep?",
        "How much did I spend on sugar?",
        "What are the names of my hens?",
        "List all the plums I planted",
        "Which instruments does Tove play?",
        "What is the total weight of honey?",
        "Wie viele Hühner habe ich?",
        "¿Cuántos libros leí?",
        "我有多少蜂箱？",
    ],
    Shape.HOW_TO: [
        "How do I light the smoker?",
        "how to graft a plum",
        "What is the best way to clean a hive?",
        "Which steps for the glaze? The steps to follow?",
        "Wie kann ich den Ofen reinigen?",
    ],
}


@pytest.mark.parametrize(("shape", "query"), [(shape, query) for shape, found in QUESTIONS.items() for query in found])
def test_a_question_has_the_shape_of_the_answer_that_it_wants(shape: Shape, query: str) -> None:
    assert shape_of(query) is shape


@pytest.mark.parametrize("query", SMALL_TALK)
def test_a_greeting_is_small_talk(query: str) -> None:
    assert shape_of(query) is Shape.SMALL_TALK


@given(st.sampled_from(SMALL_TALK), st.sampled_from([str.upper, str.lower, str.title]), st.text(" .!?,~", max_size=5))
def test_small_talk_is_known_in_any_case_and_with_any_marks_around_it(query: str, case: object, marks: str) -> None:
    assert callable(case)
    assert shape_of(f"{marks}{case(query)}{marks}") is Shape.SMALL_TALK


@pytest.mark.parametrize(
    ("query", "shape"),
    [
        ("When did you tell me about the author of the book that Tove gave me?", Shape.ASSISTANT),
        ("When was the man who built the boat of the ferryman born?", Shape.MULTI_HOP),
        ("How many days do I like to stay?", Shape.TEMPORAL),
        ("How many films do you recommend?", Shape.PREFERENCE),
        ("How many steps to bake bread?", Shape.LIST),
    ],
)
def test_of_two_rules_that_fit_the_earlier_wins(query: str, shape: Shape) -> None:
    fitting = [name for name, fits in RULES if fits(query)]
    assert len(fitting) > 1
    assert shape_of(query) is fitting[0] is shape


@pytest.mark.parametrize(
    "query",
    ["Where is 'The Man Who Sold the Hat of the King'?", 'Who gave me "A History of the Bees of the North"?'],
)
def test_what_a_title_says_does_not_count(query: str) -> None:
    assert shape_of(query) is Shape.SINGLE_FACT


def test_case_changes_nothing_for_what_is_asked_for() -> None:
    assert shape_of("WHAT MONTH DID WE MOVE?") is Shape.TEMPORAL
    assert shape_of("Is the town more İstanbul than Ankara?") is Shape.MULTI_HOP


@given(st.text(max_size=300))
def test_any_text_has_one_shape(query: str) -> None:
    assert shape_of(query) in Shape
