"""The demonstration itself: feed, watch, ask, and tell what is believed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from gateway.demo import believing, night
from gateway.demo.believing import Act, Told
from gateway.demo.corpus import Corpus, Question, Session
from gateway.demo.night import Night
from gateway.demo.stage import demo_settings, staged
from shared import clock
from shared.contract.bundle import Bundle, Verdict
from shared.contract.errors import ServiceFailed
from shared.contract.scope import Scope
from shared.models import parsing

if TYPE_CHECKING:
    from gateway import Daybook
    from gateway.reports import Progress
    from shared.settings import Settings

FIRST: Final = 5
"""Among how many of the best hits the expected evidence is looked for."""
BUDGET_TOKENS: Final = 1500
STALL_S: Final = 120.0
"""How long no run may move on before the demonstration gives up."""
_LOOK_EVERY_S: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A question with what was recalled for it."""

    question: Question
    bundle: Bundle
    found: tuple[str, ...]
    """Of the expected evidence, what is among the first hits."""

    @property
    def right(self) -> bool:
        """Evidence found; for a question without an answer, the verdict that there is none."""
        if self.question.evidence:
            return bool(self.found)
        return self.bundle.verdict is Verdict.UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How the demonstration went."""

    title: str
    tenant_id: str
    runs: int
    messages: int
    done: int
    """Runs that went through all stages."""
    parked: int
    seconds: float
    """Of the conversation: from the first run's acceptance to the last one's last stage."""
    answers: tuple[Answer, ...]
    told: tuple[Told, ...]
    """What is believed after the short runs, point by point."""
    night: Night
    """What the jobs of a night made of what one user said."""
    events: int
    """Of the ledger, found sound afterwards."""
    sound: bool

    @property
    def complete(self) -> bool:
        """Every run was processed, and the ledger says what was written."""
        return self.done == self.runs and self.sound

    @property
    def recall_p50_ms(self) -> float:
        """Median time of a recall."""
        return statistics.median(answer.bundle.timings_ms["total"] for answer in self.answers)


class Audience(Protocol):
    """Whoever is shown how it goes."""

    def say(self, step: str) -> None:
        """Something begins."""

    def moved(self, progress: Progress, runs: int) -> None:
        """This is how far the runs have come, of so many."""

    def answered(self, place: int, places: int, answer: Answer) -> None:
        """A question has been answered."""

    def told(self, place: int, places: int, told: Told) -> None:
        """A point has been made of what is believed."""

    def slept(self, night: Night) -> None:
        """The jobs of a night are done."""


def demonstrate(configured: Settings, corpus: Corpus, act: Act, audience: Audience, *, keep: bool) -> Outcome:
    """Play it all, from nothing to answers and beliefs; nothing is left running, unless `keep` says so.

    Raises:
        ServiceFailed: something did not start, a worker ended, or nothing moves any more.
        DatabaseUnavailable, BrokerUnavailable, Misconfigured: what is configured does not fit.
    """
    settings = demo_settings(configured)
    tenant = "demo" if settings.database_url is None else f"demo-{clock.now():%Y%m%d-%H%M%S}"
    with staged(settings, audience.say, keep=keep) as daybook:
        audience.say(f"feeding {corpus.messages} messages of {len(corpus.sessions)} sessions")
        began = clock.monotonic_s()
        feed(daybook, tenant, corpus, audience)
        progress = watch(daybook, tenant, len(corpus.sessions), audience)
        seconds = clock.monotonic_s() - began
        audience.say("loading the model into this process")
        daybook.prepare()
        answers = ask(daybook, tenant, corpus.questions, audience)
        told, progress = believe(daybook, tenant, act, audience, before=len(corpus.sessions))
        slept, progress = sleep(daybook, tenant, audience, before=len(corpus.sessions) + len(act.runs))
        audience.say("verifying the ledger")
        streams = list(daybook.verify(tenant))
    return Outcome(
        title=corpus.title,
        tenant_id=tenant,
        runs=len(corpus.sessions) + len(act.runs) + len(night.shipped()),
        messages=corpus.messages,
        done=progress.done,
        parked=progress.parked,
        seconds=seconds,
        answers=tuple(answers),
        told=tuple(told),
        night=slept,
        events=sum(stream.events for stream in streams),
        sound=not any(stream.fault for stream in streams),
    )


def feed(daybook: Daybook, tenant: str, corpus: Corpus, audience: Audience) -> None:
    """Observe each session as a run of the group's room."""
    for session in corpus.sessions:
        daybook.observe(
            Scope(tenant_id=tenant, user_id=corpus.participants[0], session_id=session.id),
            _messages(session),
            run_id=session.id,
            room=corpus.room,
            participants=corpus.participants,
        )
        audience.moved(daybook.progress(tenant), len(corpus.sessions))


def watch(daybook: Daybook, tenant: str, runs: int, audience: Audience) -> Progress:
    """Wait until the workers have done all stages of all runs.

    Raises:
        ServiceFailed: a worker ended, or for `STALL_S` no run moved.
    """
    processes = daybook.processes()
    last, moved_at = None, clock.monotonic_s()
    while True:
        progress = daybook.progress(tenant)
        audience.moved(progress, runs)
        if not progress.waiting:
            return progress
        processes.check()
        if progress != last:
            last, moved_at = progress, clock.monotonic_s()
        if clock.monotonic_s() - moved_at > STALL_S:
            logs = daybook.settings.data_dir / "logs"
            raise ServiceFailed(f"no run has moved for {STALL_S:g} s, and {progress.waiting} wait: read {logs}")
        time.sleep(_LOOK_EVERY_S)


def ask(daybook: Daybook, tenant: str, questions: Sequence[Question], audience: Audience) -> list[Answer]:
    """Ask each question as the one who asks it."""
    answers: list[Answer] = []
    for place, question in enumerate(questions, 1):
        scope = Scope(tenant_id=tenant, user_id=question.asked_by)
        bundle = daybook.recall(scope, question.query, budget_tokens=BUDGET_TOKENS, explain=True)
        answers.append(Answer(question=question, bundle=bundle, found=_found(question, bundle)))
        audience.answered(place, len(questions), answers[-1])
    return answers


def believe(daybook: Daybook, tenant: str, act: Act, audience: Audience, *, before: int) -> tuple[list[Told], Progress]:
    """Feed the short runs to the workers, `before` runs having been fed, and tell what is believed then."""
    audience.say(f"feeding {len(act.runs)} short runs, of which beliefs are made")
    if not parsing.is_installed():
        audience.say("warning: nothing reads statements here: pip install 'daybook-memory[english]'")
    for run in act.runs:  # one by one, as they came: what was believed in between is part of the history
        believing.feed(daybook, tenant, run)
        progress = watch(daybook, tenant, before + len(act.runs), audience)
    told: list[Told] = []
    for place, point in enumerate(act.points, 1):
        told.append(believing.tell(daybook, tenant, point))
        audience.told(place, len(act.points), told[-1])
    return told, progress


def sleep(daybook: Daybook, tenant: str, audience: Audience, *, before: int) -> tuple[Night, Progress]:
    """Feed the runs of one user, `before` runs having been fed, and have the jobs of a night done to them."""
    runs = night.shipped()
    audience.say("a night: jobs tidy up what one user said, and one of them is taken back")
    for run in runs:
        believing.feed(daybook, tenant, run)
        progress = watch(daybook, tenant, before + len(runs), audience)
    slept = night.sleep(daybook, tenant)
    audience.slept(slept)
    return slept, progress


def _messages(session: Session) -> list[dict[str, object]]:
    return [
        {"id": message.id, "role": "user", "speaker": message.speaker, "ts": message.at, "text": message.text}
        for message in session.messages
    ]


def _found(question: Question, bundle: Bundle) -> tuple[str, ...]:
    seen = {source.message_id for hit in bundle.hits[:FIRST] for source in hit.sources}
    return tuple(each for each in question.evidence if each in seen)
