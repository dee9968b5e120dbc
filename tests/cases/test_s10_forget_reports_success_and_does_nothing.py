"""S10: every id that was handed out can be forgotten, others are not found, and what is said again is a new memory."""

from __future__ import annotations

import re
from uuid import UUID, uuid4

import pytest

import warmpath
from coldpath.forget import ForgetReceipt, forget
from shared.contract import block
from shared.contract.errors import InvalidInput, NotFound
from shared.contract.scope import Scope
from shared.embedded import open_database
from shared.settings import settings
from tests.cases.adapter import Words, said, scope

pytestmark = pytest.mark.usefixtures("embedder")

LOCKER = said("My locker has the number 4471.", "m1", ts="2025-03-04T09:00Z")
SISTER = said("My sister is called Tove.", "m2", ts="2025-03-04T09:05Z")
LONG = said(" ".join(f"Sentence {number} about the allotment and its locker." for number in range(90)), "m3")


def forgotten(memory_id: UUID | str, t: str = "acme", u: str = "mira", *, erase_content: bool = False) -> ForgetReceipt:
    return forget(open_database(settings()), scope(t, u, {}), memory_id, erase_content=erase_content)


def texts(words: Words, user: str = "mira") -> list[str]:
    return [row["text"] for row in words.current("acme", user)]


def test_s10_the_id_that_recall_gives_is_forgotten_and_nothing_else(words: Words) -> None:
    words.ingest("acme", "mira", "run-7", [LOCKER, SISTER])
    (hit,) = words.recall("acme", "mira", "locker code", k=1)
    receipt = forgotten(hit.id)
    assert list(receipt.forgotten) == [hit.id]
    assert texts(words) == [SISTER["text"]]
    assert "4471" not in words.bundle("acme", "mira", "locker code", k=50).text


def test_s10_what_the_text_of_a_bundle_calls_an_item_and_twelve_digits_of_its_id_are_enough(words: Words) -> None:
    words.ingest("acme", "mira", "run-7", [LOCKER, SISTER])
    bundle = words.bundle("acme", "mira", "locker code", k=1)
    (shown,) = (each for each in block.parse(bundle.text) if "4471" in each.text)
    (memory_id,) = bundle.memory_ids(f"[m{shown.ordinal}]")
    assert memory_id.hex.startswith(shown.memory_id)
    assert list(forgotten(memory_id.hex[:12]).forgotten) == [memory_id]


@pytest.mark.parametrize("form", [str, lambda one: one.hex, lambda one: str(one).upper(), lambda one: str(one)[:20]])
def test_s10_an_id_may_be_written_in_any_usual_way(words: Words, form) -> None:
    words.ingest("acme", "mira", "run-7", [LOCKER])
    (row,) = words.current("acme", "mira")
    assert list(forgotten(form(row["memory_id"])).forgotten) == [row["memory_id"]]


def test_s10_the_id_that_ingest_gives_stands_for_all_that_the_delivery_brought(words: Words) -> None:
    words.ingest("acme", "mira", "run-6", [said("I keep two beehives.")])
    receipt = words.ingest("acme", "mira", "run-7", [LOCKER, SISTER])
    brought = [row["memory_id"] for row in words.current("acme", "mira")][1:]
    assert list(forgotten(receipt.subject).forgotten) == brought
    assert texts(words) == ["I keep two beehives."]


def test_s10_the_id_of_what_is_on_its_way_works_before_and_after_a_worker_has_come(words: Words) -> None:
    for run, message, worked_off in (("run-7", LOCKER, False), ("run-8", SISTER, True)):
        words.accept("acme", "mira", run, [message])
        (item,) = words.bundle("acme", "mira", message["text"]).items
        assert item.fresh
        if worked_off:
            words.drain()
        assert forgotten(item.memory_id).messages == 1
        assert not words.bundle("acme", "mira", message["text"]).items
        words.drain()
        assert texts(words) == [], "the worker finds it forgotten"
        with pytest.raises(NotFound):
            forgotten(item.memory_id)


def test_s10_a_delivery_that_no_worker_has_come_to_is_forgotten_and_does_not_come_back(words: Words) -> None:
    receipt = words.accept("acme", "mira", "run-7", [LOCKER, SISTER])
    assert forgotten(receipt.subject, erase_content=True).messages == 2
    words.drain()
    assert texts(words) == []
    assert words.count("memory") == 0
    assert not [event for event in words.evidence("acme", "mira") if event.payload]
    (state,) = words.status("acme", "mira", "run-7")
    assert state[0] == "done"


def test_s10_unknown_and_foreign_ids_are_answered_alike(words: Words) -> None:
    words.ingest("acme", "mira", "run-7", [LOCKER])
    foreign_tenant = words.ingest("beta", "mira", "run-7", [LOCKER])
    foreign_user = words.ingest("acme", "oskar", "run-7", [LOCKER])
    words.ingest("acme", "mira", "run-8", [SISTER])
    gone = words.current("acme", "mira")[1]["memory_id"]
    forgotten(gone)
    others = [words.current("beta", "mira")[0]["memory_id"], words.current("acme", "oskar")[0]["memory_id"]]
    tables = [words.count(table) for table in ("event", "memory", "suppression")]
    said_of: set[tuple[type, str, str]] = set()
    for bad in (uuid4(), *others, foreign_tenant.subject, foreign_user.subject, gone, str(uuid4())[:13]):
        with pytest.raises(NotFound) as caught:
            forgotten(bad)
        said_of.add((type(caught.value), str(caught.value), repr(caught.value.details)))
    assert len(said_of) == 1
    assert [words.count(table) for table in ("event", "memory", "suppression")] == tables


@pytest.mark.parametrize("wrong", ["", "   ", "4471", "abc", "not an id at all", "0" * 33, "g" * 32, None, 7])
def test_s10_what_is_no_id_is_refused(words: Words, wrong) -> None:
    with pytest.raises(InvalidInput, match="is no id: pass a whole one, or at least its first 12 digits"):
        forgotten(wrong)


@pytest.mark.parametrize("erase_content", [False, True])
def test_s10_saying_it_again_in_a_new_run_makes_one_new_memory(words: Words, *, erase_content: bool) -> None:
    words.ingest("acme", "mira", "run-7", [LOCKER, SISTER])
    old = words.current("acme", "mira")[0]["memory_id"]
    forgotten(old, erase_content=erase_content)
    words.ingest("acme", "mira", "run-8", [{**LOCKER, "id": "m9"}])
    (hit,) = [each for each in words.recall("acme", "mira", "locker code") if "4471" in each.text]
    assert hit.id != old
    forgotten(hit.id)
    words.ingest("acme", "mira", "run-9", [{**LOCKER, "id": None}], session="run-7")
    assert sum("4471" in text for text in texts(words)) == 1, "also in the session in which it was said first"


@pytest.mark.parametrize("erase_content", [False, True])
def test_s10_the_same_message_delivered_again_stays_forgotten(words: Words, *, erase_content: bool) -> None:
    words.ingest("acme", "mira", "run-7", [LOCKER])
    forgotten(words.current("acme", "mira")[0]["memory_id"], erase_content=erase_content)
    for run in ("run-7", "run-8"):
        words.ingest("acme", "mira", run, [LOCKER])
        words.drain()
    assert texts(words) == []
    assert not words.recall("acme", "mira", "locker code 4471")
    reason = words.receipts("acme", "mira", "run-8")[1].reason
    assert re.search("in the ledger before", reason)


def test_s10_what_the_session_said_again_word_for_word_goes_with_it(words: Words) -> None:
    words.ingest("acme", "mira", "run-7", [LOCKER], session="monday")
    words.ingest("acme", "mira", "run-8", [{**LOCKER, "id": "m8"}], session="monday")
    words.ingest("acme", "mira", "run-9", [{**LOCKER, "id": "m9"}], session="tuesday")
    (first, other) = words.current("acme", "mira")
    receipt = forgotten(first["memory_id"], erase_content=True)
    assert list(receipt.forgotten) == [first["memory_id"]]
    assert (receipt.messages, receipt.erased) == (2, 2)
    assert [row["memory_id"] for row in words.current("acme", "mira")] == [other["memory_id"]], "said on another day"
    assert [bool(event.payload) for event in words.evidence("acme", "mira")] == [False, False, True]


def test_s10_of_a_long_message_one_passage_is_hidden_and_content_goes_with_all_of_them(words: Words) -> None:
    words.ingest("acme", "mira", "run-7", [LONG])
    passages = [row["memory_id"] for row in words.current("acme", "mira")]
    assert len(passages) > 2
    assert list(forgotten(passages[1]).forgotten) == [passages[1]]
    assert [row["memory_id"] for row in words.current("acme", "mira")] == [passages[0], *passages[2:]]
    assert list(forgotten(passages[0], erase_content=True).forgotten) == [passages[0], *passages[2:]]
    assert texts(words) == []
    assert [event.payload for event in words.evidence("acme", "mira")] == [None]


def test_s10_in_a_room_one_may_forget_what_one_has_said_oneself(words: Words) -> None:
    run = [said("Mira brings the cake.", speaker="mira"), said("Oskar brings plates.", speaker="Oskar")]
    receipt = words.ingest("acme", "mira", "run-7", run, room="kitchen", participants=["mira", "oskar"])
    cake, plates = [row["memory_id"] for row in words.current("acme", "room:kitchen")]
    for memory, user in ((plates, "mira"), (cake, "oskar"), (cake, "nobody")):
        with pytest.raises(NotFound):
            forgotten(memory, u=user)
    assert list(forgotten(cake).forgotten) == [cake]
    assert list(forgotten(receipt.subject, u="oskar").forgotten) == [plates], "a name in other letters is the same"
    with pytest.raises(NotFound):
        forgotten(receipt.subject)


def test_s10_what_the_tenant_shares_is_forgotten_by_its_own_scope_alone(words: Words) -> None:
    everybody = Scope.tenant_wide("acme")
    warmpath.observe(everybody, [said("The office closes at six.")], run_id="run-1", inline=True)
    (hit,) = words.recall("acme", "mira", "When does the office close?", k=1)
    with pytest.raises(NotFound):
        forgotten(hit.id)
    assert list(forget(open_database(settings()), everybody, hit.id).forgotten) == [hit.id]
