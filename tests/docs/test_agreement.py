"""What is said in two places is said the same in both."""

import importlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from alembic.config import Config
from alembic.script import ScriptDirectory

from gateway.endpoint import USUAL_PORT
from schedules.app import beat
from schedules.table import Entry, Whose, schedule
from shared.contract.measures import GATES
from shared.contract.receipts import Stage
from shared.contract.scope import SYSTEM_TENANT
from shared.settings import PREFIX, Settings, load, table
from shared.store.db import SCHEMA_VERSION
from shared.work.broker import SCHEDULER
from shared.work.queues import EVERY_TENANT, FOLLOWING, QUEUES

ROOT = Path(__file__).parents[2]
VARIABLES = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
STAGES = [stage for stage in Stage if stage is not Stage.OBSERVE]
SET_BY_COMPOSE = {"DATA_DIR", "DATABASE_URL", "MIGRATE_URL", "REDIS_URL", "MODE"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A process of the Procfile."""

    name: str
    command: str

    def option(self, name: str) -> list[str]:
        words = shlex.split(self.command)
        return words[words.index(name) + 1].split(",") if name in words else []

    @property
    def queues(self) -> list[str]:
        return self.option("--queues")


LINES = [
    Line(name=name, command=command.strip())
    for name, command in (line.split(":", 1) for line in (ROOT / "Procfile").read_text().splitlines() if line.strip())
]
WORKERS = [line for line in LINES if line.queues]


def compose():
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


@cache
def registered(line):
    """The tasks that a process of the Procfile knows, found the way Celery finds them, with no server about."""
    script = (
        "import importlib, json, sys\n"
        "app = importlib.import_module(sys.argv[1]).app\n"
        "[importlib.import_module(name) for name in sys.argv[2:]]\n"
        "app.finalize()\n"
        "print(json.dumps(list(app.tasks)))\n"
    )
    nowhere = {
        "DAYBOOK_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none",
        "DAYBOOK_REDIS_URL": "redis://127.0.0.1:9",
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, *line.option("-A"), *line.option("--include")],
        cwd=ROOT,
        env=os.environ | nowhere,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_the_table_of_settings_is_the_one_the_code_prints():
    page = (ROOT / "docs" / "settings.md").read_text()
    between = re.search(r"<!-- settings: begin -->\n(.*?)<!-- settings: end -->", page, re.DOTALL)
    assert between, "docs/settings.md lacks its markers"
    assert between[1].strip() == table(), "run `python -m shared.settings` and put its table into docs/settings.md"


def test_the_example_environment_names_each_setting_once_with_its_default():
    found = re.findall(rf"^#({PREFIX}\w+)=(.*)$", (ROOT / ".env.example").read_text(), re.MULTILINE)
    assert found == re.findall(r"^\| `(\w+)` \| `?(.*?)`? \|", table(), re.MULTILINE)


def test_the_example_environment_explains_each_setting_in_the_words_of_the_code():
    paragraphs = (ROOT / ".env.example").read_text().split("\n\n")
    said = {}
    for paragraph in paragraphs:
        *comment, last = paragraph.strip().splitlines()
        said[last.split("=")[0]] = " ".join(line.removeprefix("# ") for line in comment)
    for name, field in Settings.model_fields.items():
        assert said[f"#{PREFIX}{name.upper()}"] == field.description


def test_the_example_environment_names_what_compose_needs_and_holds_no_password():
    asked = set(re.findall(r"\$\{(\w+):\?", (ROOT / "docker-compose.yml").read_text()))
    uncommented = re.findall(r"^(\w+)=(.*)$", (ROOT / ".env.example").read_text(), re.MULTILINE)
    assert dict(uncommented) == dict.fromkeys(asked, "")


def test_compose_has_each_process_of_the_procfile_with_its_command():
    services = compose()["services"]
    others = {"postgres", "redis", "migrate"}
    assert {line.name: line.command for line in LINES} == {
        name: service["command"] for name, service in services.items() if name not in others
    }


def test_compose_hands_on_each_setting_that_it_does_not_set_itself():
    services = compose()["services"]
    for name in ("migrate", *(line.name for line in LINES)):
        handed_on = {key for key, value in services[name]["environment"].items() if value is None}
        assert handed_on == VARIABLES - {PREFIX + each for each in SET_BY_COMPOSE}, name


def test_only_the_migrator_is_given_the_owners_password():
    services = compose()["services"]
    given = {name for name, service in services.items() if "POSTGRES_PASSWORD" in json.dumps(service)}
    assert given == {"postgres", "migrate"}


def test_compose_publishes_nothing_beyond_this_machine():
    for name, service in compose()["services"].items():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name


def test_compose_starts_nothing_before_what_it_needs_is_healthy():
    services = compose()["services"]
    wanted = {"migrate": {"postgres"}} | {line.name: {"postgres", "redis", "migrate"} for line in LINES}
    for name, needs in wanted.items():
        conditions = {need: how["condition"] for need, how in services[name]["depends_on"].items()}
        assert set(conditions) == needs
        for need, condition in conditions.items():
            ran_once = need == "migrate"
            assert condition == ("service_completed_successfully" if ran_once else "service_healthy")
            assert ran_once or "healthcheck" in services[need]


def test_compose_asks_each_worker_for_its_health_by_its_own_name():
    for line in WORKERS:
        asked = compose()["services"][line.name]["healthcheck"]["test"][-1]
        assert f"{line.option('--hostname')[0].removesuffix('%h')}$$(hostname)" in asked
        assert shlex.split(asked)[:3] == shlex.split(line.command)[:3]


def test_each_queue_is_consumed_by_exactly_one_process():
    assert Counter(queue for line in WORKERS for queue in line.queues) == Counter(QUEUES)


@pytest.mark.parametrize("line", WORKERS, ids=lambda line: line.name)
def test_a_worker_knows_the_task_of_each_queue_it_consumes(line):
    assert set(line.queues) <= registered(line)


def test_each_worker_is_called_after_its_process():
    assert [line.option("--hostname") for line in WORKERS] == [[f"{line.name}@%h"] for line in WORKERS]


def test_each_scheduled_task_goes_to_a_process_that_knows_it():
    for entry in schedule(load()):
        consumers = [line for line in WORKERS if entry.task in line.queues]
        assert consumers, entry.task
        assert all(entry.task in registered(line) for line in consumers)


def test_what_is_scheduled_is_scheduled_once_and_says_why():
    entries = schedule(load())
    assert len({entry.task for entry in entries}) == len(entries)
    assert all(entry.reason and entry.every_s > 0 for entry in entries)


def test_the_page_on_running_lists_what_is_scheduled():
    page = (ROOT / "docs" / "operations.md").read_text()
    section = re.search(r"^## Schedules\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    assert section
    assert re.findall(r"^\| `(\w+)` \|", section[1], re.MULTILINE) == [entry.task for entry in schedule(load())]


def test_beat_rings_at_least_as_often_as_slots_begin():
    for entry in schedule(load()):
        assert entry.ring_every_s <= entry.every_s
        assert 0 <= entry.hour < 24


def test_a_job_is_told_whose_it_is_and_how_to_work_out_its_slot():
    nightly = Entry(task="prune", hour=3, whose=Whose.TENANT, reason="a quiet hour")
    assert nightly.arguments == (EVERY_TENANT, "86400.0", "10800.0", "0.0")
    assert nightly.ring_every_s == 300
    verify = next(entry for entry in schedule(load(verify_every_s=60)) if entry.task == "verify")
    assert (verify.arguments, verify.ring_every_s) == ((SYSTEM_TENANT, "60.0", "0.0", "0.0"), 60)


def test_beat_keeps_one_ring_waiting_for_each_task(tmp_path):
    assert beat(schedule(load()), load(data_dir=tmp_path))["beat_scheduler"] == SCHEDULER
    module, _, name = SCHEDULER.partition(":")
    assert hasattr(importlib.import_module(module), name)


def test_compose_asks_health_where_it_answers():
    asked = compose()["services"]["health"]["healthcheck"]["test"][-1]
    assert "/health" in asked
    assert f"or '{USUAL_PORT}'" in asked
    assert f"Unset: {USUAL_PORT}" in Settings.model_fields["health_port"].description


@pytest.mark.parametrize("stage", STAGES, ids=str)
def test_a_stage_has_one_word_for_its_module_queue_task_and_place(stage):
    assert find_spec(f"warmpath.{stage}") is not None
    assert stage in QUEUES
    assert stage in FOLLOWING
    (consumer,) = (line for line in WORKERS if stage in line.queues)
    assert stage in registered(consumer)


def test_the_stages_follow_each_other_in_the_order_of_their_names():
    assert dict(zip(STAGES, [*STAGES[1:], None], strict=True)) == FOLLOWING


def test_the_code_needs_the_newest_schema_and_there_is_one_such():
    config = Config()
    config.set_main_option("script_location", str(ROOT / "shared" / "store" / "migrations"))
    assert ScriptDirectory.from_config(config).get_heads() == [SCHEMA_VERSION]


def test_the_page_for_operators_lists_the_built_in_gates() -> None:
    rows = re.findall(
        r"^\| `([\w.]+)` is (above|below) ([\d.]+) \| (\d+) [^|]*\| `(\w+)` \|$",
        (ROOT / "docs" / "operations.md").read_text(),
        re.MULTILINE,
    )
    listed = {(metric, how, float(bound), int(fewest), act) for metric, how, bound, fewest, act in rows}
    bounds = {each: ("below", each.least) if each.most is None else ("above", each.most) for each in GATES}
    assert listed == {(each.metric, *bound, each.fewest, each.act) for each, bound in bounds.items()}
