"""S26: only the numbers that were given out in that call count; what names another is dropped by itself."""

import pytest

from shared.contract.candidates import EXTRACTION, Change, ExtractionStatus, Reading
from shared.contract.receipts import Outcome
from tests.cases.adapter import said
from tests.cases.beliefs import beliefs, history, now_true
from tests.model_reading import asking, entry, facts, line, memory
from tests.scripted_llm import scripted
from warmpath._checking import checked, settled
from warmpath._windows import Shown, Window

MEMORIES = [
    memory("Mira lives in Lisbon."),
    memory("Mira works at the bakery.", predicate="works_at", obj="the bakery"),
    memory("Mira likes tea.", predicate="likes", obj="tea"),
]
READING = Reading(
    lines=[line("I moved to Porto, work at the mill now, drink coffee instead of tea, and bought a kayak")],
    neighbours=MEMORIES,
)
OF_ANOTHER_USER = "7f3c2f0e-6a1b-4c55-9d0e-0f6f0a4f1c11"


def update(number, text, predicate, obj):
    return entry(text, replaces=number, predicate=predicate, object=obj)


def delete(number, text="Mira drinks tea no longer."):
    return entry(text, replaces=number, change="ended")


ANSWER = [
    update(12, "Mira moved to Porto.", "lives_in", "Porto"),
    delete(OF_ANOTHER_USER),
    update(1, "Mira lives in Porto.", "lives_in", "Porto"),
    entry("Mira bought a kayak.", predicate="owns", object="a kayak"),
    entry("Mira's kayak and mill belong together.", lines=[99]),
    delete(3),
    update(3, "Mira drinks coffee instead of tea.", "likes", "coffee"),
]


@pytest.fixture(params=["repeats itself", "gives in", "talks"])
def found(request):
    second = {"repeats itself": facts(*ANSWER), "gives in": facts(), "talks": "Sorry about that!"}[request.param]
    with scripted(facts(*ANSWER), second) as server:
        yield asking(server).extract(READING, deadline_s=10.0)


def test_good_entries_are_taken_and_three_refused_whatever_the_model_says_next(found):
    assert found.status is ExtractionStatus.STORED
    assert [each.text for each in found.candidates] == [
        "Mira lives in Porto.",
        "Mira bought a kayak.",
        *["Mira drinks coffee instead of tea."] * 2,
    ]
    assert [each.change for each in found.candidates[2:]] == [Change.HOLDS, Change.ENDED]
    assert found.candidates[3].claim == MEMORIES[2].claim
    assert found.rejected == {"unknown_alias": 2, "unknown_line": 1}


def test_an_update_has_the_key_of_the_memory_that_it_replaces(found):
    moved = found.candidates[0].claim
    assert (moved.key, moved.object) == (MEMORIES[0].claim.key, "Porto")


def test_no_id_of_anybodys_stands_in_what_is_proposed(found):
    assert OF_ANOTHER_USER not in "".join(each.model_dump_json() for each in found.candidates)


def window(text="I left Lisbon and never lived in Lisbon"):
    return Window(shown=[Shown(line=line(text), text=text)], neighbours=MEMORIES)


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_changes_to_one_memory_the_weightiest_stands_in_any_order(order):
    ended = entry("Mira lives in Lisbon no longer.", change="ended", replaces=1)
    never = entry("Mira never lived in Lisbon.", change="never", replaces=1)
    replaced = update(1, "Mira left Lisbon for Porto.", "lives_in", "Porto")
    for entries, kept in (([ended, never], [Change.ENDED]), ([ended, never, replaced], [Change.HOLDS])):
        taken = checked(entries[::order], window()).taken
        assert [each.change for each in settled(taken)] == kept


def test_what_ends_by_number_alone_ends_the_claim_of_that_memory():
    taken = checked([entry("Mira lives in Lisbon no longer.", change="ended", replaces=1)], window()).taken
    assert taken[0].candidate.claim == MEMORIES[0].claim


@pytest.mark.parametrize("number", [0, -1, 4, 2.5, True, [1], "one", 10**30])
def test_no_number_that_was_not_given_out_is_taken_for_a_memory(number):
    result = checked([update(number, "Mira left Lisbon.", "lives_in", "Porto")], window())
    if number is True:  # JSON's true is Python's 1
        return
    assert [each.reason for each in result.refused] == ["unknown_alias"]


def test_a_memory_of_another_kind_keeps_its_key_for_itself():
    taken = checked([update(3, "Mira left Lisbon for Porto.", "lives_in", "Porto")], window()).taken
    assert taken[0].candidate.claim.predicate == "lives_in"
    assert taken[0].candidate.claim.key != MEMORIES[2].claim.key


HELD = [
    entry("Mira lives in Lisbon.", predicate="lives_in", object="Lisbon"),
    entry("Mira works at the bakery.", predicate="works_at", object="the bakery"),
    entry("Mira likes tea.", type="preference", predicate="likes", object="tea"),
]
BAKERY, LISBON, TEA = 1, 2, 3
"""Their numbers, which the test compares with what is shown."""
BEFORE = "I live in Lisbon, work at the bakery and like tea."
AFTER = "I moved to Porto, prefer the mill to the bakery now, drink coffee instead of tea, and bought a kayak."


def everything(words, user):
    rows = words.owner.execute(
        "select memory::text from memory where user_id = %s order by memory::text", [user]
    ).fetchall()
    return rows, words.owner.execute("select count(*) from memory_link where user_id = %s", [user]).fetchone()


def test_in_the_tables_one_is_replaced_one_added_and_no_other_touched(learning, answers):
    answers(facts(entry("Oskar lives in Lisbon.", about="Oskar", predicate="lives_in", object="Lisbon")))
    learning.ingest("acme", "Oskar", "run-0", [said("I live in Lisbon.", "m0", ts="2025-01-10T09:00Z")])
    (oskars,) = beliefs(learning, "acme", "Oskar")
    untouched = everything(learning, "Oskar")
    answers(facts(*HELD))
    learning.ingest("acme", "Mira", "run-1", [said(BEFORE, "m1", ts="2025-01-10T09:00Z")])
    rows = {row["claim_object"]: row["memory_id"] for row in beliefs(learning, "acme", "Mira")}
    server = answers(
        facts(
            update(12, "Mira moved to Porto.", "lives_in", "Porto"),
            delete(str(oskars["memory_id"])),
            update(LISBON, "Mira lives in Porto.", "lives_in", "Porto"),
            entry("Mira bought a kayak.", predicate="owns", object="a kayak"),
            entry("Mira's kayak and mill belong together.", lines=[99]),
            delete(TEA),
            update(TEA, "Mira drinks coffee instead of tea.", "likes", "coffee"),
        )
    )
    learning.ingest("acme", "Mira", "run-2", [said(AFTER, "m2", ts="2025-06-02T09:00Z")])
    shown = server.requests[0].said[0]
    for number, word in {BAKERY: "the bakery", LISBON: "Lisbon", TEA: "tea"}.items():
        assert f'{{"memory": {number}, ' in shown.partition(f"{word}.")[0].split("\n")[-1], shown

    assert everything(learning, "Oskar") == untouched
    lives = [text for text in now_true(learning, "acme", "Mira") if "lives" in text]
    assert lives == ["Mira lives in Porto."]
    assert [each.valid_to is None for each in history("acme", "Mira", rows["Lisbon"]).versions] == [True, False]
    likes = [row for row in beliefs(learning, "acme", "Mira") if row["claim_predicate"] == "likes"]
    assert [(row["claim_object"], row["valid_to"] is None) for row in likes] == [("tea", False), ("coffee", True)]
    assert "Mira bought a kayak." in now_true(learning, "acme", "Mira")
    assert "Mira works at the bakery." in now_true(learning, "acme", "Mira")
    readings = [event for event in learning.ledger("acme", "Mira") if event.kind == EXTRACTION]
    assert readings[-1].payload["rejected"] == {"unknown_alias": 2, "unknown_line": 1}
    assert sum(readings[-1].payload["rejected"].values()) == 3
    links = learning.owner.execute("select source, target from memory_link").fetchall()
    known = {row["memory_id"] for row in learning.current("acme", "Mira")}
    assert all(source in known and target in known for source, target in links)
    assert [each.outcome for each in learning.receipts("acme", "Mira", "run-2")][-2:] == [
        Outcome.STORED,
        Outcome.INDEXED,
    ]


def test_a_memory_of_another_user_is_never_offered(learning, answers):
    answers(facts(entry("Oskar lives in Lisbon.", about="Oskar", predicate="lives_in", object="Lisbon")))
    learning.ingest("acme", "Oskar", "run-0", [said("I live in Lisbon.", "m0")])
    server = answers(facts())
    learning.ingest("acme", "Mira", "run-1", [said("I keep a goat.", "m1")])
    learning.ingest("globex", "Oskar", "run-1", [said("I keep a goat.", "m1")])
    assert len(server.requests) == 2
    assert not any("Lisbon" in request.words for request in server.requests)
