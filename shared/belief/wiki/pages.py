"""Pages compiled from what is held: one for each subject of whom enough is said, one for each topic, an index, a log.

A page is a function of the memories and of the hour alone; the same memories give the same bytes. Each sentence is one
belief, with a footnote that names its memory and the evidence it rests on. What has ended stands under History; what
was retracted, closed, quarantined or forgotten stands nowhere. What people have written on a page stands under Notes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from typing import Final, NamedTuple

from shared.belief.blocks import trusted
from shared.belief.entities import ALSO_KNOWN_AS
from shared.belief.predicates import RECORD, SEPARATOR
from shared.belief.topics import Topic, place_of, topic_of
from shared.belief.visibility import Standing, standing
from shared.belief.wiki.draft import HISTORY, Called, Draft, Heading, Note, Page, Said
from shared.belief.wiki.markdown import link, one_line
from shared.belief.wiki.names import SUFFIX, Sort, name_in, slug
from shared.contract.records import EpistemicType, MemoryVersion, Operation
from shared.contract.scope import Owner
from shared.language.name_keys import key_of
from shared.language.names import names_in

ENOUGH: Final = 2
"""Beliefs of a subject from which on it has a page of its own; of others the pages of topics tell."""
INDEX: Final = f"index{SUFFIX}"
LOG: Final = f"log{SUFFIX}"
_LONGEST_TITLE_CHARS: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """All that a stream has to say."""

    owner: Owner
    versions: Sequence[MemoryVersion]
    """All versions of its beliefs, as the reader may see them, in any order."""
    said_at: Mapping[int, datetime | None] = field(default_factory=dict)
    """World time of the evidence, by sequence, in the zone of whoever said it."""


class _Belief(NamedTuple):
    owner: Owner
    version: MemoryVersion
    said_at: Mapping[int, datetime | None]
    ended: bool
    zone: tzinfo

    @property
    def subject(self) -> str:
        return self.version.claim.key.partition(SEPARATOR)[0] if self.version.claim else ""

    @property
    def topic(self) -> str:
        return topic_of(self.version.claim.predicate) if self.version.claim else Topic.OTHER

    @property
    def said(self) -> Said:
        return Said(owner=self.owner, version=self.version, said_at=self.said_at, ended=self.ended, zone=self.zone)

    @property
    def place(self) -> tuple[object, ...]:
        """Its place on a page; the same for any order in which it was read."""
        claim, begins = self.version.claim, self.version.valid_from
        predicate = claim.predicate if claim else ""
        return (
            place_of(self.topic),
            self.topic,
            predicate,
            begins is not None,
            begins or 0,
            self.owner,
            self.version.doc,
        )


def compile_pages(
    held: Iterable[Held], *, at: datetime, notes: Iterable[Note] = (), zone: tzinfo = UTC
) -> tuple[Page, ...]:
    """The pages that memories come to at a time of the world, the index first and the log second, then by file.

    Days are those of whoever said a thing; of the log, and where that is not known, those of `zone`.
    """
    held = list(held)
    beliefs = sorted((each for stream in held for each in _beliefs(stream, at, zone)), key=lambda each: each.place)
    written: defaultdict[str, dict[str, Note]] = defaultdict(dict)
    for note in sorted(notes, key=lambda note: (note.owner, note.sequence)):
        written[note.page].setdefault(note.text, note)
    book = _Book(beliefs, {page: tuple(found.values()) for page, found in written.items()})
    pages = book.pages()
    titles = {page.file: page.title for page in pages}
    return (_index(pages), _log(held, book, titles, zone), *pages)


def titled(file: str) -> str:
    """What a page is called of which nothing but notes is left."""
    return one_line(name_in(file) or file)[:_LONGEST_TITLE_CHARS] or file


def _beliefs(stream: Held, at: datetime, zone: tzinfo) -> Iterable[_Belief]:
    for version in stream.versions:
        if version.is_open and version.epistemic_type is not EpistemicType.EVIDENCE:
            yield _Belief(stream.owner, version, stream.said_at, standing(version, at) is Standing.ENDED, zone)


class _Book:
    """Which pages there are, what each tells, and how they point to each other."""

    def __init__(self, beliefs: Sequence[_Belief], notes: Mapping[str, Sequence[Note]]) -> None:
        self._notes = notes
        self._of_subject: defaultdict[str, list[_Belief]] = defaultdict(list)
        self._of_topic: defaultdict[str, list[_Belief]] = defaultdict(list)
        for each in beliefs:
            self._of_topic[each.topic].append(each)
            if each.subject:
                self._of_subject[each.subject].append(each)
        self.entities = {key: slug(Sort.ENTITY, key) for key, said in self._of_subject.items() if len(said) >= ENOUGH}
        self._called = Called(self._names())
        self._titles = {key: _title(said, key) for key, said in self._of_subject.items()}
        for each in (each for each in beliefs if not each.subject):
            for key in self._named_in(each.version.text):
                self._of_subject[key].append(each)

    def pages(self) -> tuple[Page, ...]:
        made = [*map(self._entity, self.entities), *map(self._topic, self._of_topic)]
        known = {draft.slug for draft in made}
        made += [Draft(page, titled(page)) for page in self._notes if page not in known]
        for draft in made:
            for note in self._notes.get(draft.slug, ()):
                draft.note(note)
        linked: defaultdict[str, set[str]] = defaultdict(set)
        titles = {draft.slug: draft.title for draft in made}
        for draft in made:
            for target in (draft.links & titles.keys()) - {draft.slug}:
                linked[target].add(draft.slug)
        return tuple(draft.page(linked[draft.slug], titles) for draft in sorted(made, key=lambda draft: draft.slug))

    def _entity(self, key: str) -> Draft:
        beliefs = self._of_subject[key]
        draft = Draft(self.entities[key], self._titles[key])
        for each in (each for each in beliefs if not each.ended):
            draft.say(Heading(_topic_title(each.topic), slug(Sort.TOPIC, each.topic)), each.said, self._called)
        for each in (each for each in beliefs if each.ended):
            draft.say(Heading(HISTORY), each.said, self._called)
        return draft

    def _topic(self, topic: str) -> Draft:
        """What is so under a topic, subject by subject; what is over of those alone who have no page of their own."""
        draft = Draft(slug(Sort.TOPIC, topic), _topic_title(topic))
        beliefs = sorted(self._of_topic[topic], key=lambda each: each.subject)
        for each in (each for each in beliefs if not each.ended):
            draft.say(self._about(each), each.said, self._called)
        for each in (each for each in beliefs if each.ended and each.subject not in self.entities):
            draft.say(Heading(HISTORY), each.said, self._called)
        return draft

    def _about(self, each: _Belief) -> Heading:
        name = self._titles.get(each.subject, "others")
        return Heading(f"About {name}", self.entities.get(each.subject))

    def page_of(self, version: MemoryVersion) -> str | None:
        """The page that tells of a memory, whether it is held or not; None where there is none."""
        if version.claim is None:
            topic: str = Topic.OTHER
        else:
            entity = self.entities.get(version.claim.key.partition(SEPARATOR)[0])
            if entity:
                return entity
            topic = topic_of(version.claim.predicate)
        return slug(Sort.TOPIC, topic) if topic in self._of_topic else None

    def _names(self) -> Mapping[str, str]:
        """Pages by the keys of the names that mean their subjects; a name that means two means none."""
        meant: defaultdict[str, set[str]] = defaultdict(set)
        for key, page in self.entities.items():
            for each in self._of_subject[key]:
                claim = each.version.claim
                if claim is None or each.ended:
                    continue
                meant[key_of(claim.subject)].add(page)
                if claim.predicate == ALSO_KNOWN_AS:
                    meant[key_of(claim.object)].add(page)
            meant[key].add(page)
        return {key: min(pages) for key, pages in meant.items() if key and len(pages) == 1}

    def _named_in(self, text: str) -> list[str]:
        by_page = {page: key for key, page in self.entities.items()}
        found = (self._called.pages.get(name.key) for name in names_in(text))
        return list(dict.fromkeys(by_page[page] for page in found if page))


def _title(beliefs: Iterable[_Belief], key: str) -> str:
    """A subject as it is written most often, of the equal ones the first by its letters."""
    counts = Counter(each.version.claim.subject for each in beliefs if each.version.claim)
    shown = min(counts, key=lambda name: (-counts[name], name), default=key)
    return one_line(shown)[:_LONGEST_TITLE_CHARS] or key


def _topic_title(topic: str) -> str:
    name = topic.removeprefix(RECORD)
    return name.capitalize() if name == topic else f"Records: {name}"


def _index(pages: Sequence[Page]) -> Page:
    """Links to all pages, by what they are about."""
    lines = ["# Index", "", f"What is remembered, page by page. [What changed when]({LOG})"]
    for sort, heading in ((Sort.ENTITY, "People and things"), (Sort.TOPIC, "Topics"), (Sort.NOTE, "Notes")):
        found = sorted(
            (page for page in pages if page.file.startswith(f"{sort}-")), key=lambda page: (page.title, page.file)
        )
        if found:
            lines += [
                "",
                f"## {heading}",
                "",
                *(f"- {link(page.title, page.file)}: {page.sentences}" for page in found),
            ]
    return Page(file=INDEX, title="Index", text="\n".join([*lines, ""]), memories=frozenset())


def _log(held: Iterable[Held], book: _Book, titles: Mapping[str, str], zone: tzinfo) -> Page:
    """What operations have done to beliefs, day by day by our clock, the newest first; nothing of what was said."""
    done: defaultdict[date, Counter[str]] = defaultdict(Counter)
    touched: defaultdict[date, set[str]] = defaultdict(set)
    for day, what, page in (each for stream in held for each in _changes(stream, book, zone)):
        done[day][what] += 1
        touched[day].update({f"{page}{SUFFIX}"} & titles.keys())
    lines = ["# Log", "", f"What changed when. [All pages]({INDEX})", ""]
    for day in sorted(done, reverse=True):
        counts = ", ".join(f"{what} {count}" for what, count in sorted(done[day].items()))
        pages = ", ".join(link(titles[file], file) for file in sorted(touched[day]))
        lines.append(f"- {day.isoformat()}: {counts}" + (f" ({pages})" if pages else ""))
    return Page(file=LOG, title="Log", text="\n".join([*lines, ""]), memories=frozenset())


def _changes(stream: Held, book: _Book, zone: tzinfo) -> Iterator[tuple[date, str, str | None]]:
    for version in trusted(stream.versions):
        if version.epistemic_type is EpistemicType.EVIDENCE:
            continue
        if version.version == 1:
            yield version.recorded_at.astimezone(zone).date(), Operation.ADD.value, book.page_of(version)
        if version.closed_at is not None and version.closed_reason is not None:
            yield version.closed_at.astimezone(zone).date(), version.closed_reason.value, book.page_of(version)
