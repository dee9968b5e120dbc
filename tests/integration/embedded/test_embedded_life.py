"""When the servers start, who finds them, and what ends them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from shared import embedded
from shared.contract.errors import ServiceFailed
from shared.embedded._folder import folder
from shared.settings import Settings
from tests.integration.embedded.programs import Program, kill, wait_for

Begin = Callable[..., Program]

FORK = """
before = embedded.endpoints(settings)
child = os.fork()
if child == 0:
    same = embedded.endpoints(settings) == before
    sys.exit(0 if same else 1)
_, code = os.waitpid(child, 0)
say(code=code, leases=len(list((settings.data_dir / "leases").iterdir())))
sys.stdin.read()
"""


def _pids(settings: Settings) -> list[int | None]:
    return [service.pid for service in embedded.status(settings)]


def test_they_start_once_however_many_processes_ask_at_once(fresh: Settings, program: Begin) -> None:
    programs = [program(fresh) for _ in range(8)]
    answers = [each.says() for each in programs]

    assert len({str(answer) for answer in answers}) == 1
    assert None not in answers[0]["pids"]
    for each in programs[:-1]:
        each.end()
    assert _pids(fresh) == answers[0]["pids"]
    programs[-1].end()
    assert _pids(fresh) == [None, None]


def test_they_start_once_however_many_threads_ask_at_once(fresh: Settings) -> None:
    answers: list[embedded.Endpoints] = []
    threads = [threading.Thread(target=lambda: answers.append(embedded.endpoints(fresh))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(answers) == 8
    assert len(set(answers)) == 1
    assert len(list((fresh.data_dir / "leases").iterdir())) == 1


def test_a_later_process_finds_them_and_the_last_stops_them(settings: Settings, program: Begin) -> None:
    with embedded.hold(settings) as here:
        later = program(settings)
        answer = later.says()
        assert answer["pids"] == _pids(settings)
        assert answer["urls"] == [here.database_url, here.migrate_url, here.redis_url]
    assert _pids(settings) == answer["pids"]
    later.end()
    assert _pids(settings) == [None, None]


def test_inside_hold_endpoints_takes_no_lease_of_its_own(settings: Settings) -> None:
    with embedded.hold(settings) as held:
        assert embedded.endpoints(settings) == held
    assert _pids(settings) == [None, None]

    with embedded.hold(settings):
        assert None not in _pids(settings)
    assert _pids(settings) == [None, None]


def test_kept_servers_stay_until_they_are_stopped(settings: Settings, program: Begin) -> None:
    with embedded.hold(settings, keep=True):
        kept = _pids(settings)
    program(settings).end()
    assert _pids(settings) == kept

    assert [service.name for service in embedded.stop(settings)] == ["postgres", "valkey"]
    assert _pids(settings) == [None, None]
    assert embedded.stop(settings) == []

    with embedded.hold(settings):
        pass
    assert _pids(settings) == [None, None]


KEEP = """
with embedded.hold(settings, keep=True):
    say()
    sys.stdin.read()
"""


def _fail_to_keep(settings: Settings, meanwhile: Callable[[], object] = lambda: None) -> None:
    def fail() -> None:
        meanwhile()
        raise LookupError

    with pytest.raises(LookupError), embedded.hold(settings, keep=True):
        fail()


def test_whoever_fails_takes_the_wish_to_keep_servers_back(settings: Settings) -> None:
    _fail_to_keep(settings)
    assert _pids(settings) == [None, None]


def test_whoever_fails_leaves_servers_that_another_has_kept_alone(settings: Settings, program: Begin) -> None:
    winner = program(settings, KEEP)
    kept = winner.says()["pids"]
    _fail_to_keep(settings)
    assert _pids(settings) == kept, "it still uses them"
    _fail_to_keep(settings, winner.end)
    assert _pids(settings) == kept, "it has kept them"


def test_whoever_came_first_and_fails_leaves_servers_that_another_has_kept_since(
    settings: Settings, program: Begin
) -> None:
    def won() -> None:
        winner = program(settings, KEEP)
        winner.says()
        winner.end()

    _fail_to_keep(settings, won)
    assert None not in _pids(settings)


def test_servers_that_were_to_be_kept_and_died_are_not_kept_when_started_again(settings: Settings) -> None:
    with embedded.hold(settings, broker=False, keep=True):
        kill(_pids(settings)[0])
    with embedded.hold(settings, broker=False):
        assert _pids(settings)[0] is not None
    assert _pids(settings)[0] is None


def test_stopping_where_nothing_ever_ran_makes_nothing(fresh: Settings) -> None:
    assert embedded.stop(fresh) == []
    assert not fresh.data_dir.exists()
    assert not any(service.running for service in embedded.status(fresh))


def test_without_a_broker_only_postgres_starts(settings: Settings) -> None:
    with embedded.hold(settings, broker=False) as used:
        assert used.redis_url == ""
        assert [service.running for service in embedded.status(settings)] == [True, False]
        assert embedded.endpoints(settings, broker=True).redis_url != ""
        assert [service.running for service in embedded.status(settings)] == [True, True]
    assert _pids(settings) == [None, None]


def test_they_outlive_a_starter_that_is_killed(settings: Settings, program: Begin) -> None:
    starter = program(settings)
    before = starter.says()
    starter.kill()
    assert _pids(settings) == before["pids"]

    later = program(settings)
    assert later.says() == before
    assert [file.name.partition("-")[0] for file in (settings.data_dir / "leases").iterdir()] == [str(later.pid)]
    later.end()
    assert _pids(settings) == [None, None]


def test_a_starter_killed_while_the_data_is_made_leaves_no_half_made_data(fresh: Settings, program: Begin) -> None:
    home = folder(fresh).home
    starter = program(fresh)
    wait_for(lambda: any(home.glob("postgres.new-*/global/pg_control")))
    starter.kill()
    assert not (home / "postgres").exists()

    later = program(fresh)
    assert None not in later.says()["pids"]
    assert list(home.glob("postgres.new-*")) == []
    later.end()


def test_a_starter_killed_while_postgres_starts_leaves_a_server_that_is_found(
    settings: Settings, program: Begin
) -> None:
    with embedded.hold(settings, broker=False):
        pass
    pid_file = folder(settings).data_of("postgres") / "postmaster.pid"
    starter = program(settings)
    wait_for(pid_file.exists)
    starter.kill()
    first_pid = int(pid_file.read_text(encoding="ascii").split()[0])

    later = program(settings)
    assert later.says()["pids"][0] == first_pid
    later.end()


def test_a_fork_has_a_lease_of_its_own_and_its_end_stops_nothing(settings: Settings, program: Begin) -> None:
    parent = program(settings, FORK)
    answer = parent.says()
    assert answer["code"] == 0
    assert answer["leases"] == 1
    assert _pids(settings) == answer["pids"]
    parent.end()
    assert _pids(settings) == [None, None]


def test_two_data_folders_have_nothing_in_common(settings: Settings, fresh: Settings) -> None:
    with embedded.hold(settings) as one, embedded.hold(fresh) as other:
        assert None not in [*_pids(settings), *_pids(fresh)]
        assert not {*_pids(settings)} & {*_pids(fresh)}
        assert not {one.database_url, one.redis_url} & {other.database_url, other.redis_url}
        embedded.stop(fresh)
        assert None not in _pids(settings)


def test_data_in_use_by_another_process_is_not_discarded(settings: Settings, program: Begin) -> None:
    user = program(settings)
    user.says()
    with pytest.raises(ServiceFailed, match=str(user.pid)):
        embedded.discard(settings)
    assert None not in _pids(settings)
    user.end()


def test_status_says_where_the_data_and_the_log_are_and_since_when(settings: Settings) -> None:
    with embedded.hold(settings):
        postgres, valkey = embedded.status(settings)
        assert (postgres.name, valkey.name) == ("postgres", "valkey")
        for service in (postgres, valkey):
            assert service.folder.is_dir()
            assert service.log.is_file()
            assert service.since is not None
            assert abs(service.since.timestamp() - time.time()) < 60
