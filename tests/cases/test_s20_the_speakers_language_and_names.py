"""S20: what a model says in the speaker's language is kept letter for letter, names and their script too."""

import unicodedata

import pytest

from shared.contract.candidates import Reading
from tests.model_reading import asking, asking_a_real_model, entry, facts, line, lines_shown
from tests.scripted_llm import scripted

POLISH = "Moja szefowa to Bogumiła Ząbek z firmy Ślimak i Spółka."
ARABIC = "أستخدم تطبيق Notion Calendar كل يوم في العمل"
TABLE = {
    "pl": (POLISH, "Szefowa Miry to Bogumiła Ząbek z firmy Ślimak i Spółka.", "manager", "Bogumiła Ząbek"),
    "ar": (ARABIC, "Mira تستخدم تطبيق Notion Calendar كل يوم في العمل.", "uses", "Notion Calendar"),
    "ja": ("冷蔵庫の型番はKX-204です", "Miraの冷蔵庫の型番はKX-204です。", "model", "KX-204"),
    "th": ("แมวของฉันชื่อโมจิ", "แมวของ Mira ชื่อโมจิ", "pet", "โมจิ"),
}


@pytest.mark.parametrize("language", TABLE)
def test_text_and_names_come_through_letter_for_letter(language):
    said, text, predicate, obj = TABLE[language]
    with scripted(facts(entry(text, predicate=predicate, object=obj, language=language))) as server:
        found = asking(server).extract(Reading(lines=[line(said)]), deadline_s=10.0)
    (candidate,) = found.candidates
    assert (candidate.text, candidate.claim.object, candidate.language) == (text, obj, language)
    assert lines_shown(server.requests[0].said[0])[0]["text"] == said
    assert said in server.requests[0].said[0]


def test_letters_that_a_model_composed_otherwise_are_the_same_letters():
    text = unicodedata.normalize("NFD", TABLE["pl"][1])
    with scripted(facts(entry(text, language="pl"))) as server:
        found = asking(server).extract(Reading(lines=[line(POLISH)]), deadline_s=10.0)
    assert "Bogumiła Ząbek z firmy Ślimak i Spółka" in found.candidates[0].text


@pytest.mark.parametrize(
    ("language", "said", "text", "kept"),
    [
        ("pl", "Wczoraj przyjechała Ola", "Wczoraj przyjechała Ola do Miry.", "Wczoraj (2031-05-21) przyjechała"),
        ("de", "Gestern zog ich um", "Mira zog gestern um.", "gestern (2031-05-21)"),
        ("ja", "昨日犬を飼いました", "Miraは昨日犬を飼った。", "昨日 (2031-05-21)"),
        ("fr", "J'ai déménagé hier", "Mira a déménagé hier.", "hier (2031-05-21)"),
    ],
)
def test_the_day_stands_beside_words_that_count_from_it(language, said, text, kept):
    with scripted(facts(entry(text, language=language))) as server:
        found = asking(server).extract(Reading(lines=[line(said)]), deadline_s=10.0)
    assert kept in found.candidates[0].text


@pytest.mark.real_model
def test_a_real_model_keeps_language_and_names():
    extractor = asking_a_real_model()
    for _ in range(10):
        found = extractor.extract(Reading(lines=[line(POLISH)]), deadline_s=120.0)
        texts = " ".join(each.text for each in found.candidates)
        assert "Bogumiła Ząbek" in texts
        assert "Ślimak i Spółka" in texts
        found = extractor.extract(Reading(lines=[line(ARABIC)]), deadline_s=120.0)
        letters = [each for candidate in found.candidates for each in candidate.text if each.isalpha()]
        arabic = sum("ARABIC" in unicodedata.name(each, "") for each in letters)
        others = len("NotionCalendar") + len("Mira")
        assert arabic / max(1, len(letters) - others * len(found.candidates)) > 0.6
