"""Conclusions that cannot all be so: told before any of them is held."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.belief import at_odds as looked_at
from shared.belief.at_odds import Saying, at_odds, claim_in
from shared.belief.exactness import says_less
from shared.belief.fold import open_memories
from shared.belief.opposed import differ_in
from shared.belief.predicates import BUILT_IN, claim_of, side_of
from shared.belief.similarity import bare
from shared.contract.records import MemoryVersion
from tests.unit.belief.ledgers import Ledger, belief

AT_ACME, AT_BETA = "Pavel Novak works at Acme.", "Pavel Novak's employer is Beta Ltd."


class Stream:
    """What one person has said, and what is held."""

    def __init__(self) -> None:
        self.ledger = Ledger()

    def hear(self, text: str, **fields: Any) -> MemoryVersion:
        heard = self.ledger.hear(text, day=len(self.ledger.events), **fields)
        self.ledger.open_episodes(heard)
        return open_memories(self.ledger.state)[-1]

    def hold(self, text: str, claim: tuple[str, str, str] | None = None, **fields: Any) -> MemoryVersion:
        heard = self.hear(text)
        keyed = claim_of(*claim, BUILT_IN) if claim else None
        self.ledger.believe(belief(heard.evidence[0].sequence, text=text, claim=keyed, **fields))
        return open_memories(self.ledger.state)[-1]


def odd(texts: list[str], held: list[MemoryVersion] | None = None) -> set[int]:
    said = Stream().hear("Something.")
    return at_odds([Saying.of(said, each) for each in texts], held or [])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Pavel Novak works at Acme.", ("Pavel Novak", "works_at", "Acme")),
        ("Pavel Novak works for Beta Ltd now.", ("Pavel Novak", "works_at", "Beta Ltd")),
        ("Pavel Novak has joined Acme, at last.", ("Pavel Novak", "works_at", "Acme")),
        ("Pavel Novak\u2019s employer is Gamma", ("Pavel Novak", "works_at", "Gamma")),
        ("I live in Leeds.", ("mira", "lives_in", "Leeds")),
        ("My dentist is Dr. Halloran.", ("mira", "dentist", "Dr. Halloran")),
        ("The tram costs 5 euros.", ("The tram", "price", "5 euros")),
    ],
)
def test_a_sentence_says_of_whom_it_names_what_there_is_one_of(text: str, says: tuple[str, str, str]) -> None:
    found = claim_in(text, "mira")
    assert found is not None
    assert (found.subject, found.predicate, found.object) == says


@pytest.mark.parametrize(
    "text", ["He works at Acme.", "Please keep your answers short.", "I took the early train.", "Tove likes Acme.", ""]
)
def test_what_names_nobody_or_nothing_single_says_nothing_so(text: str) -> None:
    assert claim_in(text, "mira") is None


@pytest.mark.parametrize(
    ("texts", "which"),
    [
        ([AT_ACME, AT_BETA, "Pavel Novak is employed by Gamma."], {0, 1, 2}),
        ([AT_ACME, "Pavel Novak works for Acme Ltd."], set()),
        ([AT_ACME, "Tove Lind works at Beta."], set()),
        (["The gate opens at 8.", "The gate opens at 9.", "The shed opens at 9."], {0, 1}),
        (["I do eat fish on Fridays.", "I do not eat fish on Fridays."], {0, 1}),
        (["My friend is Oskar.", "My friend is Tove."], set()),
        (["Pavel Novak lives in Leeds.", AT_ACME], set()),
    ],
)
def test_conclusions_of_one_thing_that_say_different_things_are_at_odds(texts: list[str], which: set[int]) -> None:
    assert odd(texts) == which


def test_what_is_held_to_this_day_is_contradicted_keyed_or_not_and_what_is_over_is_not() -> None:
    stream = Stream()
    keyed = stream.hold("Pavel has changed to Beta.", ("Pavel Novak", "employer", "Beta"))
    assert odd([AT_ACME], [keyed]) == {0}
    assert odd(["Pavel Novak works at Beta."], [keyed]) == set()
    assert odd([AT_ACME], [stream.hold(AT_BETA)]) == {0}
    episode = stream.hear("Pavel Novak works for Beta.")
    assert odd([AT_ACME], [episode]) == set(), "what was said was said"


def test_what_another_agent_holds_contradicts_nothing() -> None:
    heard = Stream().hear("Something.")
    one, other = replace(heard, agent_id="scout"), replace(heard, agent_id="clerk")
    assert at_odds([Saying.of(one, AT_ACME), Saying.of(other, AT_BETA)], []) == set()


SUBJECTS = st.sampled_from(["Pavel Novak", "Tove Lind", "The tram", "the tram", "I"])
SAYS = st.sampled_from(
    ["works at Acme", "works for Acme Ltd", "works for Beta", "lives in Oslo", "lives in Oslo, Norway",
     "costs 5 euros", "costs 6 euros", "is not here", "is here", "opens at 8", "opens at 9", "met Oskar", "met Mira"]
)  # fmt: skip
SENTENCES = st.builds("{} {}.".format, SUBJECTS, SAYS)
AGENTS = st.sampled_from([None, "scout"])
HEARD = Stream().hear("Something.")


def contradict(one: Saying, other: Saying) -> bool:
    """As the module has it, of any two."""
    if one.agent_id != other.agent_id:
        return False
    if one.claim and other.claim and one.claim.key == other.claim.key and side_of(one.claim) != side_of(other.claim):
        return not (says_less(one.claim, other.claim) or says_less(other.claim, one.claim))
    return bare(one.text) == bare(other.text) and differ_in(one.text, other.text) is not None


@given(st.lists(st.tuples(SENTENCES, AGENTS), max_size=8), st.lists(st.tuples(SENTENCES, AGENTS), max_size=4))
def test_what_is_found_in_groups_is_what_comparing_all_with_all_finds(
    texts: list[tuple[str, str | None]], believed: list[tuple[str, str | None]]
) -> None:
    stream = Stream()
    held = [replace(stream.hold(text), agent_id=agent) for text, agent in believed]
    new = [Saying.of(replace(HEARD, agent_id=agent), text) for text, agent in texts]
    others = [*new, *map(Saying.held, held)]
    assert at_odds(new, held) == {
        place for place, each in enumerate(new) if any(contradict(each, other) for other in others)
    }


def test_what_has_nothing_in_common_is_never_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looked_at, "differ_in", lambda one, other: pytest.fail(f"{one!r} beside {other!r}"))
    texts = [f"The {one}{two} is in the shed." for one in "aeiou" for two in ("bark", "cart", "lamp", "rope")]
    stream = Stream()
    assert odd(texts, [stream.hold("The boat is in the harbour.")]) == set()
