"""The wiki: pages that are a function of what is held, in which nothing that people say is ever structure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from shared.belief.predicates import BUILT_IN, claim_of
from shared.belief.wiki.draft import Note, Page
from shared.belief.wiki.lint import Fault, lint
from shared.belief.wiki.markdown import escaped, link, one_line, plain, read
from shared.belief.wiki.names import Sort, name_in, slug
from shared.belief.wiki.pages import INDEX, LOG, Held, compile_pages, titled
from shared.contract.events import NAMESPACE
from shared.contract.records import EpistemicType, EvidenceRef, Kind, MemoryVersion, Operation
from shared.contract.scope import MAX_ID_CHARS, Owner, room_owner
from shared.contract.trust import Origin

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MIRA = Owner("mira")
SIGNS = (
    *(
        "# a",
        "- b",
        "+ d",
        "1. c",
        "1) c",
        "[x](y)",
        "![x](y)",
        "[x]: y",
        "[^1]",
        "[^1]: x",
        "<b>",
        "<!-- x -->",
        "`c`",
    ),
    *("```", "---", "===", "* * *", "> q", "| a |", "&lt;", "&#35;", "\\", "\\[", "_e_", "**b**", "~~s~~", "$x$", "@x"),
    *("www.a.bc", "http://a.bc", "<http://a.bc>", "    code", " ", "\t", "\r", "\n", "\u2028"),
)
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from([*SIGNS, "a"]),
        max_size=8,
    ).map("".join),
)


def memory(number: int, subject: str, predicate: str, obj: str, **given: object) -> MemoryVersion:
    made = MemoryVersion(
        memory_id=uuid5(NAMESPACE, str(number)),
        version=1,
        kind=Kind.SEMANTIC,
        epistemic_type=EpistemicType.FACT,
        text=f"{subject} {predicate.replace('_', ' ')} {obj}.",
        speaker="Mira",
        role=None,
        origin=Origin.USER,
        trust=4,
        session_id=None,
        agent_id=None,
        run_id=None,
        doc=number,
        session_doc=number,
        valid_from=datetime(2026, 1, number, tzinfo=UTC),
        valid_to=None,
        recorded_at=datetime(2026, 2, number, tzinfo=UTC),
        opened_by=number * 10,
        ordinal=0,
        evidence=(EvidenceRef(sequence=number),),
        claim=claim_of(subject, predicate, obj, BUILT_IN),
        confidence=0.9,
    )
    return replace(made, **given)  # type: ignore[arg-type]


def closed(version: MemoryVersion, reason: Operation) -> MemoryVersion:
    return replace(version, closed_at=NOW, closed_reason=reason, closed_by=version.opened_by + 1)


FACTS = (
    memory(1, "Mira", "lives_in", "Oslo", valid_to=datetime(2026, 1, 20, tzinfo=UTC)),
    memory(2, "Mira", "lives_in", "Porto"),
    memory(3, "Mira", "works_at", "Kestrel"),
    memory(4, "Tove", "lives_in", "Graz"),
    memory(5, "Kestrel", "located_in", "Porto"),
    memory(6, "Kestrel", "status", "open"),
)


def compiled(*versions: MemoryVersion, notes: Sequence[Note] = ()) -> dict[str, Page]:
    held = Held(owner=MIRA, versions=versions, said_at={each.doc: each.valid_from for each in versions})
    return {page.file: page for page in compile_pages([held], at=NOW, notes=notes)}


def faults(pages: dict[str, Page], held: set[UUID] | None = None) -> list[Fault]:
    return [each.code for each in lint({file: page.text for file, page in pages.items()}, held)]


def test_a_page_tells_what_is_so_what_was_so_and_what_each_sentence_rests_on() -> None:
    page = compiled(*FACTS)["entity-mira.md"]
    assert page.text.split("\n") == [
        "# Mira",
        "",
        "## [Places](topic-places.md)",
        "",
        "- Mira lives in Porto. (since 2026-01-02)[^1]",
        "",
        "## [Work](topic-work.md)",
        "",
        "- Mira works at [Kestrel](entity-kestrel.md). (since 2026-01-03)[^2]",
        "",
        "## History",
        "",
        "- Until 2026-01-20: Mira lives in Oslo. (from 2026-01-01)[^3]",
        "",
        "## Linked from",
        "",
        "- [Places](topic-places.md)",
        "- [Work](topic-work.md)",
        "",
        *(
            f"[^{n}]: Memory {each.memory_id}: event {each.doc} (2026-01-0{each.doc}) of mira; said by Mira; from "
            "user, trust 4 of 4, confidence 0.90"
            for n, each in enumerate((FACTS[1], FACTS[2], FACTS[0]), 1)
        ),
        "",
    ]


def test_who_has_one_sentence_has_no_page_and_stands_on_that_of_the_topic() -> None:
    pages = compiled(*FACTS)
    assert "entity-tove.md" not in pages
    places = pages["topic-places.md"].text
    assert "## About Tove\n\n- Tove lives in Graz." in places
    assert "## [About Mira](entity-mira.md)\n\n- [Mira](entity-mira.md) lives in Porto." in places
    assert "Oslo" not in places, "what is over of somebody with a page stands there"


def test_index_and_log_lead_to_every_page_and_say_nothing_of_what_was_said() -> None:
    pages = compiled(*FACTS)
    assert set(pages) - {INDEX} == {to for line in read(pages[INDEX].text).lines for to in line.links}
    log = pages[LOG].text
    assert "- 2026-02-02: add 1 ([Mira](entity-mira.md))" in log
    assert "Porto" not in log


@pytest.mark.parametrize(
    "reason", [Operation.RETRACT, Operation.QUARANTINE, Operation.MERGE, Operation.EXPIRE, Operation.SUPERSEDE]
)
def test_what_is_held_no_longer_stands_nowhere(reason: Operation) -> None:
    pages = compiled(*FACTS[:2], closed(FACTS[2], reason), *FACTS[3:])
    assert not any("works at" in page.text for page in pages.values())
    assert (reason.value in pages[LOG].text) is (reason is not Operation.QUARANTINE)


def test_an_episode_is_on_no_page() -> None:
    spoken = replace(FACTS[2], epistemic_type=EpistemicType.EVIDENCE, claim=None)
    assert "works at" not in "".join(page.text for page in compiled(*FACTS[:2], spoken).values())


def test_a_belief_without_a_claim_stands_on_the_pages_of_those_it_names() -> None:
    insight = replace(memory(7, "x", "likes", "y"), claim=None, text="Whenever Kestrel is closed, she sees Mira.")
    pages = compiled(*FACTS, insight)
    assert "Whenever [Kestrel](entity-kestrel.md) is closed, she sees Mira." in pages["entity-mira.md"].text
    assert "Whenever" in pages["entity-kestrel.md"].text
    assert "## About others" in pages["topic-other.md"].text


def test_an_alias_leads_to_the_page_and_one_that_means_two_leads_nowhere() -> None:
    known = memory(8, "Kestrel", "also_known_as", "KST Works")
    mentions = memory(9, "Mira", "knows", "KST Works")
    assert "[KST Works](entity-kestrel.md)" in compiled(*FACTS, known, mentions)["entity-mira.md"].text
    two = memory(10, "Mira", "also_known_as", "KST Works")
    assert "[KST Works]" not in compiled(*FACTS, known, mentions, two)["entity-mira.md"].text


def test_pages_of_several_streams_are_one_and_say_whose_each_is() -> None:
    room = Held(
        owner=room_owner("kitchen"),
        versions=[memory(1, "Tove", "lives_in", "Graz"), memory(2, "Tove", "likes", "opera")],
    )
    pages = compile_pages([Held(owner=MIRA, versions=FACTS), room], at=NOW)
    (tove,) = (page for page in pages if page.file == "entity-tove.md")
    assert "of mira;" in tove.text
    assert r"of room\:kitchen;" in tove.text


def test_a_page_that_nothing_touches_stays_the_same_to_the_byte() -> None:
    before, after = compiled(*FACTS), compiled(*FACTS, memory(7, "Tove", "likes", "opera"))
    assert after["entity-mira.md"] == before["entity-mira.md"]
    assert after["topic-work.md"] == before["topic-work.md"]


@given(st.permutations(FACTS))
def test_the_order_in_which_memories_are_read_changes_nothing(versions: list[MemoryVersion]) -> None:
    assert compiled(*versions) == compiled(*FACTS)


def test_notes_stand_on_their_page_whatever_becomes_of_it() -> None:
    notes = [
        Note(page=slug(Sort.ENTITY, "mira"), text="# She moved.", owner=MIRA, sequence=7, said_at=NOW, speaker="mira"),
        Note(page=slug(Sort.NOTE, "To do"), text="Ask Tove", owner=MIRA, sequence=8, said_at=None, speaker=None),
    ]
    again = replace(notes[0], sequence=9)
    pages = compiled(*FACTS, notes=[*notes, again])
    assert pages == compiled(*FACTS, notes=notes), "what is written twice stands once"
    assert "## Notes\n\n- \\# She moved.[^4]" in pages["entity-mira.md"].text
    assert "[^4]: Event 7 of mira, 2026-03-01, written by mira" in pages["entity-mira.md"].text
    (todo,) = (page for page in pages.values() if page.file.startswith("note-"))
    assert todo.title == "To do"
    assert faults(pages) == []
    assert "She moved" in compiled(notes=notes)["entity-mira.md"].text, "nothing but the note is left"


def test_pages_as_they_are_compiled_have_no_fault() -> None:
    assert faults(compiled(*FACTS), {each.memory_id for each in FACTS}) == []
    assert faults(compiled()) == []


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("entity-kestrel.md)", "entity-gone.md)", Fault.DEAD_LINK),
        ("(topic-work.md)\n\n- Mira", "(topic-gone.md)\n\n- Mira", Fault.DEAD_LINK),
        ("[^2]\n", "\n", Fault.UNCITED_SENTENCE),
        ("[^2]\n", "[^22]\n", Fault.DEAD_CITATION),
        ("## History", "A line of mine.\n\n## History", Fault.UNCITED_SENTENCE),
    ],
)
def test_a_fault_that_a_hand_has_made_is_found(old: str, new: str, code: Fault) -> None:
    pages = compiled(*FACTS)
    mira = pages["entity-mira.md"]
    assert old in mira.text
    pages[mira.file] = replace(mira, text=mira.text.replace(old, new))
    assert faults(pages) == [code]


def test_a_sentence_whose_memory_is_held_no_longer_and_a_page_nobody_leads_to_are_found() -> None:
    pages = compiled(*FACTS)
    held = {each.memory_id for each in FACTS} - {FACTS[2].memory_id}
    assert faults(pages, held) == [Fault.CLOSED_CLAIM] * 2
    pages["note-mine.md"] = Page(file="note-mine.md", title="Mine", text="# Mine\n", memories=frozenset())
    assert Fault.ORPHAN in faults(pages)


@given(TEXTS)
def test_what_people_say_is_never_structure(text: str) -> None:
    shown = f"- {escaped(text)}[^1]\n\n[^1]: {escaped(text)}\n"
    tokens = list(_flat(MarkdownIt("gfm-like", {"linkify": False}).parse(f"- {escaped(text)}\n")))
    allowed = {"bullet_list_open", "list_item_open", "paragraph_open", "inline", "text", "text_special"}
    allowed |= {"paragraph_close", "list_item_close", "bullet_list_close"}
    assert {token.type for token in tokens} <= allowed
    assert "".join(token.content for token in tokens if token.type in {"text", "text_special"}) == one_line(text)
    (line,) = read(shown).lines if one_line(text) else [None]
    assert line is None or (line.cites, line.links) == (("1",), ())


@given(TEXTS)
def test_what_is_written_is_read_back_as_it_was_said(text: str) -> None:
    said = one_line(text)
    assert plain(f"- {escaped(text)}[^12]") == said
    assert plain(f"- {link(f'a{text}', 'entity-x.md')}[^12]") == one_line(f"a{text}")
    assert escaped(said) == escaped(text)


@given(TEXTS, TEXTS)
def test_pages_of_whatever_people_say_have_no_fault(subject: str, said: str) -> None:
    name = one_line(subject) or "x"
    odd = replace(memory(1, name, "likes", f"{said} it"), text=f"{said} it", speaker=name)
    pages = compiled(odd, memory(2, name, "lives_in", "Oslo"), *FACTS[2:])
    assert faults(pages) == []
    assert all(page.text.startswith("# ") and page.text.count("\n# ") == 0 for page in pages.values())


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


@given(st.lists(NAMES, min_size=2, max_size=6, unique=True))
def test_no_two_names_share_a_file_on_any_file_system(names: list[str]) -> None:
    files = [slug(sort, name) for sort in Sort for name in names]
    assert len(set(files)) == len(files)
    for fold in (str.casefold, str.lower, str.upper):
        for form in ("NFC", "NFD", "NFKC", "NFKD"):
            assert len({unicodedata.normalize(form, fold(file)) for file in files}) == len(files)


@given(NAMES)
def test_a_file_name_is_safe_and_read_back(name: str) -> None:
    file = slug(Sort.ENTITY, name)
    assert re.fullmatch(r"[\w-]+", file)
    assert len(file.encode()) <= MAX_ID_CHARS - len("wiki//.md") - 32
    assert unicodedata.normalize("NFKC", file) == file
    assert name_in(file) == name or "_sha256_" in file


def test_long_names_that_begin_alike_have_files_of_their_own() -> None:
    first, second = (slug(Sort.ENTITY, "\u00e9\u4e00-" * 60 + end) for end in "ab")
    assert first != second
    assert titled(first).startswith("\u00e9\u4e00-\u00e9\u4e00-")


@pytest.mark.parametrize(
    "text", ["", "entity-", "index", "other-x", "entity-..", "entity-a/b", "../entity-a", "entity-A", "entity-_2e", "x"]
)
def test_what_is_no_slug_of_ours_names_no_page(text: str) -> None:
    assert name_in(text) is None


def test_front_matter_and_footnotes_of_a_hand_are_no_sentences() -> None:
    page = read("---\ntags: [a]\n---\n# T\n\nA line.[^1]\n\n## S\n* b\n\n[^1]: here\n")
    assert [(line.section, line.text) for line in page.lines if not line.is_heading] == [
        ("", "A line.[^1]"),
        ("S", "* b"),
    ]
    assert page.footnotes == {"1": "here"}


def _flat(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or ())


def test_days_are_those_of_whoever_said_it_and_of_the_reader_where_that_is_not_known() -> None:
    begins = datetime(2021, 2, 21, 23, 0, tzinfo=UTC)
    sofia, tokyo = timezone(timedelta(hours=2)), timezone(timedelta(hours=9))
    version = memory(1, "Mira", "works_at", "Kestrel", valid_from=begins)
    other = memory(2, "Mira", "lives_in", "Porto", valid_from=begins)
    held = Held(owner=MIRA, versions=(version, other), said_at={1: begins.astimezone(sofia), 2: None})
    pages = {page.file: page.text for page in compile_pages([held], at=NOW, zone=tokyo)}
    text = next(text for text in pages.values() if text.startswith("# Mira"))
    assert text.count("(since 2021-02-22)") == 2
    assert "event 1 (2021-02-22)" in text
    assert "event 2 (no date)" in text
    late = replace(version, recorded_at=datetime(2026, 2, 1, 20, 0, tzinfo=UTC))
    pages = {page.file: page.text for page in compile_pages([Held(owner=MIRA, versions=(late,))], at=NOW, zone=tokyo)}
    assert "2026-02-02" in pages["log.md"]
