"""What need not be remembered, because anybody can ask, look up or work it out; by words, for English. Pure.

Each pattern is the shape of a sentence that says nothing of anybody: precision comes first, for what is taken for
derivable wrongly is not remembered.
"""

from __future__ import annotations

import re
from typing import Final

from shared.belief.rules.case import Case
from shared.belief.rules.wording import tidy
from shared.contract.candidates import Change
from shared.contract.records import EpistemicType, Kind
from shared.language.asking import asks_memory

_TALK: Final = re.compile(
    r"^(?:the )?(?:\w+ ){0,3}?(?:just )?(?:"
    r"(?:says?|said) (?:hi|hello|hey|bye|goodbye|thanks|thank you|good (?:morning|night|evening))\b"
    r"|(?:greet|thank|apologi[sz]|acknowledg)(?:s|es|e|ed)\b"
    r"|(?:asks?|asked|inquire[sd]?|(?:is|was) asking|want(?:s|ed)? to know|wonder(?:s|ed)?)"
    r" (?:(?:the |an? )?(?:assistant|ai|bot|agent|me|you) )?"
    r"(?:about|how|what|why|where|when|who|which|whether|if|for)\b"
    r"|(?:is|was) (?:chatting|talking|speaking|conversing) (?:with|to) (?:the |an )?(?:assistant|ai|bot|agent)\b"
    r"|(?:requested|requests?) (?:help|assistance|information|an? explanation)\b"
    r"|(?:understands?|understood|agree[sd]?|confirm(?:s|ed))$)"
)
"""What went on in the conversation itself, which is kept word for word as episodes."""
_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_UNIT: Final = (
    r"(?:km|cm|kg|(?:kilo)?met(?:re|er)s?|miles?|feet|inches|pounds?|grams?|ounces?|lit(?:re|er)s?|gallons?|hours?|"
    r"minutes?|seconds?|celsius|fahrenheit)"
)
_CLOCK: Final = re.compile(
    rf"^(?:today|tomorrow|yesterday) (?:is|was|will be) (?:an? )?(?:the )?{_WEEKDAY}\b[^,;]{{0,24}}$"
    r"|^(?:today|the (?:current )?(?:date|time|day|year)(?: today)?)(?:'s date)? is [\w :,/.\-]{1,40}$"
    rf"|^it is (?:now |currently )?(?:\d{{1,2}}(?::\d\d)?(?: ?[ap]\.?m\.?| o'clock)?|noon|midnight|{_WEEKDAY})$"
)
_SUM: Final = re.compile(
    r"^[\d\s+\-*/\u00d7\u00f7^%().,]+(?:=|is|are|equals?|makes?)\s?[\d\s.,%\-]+$"
    r"|^(?:the )?(?:sum|product|square root|average|factorial) of [\d\s,.and]+(?:is|equals?) [\d.,]+$"
    rf"|^\d[\d.,]* (?:\w+ )?(?:is|are|equals?) \d[\d.,]* {_UNIT}$"
)
_THING_OF_THE_WORLD: Final = (
    r"(?:country|capital|continent|planet|element|mammal|species|river|ocean|novel|film|movie|web framework|database|"
    r"operating system|prime number)"
)
_WORLD: Final = re.compile(
    r"\bis the (?:capital|currency|official language|largest city|president|prime minister|national animal) of\b"
    r"|\b(?:capital|currency|official language) of [\w ]{2,30} is\b"
    r"|\bis an? (?:\w+ ){0,2}(?:programming|markup|query|natural) language\b"
    rf"|\bis an? (?:\w+ ){{0,2}}{_THING_OF_THE_WORLD}(?: (?:in|of|by|from|on) [\w ,]{{2,40}})?$"
    r"|\b(?:boils|freezes|melts) at\b|\b(?:orbits|revolves around) the\b|\bspeed of (?:light|sound)\b"
    r"|^[\w .]{2,40} (?:was (?:founded|released|invented|discovered|published|born) (?:in|by|on)) [\w ,]{2,40}$"
)
_IN_CODE: Final = (
    r"(?:functions?|methods?|class(?:es)?|modules?|files?|scripts?|variables?|constants?|tests?|components?|endpoints?|"
    r"tables?|columns?|packages?|director(?:y|ies)|folders?|imports?|schema|readme|dockerfile|makefile)"
)
_CODE_SAYS: Final = re.compile(
    rf"\b{_IN_CODE}\b[^.!?]{{0,60}}\b(?:is|are) (?:defined|declared|implemented|located|imported|called|exported|"
    r"stored) (?:in|at|by|from|on line)\b"
    rf"|\b{_IN_CODE}\b[^.!?]{{0,60}}\b(?:imports?|inherits?|returns?|calls?|takes?|accepts?|raises?|contains?|extends|"
    r"overrides|has \d+ lines)\b"
    r"|(?<![\w/\-])[\w/\-]++\.(?:py|js|tsx?|go|rs|java|c|cpp|h|rb|sql|toml|ya?ml|json|md)\b[^.!?]{0,40}"
    r"\b(?:contains?|defines?|imports?|exports?|holds|has \d+ lines)\b"
)
_DECIDES: Final = re.compile(
    r"\b(?:prefer\w*|decid\w*|decision|always|never|must|should|because|agreed?|plans?|wants?|going to|will|likes?|"
    r"hates?|convention|instead|rather|switch\w*|migrat\w*|broke\w*|fix\w*|deploy\w*)\b"
)
_PUBLIC: Final = 0.5


def is_talk(case: Case) -> bool:
    """It tells of the conversation itself, or asks something."""
    if case.candidate.claim is not None or case.candidate.kind is Kind.PROCEDURAL or case.is_summary:
        return False
    text = case.candidate.text
    return text.rstrip().endswith(("?", "\uff1f")) or asks_memory(text) or bool(_TALK.search(tidy(text)))


def is_computed(case: Case) -> bool:
    """A calendar, a clock or a calculator says it."""
    text = tidy(case.candidate.text)
    return bool(_CLOCK.search(text) or _SUM.search(text))


def is_of_world(case: Case) -> bool:
    """Any encyclopaedia says it, and it is of nobody here."""
    return _is_impersonal(case) and bool(_WORLD.search(tidy(case.candidate.text)))


def is_of_code(case: Case) -> bool:
    """The code says it, to whoever reads it; what was decided about the code stands nowhere else."""
    text = tidy(case.candidate.text)
    return _is_impersonal(case) and bool(_CODE_SAYS.search(text)) and not _DECIDES.search(text)


def _is_impersonal(case: Case) -> bool:
    told = case.candidate
    if told.change is not Change.HOLDS or told.kind is Kind.PROCEDURAL:
        return False
    return told.epistemic_type is not EpistemicType.PREFERENCE and not case.is_about_user and not case.leading


def derivability(case: Case) -> float:
    """0..1: 1 where one of these applies, 0 of what only who says it can know, and half of what is of nobody here."""
    if is_talk(case) or is_computed(case) or is_of_world(case) or is_of_code(case):
        return 1.0
    return _PUBLIC if _is_impersonal(case) and not case.speaks_of_self else 0.0
