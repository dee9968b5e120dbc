"""What only asks memory is told from what tells something, wants something, or may do either."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.language.asking import MAX_WORDS, asks_memory


@pytest.mark.parametrize(
    "text",
    [
        "What do you know about me, my bees, my sister Tove, Thursdays, 犬 and the form?",
        "What is my sister called?",
        "what's my bus",
        "\ufeff\n\nWhat is my bus?",
        "What’s the name of that restaurant by the river?",
        "Where do I live?",
        "Which bus do I take? And when does it leave?",
        "  Who is Tove?\n\nWhere does she live?\n",
        "Whose idea was the boat?",
        "How many beehives do I have?",
        "Why did we sell the boat",
        "When is my dentist appointment",
        "Hey, where is my towel, please?",
        "Do you know where my sister lives?",
        "Do you still remember what I do on Thursdays",
        "Do you know anything about my bees?",
        "do you remember my older sister?",
        "Tell me what you know about my bees.",
        "Can you tell me what my bus is?",
        "Could you remind me which towel I bring?",
        "What can you tell me about my sister?",
        "Do I have a sister?",
        "Have I been to Porto?",
        "Ｗｈａｔ ｄｏ Ｉ ｋｅｅｐ？",
        "¿Dónde vive mi hermana?",
        "¿De dónde soy?",
        "Où habite ma sœur ?",
        "Qu'est-ce que je fais le jeudi ?",
        "Wo wohnt meine Schwester?",
        "Mit wem schwimme ich?",
        "Dove abita mia sorella?",
        "Onde mora a minha irmã?",
        "Waar woont mijn zus?",
        "Gdzie mieszka moja siostra?",
        "Где живёт моя сестра?",
        "أين تعيش أختي؟",
        "犬の名前は何ですか？",
        "妹はどこに住んでいますか?",
        "我的妹妹住在哪里？",
        "내 여동생은 어디에 살아요?",
    ],
)
def test_a_bare_question_asks_memory(text: str) -> None:
    assert asks_memory(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "My bus is the 14.",
        "What should I cook? Tove is allergic to nuts.",
        "Tove is allergic to nuts. What do I cook?",
        "What do I cook for Tove, she is allergic to nuts?",
        "What do I cook for Tove, who is allergic to nuts?",
        "What do I cook for a sister who is allergic to nuts?",
        "What do I cook, because Tove is allergic to nuts?",
        "What do I cook given that Tove is allergic to nuts?",
        "What do I cook if Tove comes?",
        "What do I do when my knee hurts?",
        "Where is the library, I moved to Porto?",
        "Where is the library, my bus leaves at nine?",
        "Where is the library - near my new flat in Porto?",
        "Where is my key (the blue one)?",
        "When does bus 14 leave?",
        "I live in Porto, where is the library?",
        "Why did you forget that I moved to Porto?",
        "Did you know my bus is the new one?",
        "Do you know my bus is the new one?",
        "Do you know my bus is late?",
        "Have I told you about Porto?",
        "My bus is late, right?",
        "You know I am allergic to nuts?",
        "Can you book a table for Friday?",
        "Could you please send this to Oskar?",
        "Would you water the plants?",
        "Book a table for Friday?",
        "Will you remember this?",
        "What should I cook?",
        "Where can I park?",
        "How about Friday at Tove's?",
        "What about Friday?",
        "Why don't we meet on Friday?",
        "What if Tove comes?",
        "Where is my bus and book a table?",
        "Where do I live, and please remember the towel?",
        "Remind me when the oven beeps",
        "Tell me when my tea is ready",
        "Remind me to call Tove.",
        "Tell me about my bees",
        "What a lovely day.",
        "What a day?!",
        "How nice!",
        "What I like most is tea.",
        "When I was young I lived in Porto.",
        "Which reminds me of the towel.",
        "What is important to me is my family.",
        "Who is Tove? My sister.",
        "Where do I live? I moved to Porto.",
        "Where do I live?\nMy street is by the river",
        'What does "mochi" mean to my dog?',
        "Kannst du für Freitag einen Tisch buchen?",
        "Wann kannst du einen Tisch buchen?",
        "Was soll ich kochen? Tove ist gegen Nüsse allergisch.",
        "Was koche ich, weil Tove gegen Nüsse allergisch ist?",
        "¿Qué cocino? Tove es alérgica a las nueces.",
        "¿Qué cocino si Tove es alérgica?",
        "¿Puedes reservar una mesa?",
        "Tu peux réserver une table ?",
        "Можешь заказать столик?",
        "هل يمكنك حجز طاولة؟",
        "أختي تعيش هنا؟",
        "金曜日に席を予約してくれますか？",
        "何か作ってください。トーヴェはナッツアレルギーです。",
        "何か食べますか？",
        "你能帮我订什么吗？",
        "我妹妹对坚果过敏。我做什么？",
        "뭐 좀 예약해 줄래요?",
        "What " + "do I keep " * 9 + "?",
        "What do I keep? " * 60,
    ],
)
def test_what_may_tell_or_want_something_is_no_bare_question(text: str) -> None:
    assert not asks_memory(text)


@given(st.text(st.characters()))
def test_any_text_can_be_looked_at(text: str) -> None:
    assert asks_memory(text) in {True, False}


@given(fact=st.sampled_from(["My bus is the new one.", "Tove hates nuts.", "I moved.", "Ich wohne in Porto."]))
def test_a_question_with_a_statement_before_or_after_it_is_none(fact: str) -> None:
    for question in ("What do I keep?", "Wo wohne ich?", "犬の名前は何ですか？"):
        assert asks_memory(question)
        assert not asks_memory(f"{question} {fact}")
        assert not asks_memory(f"{fact}\n{question}")


def test_it_takes_no_longer_for_a_long_text() -> None:
    started = time.process_time()
    for text in ("what " * 1_000_000, "?" * 300, "what, " * 50, " " * 300, "- " * 150, f"{'a' * MAX_WORDS} " * 10):
        asks_memory(text)
    assert time.process_time() - started < 0.5
