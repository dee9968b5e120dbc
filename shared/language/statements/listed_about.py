"""What somebody lists of themselves below `About me:`, a line for each: `- city: Graz`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.stated import FAIR, Statement
from shared.language.statements.wording import sentence

_HEADING: Final = re.compile(
    r"(?:^|\n)[ \t#*]*(?:(?:a (?:bit|little) |some (?:facts|things) |facts )?about me|my (?:profile|details|data|info))"
    r"[ \t*]*:?[ \t*]*\n"
    r"(?P<lines>(?:[ \t]*[-*\u2022]?[ \t]*[a-z][a-z ]{1,20}[:=][^\n]*(?:\n|$)|[ \t]*[-*\u2022][^\n]*(?:\n|$))+)",
    re.IGNORECASE,
)
_LINE: Final = re.compile(
    r"[ \t]*[-*\u2022]?[ \t]*(?P<of>[a-z][a-z ]{1,20}?)[ \t]*[:=][ \t]*(?P<what>[^\n]+)", re.IGNORECASE
)
_MEANT: Final = {
    "name": "name", "full name": "name", "nickname": "preferred_name", "age": "age", "birthday": "birthday",
    "city": "lives_in", "town": "lives_in", "location": "lives_in", "home": "lives_in", "lives in": "lives_in",
    "from": "hometown", "hometown": "hometown", "job": "job", "occupation": "job", "profession": "job",
    "employer": "works_at", "company": "works_at", "works at": "works_at", "email": "email", "phone": "phone",
    "hobby": "hobby", "hobbies": "hobby", "diet": "diet", "pronouns": "pronouns", "timezone": "timezone",
    "allergy": "allergic_to", "allergies": "allergic_to", "languages": "speaks", "language": "speaks",
}  # fmt: skip
_SEVERAL: Final = frozenset({"hobby", "allergic_to", "speaks"})
_NONE: Final = frozenset({"none", "no", "n/a", "na", "-", "?", "tbd", "unknown", "secret", "nothing"})
_MOST_WORDS: Final = 5


def listed_about(text: str, who: str) -> Iterator[Statement]:
    """What the lines below such a heading say of the speaker; of what a line has several of, each."""
    for heading in _HEADING.finditer(text):
        for line in _LINE.finditer(text, heading.start("lines"), heading.end("lines")):
            predicate = _MEANT.get(line["of"].strip().lower(), "")
            values = re.split(r",| and ", line["what"]) if predicate in _SEVERAL else [line["what"]]
            for value in (each.strip(" .*\t") for each in values):
                if (
                    predicate
                    and value.lower() not in _NONE
                    and 0 < len(value.split()) <= _MOST_WORDS
                    and "?" not in value
                ):
                    yield _stated(line, who, predicate, value)


def _stated(line: re.Match[str], who: str, predicate: str, value: str) -> Statement:
    return Statement(
        subject=who, predicate=predicate, object=value, text=sentence(predicate, who, value, Change.HOLDS),
        start=line.start(), end=line.end(), is_preference=predicate == "preferred_name", confidence=FAIR,
    )  # fmt: skip
