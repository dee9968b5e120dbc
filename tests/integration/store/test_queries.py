"""Each statement says whose rows it means, though row-level security stands beneath. Read from the text; no server."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

import pytest

from shared.store.queries import queries, whole
from shared.store.tables import metadata

# Statements that do not, and why.
OF_ALL_TENANTS = {
    "inbox.whose_turn": "whose turn it is, of every tenant; as the claimer, who sees no content",
    "dead.letters": "dead letters of every tenant for the operator; as the claimer",
    "inbox.mark_rung": "the sweep finds work of every tenant; as the claimer, who sees no content",
    "inbox.backlog": "counts of every tenant's work for the operator; as the claimer",
    "inbox.unfinished": "counts of every tenant's work for the operator; as the claimer",
    "jobs.latest": "what became of each tenant's jobs, for the operator; as the claimer",
    "jobs.held": "who is at each tenant's jobs, for the operator; as the claimer",
    "jobs.lapsed": "finds passes that somebody left, of every tenant; as the claimer",
    "jobs.prune": "passes that ended long ago, of every tenant; as the claimer",
    "recalls.prune": "recalls of every tenant that are too old; as the claimer, by age alone",
    "jobs.slot": "counts of passes, for the operator; as the claimer",
    "jobs.last": "the newest pass of a job, of any tenant, for the operator; as the claimer",
    "jobs.due": "which tenants a job has still to be done for; as the claimer, names alone",
    **dict.fromkeys(
        ["candidates.due", "candidates.counted", "reviews.due"],
        "what waits of every tenant's, and for how long; as the claimer, who sees no content",
    ),
    **dict.fromkeys(
        [f"progress.{name}" for name in ("waiting", "lately", "parked", "served", "views", "built")],
        "counts of every tenant's work and views for the operator; as the claimer",
    ),
    **dict.fromkeys(
        ["streams.on_round", "streams.at_places"],
        "checks go through every tenant's streams; as the claimer, names and lengths alone",
    ),
    "streams.of_tenant": "verify --all goes through every tenant's streams; as the claimer",
    "generations.models": "which models there are, for whoever starts; as the claimer",
    "streams.lacking_tenants": "a job finds the tenants that it has work for; as the claimer, names alone",
    "streams.behind_tenants": "a job finds the tenants that it has work for; as the claimer, names alone",
    "streams.tenants": "jobs go through every tenant; as the claimer, names alone",
}
OF_ALL_OWNERS = {
    **OF_ALL_TENANTS,
    **dict.fromkeys(
        [
            f"streams.{name}"
            for name in (
                *("behind_sparse", "behind_graph", "trailing_graph"),
                *("with_memories", "has_memories", "numbered", "with_cold", "lacking_vectors", "with_vectors"),
                *("left_over_sparse", "left_over_dense", "left_over_graph", "is_known"),
                *("behind_profile", "trailing_profile", "left_over_profile"),
            )
        ],
        "which of a tenant's owners a job has work with; as the claimer, names and numbers alone",
    ),
    "inbox.holds": "how much of a tenant waits; as the claimer",
    **dict.fromkeys(
        ["batches.owners", "batches.called", "batches.newest"],
        "in whose streams a batch is, for whoever takes it back or lists them; as the claimer, who sees no content",
    ),
    **dict.fromkeys(
        ["measures.totals", "measures.days"], "numbers alone, added up over a tenant's owners; as the claimer"
    ),
    "inbox.is_free": "the run that was rung for, by its own id; as the claimer",
    "reviews.open": "what waits of a tenant's owners, for how long; as the claimer, who sees no content",
    "dead.called": "whose a dead letter is, by its own id; as the claimer",
    "inbox.claim": "a piece of work is taken by its own id, before any role of its owner's is; as the claimer",
}
TENANT = r"%\(tenant_id\)s"
# `user_ids` are the session's owners before its rooms are added; in the round trip that adds them, the list of all
# stands on the server alone.
ON_THE_SERVER = r"any\(string_to_array\(current_setting\('daybook\.users'\), ','\)\)"
OWNERS = rf"(?:%\(owner\)s|any\(%\((?:owners|user_ids)\)s(?:::text\[\])?\)|{ON_THE_SERVER})"
WRITTEN_OWNER = r"%\((?:owner|user_id)\)s"
# What belongs to one owner and no other: a row that shares it with a row of the owner's is the owner's.
TIES = ("user_id", "stream", "memory_id")

_NO_ALIAS = r"(?!(?:on|join|cross|where|set|left|order|limit|group|for|values)\b)"
_SOURCE = re.compile(rf"\b(from|join|update|insert into)\s+(\w+)(?:\s+(?:as\s+)?{_NO_ALIAS}(\w+))?")
_SUBQUERY = re.compile(r"\(\s*(?=select\b|with\b|insert\b|update\b|delete\b)")


@dataclass(frozen=True, slots=True)
class Source:
    """A table that a statement reads or writes, in one of its (sub)queries."""

    block: int
    table: str
    alias: str
    inserted: bool

    @property
    def columns(self):
        return set(metadata.tables[self.table].columns.keys())


def statements():
    names = sorted(path.name.removesuffix(".sql") for path in resources.files("shared.store").joinpath("sql").iterdir())
    return {f"{module}.{name}": bare(text) for module in names for name, text in queries(module).items()}


def bare(text):
    """Without comments and with one space between words."""
    return re.sub(r"\s+", " ", re.sub(r"--.*", "", text)).strip()


def blocks(text) -> Iterator[str]:
    """The query and its subqueries, each without those inside it."""
    while found := _SUBQUERY.search(text):
        inner, rest = to_closing_bracket(text[found.end() :])
        yield from blocks(inner)
        text = f"{text[: found.start()]} {rest}"
    yield from re.split(r"\bunion all\b", text)


def to_closing_bracket(text):
    depth = 1
    for position, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return text[:position], text[position + 1 :]
    raise AssertionError(f"a bracket is not closed: {text}")


def sources(text):
    found = []
    for number, block in enumerate(blocks(text)):
        for verb, table, alias in _SOURCE.findall(re.sub(r"\bfor update\b|\bdo update\b", "", block)):
            if table in metadata.tables:
                found.append(Source(number, table, alias or table, verb == "insert into"))
    return found


def stating(text, column, value, *, written):
    """The sources of a statement that say `column = value` of themselves, as a condition or in what they write."""
    stated = set()
    for number, block in enumerate(blocks(text)):
        here = [source for source in sources(text) if source.block == number and column in source.columns]
        alone = sum(not source.inserted for source in here) == 1
        for source in here:
            held = (
                writes(block, source.table, column, written)
                if source.inserted
                else demands(block, source, column, value, alone=alone)
            )
            if held:
                stated.add(source)
    return stated


def demands(block, source, column, value, *, alone):
    """Whether a query has the condition, and no `or` beside it to let others in."""
    name = rf"(?:{source.alias}\.)?{column}" if alone else rf"{source.alias}\.{column}"
    return bool(re.search(rf"(?<![\w.])(?<!\bor ){name} = {value}(?! or\b)", block))


def writes(block, table, column, value):
    insert = re.match(rf"\s*insert into {table} \((?P<columns>[^)]*)\) (?P<rest>.*)", block)
    if not insert:
        return False
    names = [name.strip() for name in insert["columns"].split(",")]
    rest = re.sub(r"^(?:select|values \() ?", "", insert["rest"])
    given = rest.split(",")[names.index(column)].strip()
    return bool(re.fullmatch(value, given))


def tied(text, held, columns):
    """`held` and every source that shares one of `columns` with one that is held, however many steps away."""
    held, everywhere = set(held), set(sources(text))
    while True:
        new = {each for each in everywhere - held for other in held if shares(text, each.alias, other.alias, columns)}
        if not new:
            return held
        held |= new


def shares(text, one, other, columns):
    pairs = ((first, second, column) for first, second in ((one, other), (other, one)) for column in columns)
    return any(re.search(rf"(?<![\w.]){a}\.{column} = {b}\.{column}\b", text) for a, b, column in pairs)


def unbound(text, column, value, ties, *, written):
    wanted = {source for source in sources(text) if column in source.columns}
    return {source.alias for source in wanted - tied(text, stating(text, column, value, written=written), ties)}


STATEMENTS = statements()


@pytest.mark.parametrize("name", [name for name, text in STATEMENTS.items() if sources(text)])
def test_a_statement_says_whose_rows_it_means(name):
    text = STATEMENTS[name]
    no_tenant = unbound(text, "tenant_id", TENANT, ("tenant_id",), written=TENANT)
    no_owner = unbound(text, "user_id", OWNERS, TIES, written=WRITTEN_OWNER)
    assert bool(no_tenant) == (name in OF_ALL_TENANTS), f"{name} names no tenant for {no_tenant}"
    owned = any("user_id" in source.columns for source in sources(text))
    assert bool(no_owner) == (owned and name in OF_ALL_OWNERS), f"{name} names no owner for {no_owner}"


def test_the_exceptions_are_statements_that_there_are():
    assert STATEMENTS.keys() >= OF_ALL_OWNERS.keys()


# Statements that read `memory` and need not keep to what an agent may read, and why.
OF_EVERY_AGENT = {
    **dict.fromkeys(
        [f"memories.{name}" for name in ("session_docs", "said", "docs")],
        "append looks up numbers and what was said before; as the worker, whose sessions name no agent",
    ),
    "memories.to_enter": "words and names of all memories are entered; as the worker",
    "memories.ending_in": "recalled text is recognised whoever heard it, and not learned again; as the worker",
    "memories.stored": "a replay compares all that is held",
    "memories.resting_on": "what is forgotten takes all along that rests on it, whichever agent's",
    "memories.owners": "whose stream an outcome goes to: ids that the caller named, and no text",
    **dict.fromkeys(
        [f"memories.{name}" for name in ("close", "restate", "remove", "clear")],
        "they change or remove, and give nothing back",
    ),
    "memories.of_agent": "keeps to it branch by branch, so that each goes by an index; nothing else is in a branch",
    **dict.fromkeys(
        ["memories.of_claims", "memories.beliefs", "memories.closed_by", "memories.resting_on", "memories.naming"],
        "what is believed is worked out from all that was said, whoever heard it; as the worker or the eraser",
    ),
    **dict.fromkeys(
        ["memories.opened_after", "memories.numbered", "memories.made_by"],
        "a link is between two of one agent's, or of nobody's: the validator sees to it; as the worker or the reader",
    ),
    **dict.fromkeys(
        ["memories.worded", "memories.worded_after"],
        "what says the same is of one agent's, or of nobody's, by its footing; as the reader",
    ),
    **dict.fromkeys(
        ["memories.sentences", "memories.sentences_after"],
        "what is held against each other is of one agent's, or of nobody's; as the worker",
    ),
    **dict.fromkeys(
        ["memories.often_used", "memories.aged", "memories.hanging_on"],
        "what serves, or is too old, is worked out for each memory by itself; as the worker",
    ),
    "memories.episodes": "what is concluded is of one agent's memories each, by what is made of them; as the worker",
    "ledger.admitted": "what is read of a run, whoever heard it, but for what is quarantined; as the worker",
    "ledger.noted": "whether what nobody in particular has heard is quarantined; no memory is read",
    **dict.fromkeys(
        ["measures.standing", "measures.shown"], "memories are counted; their texts are looked at and given to nobody"
    ),
    "postings.discount": "takes words of what is forgotten out of the counts; as the eraser",
    **dict.fromkeys(
        ["postings.shift", "parts.sessions_begun"],
        "words are counted for the tier that they are in by now; as the worker",
    ),
    **dict.fromkeys(
        [f"memories.{name}" for name in ("old_sessions", "hot_episodes", "without_summary")],
        "what is old leaves the hot tier whoever heard it; as the reader, whose sessions name no agent",
    ),
    "recalls.insert_items": "whether memories that this very recall found are still held",
    **dict.fromkeys(
        [f"vectors.{name}" for name in ("unembedded", "lacking", "insert", "trailing", "relink")],
        "vectors are made of every memory; as the worker or the eraser",
    ),
}
READ_BY_AGENT = (
    r"and \({0}\.agent_id is null or {0}\.agent_id = %\(agent_id\)s"
    r" or {0}\.user_id <> all\(%\(narrowed\)s::text\[\]\)\)"
)


def heedless(text):
    """The sources of `memory`, in whichever subquery, that give an agent what is another's."""
    parts = list(blocks(text))
    return [
        source.alias
        for source in sources(text)
        if source.table == "memory"
        and not source.inserted
        and not re.search(READ_BY_AGENT.format(source.alias), parts[source.block])
    ]


def test_what_reads_memories_keeps_to_what_the_sessions_agent_may_read_or_says_why_not():
    assert {name for name, text in STATEMENTS.items() if heedless(text)} == OF_EVERY_AGENT.keys()


def test_every_table_a_statement_names_is_found():
    for name, text in STATEMENTS.items():
        named = {table for table in metadata.tables if re.search(rf"\b(?:from|join|into|update) {table}\b", text)}
        assert {source.table for source in sources(text)} == named, name


@pytest.mark.parametrize("name", STATEMENTS)
def test_no_table_is_joined_by_a_comma_where_this_file_would_not_see_it(name):
    tables = "|".join(metadata.tables)
    assert not re.search(rf"\b(?:from|join) \w+(?: (?:as )?\w+)?, (?:{tables})\b", STATEMENTS[name])


OURS = "tenant_id = %(tenant_id)s and user_id = %(owner)s"


@pytest.mark.parametrize("name", ["memories.visible", "memories.confirmed", "memories.whole", "trajectories.counted"])
@pytest.mark.parametrize("lost", ["memory.agent_id is null or ", " or memory.user_id <> all(%(narrowed)s::text[])"])
def test_a_condition_that_lost_a_part_is_found(name, lost):
    assert heedless(STATEMENTS[name].replace(lost, ""))


# What may be shown, at which of the two times; who may read it is above.
SHOWN = {
    "memories.visible": ("held_then", "true_then"),
    "memories.confirmed": ("held_then", "true_then"),
    "memories.whole": ("held_then", "true_then"),
    "memories.within": ("held_then",),
    "memories.rivals": ("held_then",),
}


def test_what_is_shown_of_memories_is_what_was_held_and_true_at_the_times_asked_about():
    parts = queries("parts")
    for name, wanted in SHOWN.items():
        for part in wanted:
            assert f"and {bare(parts[part])}" in STATEMENTS[name], (name, part)
    timed = {name for name, text in STATEMENTS.items() if "%(known_at)s" in text or "%(as_of)s" in text}
    assert timed - {f"parts.{part}" for part in parts} == SHOWN.keys()


def test_who_sees_what_is_said_once():
    for path in resources.files("shared.store").joinpath("sql").iterdir():
        text = bare(path.read_text("utf-8"))
        for said in (
            "memory.agent_id is null or ",
            "%(known_at)s::timestamptz is null",
            "%(as_of)s::timestamptz is null",
        ):
            assert text.count(said) == (path.name == "parts.sql"), (path.name, said)


def test_a_part_stands_in_its_place_without_its_comment_and_an_unknown_one_is_refused():
    parts = {"mine": "-- Whose it is.\nuser_id = %(owner)s"}
    assert whole("where true and {{mine}}\nlimit 1", parts) == "where true and user_id = %(owner)s\nlimit 1"
    with pytest.raises(KeyError, match="yours"):
        whole("where {{yours}}", parts)
    assert not any("{{" in text for text in STATEMENTS.values())


@pytest.mark.parametrize(
    "text",
    [
        "select 1 from memory where user_id = any(%(owners)s)",
        "select 1 from memory where tenant_id = %(tenant_id)s",
        "select 1 from memory where tenant_id = tenant_id and user_id = %(owner)s",
        "select 1 from memory where tenant_id = %(tenant_id)s and (true or user_id = %(owner)s)",
        f"select 1 from memory join event on event.sequence = memory.opened_by where {OURS}",
        f"select 1 from memory where {OURS} and doc in (select doc from posting where term = 'x')",
        f"with a as (select 1 from stream) select 1 from memory where {OURS}",
        f"select 1 from memory where {OURS} union all select 1 from memory",
        "update inbox set state = 'done' where tenant_id = %(tenant_id)s",
        "delete from inbox where user_id = %(owner)s",
        "insert into participant (tenant_id, user_id) values ('acme', %(user_id)s)",
        "insert into participant (tenant_id, user_id) select tenant_id, %(owner)s from generation",
    ],
)
def test_a_statement_that_leaves_somebody_out_is_found(text):
    no_tenant = unbound(bare(text), "tenant_id", TENANT, ("tenant_id",), written=TENANT)
    no_owner = unbound(bare(text), "user_id", OWNERS, TIES, written=WRITTEN_OWNER)
    assert no_tenant | no_owner
