"""The reviewed list of repairs to LoCoMo's evidence strings.

The annotators typed turn ids by hand. Each rule below mends one slip that was seen in the published
file; nothing is guessed from the text of a turn. What no rule makes an id of an existing turn is
dropped and reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bench.corpus import Remark

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

_TURN_ID: Final = re.compile(r"D[1-9]\d*:[1-9]\d*")
_SEPARATORS: Final = re.compile(r"[;,\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One slip and how it is mended: a string in, the strings it stands for out."""

    name: str
    example: str
    mend: Callable[[str], Sequence[str]]


def _substitute(pattern: str, replacement: str) -> Callable[[str], Sequence[str]]:
    compiled = re.compile(pattern)
    return lambda raw: [compiled.sub(replacement, raw)]


RULES: Final = (
    Rule(
        name="several ids in one string",
        example="D8:6; D9:17",
        mend=lambda raw: [part for part in _SEPARATORS.split(raw) if part],
    ),
    Rule(name="colon after the D", example="D:11:26", mend=_substitute(r"^D:(?=\d+:\d+$)", "D")),
    Rule(
        name="zero-padded id",
        example="D30:05",
        mend=_substitute(r"^D0*([1-9]\d*):0*([1-9]\d*)$", r"D\1:\2"),
    ),
)
"""Applied in this order, each to what the one before it left."""


def repair(evidence: Sequence[str], turn_ids: Container[str], question_id: str) -> tuple[tuple[str, ...], list[Remark]]:
    """Ids of existing turns that the strings stand for, distinct, and what was done to get them."""
    found: list[str] = []
    remarks: list[Remark] = []
    for raw in evidence:
        mended, applied = _mend(raw)
        remarks += [Remark(kind="repaired", subject=question_id, rule=rule, detail=raw) for rule in applied]
        for turn_id in mended:
            if turn_id in turn_ids:
                found.append(turn_id)
            else:
                rule = _why(turn_id)
                remarks.append(Remark(kind="dropped", subject=question_id, rule=rule, detail=turn_id))
    return tuple(dict.fromkeys(found)), remarks


def _mend(raw: str) -> tuple[list[str], list[str]]:
    current, applied = [raw], []
    for rule in RULES:
        mended = [part for one in current for part in rule.mend(one)]
        if mended != current:
            applied.append(rule.name)
        current = mended
    return current, applied


def _why(turn_id: str) -> str:
    return "evidence names no turn" if _TURN_ID.fullmatch(turn_id) else "evidence is not an id"
