"""One candidate before the gate, with what the rules ask of it more than once. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from shared.belief.rules.context import GateContext, Source, utc_day
from shared.belief.rules.wording import Said, content, holds_run, words
from shared.contract.candidates import Candidate, Line
from shared.contract.events import Role
from shared.contract.records import EpistemicType, EvidenceRef, Kind
from shared.contract.trust import TRUST
from shared.language.names import names_in

_ARTICLES: Final = frozenset({"the", "a", "an"})
_SPEAKERS_OF_THEMSELVES: Final = """
    i me my mine myself im ive id ill we our ours us ich mein meine meinen meinem meiner mich mir wir unser unsere
    yo mis nosotros je moi mon mes nous eu meu minha io mio mia я мой моя мои мне меня мы наш 私 僕 俺 我 我的
"""
_TO_OTHERS: Final = "you your yours yourself youre youve du dein deine ihr euer tu tus usted vous votre ты вы"
_FIRST_PERSON: Final = frozenset(_SPEAKERS_OF_THEMSELVES.split())
"""Words by which speakers mean themselves, where they are no word of another language that is met more often."""
_SECOND_PERSON: Final = frozenset(_TO_OTHERS.split())
_RELATIONS: Final = """
    brother sister mother father mom mum mama dad papa parents son daughter child children kid kids baby wife husband
    partner girlfriend boyfriend fiance fiancee ex friend boss manager colleague coworker neighbour neighbor cousin
    uncle aunt niece nephew grandma grandpa grandmother grandfather flatmate roommate teacher landlord
    bruder schwester mutter vater sohn tochter frau mann freund freundin hermano hermana madre padre hijo hija esposa
    esposo frere soeur mere pere fils fille femme mari
"""
_OF_SOMEBODY: Final = frozenset(_RELATIONS.split())
_THE_USER: Final = frozenset({"user", "human"})
_THE_ASSISTANT: Final = frozenset({"assistant", "agent", "ai", "bot", "model"})
_PERSONAL: Final = frozenset({EpistemicType.PREFERENCE, EpistemicType.OPINION})
_LONGEST_LEADING_NAME: Final = 3


class Case:
    """A candidate and what it is judged by. What is asked for is worked out once; nothing here raises."""

    def __init__(self, candidate: Candidate, context: GateContext) -> None:
        self.candidate: Final = candidate
        self.context: Final = context

    @cached_property
    def cited(self) -> tuple[Line, ...]:
        """The admitted lines that it cites, in its order; what it cites besides is left out."""
        lines = self.context.lines
        return tuple(lines[ref.sequence] for ref in self.candidate.evidence if ref.sequence in lines)

    @cached_property
    def stretches(self) -> tuple[tuple[Line, str], ...]:
        """What stands where it points to, each with its line."""
        refs, lines = self.candidate.evidence, self.context.lines
        known = ((lines[ref.sequence], ref) for ref in refs if ref.sequence in lines)
        return tuple((line, line.text[ref.start : ref.end]) for line, ref in known)

    @cached_property
    def quoted(self) -> str:
        """All that stands where it points to."""
        return "\n".join(text for _, text in self.stretches)

    @cached_property
    def said(self) -> Said:
        """What its evidence says, to be asked for words."""
        return Said(self.quoted)

    @cached_property
    def said_of_subject(self) -> Said:
        """What of its evidence bears on who it is about.

        That is what they said, what names them, and what was said by those whom they name ("the same as Oskar");
        all of it, where it is about none of the speakers.
        """
        who = self.subject or self.leading
        own = [line for line in self.cited if who and who[: len(words(line.speaker))] == words(line.speaker)]
        spoken = [word for line in own for word in words(line.text)]
        if not own:
            return self.said
        return Said("\n".join(text for line, text in self.stretches if _bears_on(line, own, who, spoken)))

    @cached_property
    def trust(self) -> int:
        """0..4: the lowest of its evidence; 0 where there is none."""
        return min((TRUST[line.origin] for line in self.cited), default=0)

    @cached_property
    def roles(self) -> frozenset[Role]:
        """By whom its evidence is."""
        return frozenset(line.role for line in self.cited)

    @cached_property
    def last(self) -> Line | None:
        """The line that says it last: its place in the world's order is that of this one."""
        return self.cited[-1] if self.cited else None

    @cached_property
    def sources(self) -> frozenset[Source]:
        """Where its evidence comes from."""
        return frozenset(Source(line.speaker, self.context.run_id, utc_day(line.said_at)) for line in self.cited)

    @cached_property
    def words(self) -> list[str]:
        """The words of its sentence, folded."""
        return words(self.candidate.text)

    @cached_property
    def subject(self) -> list[str]:
        """The words of its claim's subject, without an article; empty where nothing is claimed."""
        found = words(self.candidate.claim.subject) if self.candidate.claim else []
        return found[1:] if len(found) > 1 and found[0] in _ARTICLES else found

    @cached_property
    def cited_speakers(self) -> tuple[list[str], ...]:
        """The names of those who said its evidence, as words; the user's too, where one of them is the user."""
        owner = self.context.owner_speaker
        own = [owner] if owner and any(map(self._is_owners, self.cited)) else []
        return _named([line.speaker for line in self.cited] + own)

    @cached_property
    def speakers(self) -> tuple[list[str], ...]:
        """The names of all who speak in the run, and of the user."""
        owner = [self.context.owner_speaker] if self.context.owner_speaker else []
        return _named([line.speaker for line in self.context.lines.values()] + owner)

    @cached_property
    def user_names(self) -> tuple[list[str], ...]:
        """The names of those who speak as users."""
        owner = [self.context.owner_speaker] if self.context.owner_speaker else []
        said = [line.speaker for line in self.context.lines.values() if line.role is Role.USER]
        return _named(said + owner)

    def _is_owners(self, line: Line) -> bool:
        """Whether a line is the user's, who may be known by an id and speak under a name.

        Where nobody else speaks as a user, whoever does is the user.
        """
        if line.role is not Role.USER or self.context.room:
            return False
        owner = words(self.context.owner_speaker or "")
        others = [name for name in self.user_names if name not in (owner, [Role.USER.value])]
        return is_anonymous(line) or words(line.speaker) == owner or len(others) == 1

    @cached_property
    def content(self) -> frozenset[str]:
        """The words that say something in its sentence and its claim's object, without who it is about."""
        named = {part for name in self.speakers for part in name} | _THE_USER | _THE_ASSISTANT
        told = content(self.candidate.text) - {term for part in named for term in content(part) | {part}}
        return told | content(self.candidate.claim.object) if self.candidate.claim else told

    @cached_property
    def names(self) -> tuple[list[str], ...]:
        """The names in its sentence, as words."""
        return _named(name.shown for name in names_in(self.candidate.text))

    @cached_property
    def leading(self) -> list[str]:
        """The name of a speaker that its sentence begins with; empty where it begins with none."""
        start = self.words[1:] if self.words[:1] and self.words[0] in _ARTICLES else self.words
        known = (name for name in self.speakers if start[: len(name)] == name)
        return max(known, key=len, default=[])

    @property
    def is_summary(self) -> bool:
        """Whether it stands for a conversation as a whole: an account of several messages, and nothing to believe."""
        told = self.candidate
        is_account = told.kind is Kind.EPISODIC and told.epistemic_type is EpistemicType.INFERENCE
        return is_account and told.claim is None and len(told.evidence) > 1

    @cached_property
    def is_of_assistant(self) -> bool:
        """Whether it is an assistant's own statement about itself."""
        if self.roles != {Role.ASSISTANT}:
            return False
        who = self.subject or self.words[:_LONGEST_LEADING_NAME]
        if any(holds_run(who[: len(name)], name) for name in self.cited_speakers):
            return True
        return not _THE_ASSISTANT.isdisjoint(who[:2]) or not _FIRST_PERSON.isdisjoint(who[:1])

    @cached_property
    def is_about_user(self) -> bool:
        """Whether it says something of a person who speaks as a user, or is theirs as a preference is."""
        if self.is_of_assistant:
            return False
        if self._names_user(self.subject):
            return True
        if self.candidate.kind is Kind.PROCEDURAL:
            return False
        return self._names_user(self.words) or self.candidate.epistemic_type in _PERSONAL

    def _names_user(self, found: Sequence[str]) -> bool:
        by_user = _FIRST_PERSON if Role.USER in self.roles else frozenset[str]()
        by_others = _SECOND_PERSON if self.roles - {Role.USER} else frozenset[str]()
        meant = _THE_USER | by_user | by_others
        return not meant.isdisjoint(found) or any(holds_run(found, name) for name in self.user_names)

    @cached_property
    def is_about_speaker(self) -> bool:
        """Whether who says it says it of themself, and not of somebody of theirs."""
        who = self.subject or self.words[: _LONGEST_LEADING_NAME + 1]
        if not _OF_SOMEBODY.isdisjoint(who):
            return False
        if not _FIRST_PERSON.isdisjoint(who[:1]) or not _THE_USER.isdisjoint(who[:2]):
            return True
        return any(who[: len(name)] == name for name in self.cited_speakers)

    @property
    def is_the_user(self) -> bool:
        """Whether its claim is of "the user" and not of somebody by name."""
        return len(self.subject) == 1 and (self.subject[0] in _THE_USER or self.subject[0] in _FIRST_PERSON)

    @cached_property
    def speaks_of_self(self) -> bool:
        """Whether its evidence is in the first person."""
        return not _FIRST_PERSON.isdisjoint(words(self.quoted))


def _bears_on(line: Line, own: Sequence[Line], who: Sequence[str], spoken: Sequence[str]) -> bool:
    return line in own or holds_run(spoken, words(line.speaker)) or holds_run(words(line.text), who)


def is_anonymous(line: Line) -> bool:
    """Whether nobody knows who said a line: the front door puts the role in the place of a name that is not given."""
    return words(line.speaker) in ([], [line.role.value])


def holds_everywhere(refs: Iterable[EvidenceRef], context: GateContext) -> bool:
    """Whether each reference points into an admitted line."""
    return all(
        ref.sequence in context.lines and (ref.end or 0) <= len(context.lines[ref.sequence].text) for ref in refs
    )


def _named(written: Iterable[str]) -> tuple[list[str], ...]:
    """Names as words, each once, without those that say nothing."""
    found = {" ".join(words(name)): words(name) for name in written}
    return tuple(name for key, name in found.items() if key)
