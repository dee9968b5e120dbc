"""consolidate's model, asked outside of any transaction what follows; its answer is stored before it is used.

A later pass, and a replay, read the stored answer and ask nobody (`_answered`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from coldpath._answered import CONCLUSIONS, CONSOLIDATION, Seen, asked_about, entries_in, has_more, seen_by_agent
from coldpath._fencing import Fence, unfenced
from coldpath._made import REASONS, made_of
from coldpath._model_gates import ModelGate
from shared import clock
from shared.accept.scrub import scrub
from shared.belief import concluding
from shared.belief.concluding import MOST_SHOWN, Answer, showable
from shared.contract.candidates import Usage
from shared.contract.errors import Misconfigured, ModelUnavailable
from shared.contract.events import EventClass, Json, NewEvent
from shared.contract.records import MemoryVersion
from shared.contract.scope import Owner
from shared.language.text import normalise
from shared.language.tokens import ConservativeCounter
from shared.log import logger
from shared.models.answers import unescaped
from shared.models.llm import llm
from shared.models.port import Answer as Answered
from shared.models.port import Finish, Llm, Said
from shared.store import ledger, memories
from shared.store.account import account, today
from shared.store.allowance import Allowance, Hold, Verdict
from shared.store.db import Database, Role, Session

if TYPE_CHECKING:
    from shared.settings import Settings

_LOG: Final = logger(__name__)
ENOUGH_NEW: Final = 10
"""Memories that nobody was asked about: fewer show no pattern, and cost as much to ask about."""
SOONEST: Final = timedelta(hours=20)
"""Between two calls about one stream: a nightly pass that comes earlier than the last one did still asks."""
MOST_TRIES: Final = 3
"""Calls about the same that come to nothing; then it is passed over, as a line may be what the model stumbles at."""
_MOST_LOOKED_AT: Final = 2_000
_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_OUTPUT_TOKENS: Final = 2_000
_VERDICTS: Final[Mapping[Verdict, ModelGate]] = {
    Verdict.NO_TOKENS: ModelGate.NO_TOKENS,
    Verdict.NO_MONEY: ModelGate.NO_MONEY,
    Verdict.NO_PRICE: ModelGate.NO_PRICE,
    Verdict.HELD: ModelGate.HELD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparing:
    """A stream before a job looks at it."""

    database: Database
    settings: Settings
    tenant_id: str
    owner: Owner
    fence: Fence = unfenced
    """As for `coldpath.proposals.Tidying`."""


def prepare(of: Preparing) -> ModelGate:
    """Ask the model about a stream, where all gates let it pass, and store what it answers; returns which one did not.

    Raises:
        LeaseLost: the job is somebody else's by now; the answer is stored nowhere, and what it cost is counted.
        DatabaseUnavailable: as that.
    """
    if of.settings.extraction_model is None or not of.settings.consolidation_by_model:
        return ModelGate.NO_MODEL
    shown = _to_show(of)
    return shown if isinstance(shown, ModelGate) else _Call(of, shown).ask()


@cache
def system() -> str:
    """What the model is told before it is shown memories."""
    return files("coldpath").joinpath("prompts", "consolidate.md").read_text(encoding="utf-8")


@cache
def version() -> str:
    """12 hexadecimal digits of what the model is told."""
    return sha256(system().encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """What a model is asked about."""

    memories: Sequence[MemoryVersion]
    """Of one agent, in order."""
    tries: int
    """How often it was asked about them in vain."""
    waiting: bool
    """Whether another agent has enough to ask about too."""


def _to_show(of: Preparing) -> _Shown | ModelGate:
    """What to ask about, or the gate that says not to."""
    with of.database.transaction(Role.WORKER, of.tenant_id, [of.owner]) as session:
        end = ledger.end_of(session, of.owner)
        if end is None or end["last_doc"] < ENOUGH_NEW:
            return ModelGate.TOO_LITTLE_NEW
        asked = asked_about(session)
        if not has_more(asked, end["last_doc"], ENOUGH_NEW):
            return ModelGate.TOO_LITTLE_NEW
        if asked and clock.now() - asked[-1].recorded_at < SOONEST:
            return ModelGate.TOO_SOON
        if not ledger.is_free(session, of.owner):
            return ModelGate.BUSY
        refusal = _left(of, session).refusal
        if refusal is not None:
            return _VERDICTS[Verdict(refusal)]
    # In a transaction of its own: whether the stream is free was told by its lock, which nobody is to wait for.
    with of.database.transaction(Role.WORKER, of.tenant_id, [of.owner]) as session:
        shown = _shown(session, seen_by_agent(asked))
    return shown or ModelGate.TOO_LITTLE_NEW


def _left(of: Preparing, session: Session) -> Allowance:
    """What is left of the tenant's day, which is one for all that asks the model."""
    counted = account(of.database, of.settings, of.tenant_id, of.owner)
    return replace(today(session, of.settings), account=counted)


def _shown(session: Session, seen: Mapping[str | None, Seen]) -> _Shown | None:
    """Of an agent of whom enough is new, the newest of what may be shown; what was concluded before is not.

    Agents take turns: of several it is the one that was asked about the longest ago.
    """
    beliefs = memories.beliefs(session, keyed=True, limit=_MOST_LOOKED_AT)
    made = made_of(session, beliefs, REASONS)
    stated = (each for each in beliefs if each.memory_id not in made)
    by_agent: dict[str | None, list[MemoryVersion]] = {}
    for each in filter(showable, [*memories.episodes(session, limit=_MOST_LOOKED_AT), *stated]):
        by_agent.setdefault(each.agent_id, []).append(each)
    newest = {agent: sorted(each, key=lambda memory: memory.doc)[-MOST_SHOWN:] for agent, each in by_agent.items()}
    new = {agent: sum(each.doc > seen.get(agent, Seen()).docs for each in shown) for agent, shown in newest.items()}
    due = [agent for agent, number in new.items() if number >= ENOUGH_NEW]
    if not due:
        return None
    agent = min(due, key=lambda each: (seen.get(each, Seen()).asked_at or _NEVER, -new[each]))
    return _Shown(memories=newest[agent], tries=seen.get(agent, Seen()).tries, waiting=len(due) > 1)


class _Call:
    """One call about one stream."""

    def __init__(self, of: Preparing, shown: _Shown) -> None:
        self._of = of
        self._shown = shown.memories
        self._asking = shown
        self._usage = Usage()

    def ask(self) -> ModelGate:
        """Make the call, if the day allows it, and store what comes of it."""
        try:
            model = llm(self._of.settings)
            answer = self._answer(model) if model else ModelGate.NO_MODEL
        except (ModelUnavailable, Misconfigured) as error:
            _LOG.warning("consolidate: %s: %s", self._of.settings.extraction_model, error)
            return ModelGate.UNAVAILABLE
        if isinstance(answer, ModelGate):
            return answer
        text = scrub(unescaped(normalise(answer.text)[0])).text
        is_read = (
            answer.finish is not Finish.REFUSED and entries_in(text, cut_off=answer.finish is Finish.LENGTH) is not None
        )
        return self._store(text if is_read else None)

    def _answer(self, model: Llm) -> Answered | ModelGate:
        said = Said(role="user", text=concluding.lines(self._shown))
        hold = self._held(model, said)
        if hold.verdict is not Verdict.CALL:
            return _VERDICTS[hold.verdict]
        settings = self._of.settings
        deadline_s = min(settings.extraction_deadline_s, 0.8 * settings.task_deadline_s)
        try:
            answer = model.complete(
                system(), [said], schema=Answer, max_output_tokens=_OUTPUT_TOKENS, deadline_s=deadline_s
            )
        except ModelUnavailable as error:
            if error.details.get("answers") == 0:  # else its server may have been paid for one
                hold.settle(Usage())
            raise
        except Misconfigured:
            hold.settle(Usage())
            raise
        self._usage = _usage(answer.input_tokens, answer.output_tokens, answer.cost_usd)
        hold.settle(self._usage)
        return answer

    def _held(self, model: Llm, said: Said) -> Hold:
        """What the call may cost at most, set aside of the tenant's day."""
        count = ConservativeCounter().count
        sent = count(system()) + count(said.text)
        with self._of.database.transaction(
            Role.READER, self._of.tenant_id, [self._of.owner], read_only=True
        ) as session:
            left = _left(self._of, session)
        return left.hold(_usage(sent, _OUTPUT_TOKENS, model.cost_usd(sent, _OUTPUT_TOKENS)))

    def _store(self, text: str | None) -> ModelGate:
        """Write down what was asked about and what came; the answer only where all that it was shown is still held.

        `text` is None where none came that can be read. Returns what the call is noted as.
        """
        of = self._of
        with of.database.transaction(Role.WORKER, of.tenant_id, [of.owner]) as session:
            of.fence(session)
            head = ledger.lock(session, of.owner)
            gate = self._came_to(text, are_held=_are_held(session, self._shown))
            batch = ledger.Batch(session.tenant_id, head)
            asked = batch.add(_derivation(CONSOLIDATION, self._account(gate)))
            if gate is ModelGate.ASKED:
                batch.add(_derivation(CONCLUSIONS, {"answer": text}, caused_by=asked.sequence))
            batch.write(session)
            ledger.advance(session, batch.head)
        return gate

    def _came_to(self, text: str | None, *, are_held: bool) -> ModelGate:
        """What the call is noted as: the last of several in vain that it was the last."""
        if text is not None and are_held:
            return ModelGate.ASKED
        if self._asking.tries + 1 >= MOST_TRIES:
            return ModelGate.GIVEN_UP
        return ModelGate.REFUSED if text is None else ModelGate.OVERTAKEN

    def _account(self, gate: ModelGate) -> Json:
        model = self._of.settings.extraction_model or ""
        return {
            "model": f"{model.replace(':', '/', 1)}/{version()}",
            "status": gate.value,
            "agent": self._shown[0].agent_id,
            "waiting": self._asking.waiting,
            "usage": asdict(self._usage),
            "shown": [[str(each.memory_id), each.version] for each in self._shown],
            "evidence": sorted({ref.sequence for each in self._shown for ref in each.evidence}),
            "docs": max(each.doc for each in self._shown),
        }


def _are_held(session: Session, shown: Iterable[MemoryVersion]) -> bool:
    """Whether nothing of it was forgotten or closed while the model was asked."""
    named = {each.memory_id for each in shown}
    newest = {each.memory_id: each for each in memories.versions(session, named)}
    return all(memory in newest and newest[memory].is_open for memory in named)


def _usage(input_tokens: int, output_tokens: int, cost_usd: float | None) -> Usage:
    """Of one call."""
    return Usage(calls=1, input_tokens=input_tokens, output_tokens=output_tokens, cost_usd=cost_usd)


def _derivation(kind: str, payload: Json, *, caused_by: int | None = None) -> NewEvent:
    return NewEvent(event_class=EventClass.DERIVATION, kind=kind, payload=payload, caused_by=caused_by)
