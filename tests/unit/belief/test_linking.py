"""Which memories are worth a link, and which are not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shared.belief.fold import open_memories
from shared.belief.linking import Found, Known, Pair, chosen, context_of, found_in, handed_over
from shared.belief.predicates import BUILT_IN, claim_of
from shared.belief.unlinking import unlinking
from shared.belief.validating import refused
from shared.contract.operations import ClosePayload, LinkPayload, UnlinkPayload
from shared.contract.proposals import Proposal, Refusal
from shared.contract.records import EpistemicType, EvidenceRef, Link, MemoryVersion
from shared.contract.relations import MOST_LINKS, Relation
from tests.unit.belief.ledgers import Ledger, at, belief

MILL, MASONS = "Oskar Brandt restores the mill.", "Oskar Brandt wants two masons."
RARE = Known(mentions={"oskar brandt": 2})


def episodes(*texts: str) -> list[MemoryVersion]:
    ledger = Ledger()
    for number, text in enumerate(texts):
        ledger.open_episodes(ledger.hear(text, session=f"s{number}"))
    return open_memories(ledger.state)


def beliefs(*given: str | tuple[str, tuple[str, str, str]], **fields: Any) -> list[MemoryVersion]:
    ledger = Ledger()
    for each in given:
        text, claim = each if isinstance(each, tuple) else (each, None)
        claimed = claim_of(*claim, BUILT_IN) if claim else None
        ledger.believe(belief(ledger.hear(text), text=text, claim=claimed, **fields))
    return open_memories(ledger.state)


def found(older: MemoryVersion, newer: MemoryVersion, cosine: float = 0.7, known: Known = RARE) -> Found | None:
    return found_in(Pair(newer, older, cosine), known)


def test_two_that_name_what_few_memories_name_are_about_one_thing() -> None:
    older, newer = episodes(MILL, MASONS)
    link = found(older, newer)
    assert link is not None
    assert (link.source, link.relation, link.target) == (newer, Relation.SAME_TOPIC, older)
    assert (link.reason, link.score) == ("shared_name", 0.7)


@pytest.mark.parametrize(
    ("cosine", "known"),
    [
        (0.49, RARE),
        (0.9, Known(mentions={"oskar brandt": 31})),
        (0.9, Known(mentions={"oskar brandt": 1})),
        (0.9, Known()),
    ],
)
def test_a_name_in_passing_or_in_everybodys_mouth_and_nearness_alone_tie_nothing(cosine: float, known: Known) -> None:
    older, newer = episodes(MILL, MASONS)
    assert found(older, newer, cosine, known) is None


def test_what_is_reached_without_a_link_gets_none() -> None:
    first, second = episodes(MILL, MASONS)
    assert found(first, replace(second, session_doc=first.session_doc)) is None, "turns around each other"
    assert found(second, first) is None, "a memory looks back"
    assert found(first, replace(second, agent_id="scout")) is None
    assert found(replace(first, closed_at=at(9), closed_reason="expire", closed_by=99), second) is None
    ledger = Ledger()
    said = ledger.hear(MILL)
    ledger.open_episodes(said)
    ledger.believe(belief(said, text=MASONS))
    assert found(*open_memories(ledger.state)) is None, "a belief shows what it rests on"


def test_of_two_beliefs_one_elaborates_where_it_says_all_of_the_other_and_more() -> None:
    older, newer = beliefs("Tove keeps bees at Elm Court.", "Tove keeps four hives of bees at Elm Court, by a gate.")
    link = found(older, newer)
    assert link is not None
    assert link.relation is Relation.ELABORATES
    for other in (
        "Tove does not keep bees at Elm Court any more.",
        "Tove keeps hens at Elm Court.",
        "Tove keeps bees.",
    ):
        older, newer = beliefs("Tove keeps bees at Elm Court.", other)
        assert found(older, newer, known=Known()) is None, other
    older, newer = beliefs("Tove has 3 hives at Elm Court.", "Tove has 4 hives of bees at Elm Court.")
    assert found(older, newer, known=Known()) is None


def test_claims_of_one_subject_and_of_what_another_speaks_of_are_tied_unless_all_are_of_it() -> None:
    mill, wife, boat = beliefs(
        ("Oskar restores a mill.", ("Oskar", "works_on", "mill")),
        ("Oskar married Ana.", ("Oskar", "married_to", "Ana")),
        ("Ana sails.", ("Ana", "likes", "sailing")),
    )
    few = Known(subjects={"oskar": 2, "ana": 1})
    assert [link.reason for link in (found(mill, wife, known=few), found(wife, boat, known=few)) if link] == [
        "same_subject",
        "said_of_the_other",
    ]
    assert found(mill, boat, known=few) is None
    assert found(mill, wife, known=Known(subjects={"oskar": 31})) is None


def read_from(text: str, *parts: str, **fields: Any) -> tuple[list[MemoryVersion], Known]:
    """Beliefs that were each read from a stretch of one message."""
    ledger = Ledger()
    said = ledger.hear(text)
    for part in parts:
        start = text.index(part)
        ref = EvidenceRef(sequence=said, start=start, end=start + len(part))
        ledger.believe(belief(ref, text=f"{part[0].upper()}{part[1:]}.", **fields))
    return open_memories(ledger.state), Known(texts={said: text})


@pytest.mark.parametrize("joint", [" because ", ", mainly because ", ". Because ", ", weil ", " porque "])
@pytest.mark.parametrize("turned", [False, True])
def test_what_was_said_to_be_so_because_of_something_is_tied_to_that(joint: str, turned: bool) -> None:  # noqa: FBT001
    effect, cause = "I moved to Porto", "the mill closed"
    parts = (cause, effect) if turned else (effect, cause)
    (older, newer), known = read_from(f"{effect}{joint}{cause}.", *parts)
    link = found(older, newer, 0.0, known)
    assert link is not None
    assert (link.source.text, link.relation, link.target.text) == (
        "The mill closed.",
        Relation.CAUSES,
        "I moved to Porto.",
    )
    context = context_of(link)
    assert context is not None
    assert context.entry.text == "I moved to Porto \u2014 because: The mill closed."
    assert context.entry.epistemic_type is EpistemicType.INFERENCE
    assert set(context.sources) == {older.memory_id, newer.memory_id}
    proposal = Proposal(operation=context, read={each.memory_id: each.version for each in (older, newer)})
    assert refused(proposal, {each.memory_id: each for each in (older, newer)}) is None


@pytest.mark.parametrize("joint", [" although ", ". I was ill because of it. Then ", " and ", ". Not because "])
def test_no_other_words_between_two_beliefs_say_why(joint: str) -> None:
    effect, cause = "I moved to Porto", "the mill closed"
    (older, newer), known = read_from(f"{effect}{joint}{cause}.", effect, cause)
    assert found(older, newer, 0.0, known) is None


def test_of_what_has_ended_and_of_other_links_nothing_is_written() -> None:
    (older, newer), known = read_from("I moved because it closed.", "I moved", "it closed")
    link = found(older, newer, 0.0, known)
    assert link is not None
    assert context_of(link._replace(source=replace(link.source, valid_to=at(3)))) is None
    assert context_of(link._replace(relation=Relation.SAME_TOPIC)) is None


def links_of(found_links: list[Found]) -> list[Link]:
    return [
        Link(source=each.source.memory_id, relation=each.relation, target=each.target.memory_id, opened_by=9, score=1.0)
        for each in found_links
    ]


def test_a_memory_proposes_its_best_few_and_none_gets_more_than_it_may_have() -> None:
    held = episodes(*[MILL] * 14)
    known = Known(mentions={"oskar brandt": 14})
    every = [
        link
        for newer in held
        for older in held
        if (link := found(older, newer, 0.5 + older.doc / 100, known)) is not None
    ]
    first = list(chosen(every, []))
    degree = {each.memory_id: 0 for each in held}
    for link in first:
        degree[link.source.memory_id] += 1
        degree[link.target.memory_id] += 1
    assert max(degree.values()) <= MOST_LINKS
    assert max(sum(link.source == each for link in first) for each in held) == 3
    assert list(chosen(every, links_of(first))) == [], "another look proposes nothing"
    closed = [replace(tie, closed_by=10) for tie in links_of(first)]
    again = {(link.source.memory_id, link.target.memory_id) for link in chosen(every, closed)}
    assert again.isdisjoint((tie.source, tie.target) for tie in closed), "nor what was taken back"


def test_what_stands_for_another_inherits_its_links_and_says_from_which() -> None:
    kept, absorbed, other = episodes("kept", "absorbed", "other")
    tie = Link(source=absorbed.memory_id, relation="same_topic", target=other.memory_id, opened_by=7, score=0.6)
    given = [tie, replace(tie, opened_by=8, closed_by=9), replace(tie, opened_by=6, relation="absorbs", score=None)]
    (link,) = handed_over({absorbed.memory_id: kept}, given, {other.memory_id: other})
    assert (link.source, link.target, link.via, link.score) == (kept, other, 7, 0.6)
    assert list(handed_over({absorbed.memory_id: other}, given, {other.memory_id: other})) == [], "none to itself"
    assert list(handed_over({}, given, {other.memory_id: other})) == []


def refusal(payload: LinkPayload, held: list[MemoryVersion], *ties: Link) -> Refusal | None:
    read = {each.memory_id: each.version for each in held}
    return refused(Proposal(operation=payload, read=read), {each.memory_id: each for each in held}, ties)


def test_links_are_refused_between_what_is_tied_was_taken_apart_or_is_of_two_agents() -> None:
    first, second, *others = held = episodes(*[MILL] * (MOST_LINKS + 2))
    payload = LinkPayload(reason="x", source=first.memory_id, relation="same_topic", target=second.memory_id, score=1.0)
    tie = Link(source=second.memory_id, relation="supersedes", target=first.memory_id, opened_by=3)
    assert refusal(payload, held) is None
    assert refusal(payload, held, tie) is Refusal.LINKED_ALREADY
    assert refusal(payload, held, replace(tie, closed_by=4)) is Refusal.TAKEN_BACK
    assert refusal(payload.model_copy(update={"relation": "contradicts"}), held) is Refusal.UNKNOWN_RELATION
    assert refusal(payload.model_copy(update={"target": first.memory_id}), held) is Refusal.LINKED_ALREADY
    assert refusal(payload, [replace(first, agent_id="scout"), *held[1:]]) is Refusal.SCOPES_MIXED
    many = [
        Link(source=first.memory_id, relation="same_topic", target=other.memory_id, opened_by=number)
        for number, other in enumerate(others, 1)
    ]
    assert refusal(payload, held, *many) is Refusal.TOO_MANY_LINKS
    assert refusal(payload, held, *many[1:]) is None
    assert refusal(payload, held, *many[1:], replace(many[0], closed_by=99)) is None


def test_with_a_link_goes_what_was_written_of_its_two_memories_and_nothing_else() -> None:
    first, second, third, made, other = (each.memory_id for each in episodes(*"abcde"))
    link = Link(source=first, relation="causes", target=second, opened_by=5, score=1.0)
    done = unlinking([link], {made: {first, second}, other: {second, third}}, reason="not_so")
    assert [type(each) for each in done] == [UnlinkPayload, ClosePayload]
    assert isinstance(done[1], ClosePayload)
    assert done[1].memory == made
    assert unlinking([replace(link, closed_by=6)], {}, reason="not_so") == ()
