"""Reads the words between a subject and its verb: auxiliaries, negations, adverbs. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from shared.language.statements.phrases import in_times
from shared.language.statements.tagged import Token
from shared.language.statements.verbs import LEMMAS, PAST_FORMS
from shared.language.statements.words import word_set

_BE: Final = frozenset({"am", "is", "are", "was", "were", "be", "been", "being", "'m", "'s", "'re", "m", "s", "re"})
_HAVE: Final = frozenset({"have", "has", "had", "'ve", "ve", "having"})
_DO: Final = frozenset({"do", "does", "did"})
_WILL: Final = frozenset({"will", "'ll", "ll", "shall", "wo"})
_MODALS: Final = frozenset({"would", "'d", "d", "could", "might", "may", "should", "must", "can", "ca", "ought"})
_NOT: Final = frozenset({"not", "n't", "nt", "never", "cannot"})
_DOUBTS: Final = frozenset(
    {"maybe", "perhaps", "probably", "possibly", "supposedly", "hypothetically", "hardly", "almost"}
    | {"nearly", "barely", "likely", "practically", "basically", "literally"}
    | {"rarely", "seldom", "scarcely", "infrequently"}
)
_HOW_FAR: Final = frozenset(
    {"always", "often", "usually", "normally", "generally", "typically", "only", "just", "exclusively", "necessarily"}
    | {"exactly", "entirely", "completely", "regularly", "frequently", "strictly", "exclusively", "mostly", "all"}
)
"""What is denied of these is how far or how often it is so, and not that it is."""
_ADVERBS: Final = word_set("""
    just also still now already always usually often sometimes recently currently really actually finally both
    all even only mostly definitely absolutely totally officially originally normally generally mainly long
    since then so do quite rather pretty super kind of sort gladly happily proudly sadly truly honestly
    personally very too ever soon temporarily permanently briefly once first
""")


@dataclass(slots=True)
class Seen:
    """What has been met on the way to the verb."""

    flags: dict[str, bool] = field(default_factory=dict)
    modal: str = ""
    adverbs: set[str] = field(default_factory=set)

    def put(self, *names: str) -> None:
        """Note that these were met."""
        for name in names:
            self.flags[name] = True


def step(tokens: Sequence[Token], at: int, seen: Seen, times: Sequence[tuple[int, int]]) -> tuple[int, str]:  # noqa: C901, PLR0911, PLR0912 - one answer for each kind of word
    """How many tokens are read, and the verb where it is among them."""
    norm = tokens[at].norm
    after = _next(tokens, at + 1)
    if in_times(tokens[at], times) or tokens[at].text in {",", "'"}:
        return 1, ""
    if norm == "no" and tokens[at + 1 : at + 2] and tokens[at + 1].norm == "longer":
        seen.put("over")
        return 2, ""
    if norm in _NOT:
        seen.put("negated", *(["never"] if norm == "never" else []))
        if norm == "cannot":
            seen.modal = "can"
        return 1, ""
    if norm in _WILL or norm in _MODALS:
        return _modal(tokens, at, seen)
    if norm == "used" and _follows(tokens, at, "to"):
        seen.put("over", "used_to")
        return 2, ""
    if norm in {"gon", "gonna"}:
        seen.put("future")
        return 2 if norm == "gon" else 1, ""
    if norm in _DO and after is not None and (after.norm in _NOT or _is_verb(after)):
        seen.put(*(["past"] if norm == "did" else []))
        return 1, ""
    if norm in _BE:
        return _being(tokens, at, seen)
    if norm in _HAVE:
        return _having(tokens, at, seen)
    if norm in _DO and after is not None and after.pos in {"DET", "NOUN", "PROPN", "ADJ"}:
        return _main(tokens[at], seen)
    if _is_adverb(tokens, at):
        _adverb(norm, seen)
        return 1, ""
    if _is_slip(tokens, at):
        return 1, ""
    return _main(tokens[at], seen)


def _adverb(norm: str, seen: Seen) -> None:
    """Note an adverb; `rarely` makes doubtful what is said, and behind `not` so does `always`."""
    seen.adverbs.add(norm)
    turned = norm in _HOW_FAR and seen.flags.get("negated", False) and not seen.flags.get("never", False)
    seen.put(*(["doubted"] if norm in _DOUBTS or turned else []))


def _is_slip(tokens: Sequence[Token], at: int) -> bool:
    """A word that is no verb, right before one: an adverb with a slip (`i realy hate`)."""
    token = tokens[at]
    if token.norm in LEMMAS or token.pos in {"PRON", "DET", "ADP", "PUNCT", "SCONJ", "CCONJ", "PART", "NUM"} or not at:
        return False
    return (
        tokens[at - 1].norm in {"i", "we"}
        and at + 1 < len(tokens)
        and tokens[at + 1].norm in LEMMAS
        and (token.tag not in {"VBD", "VBZ", "VBP", "VB"} or token.norm.endswith("ly"))
    )


def _follows(tokens: Sequence[Token], at: int, word: str) -> bool:
    return at + 1 < len(tokens) and tokens[at + 1].norm == word


def _next(tokens: Sequence[Token], at: int) -> Token | None:
    """The next token that is no adverb and no negation."""
    while at < len(tokens) and (_is_adverb(tokens, at) or tokens[at].norm in _NOT):
        if tokens[at].norm in _NOT:
            return tokens[at]
        at += 1
    return tokens[at] if at < len(tokens) else None


def _is_adverb(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    if token.norm in LEMMAS and token.pos in {"VERB", "NOUN", "ADP", "ADJ"}:
        return False
    return token.norm in _ADVERBS or token.norm in _DOUBTS or (token.pos == "ADV" and token.norm.endswith("ly"))


def _is_verb(token: Token) -> bool:
    return token.pos in {"VERB", "AUX"} or token.norm in LEMMAS


def _modal(tokens: Sequence[Token], at: int, seen: Seen) -> tuple[int, str]:
    norm = tokens[at].norm
    if norm in _WILL:
        seen.put("future")
    else:
        seen.modal = {"ca": "can", "'d": "would", "d": "would"}.get(norm, norm)
    return 1, ""


def _being(tokens: Sequence[Token], at: int, seen: Seen) -> tuple[int, str]:  # noqa: PLR0911 - one answer for each form
    """A form of `be`: an auxiliary before `-ing` and participles, else the verb itself."""
    norm = tokens[at].norm
    seen.put(*(["past"] if norm in {"was", "were"} else []))
    behind = at + 1
    while behind < len(tokens) and (_is_adverb(tokens, behind) or tokens[behind].norm in _NOT):
        behind += 1
    if behind + 1 < len(tokens) and tokens[behind].norm == "no" and tokens[behind + 1].norm == "longer":
        behind += 2
    after = tokens[behind] if behind < len(tokens) else None
    if after is None:
        return _copula(tokens, at, seen)
    if after.norm == "going" and _follows(tokens, behind, "to") and _is_infinitive(tokens, behind + 2):
        seen.put("future")
        return behind + 2 - at, ""
    if norm in {"'s", "s"} and after.norm in {"got", "been", "had"}:
        seen.put("perfect")
        return (2, "have") if after.norm == "got" and _is_object(tokens, behind + 1) else (1, "")
    if after.norm in {"gon", "gonna"} or after.norm in _BE:
        return 1, ""
    if after.norm in LEMMAS and after.norm.endswith("ing"):
        seen.put("going_on")
        return 1, ""
    if after.norm in PAST_FORMS and after.tag in {"VBN", "VBD"} and after.norm not in _STATES:
        seen.put("passive")
        return 1, ""
    return _copula(tokens, at, seen)


def _is_object(tokens: Sequence[Token], at: int) -> bool:
    return (
        at < len(tokens)
        and tokens[at].pos in {"DET", "PRON", "NOUN", "PROPN", "ADJ", "NUM"}
        and tokens[at].norm != "me"
    )


_STATES: Final = frozenset(
    {"married", "divorced", "retired", "based", "engaged", "left", "called", "named", "separated", "bored", "born"}
)
"""What says how somebody is, and not what was done to them."""


def _is_infinitive(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and _is_verb(tokens[at]) and tokens[at].tag in {"VB", "VBP", "NN"}


def _copula(tokens: Sequence[Token], at: int, seen: Seen) -> tuple[int, str]:
    """The verb `be`, with the negation and the adverbs that stand behind it."""
    taken = 1
    while at + taken < len(tokens):
        token = tokens[at + taken]
        if token.norm in _NOT:
            seen.put("negated", *(["never"] if token.norm == "never" else []))
        elif token.norm == "no" and _follows(tokens, at + taken, "longer"):
            seen.put("over")
            taken += 1
        elif _is_adverb(tokens, at + taken):
            _adverb(token.norm, seen)
        else:
            break
        taken += 1
    return taken, "be"


def _having(tokens: Sequence[Token], at: int, seen: Seen) -> tuple[int, str]:
    """A form of `have`: an auxiliary before a participle, else the verb itself."""
    norm = tokens[at].norm
    behind = at + 1
    while behind < len(tokens) and (_is_adverb(tokens, behind) or tokens[behind].norm in _NOT):
        behind += 1
    after = tokens[behind] if behind < len(tokens) else None
    if after is not None and after.norm == "got":
        return (behind + 1 - at, "have") if not _is_participle_behind(tokens, behind + 1) else (1, "")
    if after is not None and (after.tag == "VBN" or after.norm in PAST_FORMS or after.norm == "been"):
        # What had been so before something else is no word on today: `had lived in Prague before I moved to Brno`.
        seen.put("perfect", *(["doubted"] if norm == "had" else []))
        return 1, ""
    if after is not None and after.norm == "to":
        seen.put(*(["past"] if norm == "had" else []))
        seen.modal = "must"
        return behind + 1 - at, ""
    seen.put(*(["past"] if norm == "had" else []))
    return 1, "have"


def _is_participle_behind(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].norm in {
        "married",
        "engaged",
        "divorced",
        "promoted",
        "rid",
        "into",
        "back",
        "used",
    }


def _main(token: Token, seen: Seen) -> tuple[int, str]:
    verb = LEMMAS.get(token.norm, token.lemma if token.pos == "VERB" else "")
    verb = verb or ("do" if token.norm in _DO else "")
    if not verb:
        return 0, ""
    if (
        (token.norm in PAST_FORMS or token.tag == "VBD")
        and not seen.flags.get("perfect")
        and not seen.flags.get("passive")
    ):
        seen.put("past")
    return 1, verb
