"""Whether a thing is a medicine, by the word itself: the stems that names of substances are given by the WHO. Pure."""

from __future__ import annotations

from typing import Final

from shared.language.statements.phrases import Phrase
from shared.language.statements.words import word_set

_KNOWN: Final = word_set("""
    antidepressants medication insulin antibiotics statins supplements vitamins ibuprofen paracetamol aspirin warfarin
    lithium ritalin prozac zoloft ventolin thyroxine steroids antihistamines metformin iron magnesium melatonin
    ozempic adderall xanax lexapro concerta humira eliquis
""")
_STEMS: Final = (
    "pril", "sartan", "statin", "olol", "azole", "cillin", "mycin", "oxacin", "pam", "lam", "zepam", "xetine", "mab",
    "formin", "gliptin", "gliflozin", "tidine", "prazole", "dipine", "thiazide", "semide", "pramine", "triptyline",
    "triptan", "profen", "coxib", "cycline", "sone", "solone", "terol", "lukast", "grel", "xaban", "parin", "oxine",
    "alopram", "azepine", "gabalin", "gabapentin", "traline", "faxine", "idone", "apine", "thyroxine", "glutide",
    "phenidate", "dronate", "setron", "vir", "trexate", "azine", "codone", "tamol", "prost", "astine", "atadine",
)  # fmt: skip
"""Some of the common stems of international nonproprietary names."""
_SHORTEST: Final = 6
_NO_MEDICINE: Final = word_set("medicine magazine saxophone sone reservoir souvenir elixir salam islam")


def is_medicine(phrase: Phrase) -> bool:
    """Whether a phrase names a medicine: by a word that is one, or by its stem."""
    for token in phrase.tokens:
        if is_named_medicine(token.norm):
            return token.pos in {"NOUN", "PROPN", "ADJ", "VERB"} or token.norm in _KNOWN
    return False


def is_named_medicine(word: str) -> bool:
    """Whether one word alone is a medicine's name."""
    word = word.lower()
    return word in _KNOWN or (len(word) >= _SHORTEST and word.endswith(_STEMS) and word not in _NO_MEDICINE)


_MEDICINES: Final = word_set("antidepressants medication insulin antibiotics statins supplements vitamins")
_ENDINGS: Final = ("ine", "ol", "in", "ide", "ate", "pril", "statin", "pam", "one")
_SHORTEST_TAKEN: Final = 7
_OTHER_WORDS: Final = word_set(
    "medicine control magazine cabin captain certain dolphin mountain machine routine online"
)


def sounds_like_medicine(phrase: Phrase) -> bool:
    """Whether what somebody says they take is a medicine: looser, as there is little else that one takes."""
    last = phrase.words.split()[-1]
    sounds = last.endswith(_ENDINGS) and len(last) >= _SHORTEST_TAKEN and last not in _OTHER_WORDS
    return last in _MEDICINES or (sounds and not phrase.article and phrase.head.pos in {"NOUN", "PROPN"})
