"""Memories made by hand, and the errand that an agent is given to search them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from gateway.runbook.agents import Errand
from gateway.runbook.answers import Budget
from gateway.runbook.folder import written
from gateway.runbook.tree import grown
from shared.contract.events import memory_id
from shared.contract.scope import Owner, stream_of
from shared.store.trajectories import Told

Make = Callable[..., Told]
Send = Callable[..., Errand]


@pytest.fixture(scope="session")
def make() -> Make:
    def one(doc: int, text: str, **given: Any) -> Told:
        owner = Owner(given.pop("owner", "mira"))
        whole: dict[str, Any] = {
            "kind": "episodic",
            "epistemic_type": "evidence",
            "speaker": "user",
            "role": "user",
            "origin": "user",
            "trust": 4,
            "session_id": "s1",
            "run_id": "run-1",
            "ended_at": None,
            "at": datetime(2025, 3, 4, 18, 30, tzinfo=UTC) + timedelta(days=doc),
        }
        return Told(
            memory_id=memory_id("acme", stream_of(owner), doc, 0), owner=owner, doc=doc, text=text, **(whole | given)
        )

    return one


@pytest.fixture
def bees(make: Make) -> list[Told]:
    return [
        make(3, "The bees swarmed.\nWe caught them in a box.", run_id="run-2"),
        make(2, "Is the garage to the north of them?", speaker="assistant", role="assistant", origin="assistant"),
        make(1, "I keep two beehives behind the garage.", speaker="Mira"),
    ]


@pytest.fixture
def send(bees: list[Told], tmp_path: Path) -> Iterator[Send]:
    """Writes a folder and gives the errand to search it; the folder goes with the test."""
    with ExitStack() as leaving:

        def errand(question: str = "Where are the hives?", told: Sequence[Told] | None = None, **bounds: Any) -> Errand:
            budget = Budget(**bounds)
            tree = grown(bees if told is None else told, of=3, budget=budget)
            folder = leaving.enter_context(written(tree, tmp_path, lambda _root, _kept: None))
            return Errand(question=question, folder=folder, tree=tree, budget=budget)

        yield errand
