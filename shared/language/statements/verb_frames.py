"""The frames: which verb, with which words behind it and what for an object, makes which claim. Pure data.

A frame is a verb with the word behind it (`trade in`, `take up`), whether it has happened, what its object must be,
and the claim that it makes: `sell` ends that somebody owns what was sold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from shared.contract.candidates import Change
from shared.language.ordinary import MONTHS, WEEKDAYS
from shared.language.statements.kinship import relation_of
from shared.language.statements.medicines import is_medicine
from shared.language.statements.phrases import Phrase
from shared.language.statements.words import GOODS, INSTRUMENTS_AND_GAMES, NO_GAMES, PLATFORMS, PRIZES, word_set

Fits = Callable[[Phrase], bool]


def is_goods(phrase: Phrase) -> bool:
    """Something that one owns for long: known as such, or a make by its capitals."""
    if phrase.owner not in {"", "my", "our"} or relation_of(phrase.head.norm):
        return False
    by_name = phrase.head.text[0].isupper() and phrase.head.pos in {"PROPN", "NOUN"} and phrase.article in {"a", "an"}
    return phrase.head.norm in GOODS or (by_name and phrase.head.norm not in MONTHS | WEEKDAYS)


def _is_known_goods(phrase: Phrase) -> bool:
    return is_goods(phrase) and phrase.head.norm in GOODS


def _is_let_go(phrase: Phrase) -> bool:
    by_name = phrase.is_name and (phrase.article in {"the", "a"} or phrase.owner in {"my", "our"})
    owned = phrase.owner in {"my", "our"}
    known = phrase.head.norm in GOODS and (owned or phrase.article in {"the", ""})
    thing = (
        owned and phrase.head.pos == "NOUN" and phrase.head.norm not in _NOT_SOLD and not relation_of(phrase.head.norm)
    )
    return known or by_name or thing


_NOT_SOLD: Final = word_set("""
    soul shares stake stock stocks idea ideas ticket tickets work time seat mind life place position job hair clothes
    habits excuses manager place name subject side sides role roles day days shift shifts notes
""")


def _is_prize(phrase: Phrase) -> bool:
    return phrase.head.norm in PRIZES and phrase.article != "no"


def _is_feat(phrase: Phrase) -> bool:
    return _is_prize(phrase) and phrase.head.norm not in _ROUTINE


_ROUTINE: Final = word_set("course test exam exams theory bar race")
"""What is finished without being won."""


def _is_named(phrase: Phrase) -> bool:
    return phrase.is_name and not phrase.owner


def _is_place(phrase: Phrase) -> bool:
    return _is_named(phrase) and not relation_of(phrase.head.norm) and phrase.head.norm not in MONTHS | WEEKDAYS


def _is_drug(phrase: Phrase) -> bool:
    return not phrase.owner and not phrase.article and is_medicine(phrase)


def _is_platform(phrase: Phrase) -> bool:
    return phrase.words in PLATFORMS or phrase.head.norm in PLATFORMS


def _is_played(phrase: Phrase) -> bool:
    head = phrase.head
    known = head.norm in INSTRUMENTS_AND_GAMES
    return known or (head.pos == "NOUN" and head.tag == "NN" and head.norm not in NO_GAMES and phrase.article != "a")


def _is_pastime(phrase: Phrase) -> bool:
    return not phrase.owner and not phrase.article and phrase.head.norm not in _NO_PASTIMES


_NO_PASTIMES: Final = word_set("space time arms residence position offer challenge post role slack too")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One way to say it: the verb, the words right behind it, and what is claimed of the object behind those."""

    verb: str
    behind: tuple[str, ...] = ()
    predicate: str
    fits: Fits
    done: bool = True
    """Whether it must have happened; else it must be so now."""
    change: Change = Change.HOLDS
    says: str = ""
    """The sentence of it, where it is not the predicate's own: `{who} bought {a}`."""


FRAMES: Final = (
    Frame(verb="trade", behind=("in",), predicate="owns", fits=_is_let_go, change=Change.ENDED),
    Frame(verb="sell", predicate="owns", fits=_is_let_go, change=Change.ENDED),
    Frame(verb="scrap", predicate="owns", fits=_is_let_go, change=Change.ENDED),
    Frame(verb="ditch", predicate="owns", fits=_is_let_go, change=Change.ENDED),
    Frame(verb="get", behind=("rid", "of"), predicate="owns", fits=_is_let_go, change=Change.ENDED),
    Frame(verb="give", behind=("away",), predicate="owns", fits=_is_let_go, change=Change.ENDED),
    Frame(verb="replace", predicate="owns", fits=_is_let_go, change=Change.ENDED),
    Frame(verb="swap", predicate="owns", fits=_is_let_go, change=Change.ENDED),
    Frame(verb="get", predicate="owns", fits=is_goods, says="{who} got {a}"),
    Frame(verb="buy", predicate="owns", fits=is_goods, says="{who} bought {a}"),
    Frame(verb="buy", behind=("myself",), predicate="owns", fits=is_goods, says="{who} bought {a}"),
    Frame(verb="get", behind=("myself",), predicate="owns", fits=is_goods, says="{who} got {a}"),
    Frame(verb="pick", behind=("up",), predicate="owns", fits=is_goods, says="{who} got {a}"),
    Frame(verb="inherit", predicate="owns", fits=is_goods, says="{who} inherited {a}"),
    Frame(verb="have", predicate="owns", fits=_is_known_goods, done=False),
    Frame(verb="own", predicate="owns", fits=is_goods, done=False),
    Frame(verb="win", predicate="achieved", fits=_is_prize, says="{who} won {rest}"),
    Frame(verb="pass", predicate="achieved", fits=_is_prize, says="{who} passed {rest}"),
    Frame(verb="finish", predicate="achieved", fits=_is_feat, says="{who} finished {rest}"),
    Frame(verb="complete", predicate="achieved", fits=_is_feat, says="{who} completed {rest}"),
    Frame(verb="earn", predicate="achieved", fits=_is_prize, says="{who} earned {rest}"),
    Frame(verb="start", behind=("on",), predicate="takes", fits=_is_drug),
    Frame(verb="start", predicate="takes", fits=_is_drug),
    Frame(verb="start", behind=("taking",), predicate="takes", fits=_is_drug),
    Frame(verb="take", predicate="takes", fits=_is_drug, done=False),
    Frame(verb="be", behind=("on",), predicate="takes", fits=_is_drug, done=False),
    Frame(verb="be", behind=("taking",), predicate="takes", fits=_is_drug, done=False),
    Frame(verb="prescribe", predicate="takes", fits=_is_drug),
    Frame(verb="put", behind=("on",), predicate="takes", fits=_is_drug),
    Frame(verb="move", behind=("onto",), predicate="takes", fits=_is_drug),
    Frame(verb="come", behind=("off",), predicate="takes", fits=_is_drug, change=Change.ENDED),
    Frame(verb="be", behind=("off",), predicate="takes", fits=_is_drug, done=False, change=Change.ENDED),
    Frame(verb="be", behind=("on",), predicate="uses", fits=_is_platform, done=False),
    Frame(verb="run", predicate="uses", fits=_is_platform, done=False),
    Frame(verb="bank", behind=("with",), predicate="bank", fits=_is_named, done=False),
    Frame(verb="visit", predicate="visited", fits=_is_place, says="{who} has been to {a}"),
    Frame(verb="be", behind=("to",), predicate="visited", fits=_is_place, says="{who} has been to {a}"),
    Frame(verb="go", behind=("to",), predicate="visited", fits=_is_place, says="{who} has been to {a}"),
    Frame(verb="take", behind=("up",), predicate="hobby", fits=_is_pastime, says="{who} took up {a}"),
    Frame(verb="move", behind=("over", "to"), predicate="uses", fits=_is_platform),
    Frame(verb="play", predicate="plays", fits=_is_played, done=False),
)
