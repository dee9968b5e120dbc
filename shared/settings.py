"""The only place that reads the environment.

Every setting is an environment variable with the prefix `DAYBOOK_`; `docs/settings.md` is the table of them, made from
the descriptions below (`python -m shared.settings`) and kept true by a test.
"""

# Above 300 lines: a list of settings, each with the words that its table shows.

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from shared.contract.askable import BUILT_IN_SCHEMAS, require_askable
from shared.contract.errors import InvalidInput, Misconfigured
from shared.contract.sensitivity import Policy, policies_set
from shared.contract.slips import slips

PREFIX: Final = "DAYBOOK_"
BROKER_SCHEMES: Final = (
    *("amqp", "amqps", "librabbitmq", "pyamqp", "qpid", "redis", "rediss", "sentinel", "memory", "filesystem"),
    *("sqla", "sqlalchemy", "pgmq", "mongodb", "consul", "etcd", "zookeeper", "kafka", "confluentkafka", "pyro"),
    *("sqs", "slmq", "gcpubsub", "azureservicebus", "azurestoragequeues"),
)
"""Kombu's transports (`kombu.transport.TRANSPORT_ALIASES`), which take long to ask for."""
PROVIDERS: Final = (
    *("openai", "openai-chat", "openai-responses", "openai-decisions", "openai-codex", "openai-chatgpt", "deepseek"),
    *("openrouter", "vercel", "azure", "azure-responses", "google", "google-decisions", "google-cloud", "bedrock"),
    *("bedrock-mantle", "groq", "anthropic", "mistral", "cerebras", "cohere", "system-one", "crusoe", "elevenlabs"),
    *("xai", "moonshotai", "meta", "fireworks", "together", "heroku", "huggingface", "ollama", "github"),
    *("github-copilot", "litellm", "vllm", "nebius", "ovhcloud", "alibaba", "sambanova", "sentence-transformers"),
    *("snowflake", "typesafe", "voyageai", "zai"),
)
"""The client's providers (`pydantic_ai.providers`), which take seconds to ask for."""
RERANKERS: Final = ("features", "off")
"""What reads hits again without a model."""
_HIGHEST_PORT: Final = 65_535
_OF_A_CLUSTER: Final = re.compile(r"(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)")
_ADDRESS: Final = re.compile(r"(?:tcp|udp|sctp)://\S+")
"""What Kubernetes sets in each pod for a service whose name begins with `daybook`; nobody wrote these."""
_MOST_SLIPS: Final = 2
_GONE: Final = {f"{PREFIX}GATES": "its gates stand as [[gates.rules]] in the file of DAYBOOK_POLICIES now"}
"""Settings of earlier versions, and what has their place."""
_WARNED_OF: Final[set[str]] = set()
_LOG: Final = logging.getLogger(f"daybook.{__name__}")


class Settings(BaseSettings):
    """What can be set. Frozen: a changed environment needs a new process (or `load()` in a test)."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True, hide_input_in_errors=True
    )

    data_dir: Path = Field(
        default_factory=lambda: Path.home() / ".local" / "share" / "daybook",
        description="Folder of the embedded servers, their data, logs and pid files. "
        "As root, the servers' own data is kept under /var/lib/daybook instead.",
    )
    database_url: SecretStr | None = Field(
        default=None,
        description="Postgres, as a login that is a member of Daybook's roles and owns nothing. "
        "Unset: an embedded Postgres.",
    )
    migrate_url: SecretStr | None = Field(
        default=None,
        description="Postgres, as the owner of the schema; used by `daybook migrate` alone. Unset: DATABASE_URL.",
    )
    redis_url: SecretStr | None = Field(
        default=None, description="Broker, any URL that kombu speaks (redis://, amqp://). Unset: an embedded Valkey."
    )
    mode: Literal["workers", "inline"] = Field(
        default="workers",
        description="`workers`: Celery processes do the warm path. `inline`: observe does it before it returns.",
    )
    pool_size: PositiveInt = Field(default=8, description="Most Postgres connections a process opens.")
    connect_timeout_s: PositiveFloat = Field(
        default=3.0, description="How long a connection to Postgres may take to open, or to come free in the pool."
    )
    broker_timeout_s: PositiveFloat = Field(
        default=1.0,
        description="How long ringing a worker may take. Work is never lost when it fails: the sweep finds it.",
    )
    partitions: PositiveInt = Field(
        default=8, le=64, description="Hash partitions of the large tables. Read once, when the schema is first made."
    )
    embedding_model: str = Field(
        default="minilm-int8",
        description="`minilm-int8` (from a wheel, no torch), or a sentence-transformers model's name or path "
        "(extra `models`).",
    )
    embedding_threads: PositiveInt = Field(default=2, description="Threads that one process uses to embed.")
    embedding_batch: PositiveInt = Field(default=32, description="Texts embedded at a time.")
    reranker: str = Field(
        default="features",
        min_length=1,
        description="What reads the best hits again: `features` (a small table of weights, no model), `off`, or a "
        "sentence-transformers cross-encoder's name or path (extra `models`).",
    )
    recall_deadline_ms: PositiveInt = Field(default=2000, description="Deadline of a recall that names none.")
    recall_budget_tokens: PositiveInt = Field(
        default=1500, description="Tokens of the rendered text of a recall that names no budget."
    )
    recall_profile_share: float = Field(
        default=0.0,
        ge=0.0,
        le=0.5,
        description="Largest share of a recall's budget of tokens that goes to a profile at its beginning: what the "
        "user has said of themselves, whatever is asked, in a block that stays the same. Its frame takes 120 tokens. "
        "0: none.",
    )
    query_cache: NonNegativeInt = Field(
        default=2048,
        description="Vectors of queries that a process keeps, of 2 kB each with the default model; 0: none.",
    )
    bundle_cache: NonNegativeInt = Field(
        default=256,
        description="Bundles that a process keeps until the minute is over or something is forgotten; some 50 kB "
        "each, at most 400. 0: none.",
    )
    recall_log: bool = Field(
        default=True,
        description="Whether it is written down which memories each recall brought, by id and without what was asked; "
        "citations of a turn can then be reported without its bundle.",
    )
    recall_log_days: PositiveInt = Field(default=30, description="How long that is kept.")
    importance_relevance: NonNegativeFloat = Field(
        default=0.30, description="Share of nearness to the query in a memory's importance."
    )
    importance_recency: NonNegativeFloat = Field(default=0.25, description="Share of its newness.")
    importance_frequency: NonNegativeFloat = Field(
        default=0.20, description="Share of how often it was reported to have served a recall, or misled."
    )
    importance_explicit: NonNegativeFloat = Field(
        default=0.25, description="Share of what the app says of its message's importance."
    )
    importance_half_life_days: PositiveFloat = Field(
        default=7.0, description="Days in which a memory's newness halves."
    )
    importance_least: PositiveFloat = Field(
        default=0.3, le=1.0, description="What the score of a memory of no importance is multiplied by, in recall."
    )
    importance_most: float = Field(
        default=1.5, ge=1.0, le=10.0, description="What the score of one of the greatest importance is multiplied by."
    )
    confirmed_boost: NonNegativeFloat = Field(
        default=0.1,
        le=1.0,
        description="How much more a memory counts that many independent sources confirm, than one that rests on a "
        "single message; half of it with two sources, 0.1 is a tenth.",
    )
    newest_boost: NonNegativeFloat = Field(
        default=0.0,
        le=1.0,
        description="How much more the newest of the candidates counts than the oldest, where a query asks for the "
        "latest; 0.1 is a tenth.",
    )
    inbox_limit: PositiveInt = Field(
        default=20_000,
        description="Runs of one tenant that may wait to be appended; then observe refuses until some are worked off.",
    )
    spool: bool = Field(
        default=False,
        description="Whether observe keeps a run in DATA_DIR/spool where Postgres does not take it; workers on the "
        "same machine, and `daybook spool send`, send it on.",
    )
    max_message_bytes: PositiveInt = Field(
        default=8_000_000, description="Largest message accepted, in bytes of UTF-8 after cleaning."
    )
    max_run_messages: PositiveInt = Field(default=10_000, description="Most messages in one run.")
    future_tolerance_s: PositiveFloat = Field(
        default=86_400.0,
        description="A message dated further ahead of the clock than this is stored with an unknown time.",
    )
    naive_timezone: str = Field(default="UTC", description="Zone of message times that carry none.")
    task_deadline_s: PositiveInt = Field(default=300, description="Total deadline of one background task.")
    task_attempts: PositiveInt = Field(default=5, description="Attempts at a stage of a run before it is parked.")
    visibility_timeout_s: PositiveInt = Field(
        default=900, description="How long the broker waits for an acknowledgement; above TASK_DEADLINE_S."
    )
    job_lease_s: PositiveFloat = Field(
        default=30.0,
        description="How long a job is its worker's without a sign of life, which it gives three times as often; "
        "then another may take it over.",
    )
    sweep_every_s: PositiveFloat = Field(
        default=15.0, description="How often beat looks for work that nobody was rung for."
    )
    verify_every_s: PositiveFloat = Field(
        default=3600.0, description="How often beat checks the hash chains of a sample of streams."
    )
    fill_every_s: PositiveFloat = Field(
        default=3600.0, description="How often beat looks for memories that lack a vector."
    )
    verify_sample: PositiveInt = Field(default=20, description="Streams checked each time.")
    replay_sample: PositiveInt = Field(
        default=20, description="Streams whose memories and views are compared with the ledger each night."
    )
    rederive_sample: PositiveInt = Field(
        default=20, description="Readings of each tenant that the rules read anew each night, and compare."
    )
    evaluate_days: PositiveInt = Field(default=28, description="Days that the metrics of memory are of.")
    health_period_s: PositiveFloat = Field(
        default=60.0,
        description="Work that a stage could do and does not for this long is ill health; above the time of the "
        "slowest task.",
    )
    health_port: int | None = Field(
        default=None,
        ge=0,
        le=_HIGHEST_PORT,
        description="Port of 127.0.0.1 that `daybook health --serve` answers on; 0: any free one. "
        "Unset: 8630, or a free one where that is taken.",
    )
    deep_command: str | None = Field(
        default=None,
        description="Agent that answers deep questions, as a JSON list of its words, run without a shell: "
        '["agent", "--print"]. The prompt takes the place of {question} in them, or else is on stdin. Unset: none.',
    )
    deep_environment: str | None = Field(
        default=None,
        description="Names of variables, joined by commas, that this agent is handed on beside PATH, LANG, LC_ALL, "
        "LC_CTYPE and TZ; HOME is an empty folder unless it is named here. None of Daybook's own.",
    )
    deep_states: PositiveInt = Field(
        default=20, le=10_000, description="Most looks at a scope's files that a deep question may take."
    )
    deep_read_bytes: PositiveInt = Field(
        default=2_000_000, le=10**9, description="Most bytes that the looks of a deep question may give."
    )
    deep_timeout_s: PositiveFloat = Field(
        default=120.0, le=86_400.0, description="How long a deep question may be searched for; then its agent is ended."
    )
    deep_tree_bytes: int = Field(
        default=50_000_000,
        ge=20_000,
        le=10**10,
        description="Most bytes of the files that a deep question is searched in; the oldest memories are left out.",
    )
    extraction: bool = Field(
        default=True,
        description="Whether runs are read for what is worth remembering; without, what was said is found as it was "
        "said, and nothing is concluded.",
    )
    extraction_model: str | None = Field(
        default=None,
        description="Language model that reads runs, as provider:model (extra `llm`): openai:gpt-5-mini, "
        "anthropic:claude-haiku-4-5; openai:NAME with a base URL for any server that speaks OpenAI's protocol. "
        "Unset: rules read them.",
    )
    extraction_base_url: str | None = Field(
        default=None, description="Where that model is served, https://host/v1. Unset: the provider's own address."
    )
    extraction_api_key: SecretStr | None = Field(
        default=None, description="Key that the provider asks for. No other variable is looked at for one."
    )
    extraction_deadline_s: PositiveFloat = Field(
        default=60.0,
        description="Total deadline of reading one run by a model, whatever its server does; 80 % of TASK_DEADLINE_S "
        "where that is less.",
    )
    extraction_output_tokens: PositiveInt = Field(
        default=8_192, ge=256, description="Most tokens of one answer of the model; one that is cut off is no answer."
    )
    extraction_window_tokens: PositiveInt = Field(
        default=12_000,
        ge=500,
        description="Most tokens of a run that the model is shown at once; a longer run is read in several windows.",
    )
    extraction_daily_tokens: NonNegativeInt | None = Field(
        default=None,
        description="Tokens, sent and answered, that reading one tenant's runs may take in a day of UTC; then rules "
        "read them. 0: the model is never asked. Unset: no limit.",
    )
    extraction_daily_usd: NonNegativeFloat | None = Field(
        default=None,
        description="The same in US dollars. With a limit, a model whose price is not known is never asked.",
    )
    extraction_input_usd: NonNegativeFloat | None = Field(
        default=None,
        description="What a million tokens sent to the model cost, in US dollars; with EXTRACTION_OUTPUT_USD. "
        "Unset: what the client's table says, if it knows the model.",
    )
    extraction_output_usd: NonNegativeFloat | None = Field(
        default=None, description="What a million tokens of its answers cost."
    )
    consolidation_by_model: bool = Field(
        default=False,
        description="Whether that model is also asked, once a day and stream, what follows from several memories "
        "together; of the same day's allowance, so give it one. Unset model: what was said or done often is seen "
        "without one.",
    )
    anticipation_by_model: bool = Field(
        default=False,
        description="The same of what a user will ask next, with what is known of it; where anything is answered ahead "
        "at all (ANTICIPATE_MOST).",
    )
    reflection_by_model: bool = Field(
        default=False,
        description="Whether that model is also asked to answer the questions that stand: each once, and again when "
        "what it is to be answered from has changed; of the same day's allowance. Unset model: facts answer them word "
        "for word.",
    )
    supersede_by_model: bool = Field(
        default=False,
        description="Whether that model is also asked, once a day and stream, which of what is worded differently "
        "contradicts each other; of the same day's allowance. It closes nothing that times and words do not say is "
        "over; the rest is asked about.",
    )
    sensitivity: str | None = Field(
        default=None,
        description="What becomes of what is sensitive, where not what does by default: health=ask, "
        "finance:others=refuse. Classes, and store, ask or refuse: docs/operations.md.",
    )
    policies: Path | None = Field(
        default=None,
        description="File of TOML that says what is pruned, how long what is kept, and which gates there are on the "
        "metrics of memory: docs/operations.md. Workers read it at each pass. Unset: what misled is demoted, "
        "everything is kept, and the gates are the built-in ones.",
    )
    promote_least_share: float = Field(
        default=0.5,
        gt=0.0,
        lt=1.0,
        description="An episode is held as semantic where recalls rested on it on this share of occasions at least, "
        "with 95 % certainty: 4 of 4 pass 0.5, and 7 of 8.",
    )
    promote_kept_share: float = Field(
        default=0.25, ge=0.0, lt=1.0, description="And until that share is below this; not above PROMOTE_LEAST_SHARE."
    )
    promote_least_days: PositiveInt = Field(
        default=3, le=3_650, description="And where it was of use on so many days at least."
    )
    compress_after_days: NonNegativeInt = Field(
        default=0,
        le=36_500,
        description="A session whose last message is older than this leaves what recall searches, behind a summary "
        "that cites it, which costs recall of what is told in other words; 0: none ever does. Nothing of it goes.",
    )
    anticipate_most: NonNegativeInt = Field(
        default=0,
        le=1_000,
        description="How many likely questions of a user are answered ahead of time at most; 0: none, since it was "
        "measured to save nothing (docs/benchmarks.md).",
    )
    anticipate_days: PositiveInt = Field(
        default=14, le=365, description="How many days ahead what is planned is put together."
    )
    gate_confidence: float = Field(
        default=0.5, ge=0.0, le=1.0, description="What is less certain than this waits for a second piece of evidence."
    )
    defer_days: PositiveInt = Field(default=30, le=3_650, description="How long it waits; then it is let go of.")
    review_days: PositiveInt = Field(
        default=14, le=3_650, description="How long a write waits for a person; then it is let go of."
    )
    schemas: str | None = Field(
        default=None,
        description="Schemas of an application's own records, as package.module:NAME: a `RecordSchema`, a list of "
        "them, or `Schemas`. Every worker and agent imports the module. Unset: those that are built in.",
    )
    ask_about: str | None = Field(
        default=None,
        description="Kinds of memory (semantic, procedural), what they are (fact, preference, inference, opinion) and "
        "names of schemas, joined by commas, of which each write waits for a person.",
    )
    verified_sources: str | None = Field(
        default=None,
        description="Names of tools and documents, joined by commas, whose word makes a fact of what was concluded "
        "before. Unset: the user's own alone.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="Least severe log line written."
    )

    @field_validator("database_url", "migrate_url")
    @classmethod
    def _is_of_postgres(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not _is_postgres_url(value.get_secret_value()):
            msg = "this is no URL of Postgres: write postgresql://user:password@host:port/database, with %, @, : and /"
            raise ValueError(f"{msg} in the password as %25, %40, %3A and %2F")
        return value

    @field_validator("redis_url")
    @classmethod
    def _is_of_a_broker(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not _is_broker_url(value.get_secret_value()):
            msg = "this is no URL of a broker that kombu speaks to: write redis://:password@host:port/0, or amqp://…"
            raise ValueError(f"{msg}, with %, @, : and / in the password as %25, %40, %3A and %2F")
        return value

    @field_validator("deep_command")
    @classmethod
    def _is_a_list_of_words(cls, value: str | None) -> str | None:
        if value is not None:
            words_of(value)
        return value

    @field_validator("deep_environment")
    @classmethod
    def _is_of_others(cls, value: str | None) -> str | None:
        for name in names_of(value):
            if not name.isidentifier() or not name.isascii():
                msg = f"{name!r} is not the name of a variable; give names joined by commas, like HOME,AGENT_KEY"
                raise ValueError(msg)
            if name.upper().startswith(PREFIX):
                raise ValueError(f"{name} is Daybook's own, and an agent is given none of these")
        return value

    @field_validator("reranker")
    @classmethod
    def _is_a_table_or_a_model(cls, value: str) -> str:
        if value not in RERANKERS and "/" not in value and not Path(value).exists():
            near = _nearest(value, RERANKERS)
            msg = f"{value!r} is none of {', '.join(RERANKERS)}{near}, and no cross-encoder's path or name"
            raise ValueError(f"{msg}, which has its owner's before it: cross-encoder/ms-marco-MiniLM-L6-v2")
        return value

    @field_validator("extraction_model")
    @classmethod
    def _names_a_provider(cls, value: str | None) -> str | None:
        provider, _, model = (value or "").partition(":")
        if value is not None and (provider not in PROVIDERS or not model.strip()):
            wrong = f"{value!r} names no model" if provider in PROVIDERS else f"{provider!r} is no provider known"
            msg = f"{wrong}{_nearest(provider, PROVIDERS)}: write provider:model, for example openai:gpt-5-mini, "
            raise ValueError(f"{msg}anthropic:claude-haiku-4-5, or openai:NAME with {PREFIX}EXTRACTION_BASE_URL")
        return value

    @field_validator("extraction_base_url")
    @classmethod
    def _is_a_plain_address(cls, value: str | None) -> str | None:
        if value is not None:
            parts = urlsplit(value)
            if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
                msg = "must be http:// or https:// and a host, without user or password: a key goes into "
                raise ValueError(f"{msg}{PREFIX}EXTRACTION_API_KEY")
        return value

    @field_validator("schemas")
    @classmethod
    def _names_an_object(cls, value: str | None) -> str | None:
        module, _, name = (value or "").partition(":")
        if value is not None and not all(part.isidentifier() for part in (*module.split("."), name)):
            msg = f"{value!r} names nothing: write it as package.module:NAME, for example shop.memory:SCHEMAS"
            raise ValueError(msg)
        return value

    @field_validator("sensitivity")
    @classmethod
    def _names_classes_and_policies(cls, value: str | None) -> str | None:
        policies_set(policies_of(value))
        return value

    @field_validator("ask_about")
    @classmethod
    def _names_what_there_is(cls, value: str | None, info: ValidationInfo) -> str | None:
        if info.data.get("schemas") is None:  # else whoever imports these looks: shared/accept/registered.py
            require_askable(names_of(value), BUILT_IN_SCHEMAS)
        return value

    @field_validator("extraction_output_usd")
    @classmethod
    def _is_one_of_two(cls, value: float | None, info: ValidationInfo) -> float | None:
        if (value is None) != (info.data.get("extraction_input_usd") is None):
            raise ValueError(f"set {PREFIX}EXTRACTION_INPUT_USD and {PREFIX}EXTRACTION_OUTPUT_USD, or neither")
        return value

    @field_validator("promote_kept_share")
    @classmethod
    def _is_no_higher_bar(cls, value: float, info: ValidationInfo) -> float:
        least = info.data.get("promote_least_share", 1.0)
        if value > least:
            msg = (
                f"must not be above {PREFIX}PROMOTE_LEAST_SHARE ({least}): what is promoted would be taken back at once"
            )
            raise ValueError(msg)
        return value

    @field_validator("visibility_timeout_s")
    @classmethod
    def _outlasts_tasks(cls, value: int, info: ValidationInfo) -> int:
        deadline = info.data.get("task_deadline_s", 0)
        if value <= deadline:
            msg = f"must be above DAYBOOK_TASK_DEADLINE_S ({deadline}): the broker hands out again what takes longer"
            raise ValueError(msg)
        return value

    @field_validator("importance_frequency")
    @classmethod
    def _leaves_something_to_weigh(cls, value: float, info: ValidationInfo) -> float:
        others = [info.data.get(f"importance_{name}", 0.0) for name in ("relevance", "recency")]
        if value + sum(others) <= 0:
            msg = "and the two before it are all 0: leave at least one of relevance, recency and frequency"
            raise ValueError(msg)
        return value

    @field_validator("naive_timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError) as error:
            msg = f"{value!r} is not a time zone of the IANA database, for example Europe/Lisbon"
            raise ValueError(msg) from error
        return value


def _is_postgres_url(url: str) -> bool:
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    if not url.startswith(("postgresql://", "postgres://")):
        return False
    try:
        ports = str(conninfo_to_dict(url).get("port") or "")
    except (ProgrammingError, UnicodeError):
        return False
    return all(not port or _is_port(port) for port in ports.split(","))


def _is_broker_url(url: str) -> bool:
    scheme, found, _ = url.partition("://")
    if not found or scheme.partition("+")[0].lower() not in BROKER_SCHEMES:
        return False
    try:
        for one in url.split(";"):  # a list of brokers to fall back on
            _ = urlsplit(one).port
    except ValueError:
        return False
    return True


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdecimal() and 0 < int(text) <= _HIGHEST_PORT


def words_of(command: str) -> tuple[str, ...]:
    """The words of a command that a setting holds as a JSON list.

    Raises:
        ValueError: it is no list of texts, or its first is blank.
    """
    msg = 'must be a JSON list of words, the program first, for example ["agent", "--print"]'
    try:
        words = json.loads(command)
    except (ValueError, RecursionError) as error:
        raise ValueError(msg) from error
    if not isinstance(words, list) or not all(isinstance(word, str) and "\0" not in word for word in words):
        raise ValueError(msg)
    if not words or not words[0].strip():
        raise ValueError(msg)
    return tuple(words)


def names_of(names: str | None) -> tuple[str, ...]:
    """The names that a setting holds, joined by commas."""
    return tuple(name.strip() for name in (names or "").split(",") if name.strip())


def policies_of(written: str | None) -> dict[str, str]:
    """The policies that a setting holds, `health=ask,finance:others=refuse`, by class and side.

    Raises:
        InvalidInput: a part has no policy, or a class is named twice.
    """
    found: dict[str, str] = {}
    for part in names_of(written):
        name, _, value = (half.strip() for half in part.partition("="))
        if not value:
            raise InvalidInput(
                f"{part!r} sets no policy: write it as health=ask, one of {', '.join(Policy)}", field=name
            )
        if found.setdefault(name, value) != value:
            raise InvalidInput(
                f"{name!r} is set twice, to {found[name]!r} and {value!r}: leave one of them", field=name
            )
    return found


def load(**overrides: object) -> Settings:
    """Read the environment anew.

    Raises:
        Misconfigured: a variable does not fit, or has Daybook's prefix and is no setting; the message names it.
    """
    require_known(os.environ)
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as error:
        faults = "; ".join(
            f"{PREFIX}{str(e['loc'][0]).upper() if e['loc'] else '?'}: {e['msg']}" for e in error.errors()
        )
        raise Misconfigured(f"the environment does not fit: {faults}") from error


def require_known(variables: Mapping[str, str]) -> None:
    """Make sure that no variable with Daybook's prefix is a setting mistyped: it would leave a gate open unseen.

    Those that are set to nothing count as not set, and those that a cluster sets for a service are nobody's mistake.
    One that is like no setting may be another version's, in an environment that is shared: it is warned of, once in a
    process, and `unknown_to_us` gives it.

    Raises:
        Misconfigured: some are as good as a setting's name, or were one; the message says what is meant.
    """
    strange = _strange(variables)
    wrong = {name: meant for name in strange if (meant := _meant(name.upper()))}
    if wrong:
        raise Misconfigured(
            f"no setting of Daybook: {', '.join(f'{name} ({meant})' for name, meant in wrong.items())}. Mend or unset "
            f"it; docs/settings.md lists them",
            variables=sorted(wrong),
        )
    new = [name for name in strange if name not in _WARNED_OF]
    if new:
        _WARNED_OF.update(new)
        _LOG.warning(
            "no setting of this version of Daybook, and not looked at: %s; mend or unset what is not another version's",
            ", ".join(new),
        )


def unknown_to_us(variables: Mapping[str, str] | None = None) -> list[str]:
    """The variables, by default of this process, with Daybook's prefix that are like no setting of this version."""
    return [name for name in _strange(os.environ if variables is None else variables) if not _meant(name.upper())]


def _strange(variables: Mapping[str, str]) -> list[str]:
    """Those with Daybook's prefix that are no setting, in order."""
    known = _known()
    return sorted(name for name, value in variables.items() if value and _is_strange(name.upper(), value, known))


def _known() -> list[str]:
    return [f"{PREFIX}{name.upper()}" for name in Settings.model_fields]


def _is_strange(name: str, value: str, known: Iterable[str]) -> bool:
    if not name.startswith(PREFIX) or name in known:
        return False
    rest = name.removeprefix(PREFIX)
    of_cluster = _OF_A_CLUSTER.fullmatch(rest) or (rest.endswith("PORT") and _ADDRESS.fullmatch(value))
    return not of_cluster


def _meant(name: str) -> str:
    """What to do about a name that is as good as a setting's, or was one; empty where it is like none."""
    if name in _GONE:
        return _GONE[name]
    near = [(slips(name.removeprefix(PREFIX), each.removeprefix(PREFIX)), each) for each in _known()]
    number, nearest = min(near)
    return f"did you mean {nearest}?" if number <= _MOST_SLIPS else ""


def _nearest(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    found = get_close_matches(name, list(known), n=1, cutoff=0.7)
    return f" (did you mean {found[0]}?)" if found and found[0] != name else ""


class _InForce:
    """The settings in force where it is called: those of the innermost `using`, else the process's, read once."""

    def __init__(self) -> None:
        self._of_process: Settings | None = None
        self.chosen: ContextVar[Settings | None] = ContextVar("daybook_settings", default=None)

    def __call__(self) -> Settings:
        chosen = self.chosen.get()
        if chosen is not None:
            return chosen
        if self._of_process is None:
            self._of_process = load()
        return self._of_process

    def cache_clear(self) -> None:
        """Have the process's settings read anew by the next call; for tests."""
        self._of_process = None


settings: Final = _InForce()


@contextmanager
def using(configured: Settings) -> Iterator[None]:
    """Have `settings()` give `configured` within the block, in this thread or task and those it starts from here."""
    token = settings.chosen.set(configured)
    try:
        yield
    finally:
        settings.chosen.reset(token)


def environment(configured: Settings) -> dict[str, str]:
    """This process's environment with Daybook's variables as `configured` has them: for a child process."""
    inherited = {name: value for name, value in os.environ.items() if not name.upper().startswith(PREFIX)}
    return inherited | {f"{PREFIX}{name.upper()}": _plain(value) for name, value in configured if value is not None}


def handed_on(names: Iterable[str]) -> dict[str, str]:
    """This process's variables of some names, for a child process that is to have no others."""
    return {name: os.environ[name] for name in names if name in os.environ}


def _plain(value: object) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


def table() -> str:
    """The Markdown table of all settings that `docs/settings.md` holds."""
    rows = ["| variable | default | meaning |", "| --- | --- | --- |"]
    for name, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True, validated_data={})
        shown = "" if default is None else f"`{str(default).replace(str(Path.home()), '~')}`"
        rows.append(f"| `{PREFIX}{name.upper()}` | {shown} | {field.description} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(table())  # noqa: T201 - this is what it is for
