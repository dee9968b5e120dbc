"""Reads a run with a language model: in windows, one call each, and one more where the answer has to be mended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from shared.accept import registered
from shared.accept.scrub import scrub
from shared.belief.schemas import Schemas
from shared.clock import monotonic_s
from shared.contract.candidates import Candidate, Extraction, ExtractionStatus, Reading, Usage
from shared.contract.errors import Misconfigured, ModelUnavailable
from shared.language.text import normalise
from shared.language.tokens import ConservativeCounter, TokenCounter
from shared.log import logger
from shared.models.answers import FACTS, ParseFailed, declines, facts_in, unescaped
from shared.models.llm import llm
from shared.models.port import Answer, Finish, Llm, Said
from shared.settings import Settings
from shared.store.allowance import Allowance, Hold, Verdict
from warmpath._checking import Checked, Tally, checked, settled
from warmpath._entries import Taken
from warmpath._entry import Entries, RecordEntries
from warmpath._naming import named, of_owner
from warmpath._prompt import again, mended, system, version
from warmpath._recorded import described, offered
from warmpath._windows import Window, windows

_LOG: Final = logger(__name__)
BETWEEN_ANSWERS: Final = "\n\f\n"
"""What stands between a run's answers in `Extraction.answer`, where it took several calls."""
_MOST_REASONS: Final = 20
_MOST_QUOTED_CHARS: Final = 20_000
"""Of an answer that the model is shown again, to mend it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelExtractor:
    """An `Extractor` that asks a language model. Knows no database and writes nothing.

    `allowance` is what is left of the tenant's day: `dataclasses.replace` it before a reading. No call is made that may
    take more than is left of it.
    """

    model: Llm
    window_tokens: int
    output_tokens: int
    schemas: Schemas = field(default_factory=Schemas)
    """Of the records that the model is told of, where there are such."""
    allowance: Allowance = field(default_factory=Allowance)
    counter: TokenCounter = field(default_factory=ConservativeCounter)

    @property
    def name(self) -> str:
        """As `Extraction.extractor`: `<provider>/<model>/<version of the prompt>`."""
        return f"{self.model.name.replace(':', '/', 1)}/{version(self.records)}"

    @property
    def records(self) -> str:
        """Those records, as the model is told of them."""
        return described(self.schemas)

    def extract(self, reading: Reading, *, deadline_s: float) -> Extraction:
        """See `Extractor`.

        A window that was not read is counted in `rejected` by what kept it from being read: `no_time_left`,
        `model_unavailable`, `call_refused`, or what the allowance says. It is an error where the very first call has no
        answer.

        Raises:
            ModelUnavailable: the model could not be reached; its `details` hold the `usage` so far.
            Misconfigured: the provider will not take such calls.
        """
        return _Reading(self, deadline_s).of(reading)


def model_extractor(settings: Settings) -> ModelExtractor | None:
    """The extractor that asks the language model of the settings; None where they name none.

    Raises:
        Misconfigured: the model cannot be asked as it is set up, or the schemas of records cannot be had.
    """
    model = llm(settings)
    if model is None:
        return None
    return ModelExtractor(
        model=model,
        schemas=offered(registered.schemas(settings)),
        window_tokens=settings.extraction_window_tokens,
        output_tokens=settings.extraction_output_tokens,
    )


class _Unread(Exception):
    """A window has no answer: why, in a word for counting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What one window came to."""

    status: ExtractionStatus
    candidates: Sequence[Candidate] = ()
    rejected: Counter[str] = field(default_factory=Counter)


class _Reading:
    """One run being read: the time, the allowance and what it has cost so far."""

    def __init__(self, extractor: ModelExtractor, deadline_s: float) -> None:
        self._extractor = extractor
        self._system = system(extractor.records)
        self._until_s = monotonic_s() + deadline_s
        self._usage = Usage()
        self._answers: list[str] = []
        self._by_status: dict[ExtractionStatus, set[int]] = {}

    def of(self, reading: Reading) -> Extraction:
        extractor = self._extractor
        tally = Tally()
        lines = named(reading.lines, reading.owner_speaker)
        for window in windows(
            lines, reading.neighbours, budget_tokens=extractor.window_tokens, counter=extractor.counter
        ):
            found = self._window(window)
            lines_of = {shown.line.sequence for shown in window.shown if not shown.seen}
            self._by_status.setdefault(found.status, set()).update(lines_of)
            tally.add([of_owner(each, reading.owner_speaker) for each in found.candidates], found.rejected)
        refused = self._by_status.get(ExtractionStatus.REFUSED, set())
        return Extraction(
            extractor=extractor.name,
            status=_status(self._by_status, found_any=bool(tally.candidates)),
            candidates=list(tally.candidates.values()),
            rejected=dict(tally.rejected),
            usage=self._usage,
            answer=BETWEEN_ANSWERS.join(self._answers) if self._answers else None,
            unread=self._by_status.get(ExtractionStatus.FAILED, set()) - refused,
            refused=refused,
        )

    def _window(self, window: Window) -> _Found:
        shown = Said(role="user", text=window.words)
        try:
            answer = self._ask([shown])
        except _Unread as why:
            return _Found(status=ExtractionStatus.FAILED, rejected=Counter([str(why)]))
        if _is_refusal(answer):
            return _Found(status=ExtractionStatus.REFUSED)
        try:
            first = checked(_entries(answer), window, self._extractor.schemas)
        except ParseFailed as error:
            return self._asked_anew(window, [shown, *_quoted(answer), Said(role="user", text=again(str(error)))])
        return self._mended(window, first, shown, answer)

    def _asked_anew(self, window: Window, messages: Sequence[Said]) -> _Found:
        """An answer that was none is asked for anew; what comes then is final."""
        try:
            answer = self._ask(messages)
            if _is_refusal(answer):
                return _Found(status=ExtractionStatus.REFUSED, rejected=Counter({"unreadable": 1}))
            found = checked(_entries(answer), window, self._extractor.schemas)
        except (_Unread, ParseFailed):
            return _Found(status=ExtractionStatus.FAILED, rejected=Counter({"unreadable": 1}))
        rejected = found.counts + Counter({"unreadable": 1})
        return _found(found.taken, failed=bool(found.refused), rejected=rejected)

    def _mended(self, window: Window, first: Checked, shown: Said, answer: Answer) -> _Found:
        """What was taken, and once more what was refused, if the model puts it right."""
        if not first.refused:
            return _found(first.taken, failed=False, rejected=first.counts)
        reasons = [each.told for each in first.refused[:_MOST_REASONS]]
        try:
            again_said = self._ask([shown, *_quoted(answer), Said(role="user", text=mended(reasons))])
            second = checked(_entries(again_said), window, self._extractor.schemas)
        except (_Unread, ParseFailed):
            return _found(first.taken, failed=True, rejected=first.counts)
        return _found([*first.taken, *second.taken], failed=bool(second.refused), rejected=first.counts)

    def _ask(self, messages: Sequence[Said]) -> Answer:
        """One call, if time and allowance are left for it; what it cost is added up."""
        extractor = self._extractor
        first = self._usage.calls == 0
        left_s = self._until_s - monotonic_s()
        if left_s <= 0.0:
            raise _Unread("no_time_left")
        hold = self._held(messages)
        try:
            answer = extractor.model.complete(
                self._system,
                messages,
                schema=RecordEntries if extractor.schemas.known else Entries,
                max_output_tokens=extractor.output_tokens,
                deadline_s=left_s,
            )
        except ModelUnavailable as error:
            self._spend(hold, self._unanswered(messages, error))
            if first:
                error.details["usage"] = self._usage
                raise
            raise _Unread("model_unavailable") from None
        except Misconfigured as error:
            hold.settle(Usage())
            if first:
                raise
            # What the windows before have come to is paid for, and is kept.
            _LOG.warning("extract: a part of a run is not read: %s", error)
            raise _Unread("call_refused") from None
        self._spend(hold, _usage(answer.input_tokens, answer.output_tokens, answer.cost_usd))
        # A reply may hold what no database and no encoder takes: NUL, halves of characters. And what a model puts
        # together or makes up may be a secret, though it was shown none.
        answer = replace(answer, text=scrub(unescaped(normalise(answer.text)[0])).text)
        self._answers.append(answer.text)
        return answer

    def _held(self, messages: Sequence[Said]) -> Hold:
        """What a call may cost at most, set aside of the tenant's day."""
        extractor = self._extractor
        sent, answered = self._sent_tokens(messages), extractor.output_tokens
        most = _usage(sent, answered, extractor.model.cost_usd(sent, answered))
        hold = extractor.allowance.after(self._usage).hold(most)
        if hold.verdict is not Verdict.CALL:
            raise _Unread(hold.verdict.value)
        return hold

    def _sent_tokens(self, messages: Sequence[Said]) -> int:
        count = self._extractor.counter.count
        return count(self._system) + sum(count(said.text) for said in messages)

    def _unanswered(self, messages: Sequence[Said], error: ModelUnavailable) -> Usage:
        """What a call without an answer may have cost: its server may have sent answers all the same."""
        told = error.details.get("answers")
        answers = told if isinstance(told, int) else 1
        sent, answered = self._sent_tokens(messages) * max(1, answers), self._extractor.output_tokens * answers
        return _usage(sent, answered, self._extractor.model.cost_usd(sent, answered))

    def _spend(self, hold: Hold, usage: Usage) -> None:
        hold.settle(usage)
        self._usage = self._usage.and_also(usage)


def _usage(input_tokens: int, output_tokens: int, cost_usd: float | None) -> Usage:
    """Of one call."""
    return Usage(calls=1, input_tokens=input_tokens, output_tokens=output_tokens, cost_usd=cost_usd)


def _entries(answer: Answer) -> list[Any]:
    return facts_in(answer.text, cut_off=answer.finish is Finish.LENGTH)


def _is_refusal(answer: Answer) -> bool:
    """Whether the model declined: the provider says so, or it says so itself and gives no entries."""
    if answer.finish is Finish.REFUSED:
        return True
    try:
        found = facts_in(answer.text)
    except ParseFailed:
        # A broken answer with entries in it may quote somebody who is sorry.
        return answer.finish is not Finish.LENGTH and FACTS not in answer.text and declines(answer.text)
    return not found and declines(answer.text, found_nothing=True)


def _quoted(answer: Answer) -> list[Said]:
    """The answer that is to be mended, as the model gave it; none where it is cut off, and would be begun anew."""
    if answer.finish is Finish.LENGTH or not answer.text.strip():
        return []
    return [Said(role="assistant", text=answer.text[:_MOST_QUOTED_CHARS])]


def _found(taken: Sequence[Taken], *, failed: bool, rejected: Counter[str]) -> _Found:
    candidates = settled(taken)
    if candidates:
        status = ExtractionStatus.STORED
    else:
        status = ExtractionStatus.FAILED if failed else ExtractionStatus.NOTHING_FOUND
    return _Found(status=status, candidates=candidates, rejected=rejected)


def _status(statuses: Collection[ExtractionStatus], *, found_any: bool) -> ExtractionStatus:
    """Of a run by its windows'. What was found counts most, then what was not read, then what was refused."""
    if found_any:
        return ExtractionStatus.STORED
    for status in (ExtractionStatus.FAILED, ExtractionStatus.REFUSED):
        if status in statuses:
            return status
    return ExtractionStatus.NOTHING_FOUND
