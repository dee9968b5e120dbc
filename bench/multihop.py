"""Questions over passages, as HotpotQA (Yang et al. 2018) and MuSiQue (Trivedi et al. 2022) ask them.

The passages of all questions of a file are one memory, each a message and a session of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, Field, TypeAdapter

from bench.corpus import Conversation, Corpus, Question, Remark, Turn
from bench.reading import read_json

if TYPE_CHECKING:
    from pathlib import Path

READER: Final = "reader"
"""Who says all of them: a name that no question holds."""
AT: Final = datetime(2024, 1, 1, 12, tzinfo=UTC)
"""When: the sets date nothing, so the same for all."""


class _HotpotQuestion(BaseModel):
    id: str = Field(alias="_id")
    type: str
    question: str
    answer: str
    context: list[tuple[str, list[str]]]
    supporting_facts: list[tuple[str, int]]


class _MusiqueParagraph(BaseModel):
    title: str
    paragraph_text: str
    is_supporting: bool


class _MusiqueQuestion(BaseModel):
    id: str
    question: str
    answer: str
    answerable: bool = True
    paragraphs: list[_MusiqueParagraph]


_FILE: Final[TypeAdapter[list[_HotpotQuestion] | list[_MusiqueQuestion]]] = TypeAdapter(
    list[_HotpotQuestion] | list[_MusiqueQuestion]
)


@dataclass(frozen=True, slots=True)
class _Passage:
    title: str
    text: str
    supports: bool

    @property
    def said(self) -> str:
        return f"{self.title}\n{self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question of either set."""

    id: str
    query: str
    kind: str
    answer: str
    answerable: bool
    passages: tuple[_Passage, ...]
    missing: tuple[str, ...] = ()
    """Titles that support it and are not among its passages."""


def load(path: Path) -> Corpus:
    """The questions of a HotpotQA or MuSiQue file, told apart by their fields, over the passages of them all.

    Passages with the same title and text are one; the same title with another text is another. A passage without text
    is dropped. A question that no passage supports is left out; so is a supporting title that is not there. What
    MuSiQue says is not answerable has no gold.

    Raises:
        InvalidInput: the file cannot be read as either.
    """
    raw = read_json(path, _FILE)
    asked = [_of_musique(one) if isinstance(one, _MusiqueQuestion) else _of_hotpot(one) for one in raw]
    name = "MuSiQue" if raw and isinstance(raw[0], _MusiqueQuestion) else "HotpotQA"
    remarks: list[Remark] = []
    ids = _numbered(asked, remarks)
    turns = tuple(
        Turn(id=turn_id, session_id=turn_id, speaker=READER, at=AT, text=said, role="user")
        for said, turn_id in ids.items()
    )
    return Corpus(
        name=name,
        conversations=(Conversation(id=name, turns=turns, participants=(READER,)),),
        questions=tuple(_questions(asked, name, ids, remarks)),
        remarks=tuple(remarks),
    )


def _of_hotpot(raw: _HotpotQuestion) -> _Asked:
    supporting = dict.fromkeys(title for title, _ in raw.supporting_facts)
    there = {title for title, _ in raw.context}
    return _Asked(
        id=raw.id,
        query=raw.question.strip(),
        kind=raw.type,
        answer=raw.answer,
        answerable=True,
        passages=tuple(
            _Passage(title.strip(), "".join(sentences).strip(), title in supporting) for title, sentences in raw.context
        ),
        missing=tuple(title for title in supporting if title not in there),
    )


def _of_musique(raw: _MusiqueQuestion) -> _Asked:
    return _Asked(
        id=raw.id,
        query=raw.question.strip(),
        kind=f"{raw.id[:1]} hops",  # 2hop__…, 3hop1__…
        answer=raw.answer,
        answerable=raw.answerable,
        passages=tuple(
            _Passage(each.title.strip(), each.paragraph_text.strip(), each.is_supporting) for each in raw.paragraphs
        ),
    )


def _numbered(asked: Iterable[_Asked], remarks: list[Remark]) -> dict[str, str]:
    """What is said, once each, to its id, in order of first appearance."""
    ids: dict[str, str] = {}
    for one in asked:
        for passage in one.passages:
            if not passage.text:
                remarks.append(Remark(kind="dropped", subject=one.id, rule="blank passage", detail=passage.title))
            else:
                ids.setdefault(passage.said, f"passage-{len(ids) + 1}")
    return ids


def _questions(asked: Iterable[_Asked], name: str, ids: dict[str, str], remarks: list[Remark]) -> Iterator[Question]:
    for one in asked:
        gold = [ids[each.said] for each in one.passages if each.supports and each.text] if one.answerable else []
        remarks += [
            Remark(kind="dropped", subject=one.id, rule="supporting passage is not there", detail=title)
            for title in one.missing
        ]
        if one.answerable and not gold:
            remarks.append(Remark(kind="left out", subject=one.id, rule="no evidence"))
            continue
        found = tuple(dict.fromkeys(gold))
        yield Question(
            id=one.id,
            conversation_id=name,
            query=one.query,
            kind=one.kind,
            answer=one.answer,
            gold_turn_ids=found,
            gold_session_ids=found,
            answerable=one.answerable,
        )
