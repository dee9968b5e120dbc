"""Why something is remembered, the life of a memory, and what waits for a person: from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

import psycopg
import pytest

from gateway import Daybook
from gateway.cli import FAILED, OK, WRONG_INPUT, run
from shared import clock
from shared.contract.candidates import Change, Extraction, Reading
from shared.contract.errors import InvalidInput, InvalidScope, NotFound
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store.reviews import ReviewState
from shared.testing import HashEmbedder, ScriptedExtractor

ME = ("--tenant", "acme", "--user", "mira")
EVERYBODY = ("--tenant", "acme", "--tenant-wide")
MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
IN_KITCHEN: dict[str, Any] = {"room": "kitchen", "participants": ["mira", "oskar"]}
SCRIPT: Final[dict[str, list[dict[str, Any]]]] = {
    "live in Varna": [{"text": "Mira lives in Varna.", "claim": ("mira", "lives_in", "Varna")}],
    "moved to Porto": [{"text": "Mira lives in Porto.", "claim": ("mira", "lives_in", "Porto")}],
    "left Porto": [{"text": "Mira left Porto.", "claim": ("mira", "lives_in", "Porto"), "change": Change.ENDED}],
    "Ana is Muslim,": [{"text": "Ana is Muslim.", "claim": ("Ana", "religion", "Muslim")}],
    "Ana is Hindu": [{"text": "Ana is Hindu.", "claim": ("Ana", "religion", "Hindu")}],
    "Tove is Jewish": [{"text": "Tove is Jewish."}],
    "had a cold": [{"text": "Mira had a cold."}],
    "like stuff": [{"text": "Mira likes stuff."}],
    "depot closes": [{"text": "The depot closes at 18:00."}],
}

Json = Callable[..., Any]


@pytest.fixture(autouse=True)
def _scripted(reading: Settings, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warmpath._door.model_of", lambda *_: ScriptedExtractor(SCRIPT))


@pytest.fixture
def document(capsys: pytest.CaptureFixture[str]) -> Json:
    """The one JSON document that a command writes."""

    def call(*arguments: str, code: int = OK) -> Any:
        assert run([*arguments, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    return call


def say(text: str, number: int = 1, *, day: int = 1, scope: Scope = MIRA, **more: Any) -> None:
    with Daybook() as daybook:
        message = {"role": "user", "text": text, "ts": f"2025-01-{day:02}T09:00:00Z"}
        daybook.observe(scope, [message | more.pop("said", {})], run_id=f"run-{number}", inline=True, **more)


def open_beliefs(owner: psycopg.Connection) -> list[str]:
    rows = owner.execute(
        "select text from memory where closed_at is null and valid_to is null and kind <> 'episodic' order by doc"
    )
    return [text for (text,) in rows]


def test_what_is_believed_is_told_with_the_message_the_rule_and_the_memory(document: Json) -> None:
    say("I live in Varna.")
    found = document("why", "where does Mira live, Varna?", *ME)
    assert found["is_remembered"] is True
    told = found["why"]
    assert told["finding"] == "believed"
    [heard] = told["heard"]
    assert (heard["said"]["text"], heard["verdict"]["rule"]) == ("I live in Varna.", "default")
    assert [each["text"] for each in heard["episodes"]] == ["I live in Varna."]
    [considered] = told["considered"]
    assert considered["proposal"]["verdict"]["rule"] == "default"
    assert set(considered["proposal"]["verdict"]["fields"]) == {
        "novelty", "specificity", "derivability", "sensitivity", "durability", "confidence",
    }  # fmt: skip
    assert [(each["text"], each["valid_to"]) for each in considered["memories"]] == [("Mira lives in Varna.", None)]


def test_what_is_no_longer_so_is_told_with_its_versions(document: Json, capsys: pytest.CaptureFixture[str]) -> None:
    say("I live in Varna.", 1)
    say("I moved to Porto.", 2, day=20)
    told = document("why", "Varna", *ME)["why"]
    assert told["finding"] == "ended"
    versions = told["considered"][0]["memories"]
    assert [each["closed_reason"] for each in versions] == ["supersede", None]
    assert versions[-1]["valid_to"].startswith("2025-01-20")
    assert run(["why", "Varna", *ME]) == OK
    shown = capsys.readouterr().out
    assert "It was remembered, and no longer holds." in shown
    assert "closed by supersede" in shown


@pytest.mark.parametrize(
    ("text", "asked", "finding", "rule"),
    [
        ("I like stuff, mostly.", "likes stuff", "verbatim", "nothing_said"),
        ("I had a cold.", "a cold", "deferred", "passing"),
        ("Ana is Muslim, by the way.", "Ana Muslim", "in_review", "sensitive_asked"),
        ("I keep two beehives.", "beehives", "verbatim", None),
    ],
)
def test_what_is_not_believed_is_told_with_the_rule_that_says_why(
    document: Json, text: str, asked: str, finding: str, rule: str | None
) -> None:
    say(text)
    found = document("why", asked, *ME)
    told = found["why"]
    assert (found["is_remembered"], told["finding"]) == (True, finding)
    assert [each["proposal"]["verdict"]["rule"] for each in told["considered"]] == ([rule] if rule else [])
    assert all(each["memories"] == [] for each in told["considered"])


def test_what_was_never_said_and_what_was_never_admitted_exit_1(document: Json) -> None:
    say("Thanks a lot!")
    never = document("why", "walnuts", *ME, code=FAILED)
    assert (never["is_remembered"], never["why"]["finding"], never["why"]["heard"]) == (False, "unheard", [])
    ignored = document("why", "thanks lot", *ME, code=FAILED)["why"]
    assert (ignored["finding"], ignored["heard"][0]["verdict"]["rule"]) == ("ignored", "acknowledgement")


def test_what_is_merely_like_it_is_shown_and_not_taken_for_it(
    document: Json, capsys: pytest.CaptureFixture[str]
) -> None:
    say("I live in Varna.", 1)
    say("I moved to Porto.", 2, day=2)
    found = document("why", "I moved to Porto", *ME)["why"]
    assert [each["says_it"] for each in found["heard"]] == [True]
    for asked in ("I moved to Rome", "i moved to rome"):
        other = document("why", asked, *ME, code=FAILED)
        assert (other["is_remembered"], other["why"]["finding"]) == (False, "unheard")
        assert [each["says_it"] for each in other["why"]["heard"]] == [False]
    assert run(["why", "I moved to Rome", *ME]) == FAILED
    assert capsys.readouterr().out.startswith("It was never said here, or it is forgotten; what follows is merely like")
    assert run(["why", "walnuts", *ME]) == FAILED
    assert capsys.readouterr().out.strip() == "Nothing like it was ever said here, or it is forgotten."


def test_what_was_refused_of_a_model_s_answer_is_told_with_the_message_it_was_read_from(
    document: Json, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Refusing(ScriptedExtractor):
        def extract(self, reading: Reading, *, deadline_s: float) -> Extraction:
            return replace(super().extract(reading, deadline_s=deadline_s), rejected={"not_its_kind": 2})

    monkeypatch.setattr("warmpath._door.model_of", lambda *_: Refusing(SCRIPT))
    say("The shop in Varna has closed.", 2, day=2)
    told = document("why", "shop in Varna closed", *ME)["why"]
    assert [each["refused"] for each in told["heard"]] == [{"not_its_kind": 2}]
    assert run(["why", "shop in Varna closed", *ME]) == OK
    assert "refused of what was read of" in (shown := capsys.readouterr().out)
    assert shown.strip().endswith("2 not_its_kind")


def test_what_says_the_most_comes_first(document: Json) -> None:
    say("I moved to Porto.", 1)
    say("I left Porto, and moved on to Rome.", 2, day=2)
    told = document("why", "moved to Porto", *ME)["why"]
    assert told["heard"][0]["said"]["text"] in {"I moved to Porto.", "I left Porto, and moved on to Rome."}
    told = document("why", "I left Porto", *ME)["why"]
    assert told["heard"][0]["said"]["text"] == "I left Porto, and moved on to Rome."
    assert told["considered"][0]["proposal"]["candidate"]["text"] == "Mira left Porto."


def test_nothing_of_somebody_else_s_or_of_what_is_forgotten_is_told(document: Json) -> None:
    say("I live in Varna.")
    assert document("why", "Varna", "--tenant", "acme", "--user", "oskar", code=FAILED)["why"]["heard"] == []
    assert document("why", "Varna", "--tenant", "other", "--user", "mira", code=FAILED)["why"]["heard"] == []
    [belief] = document("why", "Varna", *ME)["why"]["considered"][0]["memories"]
    document("forget", belief["memory_id"], *ME)
    gone = document("why", "Varna", *ME, code=FAILED)["why"]
    assert (gone["finding"], gone["heard"], gone["considered"]) == ("unheard", [], [])
    assert document("history", belief["memory_id"], *ME, code=WRONG_INPUT)["error"]["code"] == "NotFound"


def test_an_agent_is_told_nothing_of_what_another_one_heard() -> None:
    say("I live in Varna.", scope=replace(MIRA, agent_id="helper"))
    with Daybook() as daybook:
        mine = daybook.why(replace(MIRA, agent_id="helper"), "Varna")
        other = daybook.why(replace(MIRA, agent_id="rival"), "Varna")
        anybody = daybook.why(MIRA, "Varna")
        assert (mine.finding, anybody.finding, other.finding) == ("believed", "believed", "unheard")
        assert other.considered == ()
        memory = anybody.considered[0].memories[0].memory_id
        with pytest.raises(NotFound):
            daybook.history(replace(MIRA, agent_id="rival"), memory)


@pytest.mark.parametrize("text", [" ", "the", "!!"])
def test_a_question_without_a_word_is_wrong_input(document: Json, text: str) -> None:
    assert document("why", text, *ME, code=WRONG_INPUT)["error"]["code"] == "InvalidInput"


def test_history_shows_both_clocks_the_operations_the_evidence_and_the_ties(
    document: Json, capsys: pytest.CaptureFixture[str]
) -> None:
    say("I live in Varna.", 1)
    say("I still live in Varna.", 2, day=5)
    say("I moved to Porto.", 3, day=20)
    memory = document("why", "Varna", *ME)["why"]["considered"][0]["memories"][0]["memory_id"]
    found = document("history", memory[:13], *ME)
    assert (found["memory_id"], found["owner"], found["text"]) == (memory, "mira", "Mira lives in Varna.")
    assert [step["operation"] for step in found["steps"]] == ["add", "corroborate", "supersede"]
    assert [step["opened"] for step in found["steps"]] == [1, 2, 3]
    assert all(step["reason"] and step["run_id"] for step in found["steps"])
    first, _, last = found["versions"]
    assert first["valid_from"].startswith("2025-01-01")
    assert (first["valid_to"], last["closed_at"]) == (None, None)
    assert last["valid_to"].startswith("2025-01-20")
    assert [each["text"] for each in found["evidence"]] == ["I live in Varna.", "I still live in Varna."]
    [tie] = found["ties"]
    assert (tie["text"], tie["is_source"]) == ("Mira lives in Porto.", False)
    assert run(["history", memory, *ME]) == OK
    shown = capsys.readouterr().out
    assert "supersede" in shown
    assert "2025" in shown


def test_history_is_of_one_s_own_memories_and_of_one_s_rooms(document: Json) -> None:
    said = {"said": {"speaker": "mira"}}
    say("I live in Varna.", **said, **IN_KITCHEN)
    memory = document("why", "Varna", *ME)["why"]["considered"][0]["memories"][0]["memory_id"]
    assert document("history", memory, *ME)["owner"] == "room:kitchen"
    assert document("history", memory, "--tenant", "acme", "--user", "oskar")["memory_id"] == memory
    assert (
        document("history", memory, "--tenant", "acme", "--user", "tove", code=WRONG_INPUT)["error"]["code"]
        == "NotFound"
    )
    assert document("history", "nonsense", *ME, code=WRONG_INPUT)["error"]["code"] == "InvalidInput"


def test_what_waits_is_listed_shown_with_its_diff_and_approved_without_a_worker(
    document: Json, capsys: pytest.CaptureFixture[str], owner: psycopg.Connection
) -> None:
    say("Ana is Muslim, by the way.")
    [listed] = document("review", "list", *ME)["reviews"]
    assert (listed["policy"], listed["state"]) == ("sensitive_asked", "open")
    [waiting] = document("review", "list", "--tenant", "acme")["waiting"]
    assert waiting.keys() == {"owner", "review_id", "due_at"}
    found = document("review", "show", listed["review_id"], *ME)
    assert found["said"] == ["Ana is Muslim, by the way."]
    assert [(each["operation"], each["memory_id"], each["text"]) for each in found["differences"]] == [
        ("add", None, "Ana is Muslim.")
    ]
    assert open_beliefs(owner) == []
    assert run(["review", "approve", listed["review_id"][:13], *ME, "--by", "ana"]) == OK
    assert f"approved {listed['review_id']}" in capsys.readouterr().out
    assert open_beliefs(owner) == ["Ana is Muslim."]
    told = document("why", "Ana Muslim", *ME)["why"]
    assert told["finding"] == "believed"
    asked = told["considered"][0]["proposal"]["asked"]
    assert (asked["state"], asked["decided_by"]) == ("approved", "ana")
    assert document("review", "list", *ME)["reviews"] == []
    assert [each["decided_by"] for each in document("review", "list", *ME, "--state", "any")["reviews"]] == ["ana"]


def test_approving_changes_what_is_believed_as_the_diff_has_said(owner: psycopg.Connection) -> None:
    say("Ana is Muslim, by the way.", 1)
    say("Tove is Jewish, by the way.", 2)
    with Daybook() as daybook:
        for review in daybook.reviews(MIRA, ReviewState.OPEN):
            shown = daybook.review(MIRA, review.review_id)
            done = daybook.approve(MIRA, review.review_id, by="mira")
            assert shown.differences == done.differences != ()
            assert daybook.review(MIRA, review.review_id).differences == ()
        assert next(daybook.replay("acme", verify=True)).is_equal
    assert sorted(open_beliefs(owner)) == ["Ana is Muslim.", "Tove is Jewish."]


def test_what_was_asked_about_twice_is_remembered_once(owner: psycopg.Connection) -> None:
    for number in (1, 2):
        say("Tove is Jewish, by the way.", number, day=number)
    with Daybook() as daybook:
        [asked] = daybook.reviews(MIRA, ReviewState.OPEN)
        before = daybook.review(MIRA, asked.review_id)
        assert before.said == ("Tove is Jewish, by the way.",) * 2
        assert [(each.operation, each.text) for each in before.differences] == [("add", "Tove is Jewish.")]
        daybook.approve(MIRA, asked.review_id, by="mira")
        assert daybook.reviews(MIRA, ReviewState.OPEN) == []
        assert {each.state for each in daybook.reviews(MIRA, None)} == {ReviewState.APPROVED}
        [memory] = {each.memory_id for one in daybook.why(MIRA, "Tove Jewish").considered for each in one.memories}
        assert len(daybook.history(MIRA, memory).evidence) == 2
        assert next(daybook.replay("acme", verify=True)).is_equal
    assert open_beliefs(owner) == ["Tove is Jewish."]


def test_who_rejects_what_was_asked_about_twice_is_not_asked_once_more(owner: psycopg.Connection) -> None:
    for number in (1, 2):
        say("Ana is Muslim, by the way.", number, day=number)
    say("Ana is Hindu, by the way.", 3, day=3)
    with Daybook() as daybook:
        first, hindu = daybook.reviews(MIRA, ReviewState.OPEN)
        daybook.reject(MIRA, first.review_id, by="mira")
        assert [each.review_id for each in daybook.reviews(MIRA, ReviewState.OPEN)] == [hindu.review_id]
    assert open_beliefs(owner) == []


def test_who_forgets_one_of_two_is_still_asked_about_the_other(owner: psycopg.Connection) -> None:
    for number in (1, 2):
        say("Tove is Jewish, by the way.", number, day=number)
    with Daybook() as daybook:
        [episode, _] = owner.execute("select memory_id from memory where kind = 'episodic' order by doc").fetchall()
        daybook.forget(MIRA, str(episode[0]))
        [asked] = daybook.reviews(MIRA)
        assert daybook.approve(MIRA, asked.review_id, by="mira").said == ("Tove is Jewish, by the way.",)
    assert open_beliefs(owner) == ["Tove is Jewish."]


def test_what_is_rejected_is_never_remembered_and_a_decision_stands(owner: psycopg.Connection) -> None:
    say("Ana is Muslim, by the way.")
    with Daybook() as daybook:
        [review] = daybook.reviews(MIRA)
        daybook.reject(MIRA, review.review_id, by="mira")
        [rejected] = daybook.reviews(MIRA)
        assert (rejected.state, rejected.decided_by) == (ReviewState.REJECTED, "mira")
        for again in (daybook.approve, daybook.reject):
            with pytest.raises(InvalidInput, match="rejected already, by mira"):
                again(MIRA, review.review_id, by="mira")
        assert daybook.why(MIRA, "Ana Muslim").finding == "verbatim"
    assert open_beliefs(owner) == []
    audit = owner.execute(
        "select payload::jsonb from event join event_payload using (tenant_id, stream, sequence) where kind = 'review'"
    ).fetchall()
    assert [each["state"] for (each,) in audit] == ["rejected"]


def test_who_it_is_assigned_to_decides_and_nobody_else(document: Json) -> None:
    say("Ana is Muslim, by the way.")
    [listed] = document("review", "list", *ME)["reviews"]
    assigned = document("review", "assign", listed["review_id"], *ME, "--to", "ana", "--due", "2031-03-01")
    assert (assigned["reviewer"], assigned["due_at"][:10]) == ("ana", "2031-03-01")
    refused = document("review", "approve", listed["review_id"], *ME, "--by", "oskar", code=WRONG_INPUT)
    assert "ana's to decide" in refused["error"]["message"]
    document("review", "assign", listed["review_id"], *ME, "--to-anybody")
    document("review", "approve", listed["review_id"], *ME, "--by", "oskar")


def test_what_nobody_decides_in_time_expires_and_is_not_remembered(document: Json, owner: psycopg.Connection) -> None:
    say("Ana is Muslim, by the way.")
    assert document("review", "expire")["expired"] == 0
    [listed] = document("review", "list", *ME)["reviews"]
    owner.execute("update review set due_at = now() - interval '1 minute'")
    late = document("review", "approve", listed["review_id"], *ME, "--by", "ana", code=WRONG_INPUT)
    assert "what is overdue expires; assign it with a later time" in late["error"]["message"]
    assert document("review", "expire", "--tenant", "other")["expired"] == 0
    assert document("review", "expire", "--tenant", "acme")["expired"] == 1
    assert document("review", "expire")["expired"] == 0
    [expired] = document("review", "list", *ME, "--state", "expired")["reviews"]
    assert expired["decided_by"] == "nobody"
    assert open_beliefs(owner) == []


def test_what_is_overdue_is_decided_on_once_it_has_a_later_time(document: Json, owner: psycopg.Connection) -> None:
    say("Ana is Muslim, by the way.")
    [listed] = document("review", "list", *ME)["reviews"]
    owner.execute("update review set due_at = now() - interval '1 minute'")
    document("review", "assign", listed["review_id"], *ME, "--to-anybody", "--due", "2041-03-01")
    document("review", "approve", listed["review_id"], *ME, "--by", "ana")
    assert open_beliefs(owner) == ["Ana is Muslim."]


def test_a_review_waits_for_a_time_to_come(document: Json) -> None:
    say("Ana is Muslim, by the way.")
    with Daybook() as daybook:
        [review] = daybook.reviews(MIRA)
        late, naive = clock.now() - timedelta(minutes=1), datetime(2041, 3, 1)  # noqa: DTZ001
        for due_at, told in ((late, "is over: a review waits for a time to come"), (naive, "with a zone")):
            with pytest.raises(InvalidInput, match=told):
                daybook.assign(MIRA, review.review_id, reviewer=None, due_at=due_at)
        [same] = daybook.reviews(MIRA)
        assert same.due_at == review.due_at
    past = ("--to-anybody", "--due", "2020-01-01")
    document("review", "assign", str(review.review_id), *ME, *past, code=WRONG_INPUT)


def test_a_decision_changes_no_policy() -> None:
    say("Ana is Muslim, by the way.", 1)
    with Daybook() as daybook:
        [review] = daybook.reviews(MIRA)
        daybook.approve(MIRA, review.review_id, by="mira")
    say("Tove is Jewish, by the way.", 2)
    with Daybook() as daybook:
        assert [each.state for each in daybook.reviews(MIRA, ReviewState.OPEN)] == [ReviewState.OPEN]


def test_what_all_users_would_share_waits_and_is_shown_to_whoever_asks_for_the_tenant(document: Json) -> None:
    say("The depot closes at 18:00.", scope=Scope.tenant_wide("acme"))
    [listed] = document("review", "list", *EVERYBODY)["reviews"]
    assert (listed["policy"], listed["owner"]) == ("tenant_wide", "tenant:")
    assert document("review", "list", *ME)["reviews"] == []
    document("review", "approve", listed["review_id"], *EVERYBODY, "--by", "ana")
    found = document("recall", "When does the depot close?", *ME)
    assert "The depot closes at 18:00." in [item["text"] for item in found["items"]]


def test_a_review_of_somebody_else_s_is_not_found_and_one_of_a_room_is_its_participants(document: Json) -> None:
    say("Ana is Muslim, by the way.", 1)
    [mine] = document("review", "list", *ME)["reviews"]
    with Daybook() as daybook:
        for call in (daybook.review, lambda scope, named: daybook.reject(scope, named, by="oskar")):
            with pytest.raises(NotFound):
                call(OSKAR, mine["review_id"])
        with pytest.raises(InvalidScope):
            daybook.reject(MIRA, mine["review_id"], by=" ")
    say("Tove is Jewish, by the way.", 2, said={"speaker": "mira"}, **IN_KITCHEN)
    with Daybook() as daybook:
        [shared] = daybook.reviews(OSKAR, ReviewState.OPEN)
        assert shared.owner == "room:kitchen"
        daybook.approve(OSKAR, shared.review_id, by="oskar")
        assert daybook.why(MIRA, "Tove Jewish").finding == "believed"


def test_a_review_of_what_another_agent_heard_is_not_found_and_what_it_holds_is_not_shown() -> None:
    helper, rival = replace(MIRA, agent_id="helper"), replace(MIRA, agent_id="rival")
    say("Ana is Muslim, by the way.", 1, scope=helper)
    with Daybook() as daybook:
        [mine] = daybook.reviews(helper)
        assert daybook.reviews(rival) == []
        for call in (daybook.review, lambda scope, named: daybook.approve(scope, named, by="rival")):
            with pytest.raises(NotFound):
                call(rival, mine.review_id)
        daybook.approve(helper, mine.review_id, by="mira")
    say("Then, Ana is Muslim no more, Ana is Hindu.", 2, day=2, scope=rival)
    with Daybook() as daybook:
        [other] = daybook.reviews(rival)
        found = daybook.review(rival, other.review_id)
        assert (found.held, [each.memory_id for each in found.differences]) == ((), [None])
        assert [version.text for version in daybook.review(MIRA, other.review_id).held] == ["Ana is Muslim."]


def test_what_is_forgotten_waits_for_nobody(document: Json) -> None:
    say("Ana is Muslim, by the way.")
    [listed] = document("review", "list", *ME)["reviews"]
    [heard] = document("why", "Ana Muslim", *ME)["why"]["heard"]
    document("forget", heard["episodes"][0]["memory_id"], *ME)
    assert document("review", "list", *ME, "--state", "any")["reviews"] == []
    code = "NotFound"
    assert (
        document("review", "approve", listed["review_id"], *ME, "--by", "ana", code=WRONG_INPUT)["error"]["code"]
        == code
    )


@pytest.mark.parametrize(
    "command",
    [
        ("profile",),
        ("rederive",),
        ("rederive", "--apply"),
        ("rederive", "--back"),
        ("quarantine", "--origin", "web"),
        ("quarantine", "--run", "run-1", "--apply"),
    ],
)
def test_a_user_of_whom_nothing_is_known_is_wrong_input(document: Json, command: tuple[str, ...]) -> None:
    say("I live in Varna.")
    refused = document(*command, "--tenant", "acme", "--user", "nobody", code=WRONG_INPUT)
    assert refused["error"]["message"].startswith("nothing is known of user 'nobody' of tenant 'acme'")


def test_a_source_that_there_is_not_is_wrong_input(document: Json, capsys: pytest.CaptureFixture[str]) -> None:
    say("I live in Varna.")
    assert run(["quarantine", *ME, "--origin", "nosuch"]) == WRONG_INPUT
    told = capsys.readouterr().err
    assert "web" in told
    assert "document" in told
    for apply in ((), ("--apply",), ("--lift",)):
        refused = document("quarantine", *ME, "--run", "nope", *apply, code=WRONG_INPUT)
        assert refused["error"]["message"].startswith("the ledger has no run 'nope'")
    assert run(["quarantine", *ME, "--speaker", "nobody"]) == OK
    assert "nothing in the ledger is from it" in capsys.readouterr().err


def test_whose_it_is_must_be_said(document: Json) -> None:
    for arguments in (
        ("show", "0f3c9a1b77e2", "--tenant", "acme"),
        ("show", "0f3c9a1b77e2", *ME, "--tenant-wide"),
        ("assign", "0f3c9a1b77e2", *ME),
        ("list", "--tenant", "acme", "--state", "any"),
    ):
        assert document("review", *arguments, code=WRONG_INPUT)["error"]["code"] == "Usage"
