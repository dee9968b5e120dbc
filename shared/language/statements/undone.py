"""What a sentence says is over and is not, as it was undone: `was stolen, but I got it back`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from shared.contract.candidates import Change
from shared.language.statements.stated import Statement

_THEM: Final = r"(?:it|him|her|them|that)"
_THEY: Final = r"(?:it|he|she|they)"
_UNDONE: Final = re.compile(
    r"\b(?:back together|made up (?:again|since|last|in)|made up$|reconciled|remarried)\b"
    rf"|\b(?:got|gotten|have|has|had|bought|won|took|brought|given) {_THEM} back\b|\bgot back {_THEM}\b"
    rf"|\b(?:found|recovered|retrieved|returned) {_THEM}\b"
    rf"|\b{_THEY}(?:'s| is| was| were|'re| are| has been| have been| has| have)?(?: (?:soon|later|now|just|then))*"
    r" (?:found|returned|recovered|turned up|came back|come back|back|reappeared|given back)(?: (?:again|now|home))*"
    r"(?=[\s.!,]*$| (?:on|in|last|yesterday|today|two|three|a|the)\b)"
    r"|\b(?:took|hired|rehired) (?:me|us) back\b|\bbut (?:i |we )?(?:went|came|am|'m) back\b",
    re.IGNORECASE,
)
_OVER_AGAIN: Final = re.compile(
    r"\b(?:broke|broken|split|parted|divorced|left|over|lost|stolen|died|sold|dumped|ended|gone|quit|gave|given)\b",
    re.IGNORECASE,
)
_NOT_SO: Final = re.compile(r"\b(?:not|never|no|n't|won't|nobody|hope|want|wish|until|if)\b|n't\b", re.IGNORECASE)
_UNDOABLE: Final = frozenset({"partner", "former_partner", "marital_status", "owns", "pet", "works_at", "friend"})
_PARTED: Final = frozenset({"divorced", "separated", "single"})


def without_undone(written: str, found: Iterable[Statement]) -> list[Statement]:
    """What a sentence states, without the ends that its own last words undo."""
    kept = list(found)
    if not _is_undone(written):
        return kept
    return [each for each in kept if each.predicate not in _UNDOABLE or not _is_end(each)]


def _is_end(found: Statement) -> bool:
    parted = found.predicate == "former_partner" or found.object in _PARTED
    return found.change is Change.ENDED or parted


def _is_undone(written: str) -> bool:
    """Whether something that is over is put right behind, and is not over once more."""
    marks = list(_UNDONE.finditer(written))
    ends = [end.start() for end in _OVER_AGAIN.finditer(written)]
    if not marks or not ends or min(ends) > marks[0].start() or max(ends) > marks[-1].start():
        return False
    between = written[max(end for end in ends if end < marks[-1].start()) : marks[-1].end()]
    return _NOT_SO.search(between) is None
