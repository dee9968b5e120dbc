"""English words that say too little to search by.

They are listed here, not read from a package, because they are part of the index: a list that changed with an upgrade
would make stored terms unfindable. The lists on PyPI hold over a thousand words, `room`, `computer` and `move` among
them. A test compares this one with the one PostgreSQL ships (`english.stop`).
"""

from __future__ import annotations

from typing import Final

_PRONOUNS = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
    it its itself they them their theirs themselves this that these those
"""
_QUESTIONS = "what which who whom whose when where why how"
_AUXILIARIES = """
    am is are was were be been being have has had having do does did doing can could will would shall should
"""
_JOINING = """
    a an the and but if or because as until while of at by for with about against between into through during before
    after above below to from up down in out on off over under than so nor
"""
_ADVERBS = """
    again further then once here there all any both each few more most other some such no not only own same too very
    just now
"""
_LEFT_BY_APOSTROPHES = "s t d m ll re ve don"
_WITHOUT_APOSTROPHES = """
    dont didnt doesnt isnt wasnt werent arent hasnt havent hadnt couldnt wouldnt shouldnt cant im ive youre youve theyre
    theyve weve whats thats whos wheres hows whens whys theres heres
"""

STOP_WORDS: Final = frozenset(
    word
    for group in (
        _PRONOUNS, _QUESTIONS, _AUXILIARIES, _JOINING, _ADVERBS, _LEFT_BY_APOSTROPHES, _WITHOUT_APOSTROPHES,
    )
    for word in group.split()
)  # fmt: skip
