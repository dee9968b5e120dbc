"""Postgres restarted, out of connections, read-only, and sessions of it ended in the middle."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from typing import Final

import psycopg

from tests.acceptance.chaos.points import point
from tests.acceptance.chaos.scene import Moment, Scene
from tests.acceptance.chaos.signals import gone, send

_AWAY_S: Final = 2.0
_MOST_CONNECTIONS: Final = 200
_END_SESSIONS: Final = (
    "select pg_terminate_backend(pid) from pg_stat_activity "
    "where usename <> current_user and pid <> pg_backend_pid() and backend_type = 'client backend'"
)


@point("database/restarted", "shut down at once (no checkpoint) with a stage in its transaction, and started again")
def _restarted(scene: Scene) -> None:
    with ExitStack() as stack:
        held = stack.enter_context(scene.holding("append", Moment.BEFORE))
        scene.observe()
        held.wait()
        postgres = scene.world.server("postgres")
        send(signal.SIGQUIT, postgres)
        scene.until(lambda: gone([postgres]), "Postgres has ended")
        scene.require(held.connection.closed or not _answers(held.connection), "its sessions ended with it")
    scene.pause(_AWAY_S)
    scene.world.serve()


@point("database/killed", "SIGKILL to the whole server while runs are at every stage, and started again")
def _killed(scene: Scene) -> None:
    scene.observe()
    scene.until(lambda: scene.waiting("gate", "index"), "runs are under way")
    postgres = scene.world.server("postgres")
    send(signal.SIGKILL, postgres)
    scene.until(lambda: gone([postgres]), "Postgres is dead")
    scene.world.serve()


def _answers(connection: psycopg.Connection[object]) -> bool:
    try:
        connection.execute("select 1")
    except psycopg.OperationalError:
        return False
    return True


@point("database/no-connections", "every connection that a login may have is taken, while runs wait and come in")
def _no_connections(scene: Scene) -> None:
    scene.observe(scene.runs[:8])
    with ExitStack() as stack:
        for _ in range(3):  # as workers give theirs up or have them ended, take those too
            scene.ask(f"{_END_SESSIONS} and %s <> ''")
            _take_all(scene, stack)
        scene.pause(_AWAY_S)
        scene.require(not _connects(scene.world.endpoints.database_url), "none was left")
    scene.observe(scene.runs[8:])


def _take_all(scene: Scene, stack: ExitStack) -> None:
    for _ in range(_MOST_CONNECTIONS):
        try:
            stack.enter_context(psycopg.connect(scene.world.endpoints.database_url, autocommit=True))
        except psycopg.OperationalError:
            return


def _connects(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


@point("database/read-only", "every transaction read-only for some seconds, as after a failover to a replica")
def _read_only(scene: Scene) -> None:
    scene.observe()
    _set_read_only(scene, on=True)
    try:
        scene.pause(_AWAY_S)
        scene.require(scene.waiting(), "nothing was written meanwhile")
    finally:
        _set_read_only(scene, on=False)


def _set_read_only(scene: Scene, *, on: bool) -> None:
    with scene.world.owner() as connection:
        connection.execute(f"alter system set default_transaction_read_only = {'on' if on else 'off'}")
        connection.execute("select pg_reload_conf()")
    scene.until(lambda: _is_read_only(scene) == on, "the server has read its configuration")


def _is_read_only(scene: Scene) -> bool:
    with psycopg.connect(scene.world.endpoints.database_url) as connection:
        return connection.execute("show default_transaction_read_only").fetchone() == ("on",)


@point("database/session-ended", "the session of a worker ended by an administrator in its transaction")
def _session_ended(scene: Scene) -> None:
    with scene.holding("index", Moment.BEFORE) as held:
        scene.observe()
        held.wait()
        session, *_ = held.waiting()[0]
        held.connection.execute("select pg_terminate_backend(%s)", (session,))
        scene.until(lambda: session not in {pid for pid, *_ in held.waiting()}, "the session has ended")


@point("database/all-sessions-ended", "all sessions ended again and again, while runs come in")
def _all_ended(scene: Scene) -> None:
    for start in range(0, len(scene.runs), 4):
        scene.observe(scene.runs[start : start + 4])
        scene.ask(f"{_END_SESSIONS} and %s <> ''")
        scene.pause(_AWAY_S / 4)
