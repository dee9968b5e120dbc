from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable
from functools import cache
from pathlib import Path

import anthropic_tokenizer  # type: ignore[import-untyped]
import pytest
import quicktok  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

import shared
from shared.language import tokens
from shared.language.tokens import DEFAULT_COUNTER, ConservativeCounter, TokenCounter

MINILM = Path(shared.__file__).parent / "models" / "minilm" / "tokenizer.json"
GPT = ["cl100k_base", "o200k_base"]
REAL = [*GPT, "llama3", "qwen3", "claude-2", "minilm"]

CHAT = """\
Hey! Sorry I missed your call yesterday, I was stuck at the garage until seven.
No worries. Did they find out what was wrong with the car?
Yeah, it's the timing belt. They want 640 euros for it, and it won't be ready before Thursday.
Ouch. Do you want to borrow mine? I'm working from home on Wednesday anyway.
That would be amazing, thank you! I have to take my grandmother to the eye clinic at nine.
Of course. How is she doing these days? Last time you said she had trouble sleeping.
Much better since she moved in with my aunt. She's started painting again, mostly birds.
Oh, I love that. Tell her I still have the little owl she gave me when I moved out.
I will! By the way, are we still on for the concert in June, or did you change your mind?
Still on. I bought the tickets last week, row F, seats 12 and 13. You can pay me back whenever.
Great, I'll send you the money tonight. Should we eat something before the show?
There's a small Greek place around the corner. My sister says the lamb is the best in town.
You know I don't eat meat anymore, right? But they surely have something with cheese.
Right, I forgot, sorry! They do have a whole page of vegetarian dishes, I checked once.
Perfect. Also, could you remind me to bring back your drill? It's been in my hallway for a month.
Ha, I had completely forgotten about it. Keep it until the shelves are up.
The shelves are a disaster, to be honest. I measured everything twice and it still doesn't fit.
I'm happy to help on Saturday afternoon, after the football practice of the kids.
"""

SCRIPTS = {
    "chat": CHAT,
    "Chinese": "我养了一只猫，名字叫煤球。下周五下午三点开会，请把季度报告发给我。你还记得人民路上的那家餐厅吗？",
    "traditional Chinese": "我養了一隻貓，名字叫煤球。下週五下午三點開會，請把季度報告寄給我。",
    "Japanese": "冷蔵庫の修理は金曜日です。型番はKX-204。昨日、友達と新しいレストランに行きました。",
    "Thai": "แมวชื่อโมจิชอบปลาทู เมื่อวานไปกินข้าวกับเพื่อน",
    "Korean": "사무실 비밀번호는 창고에 있다. 어제 친구와 새로운 식당에 갔는데 맛있었어요.",
    "Arabic": "ذهبت أمس مع صديقتي إلى المطعم الجديد وكان الطعام لذيذًا جدًّا.",
    "Hebrew": "אתמול הלכתי עם חברה למסעדה החדשה והאוכל היה טעים מאוד.",
    "Hindi": "कल मैं अपनी दोस्त के साथ नए रेस्तराँ में गया और खाना बहुत स्वादिष्ट था।",
    "Russian": "Вчера мы с подругой ходили в новый ресторан, и еда была очень вкусной.",
    "Greek": "Χθες πήγαμε με μια φίλη στο καινούργιο εστιατόριο.",
    "Polish": "Moja szefowa to Bogumiła Ząbek z firmy Ślimak i Spółka.",
    "Vietnamese": "Hôm qua tôi đi ăn ở nhà hàng mới với một người bạn.",
    "emoji": "👨‍👩‍👧‍👦 🎉🎉 👍🏽 🇯🇵 ❤️",
    "code": "def total(xs: list[int]) -> int:\n    return sum(x for x in xs if x % 2)  # odd\n\n\tassert total([])",
    "JSON": '{"id": 4471, "tags": ["a", "b"], "ok": true, "note": null, "at": "2031-06-02T10:30:00Z"}',
    "base64": base64.b64encode(random.Random(1).randbytes(300)).decode(),
    "hexadecimal": random.Random(2).randbytes(64).hex(),
    "URL": "https://example.org/a/b-c/d_e?x=1&y=%20z#frag Zürich",
    "digits": "31415926535897932384626433832795 555-0148 3.14",
    "spaces": " a  b   c    d\n\n\n\te \r\n",
    "capitals": "THE QUICK BROWN FOX, McDonald iPhone NASA xXx",
    "mathematics": "∀x∈ℝ: ⌈x⌉ = −⌊−x⌋, α ∧ ¬β = ¬(¬α ∨ β)",
}


@cache
def real(name: str) -> Callable[[str], int]:
    if name == "claude-2":
        return lambda text: int(anthropic_tokenizer.count_tokens(text))
    if name == "minilm":
        word_piece = Tokenizer.from_file(str(MINILM))
        word_piece.no_truncation()
        word_piece.no_padding()
        return lambda text: len(word_piece.encode(text, add_special_tokens=False).ids)
    encoding = quicktok.get_encoding(name)
    return lambda text: int(encoding.count(text))


def assert_never_under(text: str) -> None:
    counted = DEFAULT_COUNTER.count(text)
    actual = {name: real(name)(text) for name in REAL}
    assert counted >= max(actual.values()), actual


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_count_is_never_under_a_real_tokenizer_in_any_script(script: str) -> None:
    assert_never_under(SCRIPTS[script])
    for piece in SCRIPTS[script].split():
        assert_never_under(piece)


@settings(deadline=None, max_examples=300)
@given(st.text())
def test_no_text_is_counted_too_low(text: str) -> None:
    assert_never_under(text)


@settings(deadline=None, max_examples=300)
@given(st.text(st.characters(codec="ascii")))
def test_no_ascii_text_is_counted_too_low(text: str) -> None:
    assert_never_under(text)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.text(string.ascii_letters, min_size=1, max_size=12), max_size=8).map(" ".join))
def test_no_row_of_letters_is_counted_too_low(text: str) -> None:
    assert_never_under(text)


def pieces() -> st.SearchStrategy[str]:
    words = st.sampled_from(sorted(tokens._costs().words))
    return st.one_of(
        words,
        words.map(str.capitalize),
        words.map(" ".__add__),
        words.map(lambda word: f" {word.capitalize()}"),
        st.sampled_from(sorted(tokens._costs().characters)).map(chr),
        st.sampled_from(string.punctuation + string.whitespace + string.digits),
    )


@settings(deadline=None, max_examples=300)
@given(st.lists(st.deferred(pieces), max_size=20).map("".join))
def test_no_mixture_of_listed_words_signs_and_characters_is_counted_too_low(text: str) -> None:
    assert_never_under(text)


@pytest.mark.parametrize("name", REAL)
def test_no_listed_word_costs_a_real_tokenizer_more_than_listed(name: str) -> None:
    count, costs = real(name), tokens._costs()
    start = count("a")
    for word, (spaced, capital) in costs.words.items():
        assert count(f"a {word}") - start <= spaced, word
        assert count(f"a {word.capitalize()}") - start <= capital, word
        assert count(word.capitalize()) <= capital, word
        assert count(f"\n{word}") - count("\n") <= spaced + 1, word


@pytest.mark.parametrize("name", REAL)
def test_no_listed_character_costs_a_real_tokenizer_more_than_listed(name: str) -> None:
    count = real(name)
    for code, cost in tokens._costs().characters.items():
        assert count(f"a{chr(code)}") - 1 <= len(cost), chr(code)
        assert count(chr(code) * 6) <= 6 * len(cost) + 1, chr(code)


@pytest.mark.parametrize("name", GPT)
def test_english_chat_is_counted_at_most_a_third_too_high(name: str) -> None:
    lines = CHAT.splitlines()
    assert sum(map(DEFAULT_COUNTER.count, lines)) <= 1.35 * sum(map(real(name), lines))


@pytest.mark.parametrize("name", GPT)
def test_a_quarter_of_the_characters_would_be_far_too_few_for_chinese(name: str) -> None:
    assert len(SCRIPTS["Chinese"]) / 4 < 0.5 * real(name)(SCRIPTS["Chinese"])


def test_only_the_empty_text_has_no_tokens() -> None:
    assert DEFAULT_COUNTER.count("") == 0
    assert DEFAULT_COUNTER.count(" ") > 0


def test_a_lone_surrogate_and_a_huge_text_are_counted_too() -> None:
    assert DEFAULT_COUNTER.count("\ud83d") >= 3
    assert DEFAULT_COUNTER.count("a" * 1_000_000) >= 1_000_000


def test_the_default_is_a_counter_that_names_itself() -> None:
    counter: TokenCounter = ConservativeCounter()
    assert counter.name == DEFAULT_COUNTER.name == "conservative-v1"


@given(st.text(st.sampled_from(" aTe\n\u0301養_1-'")))
@settings(deadline=None)
def test_piece_by_piece_a_text_costs_what_it_costs_at_one_go(text: str) -> None:
    assert tokens._cost(text) == tokens._spelled_out(text)


def test_of_pieces_met_before_only_so_many_and_only_short_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    known = tokens._Known(" ")
    monkeypatch.setattr(tokens, "_MOST_KNOWN", 3)
    assert [known[piece] for piece in ("one", "one", "two", "three", "four")]
    assert list(known) == ["four"]
    assert known["x" * 10_000] > 5_000
    assert list(known) == ["four"]


@given(st.text(), st.text())
@settings(deadline=None)
def test_two_lines_cost_no_more_together_than_apart(one: str, other: str) -> None:
    together = DEFAULT_COUNTER.count(f"{one}\n{other}")
    assert together <= DEFAULT_COUNTER.count(f"{one}\n") + DEFAULT_COUNTER.count(other)
