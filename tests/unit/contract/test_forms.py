"""The block in Markdown, XML and JSON: read back exactly, closed by nothing that is said, cut out of what comes in."""

from __future__ import annotations

import json
import time
import unicodedata
from collections.abc import Callable, Iterable
from xml.etree import ElementTree as ET

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from shared.accept.recalled import without_recalled
from shared.contract import forms
from shared.contract.block import EARLIER_GUARDS, Item, parse, render
from shared.contract.cutting import cut, is_end_of_item
from shared.contract.errors import InvalidInput
from tests.unit.hotpath.pieces import anything

NONCE = "0123456789abcdef"
BUS = "My bus is the 14."
ITEMS = [
    Item(ordinal=1, memory_id="5f0c", label="user, Tue 4 Mar 2031", text="I keep two *beehives* behind the garage."),
    Item(ordinal=2, memory_id="a11e", label="assistant", text='Oskar says "no": <b>walnuts</b> & [nuts](http://a).'),
    Item(ordinal=3, memory_id="0000", label="user, from web", text="Tove's plan:\n1. sell the boat\n2. `rest`"),
]

Write = Callable[[str, Iterable[Item]], str]
Read = Callable[[str], list[Item]]
WAYS: dict[str, tuple[Write, Read]] = {
    "markdown": (forms.markdown, forms.parse_markdown),
    "xml": (forms.xml, forms.parse_xml),
    "json": (forms.json_text, forms.parse_json),
}
each_form = pytest.mark.parametrize("form", WAYS)

item = st.builds(
    Item,
    ordinal=st.integers(1, 999_999_999),
    memory_id=st.text("0123456789abcdef", min_size=4, max_size=4),
    label=anything,
    text=anything,
)


def paired(text: str) -> str:
    """A text as JSON has to give it back: two surrogates side by side are the character that they stand for."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


@each_form
@settings(max_examples=200)
@given(items=st.lists(item, max_size=4))
@example(items=[Item(ordinal=1, memory_id="0000", label="]", text="\ud83d\x00\x85\u2029\ufffe\t")])
def test_what_is_rendered_is_read_back_exactly(form: str, items: list[Item]) -> None:
    write, read = WAYS[form]
    rendered = write(NONCE, items)
    rendered.encode()
    assume(form != "json" or all(paired(each.text + each.label) == each.text + each.label for each in items))
    assert read(rendered) == items


@each_form
@settings(max_examples=200)
@given(items=st.lists(item, min_size=1, max_size=4))
def test_an_item_is_one_line_whatever_it_says_and_the_frame_stands_alone(form: str, items: list[Item]) -> None:
    write, _ = WAYS[form]
    rendered = write(NONCE, items)
    frame = len(write(NONCE, ITEMS[:1]).splitlines()) - 1
    assert len(rendered.splitlines()) == frame + len(items)
    assert (
        rendered.lower().count("daybook-memory")
        - sum((each.text + each.label).lower().count("daybook-memory") for each in items)
        <= 2
    )
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in rendered if character not in "\n\t")


@given(items=st.lists(item, max_size=4))
def test_xml_is_well_formed_and_holds_the_texts(items: list[Item]) -> None:
    root = ET.fromstring(forms.xml(NONCE, items))
    assert [child.tag for child in root] == ["note", *("memory" for _ in items)]
    assert all(len(child) == 0 for child in root)
    for child, each in zip(root.findall("memory"), items, strict=True):
        if each.text.isascii() and each.text.isprintable() and "\\" not in each.text and "[m" not in each.text:
            assert (child.text or "") == each.text or "daybook" in each.text.lower()


@given(items=st.lists(item, max_size=4))
def test_json_holds_what_it_says_under_names(items: list[Item]) -> None:
    document = json.loads(forms.json_text(NONCE, items))
    assert list(document) == ["daybook-memory", "note", "memories", "end"]
    assert document["end"] == document["daybook-memory"] == NONCE
    assert [each["text"] for each in document["memories"]] == [paired(each.text) for each in items]


def test_nothing_of_markdown_works_in_a_memory() -> None:
    text = "![x](http://a) [y](javascript:z) <img src=q> `code` **bold** __b__ ~~s~~ &lt; # h"
    line = forms.markdown(NONCE, [Item(ordinal=1, memory_id="5f0c", label="user", text=text)]).split("\n")[4]
    said = line.removeprefix("- [m1~5f0c user] ")
    for character in "`*_[]<&~":
        assert said.count(character) == said.count(f"\\{character}")


@each_form
@pytest.mark.parametrize(
    "rendered", ["", BUS, render(NONCE, ITEMS[:1]).replace("</", "<"), '{"memories": [{}]}', "[1]"]
)
def test_what_is_no_whole_block_is_refused(form: str, rendered: str) -> None:
    with pytest.raises(InvalidInput):
        WAYS[form][1](rendered)


@each_form
@pytest.mark.parametrize(
    "wrong",
    [
        {"ordinal": 0, "memory_id": "5f0c"},
        {"ordinal": 1, "memory_id": "zzzz"},
        {"ordinal": 10**9, "memory_id": "0" * 4},
    ],
)
def test_an_item_that_could_not_be_read_back_is_refused(form: str, wrong: dict) -> None:
    with pytest.raises(InvalidInput):
        WAYS[form][0](NONCE, [Item(label="", text="tea", **wrong)])
    with pytest.raises(InvalidInput, match="16 lower-case"):
        WAYS[form][0]("nonce", [])


@each_form
@pytest.mark.parametrize("template", ["{}\n" + BUS, BUS + "\n{}", "{}\n\n" + BUS + "\n", "\n\n" + BUS + "\n\n{}\n"])
def test_a_recalled_block_is_cut_out_and_the_real_line_is_kept(form: str, template: str) -> None:
    rendered = WAYS[form][0](NONCE, ITEMS)
    lines = rendered.split("\n")
    for shape in (
        rendered,
        "\n".join(f"> {line}" for line in lines),
        "\n".join(f"    {line}" for line in lines),
        f"```\n{rendered}\n```",
        rendered.replace("\n", "\r\n"),
        "\n".join(lines[:-1]),
        "\n".join(lines[1:]),
        next(line for line in lines if "m2~" in line),
    ):
        assert cut(template.replace("{}", shape)).text == BUS, shape


@each_form
def test_a_recalled_block_is_cut_out_of_json_and_the_rest_stays(form: str) -> None:
    rendered = WAYS[form][0](NONCE, ITEMS)
    left = without_recalled(json.dumps({"context": rendered, "note": BUS})).text
    assert json.loads(left) == {"context": "", "note": BUS}
    again = without_recalled(json.dumps(json.dumps({"context": rendered, "note": BUS}))).text
    assert json.loads(json.loads(again)) == {"context": "", "note": BUS}


@pytest.mark.parametrize("indent", [None, 2])
def test_a_block_in_json_is_cut_out_as_a_value_however_it_is_written_anew(indent: int | None) -> None:
    value = json.loads(forms.json_text(NONCE, ITEMS))
    for separators in ((",", ":"), (", ", ": ")):
        for data in ({"context": value, "note": BUS}, {"note": BUS, "of": [value, {"in": value}]}):
            text = json.dumps(data, indent=indent, separators=separators)
            left = without_recalled(text).text
            assert "beehives" not in left
            assert json.loads(left)["note"] == BUS
        assert without_recalled(json.dumps(value, indent=indent, separators=separators)).text == ""
        alone = json.dumps([*value["memories"], BUS], indent=indent, separators=separators)
        assert json.loads(without_recalled(alone).text)[-1] == BUS
        assert "beehives" not in without_recalled(alone).text


@each_form
def test_of_a_block_torn_off_at_its_end_nothing_but_the_beginning_of_a_mark_stays(form: str) -> None:
    rendered = WAYS[form][0](NONCE, ITEMS)
    for end in range(len('{"daybook-memory": "0') + 2, len(rendered)):
        left = cut(f"{BUS}\n{rendered[:end]}").text
        stays = left.removeprefix(BUS).strip()
        assert left.startswith(BUS)
        assert len(stays) < 20, stays
        assert not any(word in stays for word in ("bee", "Oskar", "Tove", "user", "nonce"))


@each_form
def test_of_a_block_torn_off_at_its_beginning_only_one_items_text_can_stay(form: str) -> None:
    rendered = WAYS[form][0](NONCE, ITEMS)
    for start in range(1, rendered.rindex("\n")):
        found = cut(f"{rendered[start:]}\n{BUS}")
        stays = found.text.removesuffix(BUS).strip()
        assert found.text.endswith(BUS)
        assert "\n" not in stays
        assert not any(mark in stays for mark in ("m1~", "m2~", "m3~", "daybook-memory", "memories", "quoted"))
        if stays:
            assert stays in rendered[start:].split("\n")[0]
            assert form == "markdown"
            assert any(is_end_of_item(stays, each.text) for each in ITEMS)


OLD = "\n".join(
    [
        f'<daybook-memory nonce="{NONCE}">',
        EARLIER_GUARDS[0],
        "[m1 5f0c2a7b9d31 user, 2031-03-04 09:00, episodic evidence, from user] I keep two beehives.",
        "[m2 a11e00c4d2f9 assistant, time unknown, episodic evidence, from assistant, not yet processed] Oskar.",
        f'</daybook-memory nonce="{NONCE}">',
    ]
)


def test_a_block_of_an_earlier_form_is_read_and_cut_like_one_of_today() -> None:
    assert [(each.ordinal, each.memory_id, each.text) for each in parse(OLD)] == [
        (1, "5f0c2a7b9d31", "I keep two beehives."),
        (2, "a11e00c4d2f9", "Oskar."),
    ]
    lines = OLD.split("\n")
    for shape in (OLD, *lines, "\n".join(lines[1:]), "\n".join(lines[:-1]), "\n".join(lines[2:4]), OLD[:90], OLD[:-40]):
        assert cut(f"{shape}\n{BUS}").text == BUS, shape
    for start in range(1, OLD.rindex("\n")):
        left = cut(f"{OLD[start:]}\n{BUS}").text
        stays = left.removesuffix(BUS).strip()
        assert stays in ("", *(each.text[-len(stays) :] for each in parse(OLD))), OLD[start : start + 40]


@pytest.mark.parametrize(
    "text",
    [
        '<memory id="7">of a tree</memory>',
        '{"id": "m1", "label": "a", "text": "b"}',
        '{"id": 7, "label": "a", "text": "b"}',
        '{"daybook": 1, "end": "of the list"}',
        "- [m1] a\n- [m2] b",
        "- [x] done\n- [ ] to do",
        "<note>remember the milk</note>",
        '"end": "deadbeefdeadbee"}',
        '{"dependencies": {"daybook-memory": "^1.0", "memories": "2"}, "name": "an agent"}',
        '{"daybook-memory": {"memories": 7}}',
        "[m1~this is a note] and not ours",
    ],
)
def test_what_only_resembles_a_block_in_another_form_is_kept(text: str) -> None:
    assert cut(text).text == text
    assert without_recalled(text).text == text


def test_megabytes_of_what_could_begin_a_block_are_read_in_linear_time() -> None:
    started = time.process_time()
    for text in (
        "{" * 1_000_000 + NONCE,
        '{"daybook-memory": "0123456789abcdef", ' * 30_000,
        "\\" * 2_000_000 + '"end": ',
        "]  ,  " * 300_000 + '"end"',
        "{ " * 500_000 + '"id": "m1~5f0c"',
        '<memory id="m1~5f0c" ' * 100_000,
        '"end": "0123456789abcdef"} ' * 50_000,
    ):
        cut(text)
    assert time.process_time() - started < 8


def test_what_stands_below_half_a_block_is_kept_whatever_it_begins_with() -> None:
    half = "\n".join(render(NONCE, ITEMS).split("\n")[:-1])
    for text in ('{\n  "bus": 14\n}', '{"bus": "', "<p>", '<memo to="me">', "- [ ] bus 14", '], "bus"', "note> bus"):
        assert cut(f"{half}\n{text}").text == text
