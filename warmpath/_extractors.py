"""Who reads a run: the model that is configured, while its day's allowance lasts, else the rules.

Whatever becomes of the model, the rules can read, so a run is never left unread for want of one. What then differs is
said: in the extractor's name, in the status, and in the log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from shared.contract.candidates import Candidate, Extraction, ExtractionStatus, Extractor, Reading, Usage
from shared.contract.errors import DaybookError
from shared.contract.events import Role
from shared.contract.records import Kind
from shared.log import logger
from shared.store.allowance import Allowance
from warmpath._completing import completed, may_lack_something

if TYPE_CHECKING:
    from shared.settings import Settings
    from warmpath._work import Services

_LOG: Final = logger(__name__)
_RULES_DEADLINE_S: Final = 60.0
"""Rules take milliseconds a message; a run of 10,000 takes this."""


def by_rules() -> Extractor:
    """The extractor that needs no language model."""
    from warmpath._rule_extractor import rule_extractor

    return rule_extractor()


def no_model(_allowance: Allowance) -> None:
    """In the place of an extractor that asks a model: there is none."""


def model_of(settings: Settings, allowance: Allowance) -> Extractor | None:
    """The extractor that asks the language model of the settings, within an allowance; None where they name none.

    Raises:
        Misconfigured: the model cannot be asked as it is set up.
    """
    if settings.extraction_model is None:
        return None
    from warmpath._model_extractor import model_extractor

    model = model_extractor(settings)
    return model and replace(model, allowance=allowance)


def read(services: Services, reading: Reading, allowance: Allowance) -> Extraction:
    """Read a run, within what is left of the tenant's day.

    Of what a model does not read, since it fails or may not be asked any more today, it is stood in for by the rules;
    not of what it refuses, since that is not to be remembered by a back door. What one ends is completed by the rules
    (`_completing`). Never raises for what a model does.
    """
    found = _asked(services, allowance, reading)
    if found is None:
        return read_by_rules(services, reading)
    if allowance.refusal:
        rules_say = read_by_rules(services, reading)
        return replace(rules_say, extractor=f"{rules_say.extractor} ({allowance.refusal})")
    if found.status is ExtractionStatus.REFUSED:
        return found
    return _whole(services, reading, found)


def read_by_rules(services: Services, reading: Reading) -> Extraction:
    """Read a run by rules alone; what a model made of it before is none of its concern."""
    return services.rules().extract(reading, deadline_s=_rules_deadline_s(services.settings))


def _whole(services: Services, reading: Reading, found: Extraction) -> Extraction:
    """What a model made of a run, with what the rules read of the rest, and what stands for the run as a whole."""
    if may_lack_something(found):
        found = completed(found, read_by_rules(services, _without(reading, found.refused)).candidates)
    if found.unread:
        found = _stood_in(found, read_by_rules(services, _without(reading, _read_lines(reading, found))))
    return replace(found, candidates=(*found.candidates, *summaries(_without(reading, found.refused))))


def _stood_in(found: Extraction, rules_say: Extraction) -> Extraction:
    """A model's extraction with what the rules read of the lines that it has not read; the name says so."""
    alone = found.status is ExtractionStatus.FAILED
    return replace(
        found,
        extractor=f"{rules_say.extractor} for {found.extractor}"
        if alone
        else f"{found.extractor}, {rules_say.extractor}",
        candidates=[*found.candidates, *(each for each in rules_say.candidates if each.kind is not Kind.EPISODIC)],
        rejected=Counter(found.rejected) + Counter(rules_say.rejected),
    )


def _read_lines(reading: Reading, found: Extraction) -> Collection[int]:
    """The lines of people that are not for the rules to read."""
    return {line.sequence for line in reading.lines if line.sequence not in found.unread and line.role is Role.USER}


def _without(reading: Reading, lines: Collection[int]) -> Reading:
    return replace(reading, lines=[line for line in reading.lines if line.sequence not in lines]) if lines else reading


def summaries(reading: Reading) -> Iterable[Candidate]:
    """What stands for a run as a whole, in its own words: a model is not asked for what costs nothing."""
    from warmpath._rule_extractor import summary

    return summary(reading)


def longest_s(settings: Settings) -> float:
    """What reading one run may take at most where a model is asked: the model's time, and the rules' after it."""
    return _deadline_s(settings) + _rules_deadline_s(settings)


def _deadline_s(settings: Settings) -> float:
    """The model's, and time enough to write down what came of it before the task's is over."""
    return min(settings.extraction_deadline_s, 0.8 * settings.task_deadline_s)


def _rules_deadline_s(settings: Settings) -> float:
    """Of rules, which may have to stand in for a model that has had its time."""
    asks_model = settings.extraction_model is not None
    return min(_RULES_DEADLINE_S, 0.9 * settings.task_deadline_s - (_deadline_s(settings) if asks_model else 0.0))


def _asked(services: Services, allowance: Allowance, reading: Reading) -> Extraction | None:
    """What the model makes of it; None where there is none. A model that cannot be asked has failed."""
    name = services.settings.extraction_model or "the model"
    try:
        model = services.model(allowance)
        if model is None:
            return None
        if allowance.refusal:
            _LOG.warning("extract: %s: %s; rules read the run", model.name, allowance.refusal)
            return _failed(model.name, reading, Usage())
        return model.extract(reading, deadline_s=_deadline_s(services.settings))
    except DaybookError as error:
        _LOG.warning("extract: %s: %s; rules read the run", name, error)
        usage = error.details.get("usage")
        spent = usage if isinstance(usage, Usage) else Usage()  # what timed out has been paid for all the same
        return _failed(name, reading, spent)


def _failed(name: str, reading: Reading, usage: Usage) -> Extraction:
    lines = frozenset(line.sequence for line in reading.lines)
    return Extraction(extractor=name, status=ExtractionStatus.FAILED, usage=usage, unread=lines)
