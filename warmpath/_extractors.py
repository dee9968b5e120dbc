"""Who reads a run: the model that is configured, while its day's allowance lasts, else the rules.

Whatever becomes of the model, the rules can read, so a run is never left unread for want of one. What then differs is
said: in the extractor's name, in the status, and in the log.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from shared.contract.candidates import Candidate, Extraction, ExtractionStatus, Extractor, Reading, Usage
from shared.contract.errors import DaybookError
from shared.log import logger
from warmpath._allowance import Allowance
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


def read(services: Services, reading: Reading, spent: Usage) -> Extraction:
    """Read a run. `spent` is what the tenant's calls have cost today.

    A model that fails, or may not be asked any more today, is stood in for by the rules; one that refuses is not, since
    what it was shown is not to be remembered by a back door. What one ends is completed by the rules (`_completing`).
    Never raises for what a model does.
    """
    allowance = Allowance.of(services.settings, spent)
    found = _asked(services, allowance, reading)
    if found is None:
        return _by_rules(services, reading)
    if allowance.refusal:
        rules_say = _by_rules(services, reading)
        return replace(rules_say, extractor=f"{rules_say.extractor} ({allowance.refusal})")
    if found.status is ExtractionStatus.REFUSED:
        return found
    if found.status is not ExtractionStatus.FAILED:
        whole = completed(found, _by_rules(services, reading).candidates) if may_lack_something(found) else found
        return replace(whole, candidates=(*whole.candidates, *summaries(reading)))
    rules_say = _by_rules(services, reading)
    return replace(found, extractor=f"{rules_say.extractor} for {found.extractor}", candidates=rules_say.candidates)


def summaries(reading: Reading) -> Iterable[Candidate]:
    """What stands for a run as a whole, in its own words: a model is not asked for what costs nothing."""
    from warmpath._rule_extractor import summary

    return summary(reading)


def _deadline_s(settings: Settings) -> float:
    """The model's, and time enough to write down what came of it before the task's is over."""
    return min(settings.extraction_deadline_s, 0.8 * settings.task_deadline_s)


def _by_rules(services: Services, reading: Reading) -> Extraction:
    return services.rules().extract(reading, deadline_s=_RULES_DEADLINE_S)


def _asked(services: Services, allowance: Allowance, reading: Reading) -> Extraction | None:
    """What the model makes of it; None where there is none. A model that cannot be asked has failed."""
    name = services.settings.extraction_model or "the model"
    try:
        model = services.model(allowance)
        if model is None:
            return None
        if allowance.refusal:
            _LOG.warning("extract: %s: %s; rules read the run", model.name, allowance.refusal)
            return Extraction(extractor=model.name, status=ExtractionStatus.FAILED)
        return model.extract(reading, deadline_s=_deadline_s(services.settings))
    except DaybookError as error:
        _LOG.warning("extract: %s: %s; rules read the run", name, error)
        usage = error.details.get("usage")
        spent = usage if isinstance(usage, Usage) else Usage()  # what timed out has been paid for all the same
        return Extraction(extractor=name, status=ExtractionStatus.FAILED, usage=spent)
