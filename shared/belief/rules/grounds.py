"""Whether a candidate rests on what was said, by somebody who may say it: the rules of evidence and of trust. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from shared.belief.rules.case import Case, holds_everywhere, is_anonymous
from shared.belief.rules.context import OUR_WORDS
from shared.belief.rules.instructions import gives_orders, speaks_to_its_reader
from shared.belief.rules.wording import holds_run, shingles, tidy, words
from shared.contract.candidates import Change
from shared.contract.events import Role
from shared.contract.records import EpistemicType, Kind
from shared.contract.trust import TRUST, Origin

OF_A_USER, OF_ELSE = "of a user", "of anything else"
ALLOWED_ROLES: Final[Mapping[str, AbstractSet[Role]]] = {
    OF_A_USER: frozenset({Role.USER}),
    OF_ELSE: frozenset({Role.USER, Role.ASSISTANT, Role.TOOL}),
}
"""By whom the lines may be that a candidate cites, by what it is about. The application's own text is evidence of none.

What is said of a person who speaks as a user rests on users' lines alone: an assistant guesses, and a tool reports what
others have written.
"""
_ROLES: Final = frozenset({Role.USER, Role.ASSISTANT})
_LOW: Final = TRUST[Origin.TOOL]
"""What comes from a tool, a document, the web or nobody informs and never instructs."""
_DENIAL: Final = re.compile(
    r"\b(?:no|not|never|wrong|incorrect|untrue|false|mistaken|mistake|stop(?:ped)?|quit|nicht|nie|kein\w*|falsch|"
    r"nunca|falso|jamais|faux|não|нет|не|никогда)\b|n['\u2019]t\b|没|不|ない|아니",
    re.IGNORECASE,
)
_ORDER: Final = re.compile(
    r"^(?:please |you (?:must|should|have to|need to) |make sure|remember to |be sure to |do not |don't |"
    r"never |always )"
    r"|\b(?:assistant|agent|ai|model|bot)s? (?:must|should|shall|has to|needs to|is to|ought)\b",
)


def cites_unknown(case: Case) -> bool:
    """It cites what is no admitted line of the run, or a stretch outside of one."""
    return not holds_everywhere(case.candidate.evidence, case.context)


def is_by_wrong_role(case: Case) -> bool:
    """A line that it cites is by somebody who cannot say such a thing (`ALLOWED_ROLES`)."""
    about = OF_A_USER if case.is_about_user else OF_ELSE
    return not case.roles <= ALLOWED_ROLES[about]


def is_of_nobody(case: Case) -> bool:
    """In a room, or for a whole tenant, it is of "the user" or of a speaker without a name: nobody can tell whose."""
    if not case.context.room and not case.context.tenant_wide:
        return False
    if case.is_the_user:
        return True
    named = any(holds_run(case.subject, name) for name in case.user_names) and not case.is_about_speaker
    return case.speaks_of_self and any(map(is_anonymous, case.cited)) and not named


def is_of_wrong_person(case: Case) -> bool:
    """Its subject neither said what it cites nor is named there."""
    said_by = {word for name in case.cited_speakers for word in name}
    if case.is_the_user:
        owner = words(case.context.owner_speaker or "")
        return bool(owner) and owner not in case.cited_speakers
    who = case.subject or case.leading
    if who:
        return not all(word in said_by or word in _ROLES or case.said.holds(word) for word in who)
    named = {word for name in case.names for word in name}
    return bool(named) and not case.said.holds_any(named) and said_by.isdisjoint(case.words)


def shares_no_word(case: Case) -> bool:
    """It says nothing that its evidence says of them. What denies something may do so without naming it."""
    if not case.content or case.said_of_subject.holds_any(case.content):
        return False
    return case.candidate.change is Change.HOLDS or not _DENIAL.search(case.quoted)


def is_in_our_words(case: Case) -> bool:
    """It holds a run of words of our block or prompt."""
    return not shingles((case.candidate.text,), OUR_WORDS).isdisjoint(case.context.ours)


def is_recalled(case: Case) -> bool:
    """It rests on what was recalled, which confirms nothing."""
    return any(line.origin is Origin.RECALLED for line in case.cited)


def is_planted(case: Case) -> bool:
    """It has the shape of an instruction to a model, or rests on such, and no user said it."""
    if case.trust >= TRUST[Origin.USER]:
        return False
    seen = speaks_to_its_reader if case.trust <= _LOW else gives_orders
    return seen(case.candidate.text) or seen(case.quoted)


def is_wish_of_low_trust(case: Case) -> bool:
    """What comes from no person says what is wanted or liked, or tells its reader what to do."""
    if case.trust > _LOW:
        return False
    return case.candidate.epistemic_type is EpistemicType.PREFERENCE or bool(_ORDER.search(tidy(case.candidate.text)))


def is_person_of_low_trust(case: Case) -> bool:
    """What comes from no person says something of a user."""
    return case.trust <= _LOW and case.is_about_user


def is_way_of_low_trust(case: Case) -> bool:
    """What comes from no person says how something is done."""
    return case.trust <= _LOW and case.candidate.kind is Kind.PROCEDURAL


def is_of_unknown_origin(case: Case) -> bool:
    """Its evidence is trusted less than anything that is remembered unasked."""
    return case.trust < case.context.limits.lowest_trust


def is_guess_of_assistant(case: Case) -> bool:
    """Only an assistant says so, and it is nothing that the assistant did or how it did it."""
    if case.roles != {Role.ASSISTANT} or case.candidate.kind is Kind.PROCEDURAL:
        return False
    return not (case.is_of_assistant and case.candidate.kind is Kind.EPISODIC)
