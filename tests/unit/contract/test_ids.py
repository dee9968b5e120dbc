"""Ids that are handed back, whole or as they were shown."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from shared.contract.errors import InvalidInput
from shared.contract.ids import IdRange

ONE = UUID("0f3c9a1b-77e2-5c1d-9b1e-3f6f3f1f2a10")


@pytest.mark.parametrize("given", [ONE, str(ONE), ONE.hex, str(ONE).upper(), f" {ONE} "])
def test_a_whole_id_is_itself_however_it_is_written(given: UUID | str) -> None:
    assert IdRange.of(given).whole == ONE


@pytest.mark.parametrize("given", ["0f3c9a1b77e2", "0f3c9a1b-77e2", "0F3C9A1B-77E2-5C1D"])
def test_a_beginning_is_all_ids_that_begin_so(given: str) -> None:
    ids = IdRange.of(given)
    assert ids.holds(ONE)
    assert not ids.holds(uuid4())
    assert ids.whole is None
    assert str(ONE).startswith(ids.begins)


@pytest.mark.parametrize("given", ["", "0f3c9a1b77e", "m3", "no id at all", f"{ONE}0"])
def test_what_is_no_id_is_refused_by_the_name_that_it_was_given_under(given: str) -> None:
    with pytest.raises(InvalidInput, match="is no id") as refused:
        IdRange.of(given, field="memory_id")
    assert refused.value.details["field"] == "memory_id"


def test_several_that_begin_so_are_asked_to_be_told_apart() -> None:
    ids = IdRange.of(ONE.hex[:12])
    assert ids.only([], "batches") is None
    assert ids.only([ONE], "batches") == ONE
    with pytest.raises(InvalidInput, match="several batches have ids that begin with 0f3c9a1b-77e2"):
        ids.only([ONE, uuid4()], "batches")
