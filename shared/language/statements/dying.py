"""Whether words of dying are meant of a life: `died laughing`, `dead tired`, `died in the film` are not. Pure."""

from __future__ import annotations

import re
from typing import Final

_CAUSES: Final = (
    r"(?:(?:pure |sheer |utter )?(?:embarrassment|boredom|laughter|laughing|shame|cringe|curiosity|jealousy|envy"
    r"|excitement|happiness|joy|impatience|frustration|anticipation|cuteness|awkwardness|delight|pride|fright))"
)
_FIGURES: Final = (
    rf"(?: laughing| (?:of|from|with) {_CAUSES}| inside\b| a (?:little|bit|thousand)\b"
    r"| (?:her|his|my|their|the|it)\b| (?:down|out|off)\b"
    r"| for (?:a|an|some|this|that|the)\b| to (?:know|see|hear|meet|go|try|tell)\b)"
)
_TOLD: Final = re.compile(
    r"\bin (?:the|that|this|a|an|my|our|his|her|their) (?:[\w-]+ ){0,2}?(?:films?|movies?|shows?|series|games?|books?"
    r"|novels?|plays?|episodes?|story|season|finale|dream|nightmare|campaign|level|match|round)\b"
    r"|\b(?:on|in) (?:the )?(?:stage|screen|tv|netflix|minecraft|fortnite|zelda|skyrim)\b",
    re.IGNORECASE,
)
_WHEN: Final = (
    r"(?: (?:yesterday|today|recently|peacefully|suddenly|last|this|in|on|at|after|aged?|when|before|too"
    r"|(?:an?|\w+|a few) (?:days?|weeks?|months?|years?) ago)\b|\s*[,.;!:(\u2013\u2014-]|\s*$)"
)
_DEAD: Final = re.compile(
    rf"(?:(?:has|have|had) )?(?:just |sadly |suddenly )*(?:died(?!{_FIGURES})"
    rf"|passed (?:away(?! (?:the|an?|some|his|her|their|hours?|time)\b)|on(?={_WHEN}))"
    r"|(?:was|were|had to be|been) put (?:down(?! (?:as|for|to)\b)|to sleep)"
    r"|(?:is|are) dead(?=\s*[,.;!:(\u2013\u2014-]|\s*$| (?:and|now|since|but|because|already)\b)"
    r"|crossed the rainbow bridge)(?!\w)",
    re.IGNORECASE,
)
"""What follows decides: `dead set on Spain`, `passed on dessert`."""
_OF_FIGURE: Final = re.compile(rf"\bdied(?={_FIGURES})", re.IGNORECASE)


def has_died(words: str) -> bool:
    """Whether a clause behind its subject says that they died."""
    return _DEAD.match(words) is not None and not is_figure_of_dying(words)


def is_figure_of_dying(words: str) -> bool:
    """Whether somebody only died laughing, or in a story."""
    return _OF_FIGURE.search(words) is not None or _TOLD.search(words) is not None
