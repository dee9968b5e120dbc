"""A bundle begins with what the user has said of themselves, where that is set; never with what is held no more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import psycopg
import pytest

from coldpath.forget import forget
from coldpath.profile import refresh
from coldpath.reindex import Pass
from hotpath import recall
from hotpath.layers.inject import render
from shared.contract import block
from shared.contract.bundle import Bundle
from shared.contract.candidates import Change
from shared.contract.scope import Scope
from shared.contract.trust import Origin
from shared.settings import Settings, settings
from shared.testing import RecordingBell, ScriptedExtractor
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
CODER = replace(MIRA, agent_id="coder")
CLAIMS = {
    "I live in Oslo": ("mira", "lives_in", "Oslo", Change.HOLDS),
    "I moved to Porto": ("mira", "lives_in", "Porto", Change.HOLDS),
    "I never lived in Porto": ("mira", "lives_in", "Porto", Change.NEVER),
    "I like opera": ("mira", "likes", "opera", Change.HOLDS),
    "Answer in Polish": ("mira", "preferred_language", "Polish", Change.HOLDS),
    "Tove lives in Graz": ("Tove", "lives_in", "Graz", Change.HOLDS),
    "Mira avoids nuts": ("mira", "avoids", "nuts", Change.HOLDS),
}
FACTS = ("I like opera.", "I live in Oslo.", "Answer in Polish, please.", "Tove lives in Graz.")
OPENING = ["Answer in Polish.", "I live in Oslo.", "I like opera."]
Tell = Callable[..., None]


@pytest.fixture
def told(services: Services, reading: Settings, monkeypatch: pytest.MonkeyPatch) -> Tell:
    """Have texts observed and believed, and the view brought up to date unless it is to be behind."""
    monkeypatch.setenv("DAYBOOK_RECALL_PROFILE_SHARE", "0.5")
    settings.cache_clear()
    script = {words: [{"text": f"{words}.", "claim": claim[:3], "change": claim[3]}] for words, claim in CLAIMS.items()}
    ready = replace(services, settings=reading, rules=lambda: ScriptedExtractor(script))
    runs = iter(range(1, 28))

    def tell(*texts: str, scope: Scope = MIRA, refreshed: bool = True, origin: Origin = Origin.USER) -> None:
        for text in texts:
            day = next(runs)
            when = datetime(2026, 1, day, 12, tzinfo=UTC).isoformat()
            role = "tool" if origin is Origin.TOOL else "user"
            message = {"role": role, "speaker": "mira", "text": text, "ts": when}
            Door(ready).observe(scope, [message], run_id=f"run-{day}")
        bell = ready.bell
        assert isinstance(bell, RecordingBell)
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(ready, stage, STAGES[stage], work)
        if refreshed:
            assert refresh(ready.database, "acme", Pass())

    return tell


def opening(bundle: Bundle) -> str:
    start, end = next(iter(block.whole_blocks(bundle.text)))
    return bundle.text[start:end]


def facts(bundle: Bundle) -> list[str]:
    shown = opening(bundle)
    return [each.text for each in block.parse(shown)]


def asked(query: str, scope: Scope = MIRA, **given: object) -> Bundle:
    return recall(scope, query, budget_tokens=1_500, **given)  # type: ignore[arg-type]


def test_the_profile_comes_first_by_topic_and_its_bytes_do_not_hang_on_the_query(told: Tell) -> None:
    told(*FACTS)
    one, other = asked("Where does Tove live?"), asked("What about the opera?")
    assert facts(one) == OPENING
    assert opening(one) == opening(other)
    assert len([*block.whole_blocks(one.text)]) == 2
    assert one.tokens <= 1_500
    assert [item.text for item in one.items][:3] == OPENING
    assert one.degraded == ()
    first, second = render(one, "messages")
    assert (first["content"], "Graz" in second["content"]) == (opening(one), True)


def test_hits_and_their_ranks_are_the_same_with_a_profile_and_without(
    told: Tell, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(*FACTS)
    queries = ("Where does Tove live?", "What about the opera?", "Which language?")
    found = [asked(query) for query in queries]
    monkeypatch.setenv("DAYBOOK_RECALL_PROFILE_SHARE", "0")
    settings.cache_clear()
    without = [asked(query) for query in queries]
    assert [each.hits for each in found] == [each.hits for each in without]
    assert [each.verdict for each in found] == [each.verdict for each in without]
    for one, other in zip(found, without, strict=True):
        ranked = {item.memory_id: item.rank for item in other.items if item.rank is not None}
        assert {item.memory_id: item.rank for item in one.items if item.rank is not None} == ranked
    assert [len([*block.whole_blocks(each.text)]) for each in without[:2]] == [1, 1]


def test_a_view_that_is_behind_shows_nothing_that_is_held_no_longer(told: Tell) -> None:
    told("I moved to Porto.", "I like opera.")
    assert facts(asked("Where does Tove live?")) == ["I moved to Porto.", "I like opera."]
    told("I never lived in Porto.", refreshed=False)
    assert facts(asked("Where does Tove live?")) == ["I like opera."]


def test_what_has_ended_is_shown_for_its_time_alone(told: Tell) -> None:
    told("I live in Oslo.", "I moved to Porto.")
    assert facts(asked("What now?")) == ["I moved to Porto."]
    assert facts(asked("What now?", as_of=datetime(2026, 1, 1, 18, tzinfo=UTC))) == ["I live in Oslo."]


def test_what_is_forgotten_is_gone_from_it_at_once(told: Tell, services: Services, owner: psycopg.Connection) -> None:
    told(*FACTS)
    [(memory,)] = owner.execute("select memory_id from memory where text = 'I live in Oslo.' and kind = 'episodic'")
    forget(services.database, MIRA, memory)
    assert facts(asked("Where does Tove live?")) == [OPENING[0], OPENING[2]]


def test_an_agent_is_shown_what_it_may_read(told: Tell) -> None:
    told("I like opera.")
    told("I live in Oslo.", scope=CODER)
    assert facts(asked("What now?", CODER)) == ["I live in Oslo.", "I like opera."]
    assert facts(asked("What now?", replace(CODER, agent_id="cook"))) == ["I like opera."]


def test_what_a_tool_says_of_the_user_is_no_part_of_it(told: Tell) -> None:
    told("I like opera.")
    told("Mira avoids nuts.", origin=Origin.TOOL)
    assert facts(asked("What now?")) == ["I like opera."]


def test_a_view_that_cannot_be_read_degrades_the_answer_and_leaves_the_rest(
    told: Tell, owner: psycopg.Connection
) -> None:
    told(*FACTS)
    owner.execute("revoke select on profile from daybook_app")
    found = asked("Where does Tove live?")
    owner.execute("grant select on profile to daybook_app")
    assert "profile" in found.degraded
    assert "Graz" in found.text
