"""How messages and ids stand in a file: always as data, so that no text can pass for a line of ours. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from shared.contract.scope import stream_of
from shared.store.trajectories import Told

_UNSEEN: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f\ud800-\udfff]"
)
"""What breaks lines, turns the direction of writing or is not seen; joiners within words and emoji are left."""
_LONGEST_SHOWN: Final = 160


def escaped(text: str) -> str:
    r"""A text with each character that breaks lines or is not seen as `\u2028`; newline and tab are left.

    As JSON has it: a character beyond the first plane as the two halves of its pair.
    """
    return _UNSEEN.sub(_as_json, text)


def _as_json(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def quoted(text: str, longest: int | None = None) -> str:
    """A text on one line in double quotes, as JSON writes it, cut after `longest` characters."""
    cut = text if longest is None or len(text) <= longest else f"{text[:longest]}…"
    return escaped(json.dumps(cut, ensure_ascii=False))


def date(at: datetime | None) -> str:
    """A moment in UTC, to the second; `undated` where it is not known."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" if at else "undated"


def speaker(told: Told) -> str:
    """Who said it, as far as that is known."""
    return told.speaker or told.role or told.origin


def entry(told: Told) -> list[str]:
    """A message's lines: who and when, then the text with a mark before each line."""
    sort = f"{told.kind}/{told.epistemic_type}" + (f" ended={date(told.ended_at)}" if told.ended_at else "")
    head = (
        f"@ {date(told.at)} {quoted(speaker(told))} role={told.role or '-'} from={told.origin} trust={told.trust} "
        f"{sort} memory={told.memory_id}"
    )
    return [head, *(f"> {line}" for line in escaped(told.text.replace("\r\n", "\n")).split("\n"))]


def run_heading(told: Told) -> list[str]:
    """What stands above the messages of a run."""
    run = "without a run" if told.run_id is None else f"run {quoted(told.run_id)}"
    return [f"# {run}", "", f"session {_session(told)}, stream {quoted(stream_of(told.owner))}", ""]


def extract(told: Told, file: str, lines: tuple[int, int]) -> str:
    """One line that quotes the beginning of a message and says where it is."""
    text = " ".join(told.text.split())
    return (
        f"{date(told.at)} {quoted(speaker(told), 40)} at {file}:{lines[0]}-{lines[1]}: {quoted(text, _LONGEST_SHOWN)}"
    )


def summary(told: Sequence[Told], runs: int, extracts: Iterable[str]) -> list[str]:
    """A session's page: who spoke, when, and what was picked out of it."""
    return [
        f"# session {_session(told[0])}",
        "",
        f"stream {quoted(stream_of(told[0].owner))}; {span_of(told)}; {len(told)} messages in {runs} runs",
        f"speakers: {speakers(told)}",
        "",
        "Picked out by their words; cite the lines named, not this page:",
        *(f"- {each}" for each in extracts),
        "",
    ]


def index_line(folder: str, told: Sequence[Told], best: str) -> str:
    """A session's line of the index."""
    return f"- {folder}/ {span_of(told)}, {len(told)} messages, {speakers(told)}; {best}"


def span_of(told: Iterable[Told]) -> str:
    """From when to when, as days."""
    days = sorted(date(each.at)[:10] for each in told if each.at)
    return "undated" if not days else days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"


def speakers(told: Iterable[Told], most: int = 8) -> str:
    """Who spoke, those who said most first."""
    counts: dict[str, int] = {}
    for each in told:
        counts[speaker(each)] = counts.get(speaker(each), 0) + 1
    ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    shown = ", ".join(f"{quoted(name, 40)} {count}" for name, count in ranked[:most])
    return shown if len(ranked) <= most else f"{shown} and {len(ranked) - most} more"


def _session(told: Told) -> str:
    return "none" if told.session_id is None else quoted(told.session_id)
