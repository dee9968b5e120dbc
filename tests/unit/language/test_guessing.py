from __future__ import annotations

import pytest

from shared.language.guessing import language_of, main_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I moved to Leeds", "en"),
        ("moved to leeds last week, still no broadband", "en"),
        ("Ich bin letzten Monat nach Leipzig gezogen", "de"),
        ("Ya no bebo café, me gusta el té", "es"),
        ("Je n'habite plus à Lyon, je suis à Nantes", "fr"),
        ("Eu moro em Setúbal agora", "pt"),
        ("Abito a Torino e lavoro in una scuola", "it"),
        ("Ik woon in Gent en ik werk bij de stad", "nl"),
        ("我上个月搬到了成都", "zh"),
        ("冷蔵庫の修理は金曜日です", "ja"),
        ("사무실 비밀번호는 창고에 있다", "ko"),
        ("Я живу в Казани", "ru"),
        ("Vegan.", None),
        ("", None),
        ("42!", None),
    ],
)
def test_a_language_is_told_by_script_and_common_words(text: str, language: str | None) -> None:
    assert language_of(text) == language


def test_the_main_language_is_that_of_most_of_the_words() -> None:
    assert main_language(["hi!", "Ich wohne in Wien und arbeite bei der Bahn", "I see"]) == "de"
