"""Reads a message: clause by clause, what its speaker states. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import groupby
from typing import Final

from shared.language.statements.attributes import favourite_turned
from shared.language.statements.circumstances import is_of_a_circumstance
from shared.language.statements.clauses import Clause, clauses_of
from shared.language.statements.complements import complements
from shared.language.statements.contexts import MAX_CHARS, own_words
from shared.language.statements.corrections import corrected, denied_beside
from shared.language.statements.couples import couples, ended_by, settled
from shared.language.statements.dates import dates_in
from shared.language.statements.distinct import distinct
from shared.language.statements.duties import reminders
from shared.language.statements.exchanges import back_again, changed
from shared.language.statements.families import OF_THE_SPEAKER, families_of
from shared.language.statements.frames import treated
from shared.language.statements.gaps import filled, without_gaps
from shared.language.statements.heightened import heightened
from shared.language.statements.homes import only_homes
from shared.language.statements.labels import behind_no_label
from shared.language.statements.leavings import leavings
from shared.language.statements.left_out import left_out, no_more
from shared.language.statements.listed_about import listed_about
from shared.language.statements.meant import is_meant
from shared.language.statements.months import times_ahead
from shared.language.statements.moods import Mood
from shared.language.statements.moves import moves
from shared.language.statements.notes import decided, follow_up, mine, named_in, notes
from shared.language.statements.partings import partings
from shared.language.statements.presupposed import listed, presupposed
from shared.language.statements.quitting import quitting
from shared.language.statements.relations import in_passing
from shared.language.statements.remembering import name_alone, name_of_animal, only_one_named, remember_whom
from shared.language.statements.reschedulings import reschedulings
from shared.language.statements.reservations import (
    began_earlier,
    is_of_then,
    is_reserved,
    of_its_time,
    without_reserved,
)
from shared.language.statements.revisions import is_untrue, overtake, parted, revise, sentence_of
from shared.language.statements.saying import Said, said_in
from shared.language.statements.settled import OWN_BEHIND, instructions, let_us, parts_of
from shared.language.statements.stated import LOW, Statement
from shared.language.statements.subjects import About, Subject, behind_adverbial, subject_of
from shared.language.statements.tagged import Token
from shared.language.statements.talk import Message, Spoken, Talk
from shared.language.statements.things import asks_to_remember, to_remember
from shared.language.statements.turns import as_before, put_right_at_once, turned
from shared.language.statements.undone import without_undone
from shared.language.statements.whom import is_name, named
from shared.language.statements.words import MANY

Tag = Callable[[str], Sequence[Token]]
_MAY_STATE: Final = re.compile(r"[^\W\d_]\W+[^\W_]+")
"""Two words: less than that states nothing."""


def statements_in(
    text: str, *, tag: Tag, speaker: str, said_on: date | None, talk: Talk | None = None
) -> list[Statement]:
    """What the speaker of an English message states, in order. Never raises on any text.

    Offsets are those of `text`, of the sentence it was read from, or of all up to its end where it leans on what stands
    before. Without `said_on` no time is worked out, and what needs one states nothing. `talk` is what the run has come
    to so far, and is added to.
    """
    talk = talk if talk is not None else Talk()
    own = parted(behind_no_label(own_words(text), tag=tag, speaker=speaker))
    ahead = times_ahead(own, said_on, talk) if said_on else []
    if _MAY_STATE.search(own) is None:
        return []
    tokens = tag(own)
    behind = dates_in(own, said_on, ahead=False) if said_on else []
    message = Message(own, speaker, ahead, behind, talk, last=only_one_named(talk, speaker, own), said_on=said_on)
    for _, group in groupby(clauses_of(tokens, own), key=lambda clause: clause.sentence):
        clauses = list(group)
        before = len(message.found)
        _read_sentence(clauses, message)
        named = {each.predicate for each in message.listed}
        message.found[before:] = [each for each in message.found[before:] if not _is_counted(each, named)]
        message.found[before:] = [_spread(each, clauses) for each in message.found[before:]]
        written = sentence_of(clauses, message.text)
        message.found[before:] = moves(clauses, message, message.found[before:])
        message.found[before:] = settled(without_reserved(written, message.found[before:]), written, said_on)
        message.found[before:] = heightened(written, without_undone(written, message.found[before:]), message)
        # Before it is remembered: what is taken back later is known by being the very same.
        message.found[before:] = of_its_time(message.found[before:], said_on)
        overtake(clauses, message, message.found[before:])
        talk.spoken[speaker] = Spoken.of(clauses, message.found[before:], message)
    message.found += listed_about(text[:MAX_CHARS], speaker)
    found = distinct([each for each in message.found if not any(each is gone for gone in talk.taken_back)])
    talk.stated.setdefault(speaker, []).extend(found)
    return found


def _is_counted(found: Statement, named: Collection[str]) -> bool:
    """`three kids`, who are named beside it."""
    return found.predicate in named and found.object.split()[-1].lower() in MANY


def _spread(found: Statement, clauses: Sequence[Clause]) -> Statement:
    """The same, citing its whole sentence, or all up to its end where it leans on what stands before."""
    return replace(found, start=0 if found.confidence <= LOW else clauses[0].start, end=clauses[-1].end)


def _read_sentence(clauses: list[Clause], message: Message) -> None:
    first, last = clauses[0], clauses[-1]
    if named_alone := list(name_alone(clauses, message)):
        message.found += named_alone
        return
    gapless = [without_gaps(clause, message) for clause in clauses]
    message.found += _taken_for_granted([clause for clause, _ in gapless], message)
    asserted = all(clause.mood is not Mood.ASKED for clause in clauses) or is_untrue(clauses, message)
    earlier = [*message.talk.stated.get(message.speaker, []), *message.found]
    if asserted and (put_right := list(corrected(clauses, message.text, earlier))):
        message.found += put_right
        return
    if asserted and revise(clauses, message):
        return
    message.found += decided(message.text, first.start, last.end, message.speaker)
    if asserted:
        message.found += put_right_at_once(first.start, last.end, message)
        message.found += quitting(clauses, message)
        message.found += leavings(clauses, message)
        message.found += partings(clauses, message)
        message.found += couples(clauses, message)
        message.found += reschedulings(clauses, message)
        message.found += changed(clauses, message)
    if message.talk.addresses_agent and _is_ordered(clauses, message, asked=not asserted):
        return
    message.before, message.whens_before = None, ()
    kept = asks_to_remember(message.text[first.start : last.end])
    for clause, rests in gapless:
        message.found += reminders(clause, message.speaker, message.text)
        if clause.mood is Mood.SAID or (kept and clause.mood is Mood.ASIDE and clause.led_by == "that"):
            _read_clause(clause, message, rests, keep=kept)


def _taken_for_granted(clauses: Sequence[Clause], message: Message) -> Iterator[Statement]:
    """Who belongs to whom, told by the way; whoever was named last is whom `she` means."""
    for clause in clauses:
        for found in presupposed(clause, message.speaker, message.text):
            if found.subject == message.speaker and found.predicate != "pet" and found.object[0].isupper():
                message.last = found.object
                message.talk.named.setdefault(message.speaker, {})[found.object] = found.text.rstrip(".").split()[-1]
            yield found
    message.listed = list(listed(message.text, clauses[0].start, clauses[-1].end, message.speaker))
    yield from message.listed


def _is_ordered(clauses: Sequence[Clause], message: Message, *, asked: bool) -> bool:
    """Take what a sentence tells the agent to do from now on, in whole or in part; whether it says no more."""
    first, last = clauses[0].start, clauses[-1].end
    if OWN_BEHIND.search(message.text[first:last]) is None:
        whole = list(instructions(message.text[first:last], message.speaker, first, last, asked=asked))
        message.found += whole
        if whole:
            return len(clauses) == 1
    if any(clause.mood is Mood.UNREAL for clause in clauses):
        return False
    orders: list[Statement] = []
    for start, end in parts_of(message.text, first, last, [(clause.start, clause.end) for clause in clauses]):
        orders += instructions(message.text[start:end], message.speaker, start, end, asked=asked)
    message.found += orders
    return len(orders) == len(clauses) > 1


def _read_clause(clause: Clause, message: Message, rests: Sequence[Clause], *, keep: bool) -> None:
    message.found += let_us(clause, message.speaker, message.text)
    message.found += favourite_turned(clause, message.speaker, message.text)
    message.found += no_more(clause, message)
    message.found += notes(clause, message)
    spoken, message.spoken = message.spoken, named_in(clause, message.text) or message.spoken
    subject = _subject(clause, message)
    said = _said(clause, subject, message)
    if said is None:
        message.found += in_passing(clause, subject, message.speaker, message.text)
        return
    said = _with_times_before(said, message)
    if follow_up(said, message):
        return
    message.found += mine(said, message, named_in(clause, message.text, until=said.subject.next) or spoken)
    message.found += treated(said, message.speaker)
    if said.subject.about is not About.NOBODY:
        message.before = replace(said.subject, next=0)
    found = list(_stated(said, message))
    for further in complements(said):
        found += _stated(further, message)
    for further in filter(None, (filled(said, rest, message) for rest in rests)):
        found += _stated(further, message)
    earlier = [*message.talk.stated.get(message.speaker, []), *message.found]
    found = back_again(said, only_homes(as_before(found, message), said, earlier), message)
    message.whens_before = said.own_whens if said.past else ()
    found += turned(said, message) if not found else ()
    if keep and not found:
        found = list(to_remember(said, message.speaker))
    message.found += found
    message.found += denied_beside(said, found)
    remember_whom(said, found, message)
    if said.subject.about is About.RELATED and not said.subject.name and message.before and is_name(message.last):
        message.before = replace(message.before, name=message.last)


def _with_times_before(said: Said, message: Message) -> Said:
    """A clause that goes on with the subject of the one before has its time too, where it names none."""
    goes_on = (
        said.clause.led_by == "and"
        and said.past
        and not said.own_whens
        and said.subject == replace(message.before or said.subject, next=said.subject.next)
    )
    return replace(said, borrowed=message.whens_before) if goes_on else said


def _subject(clause: Clause, message: Message) -> Subject:
    subject = subject_of(clause.tokens, message.text, message.talk.people)
    if subject.about is not About.NOBODY:
        return subject
    if at := behind_adverbial(clause.tokens):
        behind = subject_of(clause.tokens[at:], message.text, message.talk.people)
        return replace(behind, next=behind.next + at)
    if message.before is not None and clause.led_by in {"and", "but", ",", "then", "so", "&"}:
        return replace(message.before, next=subject.next)
    return subject


def _said(clause: Clause, subject: Subject, message: Message) -> Said | None:
    if subject.about is About.NOBODY:
        return left_out(clause, subject, message)
    said = said_in(clause, subject, message.text, message.whens)
    been = said is not None and any(token.norm == "been" for token in clause.tokens[subject.next : said.at])
    if been and said is not None and not said.future and not _is_schedule(said):
        return replace(said, whens=message.behind, perfect=True)
    if said is not None and message.text[clause.end : clause.end + 7].strip().startswith("since"):
        return replace(said, whens=message.behind)
    if (
        said is not None
        and (said.past or said.over or (said.perfect and not said.going_on))
        and not said.future
        and said.verb != "book"
        and not _is_schedule(said)
    ):
        return replace(said, whens=message.behind)
    return said


def _is_schedule(said: Said) -> bool:
    return said.subject.about in {About.OWN, About.THING}


def _stated(said: Said, message: Message) -> Iterator[Statement]:
    about = said.subject.about
    who = named(said.subject, message.speaker, message.last)
    if about in {About.OWN, About.THING}:
        who = message.speaker
    if about is About.THEY and said.subject.words == "it":
        return
    if about is About.THING and said.subject.words == "name" and message.animal and said.verb == "be":
        yield from name_of_animal(said, message)
        return
    if not who:
        return
    families = families_of(said, message)
    for family in families:
        speaks = family in OF_THE_SPEAKER and about in {About.RELATED, About.NAMED}
        for found in family(said, message.speaker if speaks else who):
            reserved = is_reserved(found, said, message.said_on) or is_of_a_circumstance(found, said)
            if is_meant(found, said) and not reserved:
                dated = replace(
                    ended_by(found, said, message.said_on),
                    earlier=began_earlier(found, said),
                    of_then=is_of_then(found, said, message.said_on),
                )
                yield replace(dated, confidence=LOW) if about is About.THEY else dated
