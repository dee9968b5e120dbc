"""The schema as SQLAlchemy Core sees it: what migrations are compared with, and what the catalog tests walk.

What no table description can say (leaves, triggers, roles, policies, grants) stands in the migrations.
`user_id` is a row's owner: a user's id, `room:<id>`, `tenant:` or `audit:`. `doc` numbers an owner's memories in the
order they were opened, gapless from 1; the views refer to memories by it.
"""

# Above 300 lines: a list, one table after the other.

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TIMESTAMP, UUID

metadata = MetaData()

inbox = Table(
    "inbox",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("inbox_id", UUID, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("message_digests", JSONB, nullable=False),
    Column("payload", Text),
    Column("messages", Integer, nullable=False, server_default=text("1")),
    Column("stage", Text, nullable=False),
    Column("state", Text, nullable=False, server_default=text("'waiting'")),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("lease_until", TIMESTAMP(timezone=True)),
    Column("rung_at", TIMESTAMP(timezone=True)),
    Column("last_error", Text),
    Column("accepted_at", TIMESTAMP(timezone=True), nullable=False),
    Column("changed_at", TIMESTAMP(timezone=True), nullable=False),
    Column("retry_at", TIMESTAMP(timezone=True)),
    Index("inbox_run", "tenant_id", "user_id", "run_id"),
    Index("inbox_parked", "tenant_id", "changed_at", postgresql_where=text("state = 'parked'")),
    Index("inbox_turn", "stage", "tenant_id", "accepted_at", postgresql_where=text("state = 'waiting'")),
    Index("inbox_stream", "stage", "tenant_id", "user_id", "accepted_at", postgresql_where=text("state = 'waiting'")),
    Index(
        "inbox_held",
        *("stage", "tenant_id", "user_id"),
        postgresql_where=text("state = 'waiting' and lease_until is not null"),
    ),
    Index("inbox_fresh", "tenant_id", "user_id", "accepted_at", postgresql_where=text("stage = 'append'")),
)

turn = Table(
    "turn",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("stage", Text, primary_key=True),
    Column("served_at", TIMESTAMP(timezone=True), nullable=False),
    Index("turn_latest", "stage", "served_at"),
)

job = Table(
    "job",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("job_id", UUID, primary_key=True),
    Column("name", Text, nullable=False),
    Column("slot", TIMESTAMP(timezone=True)),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("lease_until", TIMESTAMP(timezone=True)),
    Column("done", BigInteger, nullable=False),
    Column("total", BigInteger, nullable=False),
    Column("counts", JSONB, nullable=False),
    Column("last_error", Text),
    Column("started_at", TIMESTAMP(timezone=True), nullable=False),
    Column("changed_at", TIMESTAMP(timezone=True), nullable=False),
    Column("finished_at", TIMESTAMP(timezone=True)),
    Column("holder", Text),
    Column("held_since", TIMESTAMP(timezone=True)),
    Index("job_slot", "tenant_id", "name", "slot", unique=True, postgresql_where=text("slot is not null")),
    Index("job_running", "tenant_id", "name", unique=True, postgresql_where=text("state = 'running'")),
    Index("job_latest", "tenant_id", "name", "started_at"),
    Index("job_finished", "finished_at"),
)

participant = Table(
    "participant",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("room_id", Text, primary_key=True),
    Column("joined_at", TIMESTAMP(timezone=True), nullable=False),
)

stream = Table(
    "stream",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("stream", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("last_sequence", BigInteger, nullable=False),
    Column("last_hash", LargeBinary, nullable=False),
    Column("last_recorded_at", TIMESTAMP(timezone=True), nullable=False),
    Column("last_doc", Integer, nullable=False),
)

event = Table(
    "event",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("stream", Text, primary_key=True),
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("user_id", Text, nullable=False),
    Column("event_class", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("occurred_at", TIMESTAMP(timezone=True)),
    Column("precision", Text, nullable=False),
    Column("recorded_at", TIMESTAMP(timezone=True), nullable=False),
    Column("origin", Text, nullable=False),
    Column("actor_role", Text),
    Column("speaker", Text),
    Column("run_id", Text),
    Column("message_id", Text),
    Column("message_digest", Text),
    Column("agent_id", Text),
    Column("session_id", Text),
    Column("caused_by", BigInteger),
    Column("schema_version", SmallInteger, nullable=False),
    Column("payload_hash", LargeBinary, nullable=False),
    Column("previous_hash", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Index("event_message", "tenant_id", "stream", "message_digest", "message_id", unique=True),
    Index("event_run", "tenant_id", "user_id", "run_id"),
    Index("event_outcome", "tenant_id", "user_id", "run_id", postgresql_where=text("kind = 'outcome'")),
    postgresql_partition_by="hash (tenant_id)",
)

event_payload = Table(
    "event_payload",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("stream", Text, primary_key=True),
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("user_id", Text, nullable=False),
    Column("salt", LargeBinary, nullable=False),
    Column("payload", Text, nullable=False),
    postgresql_partition_by="hash (tenant_id)",
)

decision = Table(
    "decision",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("stream", Text, primary_key=True),
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("stage", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("rule", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("confidence", Double, nullable=False),
    Column("decided_at", TIMESTAMP(timezone=True), nullable=False),
    Column("fields", JSONB, nullable=False, server_default=text("'{}'")),
    postgresql_partition_by="hash (tenant_id)",
)

receipt = Table(
    "receipt",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("subject", UUID, primary_key=True),
    Column("stage", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("counts", JSONB, nullable=False),
    Column("started_at", TIMESTAMP(timezone=True), nullable=False),
    Column("finished_at", TIMESTAMP(timezone=True), nullable=False),
    Index("receipt_run", "tenant_id", "user_id", "run_id"),
    Index("receipt_lately", "finished_at"),
)

generation = Table(
    "generation",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("view", Text, primary_key=True),
    Column("live", Integer, nullable=False),
    Column("model_id", Text),
    Column("changed_at", TIMESTAMP(timezone=True), nullable=False),
    Column("building", Integer),
    Column("building_model", Text),
    Column("previous", Integer),
    Column("previous_model", Text),
)

memory = Table(
    "memory",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("memory_id", UUID, primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("user_id", Text, nullable=False),
    Column("doc", Integer, nullable=False),
    Column("session_doc", Integer, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("epistemic_type", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("speaker", Text),
    Column("role", Text),
    Column("origin", Text, nullable=False),
    Column("trust", SmallInteger, nullable=False),
    Column("confidence", Double, nullable=False),
    Column("session_id", Text),
    Column("agent_id", Text),
    Column("run_id", Text),
    Column("valid_from", TIMESTAMP(timezone=True)),
    Column("valid_to", TIMESTAMP(timezone=True)),
    Column("recorded_at", TIMESTAMP(timezone=True), nullable=False),
    Column("closed_at", TIMESTAMP(timezone=True)),
    Column("closed_reason", Text),
    Column("opened_by", BigInteger, nullable=False),
    Column("closed_by", BigInteger),
    Column("claim_subject", Text),
    Column("claim_predicate", Text),
    Column("claim_object", Text),
    Column("claim_key", Text),
    Column("schema_name", Text),
    Column("data", JSONB),
    Column("importance", Double),
    Column("tier", Text, nullable=False, server_default=text("'hot'")),
    Index("memory_doc", "tenant_id", "generation", "user_id", "doc", "version", unique=True),
    Index(
        "memory_open", "tenant_id", "generation", "memory_id", unique=True, postgresql_where=text("closed_at is null")
    ),
    Index("memory_session", "tenant_id", "generation", "user_id", "session_id", "doc"),
    Index("memory_run", "tenant_id", "generation", "user_id", "run_id"),
    Index("memory_agent", "tenant_id", "generation", "user_id", "agent_id", "doc"),
    Index("memory_time", "tenant_id", "generation", "user_id", "valid_from", "doc"),
    Index(
        "memory_belief",
        *("tenant_id", "generation", "user_id", "doc"),
        postgresql_where=text("epistemic_type <> 'evidence' and closed_at is null"),
    ),
    Index(
        "memory_claim",
        *("tenant_id", "generation", "user_id", "claim_key", "doc"),
        postgresql_where=text("claim_key is not null"),
    ),
    Index(
        "memory_naming",
        *("tenant_id", "generation", "user_id"),
        postgresql_where=text("claim_predicate in ('also_known_as', 'different_from')"),
    ),
    Index(
        "memory_opened",
        *("tenant_id", "generation", "user_id", "opened_by"),
        postgresql_where=text("claim_key is not null"),
    ),
    Index(
        "memory_written",
        *("tenant_id", "generation", "user_id", "opened_by"),
        postgresql_where=text("epistemic_type <> 'evidence'"),
    ),
    Index(
        "memory_closed",
        *("tenant_id", "generation", "user_id", "closed_by"),
        postgresql_where=text("claim_key is not null and closed_by is not null"),
    ),
    Index(
        "memory_current",
        *("tenant_id", "generation", "user_id", "claim_key", "trust"),
        unique=True,
        postgresql_where=text(
            "claim_key is not null and closed_at is null and valid_from is not null and valid_to is null"
        ),
    ),
    postgresql_partition_by="hash (tenant_id)",
)

memory_evidence = Table(
    "memory_evidence",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("memory_id", UUID, primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("stream", Text, primary_key=True),
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("user_id", Text, nullable=False),
    Column("place", SmallInteger, primary_key=True, autoincrement=False, server_default=text("0")),
    Column("span_start", Integer),
    Column("span_end", Integer),
    Column("independent", Boolean, nullable=False),
    Index("memory_evidence_event", "tenant_id", "stream", "sequence"),
    postgresql_partition_by="hash (tenant_id)",
)

suppression = Table(
    "suppression",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("stream", Text, primary_key=True),
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("span_start", Integer, primary_key=True, autoincrement=False),
    Column("span_end", Integer, primary_key=True, autoincrement=False),
    Column("user_id", Text, nullable=False),
    Column("suppressed_by", BigInteger, nullable=False),
)

memory_vector = Table(
    "memory_vector",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("user_id", Text, primary_key=True),
    Column("model_id", Text, primary_key=True),
    Column("doc", Integer, primary_key=True, autoincrement=False),
    Column("session_doc", Integer, nullable=False),
    Column("memory_id", UUID, nullable=False),
    Column("version", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("open", Boolean, nullable=False),
    Column("text_hash", LargeBinary, nullable=False),
    Column("embedding", HALFVEC(), nullable=False),
    postgresql_partition_by="hash (tenant_id)",
)

posting = Table(
    "posting",
    metadata,
    Column("tenant_id", Text),
    Column("generation", Integer, autoincrement=False),
    Column("user_id", Text),
    Column("term", Text),
    Column("block", Integer, autoincrement=False),
    Column("entries", LargeBinary, nullable=False),
    Column("tier", Text, server_default=text("'hot'")),
    PrimaryKeyConstraint("tenant_id", "generation", "user_id", "tier", "term", "block"),
    postgresql_partition_by="hash (tenant_id)",
)

sparse_stream = Table(
    "sparse_stream",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("user_id", Text, primary_key=True),
    Column("documents", Integer, nullable=False),
    Column("length_sum", BigInteger, nullable=False),
    Column("sessions", Integer, nullable=False),
    Column("doc", Integer, nullable=False),
    Column("cold_documents", Integer, nullable=False, server_default=text("0")),
    Column("cold_length_sum", BigInteger, nullable=False, server_default=text("0")),
    Column("cold_sessions", Integer, nullable=False, server_default=text("0")),
)

dense_stream = Table(
    "dense_stream",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("user_id", Text, primary_key=True),
    Column("vectors", Integer, nullable=False),
)

entity = Table(
    "entity",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("user_id", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("memories", Integer, nullable=False),
    postgresql_partition_by="hash (tenant_id)",
)

entity_alias = Table(
    "entity_alias",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("user_id", Text, primary_key=True),
    Column("alias", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Index("entity_alias_name", "tenant_id", "generation", "user_id", "name"),
    postgresql_partition_by="hash (tenant_id)",
)

mention = Table(
    "mention",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("user_id", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("doc", Integer, primary_key=True, autoincrement=False),
    Index("mention_doc", "tenant_id", "generation", "user_id", "doc"),
    postgresql_partition_by="hash (tenant_id)",
)

graph_stream = Table(
    "graph_stream",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("user_id", Text, primary_key=True),
    Column("documents", Integer, nullable=False),
    Column("doc", Integer, nullable=False),
)

profile = Table(
    "profile",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("user_id", Text, primary_key=True),
    Column("block_id", UUID, primary_key=True),
    Column("agent_id", Text),
    Column("subject", Text, nullable=False),
    Column("subject_key", Text, nullable=False),
    Column("topic", Text, nullable=False),
    Column("instance", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("docs", ARRAY(Integer), nullable=False),
    Column("held", ARRAY(Integer), nullable=False),
    Column("version", Integer, nullable=False),
    Column("opened_by", BigInteger, nullable=False),
    Column("recorded_at", TIMESTAMP(timezone=True), nullable=False),
    Index("profile_subject", "tenant_id", "generation", "user_id", "subject_key"),
)

profile_stream = Table(
    "profile_stream",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("user_id", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
)

community_stream = Table(
    "community_stream",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("generation", Integer, nullable=False),
    Column("doc", Integer, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("made_by", Text, nullable=False),
)

community = Table(
    "community",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Index("community_name", "tenant_id", "user_id", "name", unique=True),
)

recall_log = Table(
    "recall_log",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("turn_id", UUID, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("recalled_at", TIMESTAMP(timezone=True), nullable=False),
    Column("agent_id", Text),
    Column("session_id", Text),
    Column("verdict", Text, nullable=False),
    Column("recipe", Text, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("watermark", BigInteger, nullable=False),
    Column("conflicts", Integer, nullable=False, server_default=text("0")),
    Column("conflicts_shown", Integer, nullable=False, server_default=text("0")),
    Column("about_now", Boolean, nullable=False, server_default=text("true")),
    Index("recall_log_user", "tenant_id", "user_id", "recalled_at"),
    Index("recall_log_expiry", "recalled_at"),
)

recall_item = Table(
    "recall_item",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("turn_id", UUID, primary_key=True),
    Column("memory_id", UUID, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("rank", Integer),
    Column("score", Double, nullable=False),
    Column("ordinal", Integer),
    ForeignKeyConstraint(["tenant_id", "turn_id"], ["recall_log.tenant_id", "recall_log.turn_id"], ondelete="CASCADE"),
    Index("recall_item_memory", "tenant_id", "user_id", "memory_id"),
)

memory_use = Table(
    "memory_use",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("doc", Integer, primary_key=True, autoincrement=False),
    Column("memory_id", UUID, nullable=False),
    Column("used", Integer, nullable=False),
    Column("misled", Integer, nullable=False),
)

memory_link = Table(
    "memory_link",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("source", UUID, primary_key=True),
    Column("relation", Text, primary_key=True),
    Column("target", UUID, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("opened_by", BigInteger, primary_key=True, autoincrement=False),
    Column("closed_by", BigInteger),
    Column("score", Double),
    Column("via", BigInteger),
    Index("memory_link_source", "source", "tenant_id", "generation"),
    Index("memory_link_target", "target", "tenant_id", "generation"),
    Index("memory_link_number", "tenant_id", "generation", "user_id", "opened_by"),
    Index("memory_link_via", "tenant_id", "generation", "user_id", "via", postgresql_where=text("via is not null")),
    postgresql_partition_by="hash (tenant_id)",
)

candidate = Table(
    "candidate",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("stream", Text, primary_key=True),
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("user_id", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("reading", BigInteger, nullable=False),
    Column("claim_key", Text),
    Column("said_at", TIMESTAMP(timezone=True)),
    Column("message_id", Text, nullable=False),
    Column("message_digest", Text, nullable=False),
    Column("trust", SmallInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("due_at", TIMESTAMP(timezone=True)),
    Index("candidate_run", "tenant_id", "user_id", "run_id"),
    Index("candidate_claim", "tenant_id", "user_id", "claim_key", postgresql_where=text("claim_key is not null")),
    Index("candidate_due", "due_at", postgresql_where=text("due_at is not null")),
    Index("candidate_deferred", "tenant_id", "user_id", "sequence", postgresql_where=text("state = 'deferred'")),
    postgresql_partition_by="hash (tenant_id)",
)

review = Table(
    "review",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("review_id", UUID, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("stream", Text, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("policy", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("reviewer", Text),
    Column("asked_at", TIMESTAMP(timezone=True), nullable=False),
    Column("due_at", TIMESTAMP(timezone=True), nullable=False),
    Column("decided_at", TIMESTAMP(timezone=True)),
    Column("decided_by", Text),
    Index("review_candidate", "tenant_id", "stream", "sequence", unique=True),
    Index("review_open", "tenant_id", "user_id", "due_at", postgresql_where=text("state = 'open'")),
    Index("review_due", "due_at", postgresql_where=text("state = 'open'")),
)

spending = Table(
    "spending",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("day", TIMESTAMP(timezone=True), primary_key=True),
    Column("calls", Integer, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_usd", Double),
)

batch = Table(
    "batch",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("batch_id", UUID, primary_key=True),
    Column("job", Text, nullable=False),
    Column("first_sequence", BigInteger, nullable=False),
    Column("last_sequence", BigInteger, nullable=False),
    Column("refused", JSONB, nullable=False),
    Column("committed_at", TIMESTAMP(timezone=True), nullable=False),
    Column("reverted_at", TIMESTAMP(timezone=True)),
    Index("batch_when", "tenant_id", "committed_at"),
)

job_mark = Table(
    "job_mark",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("job", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
)

measure = Table(
    "measure",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("day", TIMESTAMP(timezone=True), primary_key=True),
    Column("counted", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
    Index("measure_day", "tenant_id", "day"),
)

hold = Table(
    "hold",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("act", Text, primary_key=True),
    Column("metric", Text, primary_key=True),
    Column("value", Double, nullable=False),
    Column("since", TIMESTAMP(timezone=True), primary_key=True),
    Column("until", TIMESTAMP(timezone=True)),
    Index("hold_set", "tenant_id", "act", "metric", unique=True, postgresql_where=text("until is null")),
)
