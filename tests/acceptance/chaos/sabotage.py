"""End states damaged on purpose: the comparison must see it, or it would see nothing."""

from __future__ import annotations

from typing import Final

from tests.acceptance.chaos.points import point
from tests.acceptance.chaos.scene import Scene

_RUN: Final = "run-06"


def _damage(scene: Scene, statement: str) -> None:
    """Let all be done, then change rows behind its back, past every trigger."""
    scene.observe()
    scene.until(lambda: not scene.waiting(), "all is done")
    with scene.world.owner() as connection, connection.transaction():
        connection.execute("set local session_replication_role = replica")
        changed = connection.execute(statement, {"tenant": scene.tenant, "run": _RUN}).rowcount
    scene.require(changed > 0, "a row was changed")


@point("sabotage/message-lost", "a message of the ledger deleted behind its back", caught=True)
def _lost(scene: Scene) -> None:
    _damage(
        scene,
        "delete from event where tenant_id = %(tenant)s and run_id = %(run)s and message_id = "
        "(select min(message_id) from event where tenant_id = %(tenant)s and run_id = %(run)s)",
    )


@point("sabotage/episode-twice", "an episode of the run entered once more", caught=True)
def _twice(scene: Scene) -> None:
    _damage(
        scene,
        "insert into memory select (jsonb_populate_record(memory, "
        "jsonb_build_object('memory_id', gen_random_uuid(), 'doc', doc + 1000))).* "
        "from memory where tenant_id = %(tenant)s and run_id = %(run)s limit 1",
    )


@point("sabotage/vector-lost", "a vector deleted behind its back", caught=True)
def _vector(scene: Scene) -> None:
    _damage(
        scene,
        "delete from memory_vector where tenant_id = %(tenant)s and memory_id in "
        "(select memory_id from memory where tenant_id = %(tenant)s and run_id = %(run)s limit 1)",
    )


@point("sabotage/receipt-lost", "the receipt of a stage deleted", caught=True)
def _receipt(scene: Scene) -> None:
    _damage(scene, "delete from receipt where tenant_id = %(tenant)s and run_id = %(run)s and stage = 'gate'")
