"""Looks at everything that must be right for Daybook to work, and says what to do where it is not."""

# Above 300 lines: a list of checks, each with its advice.

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from gateway.health import older_readings
from gateway.reports import Check, Health
from gateway.runbook.stale import sweep
from gateway.status import where
from shared import embedded
from shared.accept.registered import asked_about, schemas
from shared.contract.errors import DaybookError, ModelMismatch
from shared.embedded._failure import file_errors
from shared.models.llm import llm
from shared.models.parsing import is_installed
from shared.settings import RERANKERS, unknown_to_us
from shared.store import generations, jobs, streams
from shared.store.db import SCHEMA_VERSION, Database, Role, database
from shared.store.server import Facts, look, why_unreachable
from shared.work.queues import REDERIVE, REPLAY, VERIFY

if TYPE_CHECKING:
    from shared.settings import Settings
    from shared.store.jobs import Pass

OLDEST_PYTHON: Final = (3, 11)
OLDEST_POSTGRES: Final = 15
TESTED_POSTGRES: Final = 18
OLDEST_PGVECTOR: Final = (0, 8)
"""Its iterative scans give a small tenant beside a large one as many rows as were asked for."""
LITTLE_SPACE_GB: Final = 1.0
NO_SPACE_GB: Final = 0.1
_MOST_TENANTS: Final = 1_000
CHECKS: Final = (VERIFY, REPLAY, REDERIVE)
_GB: Final = 1e9


def examine(settings: Settings) -> Iterator[Check]:
    """All checks, in the order in which one builds on another; those that cannot be made are left out.

    Starts embedded servers for as long as it looks.
    """
    yield _python()
    yield judge_variables(unknown_to_us())
    try:
        yield _disk(settings)
        yield _deep(settings)
        with embedded.hold(settings) as found:
            yield from _postgres(found.database_url, settings)
            yield from _broker(found.redis_url, settings)
    except DaybookError as error:
        yield _failed("embedded servers", error, "mend what it names, or configure servers of yours")
    yield _timeouts(settings)
    yield judge_asking(settings)
    yield judge_policies(settings)
    yield judge_reranker(settings)
    yield judge_reading(settings)


def judge_login(facts: Facts) -> Check:
    """Whether row-level security binds the login."""
    reasons = {
        "is a superuser": facts.superuser,
        "has BYPASSRLS": facts.bypasses_policies,
        "owns Daybook's tables": facts.owns_schema,
    }
    why = " and ".join(reason for reason, holds in reasons.items() if holds)
    if not why:
        return _ok("login", f"{facts.login} owns nothing and passes no policy by")
    advice = (
        "create a login of its own (CREATE ROLE … LOGIN PASSWORD …), put it into DAYBOOK_DATABASE_URL and the owner's "
        "URL into DAYBOOK_MIGRATE_URL, then run `daybook migrate`"
    )
    return Check(name="login", health=Health.FAIL, found=f"{facts.login} {why}", advice=advice)


def judge_roles(facts: Facts) -> Check:
    """Whether the login may act as Daybook's roles."""
    if not facts.missing_roles:
        return _ok("roles", f"{facts.login} may act as all of Daybook's")
    missing = ", ".join(facts.missing_roles)
    advice = "run `daybook migrate` with DAYBOOK_DATABASE_URL as the processes have it"
    return Check(name="roles", health=Health.FAIL, found=f"{facts.login} may not act as {missing}", advice=advice)


def judge_postgres(facts: Facts) -> Check:
    """Whether the server's version will do."""
    major = facts.version_number // 10_000
    if major < OLDEST_POSTGRES:
        advice = f"use PostgreSQL {OLDEST_POSTGRES} or newer"
        return Check(name="postgres version", health=Health.FAIL, found=facts.version, advice=advice)
    if major != TESTED_POSTGRES:
        advice = f"only {TESTED_POSTGRES} is tested; {OLDEST_POSTGRES} and newer are meant to work"
        return Check(name="postgres version", health=Health.WARN, found=facts.version, advice=advice)
    return _ok("postgres version", facts.version)


def judge_pgvector(facts: Facts) -> Check:
    """Whether the extension is there, and new enough."""
    if facts.pgvector is None:
        advice = "a superuser must run once, in this database: CREATE EXTENSION vector"
        return Check(name="pgvector", health=Health.FAIL, found="not installed in this database", advice=advice)
    if tuple(int(part) for part in facts.pgvector.split(".")[:2]) < OLDEST_PGVECTOR:
        advice = "install pgvector 0.8 or newer, then run ALTER EXTENSION vector UPDATE"
        return Check(name="pgvector", health=Health.FAIL, found=facts.pgvector, advice=advice)
    return _ok("pgvector", facts.pgvector)


def judge_space(free_gb: float, place: str) -> Check:
    """Whether there is room for data."""
    found = f"{free_gb:.1f} GB free at {place}"
    if free_gb >= LITTLE_SPACE_GB:
        return _ok("disk space", found)
    health = Health.WARN if free_gb >= NO_SPACE_GB else Health.FAIL
    return Check(
        name="disk space", health=health, found=found, advice="free some space, or set DAYBOOK_DATA_DIR elsewhere"
    )


def _python() -> Check:
    version = platform.python_version()
    if sys.version_info >= OLDEST_PYTHON:
        return _ok("python", version)
    return Check(name="python", health=Health.FAIL, found=version, advice="use Python 3.11 or newer")


def _disk(settings: Settings) -> Check:
    place = settings.data_dir.expanduser().resolve()
    with file_errors(place):
        while not place.exists():
            place = place.parent
        return judge_space(shutil.disk_usage(place).free / _GB, str(place))


def _deep(settings: Settings) -> Check:
    """Whether killed deep questions have left what people said on the disk; what they have is removed."""
    try:
        gone = sweep(settings.data_dir)
    except DaybookError as error:
        return _failed("deep questions", error, "remove it by hand")
    return _ok("deep questions", f"removed the files of {gone} that were killed" if gone else "none has left files")


def judge_variables(unknown: Sequence[str]) -> Check:
    """Whether all variables with our prefix are settings; `unknown` are those that are like none."""
    if not unknown:
        return _ok("variables", "each that begins with DAYBOOK_ is a setting")
    return Check(
        name="variables",
        health=Health.WARN,
        found=f"no settings of this version, and not looked at: {', '.join(unknown)}",
        advice="mend or unset them, unless another version that shares this environment has such settings",
    )


def judge_asking(settings: Settings) -> Check:
    """Whether what a person is to be asked about can be told: a name mistyped would let each such write pass."""
    try:
        asked = sorted(asked_about(settings))
        known = ", ".join(schema.name for schema in schemas(settings))
    except DaybookError as error:
        return _failed("reviews", error, "mend DAYBOOK_ASK_ABOUT or DAYBOOK_SCHEMAS")
    return _ok("reviews", f"asked for {', '.join(asked) or 'no kind as such'}; records of {known}")


def judge_policies(settings: Settings) -> Check:
    """Whether what is pruned, how long what is kept, and which gates there are can be told: else nothing starts."""
    from shared.accept.policies import policies

    try:
        found = policies(settings)
    except DaybookError as error:
        return _failed("policies", error, "mend the file that DAYBOOK_POLICIES names")
    kept = f"{len(found.retain.rules)} of how long what is kept" if found.retain.rules else "everything is kept"
    return _ok("policies", f"{len(found.prune.rules)} rules of pruning, {kept}, {len(found.gates.gates)} gates")


def judge_reading(settings: Settings) -> Check:
    """Whether anything can be made of what runs say."""
    if not settings.extraction:
        return _ok("reading", "switched off by DAYBOOK_EXTRACTION: what was said is found as it was said")
    if settings.extraction_model is not None:
        try:
            llm(settings)
        except DaybookError as error:
            return _failed(
                "reading", error, "mend what it names; until then rules read, and each run's receipt says so"
            )
        return _ok("reading", f"by {settings.extraction_model}, and by rules where that may not be asked")
    if is_installed():
        return _ok("reading", "by rules, of what is said in English")
    return Check(
        name="reading",
        health=Health.WARN,
        found="rules, which state nothing without the extra `english`: runs get summaries alone",
        advice="pip install 'daybook-memory[english]', or name a model with DAYBOOK_EXTRACTION_MODEL",
    )


def judge_reranker(settings: Settings) -> Check:
    """Whether what reads the best hits again can be had; where not, recall answers in the fused order, degraded."""
    if settings.reranker in RERANKERS:
        return _ok("reranker", f"{settings.reranker}, without a model")
    from shared.models.reranking import cross_encoder

    try:
        cross_encoder(settings.reranker, settings).scores("ready?", ["It is."])
    except DaybookError as error:
        return _failed("reranker", error, "mend DAYBOOK_RERANKER, or install what it names")
    return _ok("reranker", f"{settings.reranker} loads")


def _postgres(url: str, settings: Settings) -> Iterator[Check]:
    opened = database(url, settings)
    try:
        facts = look(opened)
    except DaybookError as error:
        found = why_unreachable(url, timeout_s=settings.connect_timeout_s) or str(error)
        advice = "start it, or mend DAYBOOK_DATABASE_URL"
        yield Check(name="postgres", health=Health.FAIL, found=found, advice=advice)
        return
    yield _ok("postgres", f"answers at {where(url)}")
    yield judge_postgres(facts)
    yield judge_pgvector(facts)
    yield judge_login(facts)
    if facts.pgvector is None:
        return
    schema = _schema(opened, settings)
    yield schema
    if schema.health is Health.OK:
        roles = judge_roles(look(opened))  # again: an embedded database has just been brought to the schema
        yield roles
        if roles.health is Health.OK:
            yield _model(opened, settings)
            yield _checks(opened)


def _schema(opened: Database, settings: Settings) -> Check:
    try:
        if settings.database_url is None:
            embedded.open_database(settings)
        opened.check()
    except DaybookError as error:
        newer = str(error.details.get("found") or "") > SCHEMA_VERSION
        return _failed("schema", error, "upgrade Daybook here" if newer else "run `daybook migrate`")
    return _ok("schema", f"version {SCHEMA_VERSION}")


def _model(opened: Database, settings: Settings) -> Check:
    from shared.models import embedder

    try:
        model = embedder(settings)
        model.encode_query("ready?")
        others = _models_stored(opened) - {model.model.key}
    except DaybookError as error:
        return _failed("embedding model", error, "mend DAYBOOK_EMBEDDING_MODEL, or install what it names")
    if others:
        mismatch = ModelMismatch(generations.mismatch(", ".join(sorted(others)), model.model.key))
        return _failed("embedding model", mismatch, "set DAYBOOK_EMBEDDING_MODEL back")
    return _ok("embedding model", f"{model.model.key} loads, and no stored vector is of another")


def _checks(opened: Database) -> Check:
    try:
        return judge_checks(jobs.latest(opened))
    except DaybookError as error:
        return _failed("checks", error, "see what it names")


def judge_checks(passes: Sequence[Pass]) -> Check:
    """What the last scheduled checks found: of the ledger, of the tables beside it, and of how runs were read."""
    last = [each for each in passes if each.name in CHECKS and each.finished_at is not None]
    wrong = [f"{each.name} of {each.tenant_id}: {each.last_error}" for each in last if each.state == "failed"]
    if wrong:
        others = f"; and {len(wrong) - 1} more in `daybook status`" if len(wrong) > 1 else ""
        advice = "do what it says; it is told until the check finds it mended"
        return Check(name="checks", health=Health.FAIL, found=f"{wrong[0]}{others}", advice=advice)
    older = next(older_readings(last), None)
    if older:
        return Check(name="checks", health=Health.WARN, found="nothing differs", advice=older)
    done = sorted({each.name for each in last})
    return _ok("checks", f"the last {', '.join(done)} found nothing" if done else "none has been made yet")


def _models_stored(opened: Database) -> set[str]:
    found: set[str] = set()
    tenants = dict.fromkeys((tenant_id, owner) for tenant_id, owner, _ in streams.of_tenant(opened, None))
    for tenant_id, owner in list({tenant: (tenant, owner) for tenant, owner in tenants}.values())[:_MOST_TENANTS]:
        with opened.transaction(Role.READER, tenant_id, [owner], read_only=True) as session:
            stored = generations.dense_model(session)
        found |= {stored} if stored else set()
    return found


def _broker(url: str, settings: Settings) -> Iterator[Check]:
    from shared.work.broker import make_app, reach
    from shared.work.eviction import KEEPS_ALL, eviction_policy

    try:
        reach(make_app("daybook-doctor", settings, lambda: url), timeout_s=settings.connect_timeout_s)
        policy = eviction_policy(url, timeout_s=settings.connect_timeout_s)
    except DaybookError as error:
        yield _failed("broker", error, "start it, or mend DAYBOOK_REDIS_URL; observe accepts without it meanwhile")
        return
    yield _ok("broker", f"answers at {where(url)}")
    if policy is None:
        return
    if policy == KEEPS_ALL:
        yield _ok("broker eviction", policy)
        return
    advice = f"set maxmemory-policy {KEEPS_ALL}: a broker that drops keys loses rings, and runs wait for the sweep"
    yield Check(name="broker eviction", health=Health.FAIL, found=policy, advice=advice)


def _timeouts(settings: Settings) -> Check:
    found = f"visibility {settings.visibility_timeout_s} s, task deadline {settings.task_deadline_s} s"
    return _ok("time-outs", found)  # settings that would hand running work to a second worker are refused when read


def _ok(name: str, found: str) -> Check:
    return Check(name=name, health=Health.OK, found=found)


def _failed(name: str, error: DaybookError, advice: str) -> Check:
    return Check(name=name, health=Health.FAIL, found=str(error), advice=advice)
