"""What a model's conclusions come to, and what fifty passes of them leave of the memories that they are drawn from."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.belief.concluding import Concluded, concluded, showable
from shared.belief.fold import open_memories
from shared.belief.grounding import lines
from shared.belief.predicates import BUILT_IN, claim_of
from shared.belief.similarity import telling
from shared.belief.validating import refused
from shared.contract.operations import AbstractPayload
from shared.contract.proposals import Refusal
from shared.contract.records import EpistemicType, MemoryVersion
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import Ledger, at, belief

SAID = (
    "I took the early train to Leeds on Monday.",
    "The early train to Leeds was full, I stood for 40 minutes.",
    "I do not eat meat on weekdays.",
    "My sister Tove plays the cello in two choirs.",
    "I took the early train again, it left at 6:15.",
)


class Stream:
    """A stream of what one person said, each in a session of its own."""

    def __init__(self, *texts: str, **fields: Any) -> None:
        self.ledger = Ledger()
        for day, text in enumerate(texts):
            heard = self.ledger.hear(text, day=day, session=f"session-{day}", **fields)
            self.ledger.open_episodes(heard)

    @property
    def memories(self) -> list[MemoryVersion]:
        return open_memories(self.ledger.state)

    @property
    def made(self) -> dict[Any, list[Any]]:
        found: dict[Any, list[Any]] = {}
        for link in self.ledger.state.links:
            found.setdefault(link.source, []).append(link.target)
        return found

    @property
    def shown(self) -> list[MemoryVersion]:
        return [each for each in self.memories if showable(each) and each.memory_id not in self.made]

    def answered(self, *entries: Any) -> Concluded:
        beliefs = [each for each in self.memories if each.epistemic_type is not EpistemicType.EVIDENCE]
        return concluded(entries, self.shown, beliefs, self.made.values())

    def pass_(self, *entries: Any) -> list[Refusal | None]:
        """Carry out what passes of an answer."""
        held = {each.memory_id: each for each in self.memories}
        verdicts = []
        for each in self.answered(*entries).proposals:
            verdicts.append(refused(each, held))
            if verdicts[-1] is None:
                self.ledger.do(each.operation)
        return verdicts


def entry(text: str, *numbers: int, sort: str = "insight") -> dict[str, Any]:
    return {"type": sort, "text": text, "lines": list(numbers)}


def test_a_conclusion_cites_all_of_its_lines_and_is_no_surer_than_they_are() -> None:
    stream = Stream(*SAID)
    assert stream.pass_(entry("Often takes the early train to Leeds.", 1, 2, sort="preference")) == [None]
    (made,) = [each for each in stream.memories if each.epistemic_type is EpistemicType.PREFERENCE]
    assert (made.text, made.confidence, made.valid_from) == ("Often takes the early train to Leeds.", 0.6, at(0))
    assert {ref.sequence for ref in made.evidence} == {1, 3}
    assert stream.answered(entry("Takes the early train to Leeds by habit.", 1, 2)).rejected == {"drawn_before": 1}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("no object", "bad_entry"),
        ({"type": "fact", "text": "x", "lines": [1, 2]}, "bad_entry"),
        (entry("", 1, 2), "bad_entry"),
        (entry("x" * 301, 1, 2), "bad_entry"),
        ({"type": "insight", "text": "Trains.", "lines": ["1", 2]}, "bad_entry"),
        (entry("Takes the early train.", 1, 9), "unknown_alias"),
        (entry("Takes the early train.", 0, 1), "unknown_alias"),
        (entry("Takes the early train.", 1, 1), "one_line"),
        (entry("Does not take the early train to Leeds.", 1, 2), "denial_differs"),
        (entry("Eats meat on weekdays, early.", 3, 1), "denial_differs"),
        (entry("A spy of some foreign power.", 1, 2), "unsupported"),
        (entry("Takes the early train to Leeds with a cello.", 1, 2), "uncited"),
        (entry("Is on the early train to Leeds with tove.", 1, 2), "uncited"),
        (entry("I took the early train to Leeds on Monday.", 1, 2), "known"),
        (entry("Does she take the early train?", 1, 2), "bad_text"),
    ],
)
def test_each_entry_is_judged_by_itself(given: Any, why: str) -> None:
    stream = Stream(*SAID)
    good = entry("Often takes the early train.", 1, 5)
    found = stream.answered(given, good)
    assert found.rejected == Counter([why])
    assert len(found.proposals) == 1


def test_lines_of_one_session_are_summed_up_and_nothing_more_is_concluded_of_them() -> None:
    stream = Stream(*SAID)
    alike = [replace(each, session_id="one") for each in stream.shown]
    given = "Takes the early train to Leeds."
    assert concluded([entry(given, 1, 2)], alike, [], []).rejected == {"one_session": 1}
    assert len(concluded([entry(given, 1, 2, sort="summary")], alike, [], []).proposals) == 1


def test_what_is_gone_by_now_bears_nothing() -> None:
    stream = Stream(*SAID)
    shown = [None, *stream.shown[1:]]
    assert concluded([entry("Takes the early train.", 1, 2)], shown, [], []).rejected == {"source_gone": 1}


@pytest.mark.parametrize(
    "text",
    ["Takes the early train at 7:15.", "Takes the early train with Oskar.", "Early train to Leeds on Friday."],
)
def test_a_number_name_or_date_that_no_line_has_is_refused_by_the_validator(text: str) -> None:
    assert Stream(*SAID).pass_(entry(text, 1, 2)) == [Refusal.UNSUPPORTED]


@pytest.mark.parametrize("origin", [Origin.WEB, Origin.TOOL, Origin.DOCUMENT, Origin.ASSISTANT])
def test_only_a_persons_own_words_are_shown(origin: Origin) -> None:
    assert Stream(*SAID, origin=origin).shown == []


def test_what_is_delicate_or_was_concluded_is_not_shown() -> None:
    stream = Stream(*SAID, "I have diabetes.")
    stream.pass_(entry("Often takes the early train.", 1, 2))
    shown = [each.text for each in stream.shown]
    assert shown == list(SAID)
    assert [json.loads(each)["n"] for each in lines(stream.shown).split("\n")] == [1, 2, 3, 4, 5]


class Paraphraser:
    """A model that puts together whatever it is shown, each time in other words, and gets some of it wrong."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, shown: str) -> list[dict[str, Any]]:
        self.calls += 1
        told = [json.loads(each) for each in shown.split("\n")]
        pairs = [(one, other) for one in told for other in told if one["n"] < other["n"]]
        return [self._entry(*pair, place) for place, pair in enumerate(pairs)]

    def _entry(self, one: dict[str, Any], other: dict[str, Any], place: int) -> dict[str, Any]:
        words = re.findall(r"[\w':]+", f"{one['text']} {other['text']}")
        turn = (self.calls + place) % 5
        if turn == 1:
            words = [re.sub(r"\d+", lambda found: str(int(found[0]) + self.calls), word) for word in words]
        if turn == 2:
            words = [word for word in words if word not in {"not", "do"}]
        if turn == 3:
            words = [*words[self.calls % 3 :], "Oskar", "probably"]
        return entry(" ".join(words[:: 1 + self.calls % 2])[:290], one["n"], other["n"])


def test_fifty_passes_of_a_paraphrasing_model_leave_meanings_numbers_dates_names_denials_and_evidence_in_place() -> (
    None
):
    stream, model = Stream(*SAID), Paraphraser()
    before = {each.memory_id: each for each in stream.memories}
    for _ in range(50):
        stream.pass_(*model(lines(stream.shown)))
    after = {each.memory_id: each for each in stream.memories}
    assert {memory: after[memory] for memory in before} == before
    made = stream.made
    assert 0 < len(made) <= 10, "each pair of lines bears one conclusion, whatever the words"
    for memory, sources in made.items():
        assert set(sources) <= before.keys(), "nothing is concluded from a conclusion"
        _no_drift(after[memory], [before[source] for source in sources])
    assert stream.pass_(*model(lines(stream.shown))) == [], "the last pass proposes nothing"


def _no_drift(made: MemoryVersion, sources: list[MemoryVersion]) -> None:
    told, said = telling(made.text), [telling(each.text) for each in sources]
    for kind in ("numbers", "dates", "names"):
        assert set(getattr(told, kind)) <= {each for one in said for each in getattr(one, kind)}
    assert all(bool(one.negations) == bool(told.negations) for one in said)
    assert {ref.span for ref in made.evidence} == {ref.span for each in sources for ref in each.evidence}
    assert made.confidence <= min(each.confidence for each in sources)


@given(st.lists(st.one_of(st.none(), st.text(), st.dictionaries(st.sampled_from(["type", "text", "lines"]), st.one_of(
    st.text(), st.lists(st.integers()), st.sampled_from(["insight", "summary"])))), max_size=30))  # fmt: skip
def test_whatever_an_answer_holds_nothing_is_raised_and_nothing_passes_unseen(entries: list[Any]) -> None:
    found = Stream(*SAID[:2]).answered(*entries)
    assert len(found.proposals) + found.rejected.total() == len(entries)
    assert all(isinstance(each.operation, AbstractPayload) for each in found.proposals)


def test_a_contradiction_is_asked_about_and_nothing_is_written_for_it() -> None:
    stream = Stream(*SAID)
    vegan = stream.ledger.believe(belief(1, text="Mira is a vegan."))
    ham = stream.ledger.believe(belief(3, text="Mira eats ham every morning."))
    stream.ledger.believe(belief(3, text="Mira likes tea.", claim=claim_of("Mira", "likes", "tea", BUILT_IN)))
    stream.ledger.believe(belief(3, text="Mira likes rum.", claim=claim_of("Mira", "likes", "rum", BUILT_IN)))
    found = stream.answered(
        *(entry("what she eats", *pair, sort="contradiction") for pair in ((7, 6), (1, 6), (8, 9), (6,)))
    )
    (question,) = found.questions
    assert (question.memories, question.why, found.proposals) == ((vegan, ham), "model", ())
    assert found.rejected == {"no_belief": 1, "many_values": 1, "no_pair": 1}


def test_what_two_people_said_is_asked_about_where_it_has_a_key_alone() -> None:
    stream = Stream(*SAID)
    said = stream.ledger.hear("I eat ham.", speaker="Tove")
    stream.ledger.believe(belief(1, text="Mira is a vegan."))
    stream.ledger.believe(belief(said, text="Mira eats ham every morning."))
    stream.ledger.believe(belief(1, text="Mira works at Acme.", claim=claim_of("Mira", "works_for", "Acme", BUILT_IN)))
    stream.ledger.believe(belief(said, text="Mira is at Beta.", claim=claim_of("Mira", "works_for", "Beta", BUILT_IN)))
    found = stream.answered(*(entry("what is so", *pair, sort="contradiction") for pair in ((6, 7), (8, 9))))
    assert (len(found.questions), found.rejected) == (1, {"two_speakers": 1})
