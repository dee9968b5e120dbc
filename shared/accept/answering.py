"""A secret that is a message of its own, after one that asks for it or announces it. Pure.

What is the wifi password? | kolibri              goes: nothing but the value answers this
Do you remember the PIN?   | 4471                 goes: no other answer looks like it
Do you remember the PIN?   | Not any more         stays, and so does a name after "who"
"""

# ruff: noqa: RUF001 - words of many scripts

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from shared.accept.asking import asked
from shared.accept.beside import is_strong, is_word
from shared.accept.likeness import is_ordinary, is_placeholder, names_something
from shared.accept.scrub import Scrubbed, scrub

if TYPE_CHECKING:
    from shared.accept.asking import Asked

_MOST_CHARS: Final = 160
_MOST_WORDS: Final = 8
_MOST_OF_PHRASE: Final = 24
_LEAD: Final = re.compile(
    r"(?:(?:oh|ah|hm+|yes|yeah|yep|sure|ok|okay|of course|ja|klar|sí|si|claro|oui|bien sûr|sim|certo|da|да|tak|sorry)"
    r"[,.!:]*\s(?:thing[,.!:]*\s)?){0,2}(?:(?:i think|i believe|ich glaube|creo que|je crois que)\s)?"
    r"(?:(?:(?:it|that|this)(?:['’]s| is| was)|(?:es|das|sie) ist|c['’]est|é|è|es|est|to|het is|det är|это|це|"
    r"here (?:it is|you go)|there you go|voilà|aquí (?:va|tienes)|ecco)(?=[\s:,])\s?[:,-]?\s?)?[\"'`“«„*_]{0,3}",
    re.IGNORECASE,
)
_ANSWERS: Final = frozenset(  # lines of words are easier to read and keep than a word a line
    """
    yes yeah yep yup no nope nah ok okay sure none nothing nobody idk dunno sorry later soon tomorrow yesterday today
    tonight now never always maybe perhaps probably possibly thanks thank please what why who where when which huh hmm
    hm hi hello hey bye stop cancel skip wait wrong right correct exactly indeed absolutely definitely certainly
    forgot forgotten unknown secret private empty blank default same unchanged mine yours his hers ours theirs me you
    everyone everybody anyone someone both neither either all some pass next help continue done ready good great fine
    cool nice lol haha really seriously honestly guess whatever anything something somewhere here there nowhere
    understood depends noted bummer hold moment sec second checking looking that
    monday tuesday wednesday thursday friday saturday sunday mum mom dad
    nein doch nö nee vielleicht später morgen gestern heute niemand nichts keins keine keiner bitte danke vergessen
    egal moment gleich sofort natürlich klar ungern warum wieso welches
    nada nadie ninguna ninguno luego mañana ayer hoy quizás quizá gracias claro olvidé tampoco después perdón
    non oui rien personne aucun aucune demain hier désolé désolée pardon merci jamais toujours peut-être oublié bof
    niente nessuno nessuna domani ieri oggi forse grazie dopo scusa mai dimenticata boh sì
    não nenhum nenhuma ninguém amanhã ontem hoje talvez obrigado obrigada desculpa depois nunca esqueci sim
    nee niets niemand later morgen gisteren misschien bedankt nie tak nic jutro wczoraj może dzięki
    нет да не никто завтра вчера потом забыл забыла извини спасибо позже
    """.split()  # noqa: SIM905
)
_WAITS: Final = re.compile(
    r"(?:(?:oh|yes|yeah|sure|ok|okay|of course|hm+|ja|klar|sí|claro|oui|sim|one|a|just|give me|wait|hold on|hang on|"
    r"moment|second|sec|minute|please|hier|bitte|einen|eine|sekunde|augenblick|let me (?:look|check|see)|"
    r"here (?:it is|you go|it comes)|there you go|it is|it['’]s|un|um|momento|attends|espera|aspetta|voilà|ecco)"
    r"[\s,.:;!…-]*){1,6}",
    re.IGNORECASE,
)
_EDGES: Final = " \t.,;:!?…\"'`”»*_)"
_FIGURES: Final = re.compile(r"\d{4,40}")
_FIGURES_OF_NO_YEAR: Final = 6
_PLAIN: Final = re.compile(r"[^\W_]{3,40}(?:[-_.][^\W_]{1,40}){0,6}[!?.]{0,3}")
_HUMPS: Final = re.compile(r"(?<=[^\W_])[A-Z]")
_SYMBOL: Final = re.compile(r"[@#$%^&*+=~|\\!][^\W_]")
_REDACTED: Final = "[redacted: "


def scrub_answer(before: str, text: str) -> Scrubbed:
    """Replace the secrets of a message, also one that it has for the one `before` it asks or announces.

    Scrubbing twice changes nothing more. Linear in the text; of the one before its last sentence is read.
    """
    scrubbed = scrub(text)
    if scrubbed.found or not before or len(text) > _MOST_CHARS:
        return scrubbed
    if len(text.split()) > _MOST_OF_PHRASE or _REDACTED in text:
        return scrubbed
    wanted = asked(before)
    return (wanted and _answer(wanted, text)) or scrubbed


def waits(text: str) -> bool:
    """Whether a message only says that the answer is to come, so that the next one is it."""
    return len(text) <= _MOST_CHARS and _WAITS.fullmatch(text.strip(_EDGES)) is not None


def _answer(wanted: Asked, text: str) -> Scrubbed | None:
    """The text without the value that is wanted; None if it holds none."""
    lead = _LEAD.match(text.lower()) if len(text.lower()) == len(text) else None
    start = lead.end() if lead else 0
    number = wanted.is_number and not _is_year_of_something(wanted, text[start:])
    found = _redacted(f"{wanted.label}: ", text, start) if number else None
    if found or not wanted.is_word:
        return found
    words = list(re.finditer(r"\S+", text[start:]))
    if len(words) <= _MOST_WORDS and (not wanted.of_whom or len(words) == 1):
        sure = (start + word.start() for word in words[: None if wanted.outright else 1] if _is_sure(wanted, word[0]))
        found = next((found for at in sure if (found := _redacted(f"{wanted.label}: ", text, at))), None)
        if found:
            return found
    return _plain(wanted, text, start) if wanted.outright and words else None


def _plain(wanted: Asked, text: str, start: int) -> Scrubbed | None:
    """The text without a value of ordinary letters: a word alone, or a phrase of which no word is an answer."""
    words = [word.strip(_EDGES).casefold() for word in text[start:].split()]
    if text.rstrip().endswith("?") or _ANSWERS.intersection(words) or any(map(is_ordinary, words[:1])):
        return None
    if len(words) == 1:
        value = text[start:].strip(_EDGES)
        told = is_word(value) and _PLAIN.fullmatch(value) is not None and not names_something(value)
        return _redacted(f"{wanted.label}: ", text, start) if told else None
    return _redacted(f"{wanted.label} is ", text, start) if _is_phrase(words) else None


def _is_phrase(words: list[str]) -> bool:
    return len(words) > 2 and all(word.isalpha() and is_word(word) for word in words)  # noqa: PLR2004 - two are a name


def _is_sure(wanted: Asked, word: str) -> bool:
    """Whether a word is no answer to anything but a question for a secret."""
    value = word.strip(_EDGES)
    if _FIGURES.fullmatch(value):
        return wanted.outright or len(value) >= _FIGURES_OF_NO_YEAR
    if is_placeholder(value) or names_something(value):
        return False
    humps = len(_HUMPS.findall(value)) > 1 and not value.isupper() and "-" not in value
    return is_strong(value) or humps or _SYMBOL.search(value) is not None


def _is_year_of_something(wanted: Asked, value: str) -> bool:
    """Whether figures may be a year: after "did you change the PIN?"."""
    return not wanted.outright and re.fullmatch(r"(?:in )?(?:19|20)\d\d", value.strip(_EDGES)) is not None


def _redacted(label: str, text: str, at: int) -> Scrubbed | None:
    """The text, scrubbed from a place on as if it stood after a label; None if nothing goes there."""
    told = scrub(label + text[at:])
    if not told.found or not told.text.startswith(label):
        return None
    return Scrubbed(text=text[:at] + told.text.removeprefix(label), found=told.found)
