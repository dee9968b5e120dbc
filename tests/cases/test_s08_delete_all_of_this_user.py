"""S08: all that a user has is gone in one call, nobody else's, and an empty scope is refused before anything is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

import warmpath
from coldpath.forget import Erased, erase, forget
from coldpath.replay import replay
from coldpath.verify import verify
from shared.contract.errors import InvalidScope, NotFound
from shared.contract.events import EventClass
from shared.contract.receipts import Outcome
from shared.contract.scope import AUDIT_OWNER, Owner, Scope
from shared.embedded import open_database
from shared.settings import settings
from shared.store import ledger
from shared.store.erasure import TABLES, Fate
from shared.store.tables import metadata
from tests.cases.adapter import Words, said, scope

pytestmark = pytest.mark.usefixtures("embedder")

MEMORIES = {("acme", "mira"): 250, ("acme", "oskar"): 3, ("beta", "mira"): 4}
MARKER = "ZQ-MIRA-93"
CLEARED = sorted(each.name for each in TABLES if each.fate is Fate.CLEARED)


def erased(t: str = "acme", u: str = "mira") -> Erased:
    return erase(open_database(settings()), Scope(tenant_id=t, user_id=u))


def fill(words: Words) -> None:
    for (tenant, user), count in MEMORIES.items():
        for run in range(0, count, 50):
            last = min(run + 50, count)
            notes = [said(f"Note {number} of {user}, {MARKER}: the hive.", f"m{number}") for number in range(run, last)]
            words.ingest(tenant, user, f"run-{run}", notes)


def rows_of(owner: psycopg.Connection, table: str, tenant: str, user: str) -> int:
    query = sql.SQL("select count(*) from {} where tenant_id = %s and user_id = %s").format(sql.Identifier(table))
    return int((owner.execute(query, [tenant, user]).fetchone() or (0,))[0])


def checksum(owner: psycopg.Connection) -> str:
    """Of every row of every table."""
    digest = hashlib.sha256()
    for table in sorted(metadata.tables):
        rows = owner.execute(sql.SQL("select t::text from {} as t order by 1").format(sql.Identifier(table))).fetchall()
        digest.update(repr((table, rows)).encode())
    return digest.hexdigest()


def holding(owner: psycopg.Connection, marker: str) -> list[str]:
    """The tables of which some row holds the marker in any column."""
    return [
        table
        for table in sorted(metadata.tables)
        if owner.execute(
            sql.SQL("select 1 from {} as t where t::text ilike %s limit 1").format(sql.Identifier(table)),
            [f"%{marker}%"],
        ).fetchone()
    ]


def sound(tenant: str, user: str) -> None:
    """The chain can be followed, and the tables are what the ledger comes to."""
    database = open_database(settings())
    assert verify(database, tenant, Owner(user)).fault is None
    replayed = replay(database, tenant, Owner(user), verify=True)
    assert replayed.differences == ()
    assert replayed.is_equal


def test_s08_everything_of_one_user_goes_in_one_call_and_nothing_of_others(words: Words) -> None:
    fill(words)
    before = {each: [rows_of(words.owner, table, *each) for table in CLEARED] for each in MEMORIES}
    assert erased().memories == 250
    assert {table: rows_of(words.owner, table, "acme", "mira") for table in CLEARED} == dict.fromkeys(CLEARED, 0)
    for each in (("acme", "oskar"), ("beta", "mira")):
        assert [rows_of(words.owner, table, *each) for table in CLEARED] == before[each]
        assert len(words.current(*each)) == MEMORIES[each]
    assert [rows_of(words.owner, "memory", *each) for each in MEMORIES] == [0, 3, 4]
    assert not words.bundle("acme", "mira", "hive note").items
    assert words.recall("acme", "oskar", "hive note")
    for each in MEMORIES:
        sound(*each)


def test_s08_every_table_with_a_user_column_is_cleared_or_said_to_be_kept_and_why(words: Words) -> None:
    fill(words)
    words.ingest("acme", "mira", "run-r", [said("In the kitchen.", speaker="mira")], room="k", participants=["mira"])
    erased()
    kept = {each.name for each in TABLES if each.fate is not Fate.CLEARED}
    left = {table for table in metadata.tables if "user_id" in metadata.tables[table].columns}
    left = {table for table in left if rows_of(words.owner, table, "acme", "mira")}
    assert left == {"event", "event_payload", "stream", "suppression", "sparse_stream", "graph_stream"}
    assert left <= kept
    kinds = words.owner.execute(
        "select distinct event_class, kind from event join event_payload using (tenant_id, stream, sequence) "
        "where tenant_id = 'acme' and stream = 'user:mira' order by 2"
    ).fetchall()
    assert kinds == [("operation", "add"), ("operation", "forget")], "which name events and memories, and quote nothing"
    counts = words.owner.execute(
        "select documents, length_sum, sessions from sparse_stream where tenant_id = 'acme' and user_id = 'mira'"
    ).fetchall()
    assert counts == [(0, 0, 0)]


def test_s08_no_text_of_the_user_is_left_in_any_column_of_any_table(words: Words) -> None:
    fill(words)
    words.accept("acme", "mira", "run-q", [said(f"Still waiting: {MARKER}-queued.")])
    words.accept("acme", "mira", "run-p", [said(f"Given up: {MARKER}-parked.")])
    words.owner.execute("update inbox set state = 'parked', last_error = 'ZeroDivisionError' where run_id = 'run-p'")
    assert "inbox" in holding(words.owner, f"{MARKER}-queued")
    erased()
    assert holding(words.owner, f"{MARKER}-queued") == []
    assert holding(words.owner, f"{MARKER}-parked") == []
    for user in ("acme", "beta"):
        assert holding(words.owner, MARKER) != [], f"of others of {user}"
    erased("acme", "oskar")
    erased("beta", "mira")
    assert holding(words.owner, MARKER) == []


def test_s08_the_reply_counts_rows_by_table_and_one_event_without_personal_data_records_it(words: Words) -> None:
    fill(words)
    said_of_it = erased()
    assert said_of_it.memories == 250
    counts: Mapping[str, int] = said_of_it.rows
    assert counts["memory"] == counts["memory_evidence"] == counts["memory_vector"] == counts["event_payload"] == 250
    assert counts["decision"] == 250
    assert counts["inbox"] == 5
    assert counts["receipt"] == 20
    with words.session("acme", AUDIT_OWNER) as session:
        *_, event = list(ledger.read(session, AUDIT_OWNER))
    assert (event.event_class, event.kind) == (EventClass.AUDIT, "erase")
    assert event.payload is not None
    assert event.payload["memories"] == 250
    assert "mira" not in repr(event.payload)
    sound("acme", "audit:")


@pytest.mark.parametrize("user", [None, "", "  ", "*", "all", 7])
def test_s08_an_empty_scope_is_refused_and_nothing_is_touched(words: Words, user: object) -> None:
    fill(words)
    before = checksum(words.owner)
    with pytest.raises(InvalidScope):
        erase(open_database(settings()), Scope(tenant_id="acme", user_id=user))  # type: ignore[arg-type]
    assert checksum(words.owner) == before


@pytest.mark.parametrize("wrong", [None, "", "mira", {"tenant_id": "acme", "user_id": "mira"}])
def test_s08_what_is_no_scope_is_refused_and_nothing_is_touched(words: Words, wrong: object) -> None:
    words.ingest("acme", "mira", "run-1", [said("I keep two beehives.")])
    before = checksum(words.owner)
    with pytest.raises(InvalidScope):
        erase(open_database(settings()), wrong)  # type: ignore[arg-type]
    for more in ({"session_id": "run-1"}, {"agent_id": "a"}):
        with pytest.raises(InvalidScope, match="of a whole user"):
            erase(open_database(settings()), Scope(tenant_id="acme", user_id="mira", **more))
    assert checksum(words.owner) == before


def test_s08_a_user_that_has_nothing_is_not_found_and_nothing_is_written(words: Words) -> None:
    words.ingest("acme", "mira", "run-1", [said("I keep two beehives.")])
    with pytest.raises(NotFound, match="nothing is known of user 'nobody' of tenant 'acme': nothing was erased"):
        erased(u="nobody")
    with pytest.raises(NotFound, match="of user 'mira' of tenant 'nowhere'"):
        erased(t="nowhere")
    assert words.owner.execute("select stream from stream").fetchall() == [("user:mira",)]


def test_s08_erasing_again_finds_nothing_and_what_is_said_later_is_remembered(words: Words) -> None:
    fill(words)
    erased()
    assert erased().memories == 0
    words.ingest("acme", "mira", "run-new", [said("Note 1 of mira, the hive, again.", "n1")])
    assert [row["text"] for row in words.current("acme", "mira")] == ["Note 1 of mira, the hive, again."]
    (hit,) = words.recall("acme", "mira", "hive note")
    assert hit.text == "Note 1 of mira, the hive, again."
    sound("acme", "mira")
    assert erased().memories == 1
    sound("acme", "mira")


def test_s08_what_is_on_its_way_goes_too_and_its_retry_gets_a_receipt_and_brings_nothing_back(words: Words) -> None:
    run = [said("I keep two beehives.", "m1"), said("My sister is called Tove.", "m2")]
    words.ingest("acme", "mira", "run-1", run)
    words.accept("acme", "mira", "run-2", [said("On its way.", "m3")])
    erased()
    assert words.drain() == [], "the rings are of nothing"
    for again in (("run-1", run), ("run-2", [said("On its way.", "m3")]), ("run-9", run)):
        words.ingest("acme", "mira", *again)
        receipts = words.receipts("acme", "mira", again[0])
        assert receipts[1].outcome is Outcome.IGNORED
        assert "in the ledger before" in receipts[1].reason
    assert words.current("acme", "mira") == []
    assert not words.bundle("acme", "mira", "beehives sister on its way").items
    sound("acme", "mira")


def test_s08_what_was_forgotten_before_loses_its_content_with_the_rest(words: Words) -> None:
    words.ingest(
        "acme", "mira", "run-1", [said(f"I keep two beehives. {MARKER}", "m1"), said("My sister is Tove.", "m2")]
    )
    forget(open_database(settings()), scope("acme", "mira", {}), words.current("acme", "mira")[0]["memory_id"])
    assert holding(words.owner, MARKER) == ["event_payload"]
    assert erased().memories == 1
    assert holding(words.owner, MARKER) == []
    sound("acme", "mira")


def test_s08_in_rooms_what_the_user_said_goes_and_what_others_said_stays(words: Words) -> None:
    room = {"room": "kitchen", "participants": ["mira", "oskar"]}
    talk = [
        said("I bring the cake.", "m1", speaker="mira"),
        said("I bring plates.", "m2", speaker="oskar"),
        said("And candles.", "m3", speaker="Mira"),
    ]
    words.ingest("acme", "mira", "run-1", talk, **room)
    words.accept(
        "acme",
        "oskar",
        "run-2",
        [said("Napkins, too.", "m4", speaker="mira"), said("Good.", "m5", speaker="oskar")],
        **room,
    )
    found = erased()
    assert (found.memories, found.in_rooms) == (0, 2)
    words.drain()
    assert [row["text"] for row in words.current("acme", "room:kitchen")] == ["I bring plates.", "Good."]
    assert holding(words.owner, "napkins") == holding(words.owner, "candles") == []
    assert words.recall("acme", "oskar", "plates")
    assert not words.bundle("acme", "mira", "plates cake").items, "who was erased takes part no more"
    sound("acme", "room:kitchen")


def test_s08_who_has_the_same_name_in_other_letters_in_a_room_keeps_what_they_said(words: Words) -> None:
    talk = [said("I bring the cake.", speaker="mira"), said("I bring plates.", speaker="Mira")]
    words.ingest("acme", "mira", "run-1", talk, room="kitchen", participants=["mira", "Mira"])
    assert erased().in_rooms == 1
    assert [row["text"] for row in words.current("acme", "room:kitchen")] == ["I bring plates."]


def test_s08_what_the_tenant_shares_is_erased_by_its_own_scope_alone(words: Words) -> None:
    everybody = Scope.tenant_wide("acme")
    warmpath.observe(everybody, [said("The office closes at six.")], run_id="run-1", inline=True)
    words.ingest("acme", "mira", "run-1", [said("I leave at five.")])
    erased()
    assert words.recall("acme", "oskar", "When does the office close?")
    assert erase(open_database(settings()), everybody).memories == 1
    assert not words.recall("acme", "oskar", "When does the office close?")
    sound("acme", "tenant:")


def test_s08_an_erasure_that_fails_half_way_has_changed_nothing(words: Words, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(words)
    before = checksum(words.owner)

    def fail(*_: object) -> None:
        raise ZeroDivisionError(str(uuid4()))

    monkeypatch.setattr("coldpath._forgetting.write_down", fail)
    with pytest.raises(ZeroDivisionError):
        erased()
    assert checksum(words.owner) == before


def test_s08_more_than_one_portion_of_evidence_is_erased_by_several_forgets(
    words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coldpath._forgetting.PORTION", 60)
    fill(words)
    assert erased().memories == 250
    forgets = [event for event in words.ledger("acme", "mira") if event.kind == "forget"]
    assert len(forgets) == 5
    sound("acme", "mira")
