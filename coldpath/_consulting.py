"""A job's model, asked outside of any transaction about numbered memories; its answer is stored before it is used.

A later pass, and a replay, read the stored answer and ask nobody (`_answered`). What is asked about, and when, is for
each job to say (`Matter`); the gates, the day's allowance, and what is stored are the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from coldpath._answered import Kinds, asked_about, entries_in
from coldpath._fencing import Fence, unfenced
from coldpath._model_gates import ModelGate
from shared import clock
from shared.accept.scrub import scrub
from shared.contract.candidates import Usage
from shared.contract.errors import Misconfigured, ModelUnavailable
from shared.contract.events import Event, EventClass, Json, NewEvent
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
    from pydantic import BaseModel

    from shared.settings import Settings

_LOG: Final = logger(__name__)
MOST_TRIES: Final = 3
"""Calls about the same that come to nothing; then it is passed over, as a line may be what the model stumbles at."""
_OUTPUT_TOKENS: Final = 2_000
_SHARE_OF_TASK: Final = 0.4
"""Of a task's deadline, for all calls about one stream: they may begin when the half of it is over that is a slice."""
_VERDICTS: Final[Mapping[Verdict, ModelGate]] = {
    Verdict.NO_TOKENS: ModelGate.NO_TOKENS,
    Verdict.NO_MONEY: ModelGate.NO_MONEY,
    Verdict.NO_PRICE: ModelGate.NO_PRICE,
    Verdict.HELD: ModelGate.HELD,
}
_OF_ONE: Final = frozenset({ModelGate.ASKED, ModelGate.REFUSED, ModelGate.OVERTAKEN, ModelGate.GIVEN_UP})
"""How a call may end that says nothing of the next one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparing:
    """A stream before a job looks at it."""

    database: Database
    settings: Settings
    tenant_id: str
    owner: Owner
    fence: Fence = unfenced
    """As for `coldpath.proposals.Tidying`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What one call is about."""

    memories: Sequence[MemoryVersion]
    """In the order of their numbers, which begin with 1."""
    text: str
    """As the model is shown them, with what it is asked."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What the account says besides, by which the job knows its turns; no words of anybody."""
    tries: int = 0
    """How often it was asked about them in vain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """What a job asks its model about."""

    job: str
    """Its word, which is its prompt's name too."""
    kinds: Kinds
    schema: type[BaseModel]
    """What is asked for: an object with a list `facts`."""
    is_wanted: Callable[[Settings], bool]
    """Whether the job is to ask at all."""
    may_have_more: Callable[[Session, Sequence[Event], int], bool]
    """Whether there may be anything to ask about, by the accounts of earlier calls and the stream's last memory: a look
    before anything dearer."""
    shows: Callable[[Preparing, Session, Sequence[Event]], Sequence[Shown]]
    """The calls to make, by the accounts of earlier ones; none where there is too little new."""
    soonest: timedelta = timedelta()
    """Between two calls about one stream."""
    stands: Callable[[Session, Mapping[str, Any]], bool] = lambda *_: True
    """Whether what a call was about (`Shown.about`) is still to be known when its answer is stored; asked under the
    stream's lock."""


def prepare(matter: Matter, of: Preparing) -> ModelGate:
    """Ask a job's model about a stream, where all gates let it pass, and store what it answers.

    Of several calls those are made for which there is time; the next pass makes the others. Returns the first gate that
    did not let a call pass, or what the first call came to that gave no answer.

    Raises:
        LeaseLost: the job is somebody else's by now; the answer is stored nowhere, and what it cost is counted.
        DatabaseUnavailable: as that.
    """
    if of.settings.extraction_model is None or not matter.is_wanted(of.settings):
        return ModelGate.NO_MODEL
    calls = _to_make(matter, of)
    if isinstance(calls, ModelGate):
        return calls
    came_to: list[ModelGate] = []
    until_s = clock.monotonic_s() + _SHARE_OF_TASK * of.settings.task_deadline_s
    for shown in calls:
        left_s = until_s - clock.monotonic_s()
        if came_to and (came_to[-1] not in _OF_ONE or left_s < of.settings.extraction_deadline_s):
            break
        came_to.append(_Call(matter, of, shown, left_s).ask())
    return next((gate for gate in came_to if gate is not ModelGate.ASKED), ModelGate.ASKED)


@cache
def system(job: str) -> str:
    """What a job's model is told before it is shown memories."""
    return files("coldpath").joinpath("prompts", f"{job}.md").read_text(encoding="utf-8")


@cache
def version(job: str) -> str:
    """12 hexadecimal digits of what a job's model is told."""
    return sha256(system(job).encode()).hexdigest()[:12]


def _to_make(matter: Matter, of: Preparing) -> Sequence[Shown] | ModelGate:
    """The calls to make, or the gate that says not to."""
    with of.database.transaction(Role.WORKER, of.tenant_id, [of.owner]) as session:
        end = ledger.end_of(session, of.owner)
        asked = asked_about(session, matter.kinds) if end else []
        if end is None or not matter.may_have_more(session, asked, end["last_doc"]):
            return ModelGate.TOO_LITTLE_NEW
        if asked and clock.now() - asked[-1].recorded_at < matter.soonest:
            return ModelGate.TOO_SOON
        if not ledger.is_free(session, of.owner):
            return ModelGate.BUSY
        refusal = _left(of, session).refusal
        if refusal is not None:
            return _VERDICTS[Verdict(refusal)]
    # In a transaction of its own: whether the stream is free was told by its lock, which nobody is to wait for.
    with of.database.transaction(Role.WORKER, of.tenant_id, [of.owner]) as session:
        shown = matter.shows(of, session, asked)
    return shown or ModelGate.TOO_LITTLE_NEW


def _left(of: Preparing, session: Session) -> Allowance:
    """What is left of the tenant's day, which is one for all that asks the model."""
    counted = account(of.database, of.settings, of.tenant_id, of.owner)
    return replace(today(session, of.settings), account=counted)


class _Call:
    """One call about one stream."""

    def __init__(self, matter: Matter, of: Preparing, shown: Shown, most_s: float) -> None:
        self._matter = matter
        self._deadline_s = min(of.settings.extraction_deadline_s, most_s)
        self._of = of
        self._shown = shown
        self._usage = Usage()

    def ask(self) -> ModelGate:
        """Make the call, if the day allows it, and store what comes of it."""
        try:
            model = llm(self._of.settings)
            answer = self._answer(model) if model else ModelGate.NO_MODEL
        except (ModelUnavailable, Misconfigured) as error:
            _LOG.warning("%s: %s: %s", self._matter.job, self._of.settings.extraction_model, error)
            return ModelGate.UNAVAILABLE
        if isinstance(answer, ModelGate):
            return answer
        text = scrub(unescaped(normalise(answer.text)[0])).text
        is_read = (
            answer.finish is not Finish.REFUSED and entries_in(text, cut_off=answer.finish is Finish.LENGTH) is not None
        )
        return self._store(text if is_read else None)

    def _answer(self, model: Llm) -> Answered | ModelGate:
        told, said = system(self._matter.job), Said(role="user", text=self._shown.text)
        hold = self._held(model, told, said)
        if hold.verdict is not Verdict.CALL:
            return _VERDICTS[hold.verdict]
        try:
            answer = model.complete(
                told, [said], schema=self._matter.schema, max_output_tokens=_OUTPUT_TOKENS, deadline_s=self._deadline_s
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

    def _held(self, model: Llm, told: str, said: Said) -> Hold:
        """What the call may cost at most, set aside of the tenant's day."""
        count = ConservativeCounter().count
        sent = count(told) + count(said.text)
        with self._of.database.transaction(
            Role.READER, self._of.tenant_id, [self._of.owner], read_only=True
        ) as session:
            left = _left(self._of, session)
        return left.hold(_usage(sent, _OUTPUT_TOKENS, model.cost_usd(sent, _OUTPUT_TOKENS)))

    def _store(self, text: str | None) -> ModelGate:
        """Write down what was asked about and what came; the answer only where all that it was shown is still held.

        `text` is None where none came that can be read. Returns what the call is noted as.
        """
        of, kinds = self._of, self._matter.kinds
        with of.database.transaction(Role.WORKER, of.tenant_id, [of.owner]) as session:
            of.fence(session)
            head = ledger.lock(session, of.owner)
            is_held = _are_held(session, self._shown.memories) and self._matter.stands(session, self._shown.about)
            gate = self._came_to(text, is_held=is_held)
            batch = ledger.Batch(session.tenant_id, head)
            asked = batch.add(_derivation(kinds.asked, self._account(gate)))
            if gate is ModelGate.ASKED:
                batch.add(_derivation(kinds.answered, {"answer": text}, caused_by=asked.sequence))
            batch.write(session)
            ledger.advance(session, batch.head)
        return gate

    def _came_to(self, text: str | None, *, is_held: bool) -> ModelGate:
        """What the call is noted as: the last of several in vain that it was the last."""
        if text is not None and is_held:
            return ModelGate.ASKED
        if self._shown.tries + 1 >= MOST_TRIES:
            return ModelGate.GIVEN_UP
        return ModelGate.REFUSED if text is None else ModelGate.OVERTAKEN

    def _account(self, gate: ModelGate) -> Json:
        model = self._of.settings.extraction_model or ""
        shown = self._shown.memories
        return {
            "model": f"{model.replace(':', '/', 1)}/{version(self._matter.job)}",
            "status": gate.value,
            "usage": asdict(self._usage),
            "shown": [[str(each.memory_id), each.version] for each in shown],
            "evidence": sorted({ref.sequence for each in shown for ref in each.evidence}),
            "docs": max(each.doc for each in shown),
            **self._shown.about,
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
