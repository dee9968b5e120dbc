"""What a replay folds is kept in a file, and is what it would be in the process's memory."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coldpath import _shelf
from coldpath._shelf import Shelf, shelves
from shared.belief.fold import fingerprint, fold
from shared.contract.errors import ServiceFailed
from shared.contract.operations import ClosePayload, CorroboratePayload, ForgetPayload
from shared.contract.records import EvidenceRef, Operation, Span
from tests.unit.belief.ledgers import Ledger, belief


@pytest.fixture(autouse=True)
def _few_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_shelf, "AT_HAND", 3)
    monkeypatch.setattr(_shelf, "_READ_AHEAD", 2)


@pytest.fixture
def shelf() -> Iterator[Shelf[int, object]]:
    made: Shelf[int, object] = Shelf(int, int)
    yield made
    made.close()


KEYS = st.integers(0, 8)
DEEDS = st.lists(st.tuples(st.sampled_from(["put", "put", "take", "get", "all"]), KEYS, st.integers()), max_size=60)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DEEDS)
def test_it_is_a_mapping_in_the_order_in_which_keys_were_first_put_in(deeds: list[tuple[str, int, int]]) -> None:
    made: Shelf[int, object] = Shelf(int, int)
    plain: dict[int, object] = {}
    for deed, key, value in deeds:
        if deed == "put":
            made[key] = plain[key] = (value, "words")
        elif deed == "take":
            assert made.pop(key, None) == plain.pop(key, None)
        elif deed == "get":
            assert made.get(key) == plain.get(key)
        else:
            assert list(made.items()) == list(plain.items())
        assert len(made) == len(plain)
    assert list(made.values()) == list(plain.values())
    made.close()


def test_what_is_not_there_is_an_error_and_of_what_is_there_few_are_at_hand(shelf: Shelf[int, object]) -> None:
    for number in range(100):
        shelf[number] = number
    assert [shelf[number] for number in range(100)] == list(range(100))
    assert len(shelf._at_hand) <= 3
    with pytest.raises(KeyError):
        del shelf[100]
    with pytest.raises(KeyError):
        shelf[100]


@pytest.mark.skipif(sys.platform != "linux", reason="which files a process has open is read in /proc")
def test_the_file_has_no_name_and_is_its_owners_alone() -> None:
    def nameless() -> set[Path]:
        return {each for each in Path("/proc/self/fd").iterdir() if _leads_to(each).endswith(" (deleted)")}

    before = nameless()
    made: Shelf[int, Any] = Shelf(int, int)
    for number in range(4_000):
        made[number] = "x" * 4_000
    (file,) = nameless() - before
    there = file.stat()
    assert there.st_size > 4_000_000, "it holds what was put in"
    assert (there.st_nlink, stat.S_IMODE(there.st_mode)) == (0, 0o600)
    made.close()
    assert nameless() == before


def _leads_to(file: Path) -> str:
    try:
        return str(file.readlink())
    except FileNotFoundError:  # the one that the folder was listed by
        return ""


def test_a_fold_comes_to_the_same_wherever_its_memories_are_kept() -> None:
    ledger = Ledger()
    said = [ledger.hear(f"Line {number} of the day.", day=number) for number in range(8)]
    episodes = ledger.open_episodes(*said)
    held = [ledger.believe(belief(each, text=f"It is so, says {each}.")) for each in said]
    ledger.do(CorroboratePayload(reason="again", memory=held[0], evidence=(EvidenceRef(sequence=said[3]),)))
    ledger.do(ClosePayload(op=Operation.EXPIRE, reason="old", memory=held[5]))
    spans = tuple(Span(sequence=each) for each in said[3:5])
    closes = (episodes[3], episodes[4], held[3], held[4])
    ledger.do(ForgetPayload(reason="asked", spans=spans, closes=closes, erased=()))
    plain = fold(ledger.events)
    with shelves() as kept:
        found = fold(ledger.events, kept)
        assert dict(found.memories) == dict(plain.memories)
        assert list(found.memories) == list(plain.memories)
        assert fingerprint(found) == fingerprint(plain)
        assert len(found.memories[held[0]]) == 3, "confirmed, and then by less"


def test_a_disk_that_does_not_keep_it_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_shelf, "_INSERT", "insert into nowhere values (?, ?, ?)")
    ledger = Ledger()
    for number in range(9):
        ledger.hear(f"Line {number} of the day.")
    with (
        pytest.raises(ServiceFailed, match="make room for temporary files in SQLITE_TMPDIR or TMPDIR"),
        shelves() as kept,
    ):
        fold(ledger.events, kept)
