"""S35: an item that does not fit is passed over and the next tried; what is rendered keeps the budget in any script."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from importlib import resources

import pytest
from tokenizers import Tokenizer

import hotpath
from shared.contract import block
from shared.contract.bundle import Bundle, Verdict
from shared.contract.errors import InvalidQuery
from shared.contract.scope import Scope
from shared.language.tokens import DEFAULT_COUNTER
from shared.testing import HashEmbedder
from tests.cases.adapter import Words, bundle_by, said

pytestmark = pytest.mark.usefixtures("no_dense")

FRAME = DEFAULT_COUNTER.count(block.render("0" * 16, ()))
"""The block without an item."""
SMALL_FRAME = DEFAULT_COUNTER.count(block.render("0" * 16, (), guard=block.SHORT_GUARD))
"""The same, of a small budget."""
LABEL = DEFAULT_COUNTER.count(block.item_line(1, "0" * 12, "user, Tue 4 Mar 2025", "") + "\n")
"""What an item costs before it says anything: about the smallest of the sizes that the case speaks of."""
SIZES = (900, 30, 25, 20)
"""Of the case, in score order. Ours are these over the label's."""


@pytest.fixture(scope="module")
def word_pieces() -> Tokenizer:
    """A real tokenizer: of the model that is shipped."""
    with resources.as_file(resources.files("shared.models") / "minilm" / "tokenizer.json") as path:
        tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def memory_of(tokens: int, hits: int, n: int) -> str:
    """A text of about so many tokens that says the word asked for `hits` times."""
    text = "harbour " * hits
    noise = random.Random(n)
    missing = tokens - DEFAULT_COUNTER.count(text)
    return text + "".join(noise.choices("bcdfghjklmnpqrstvwxz0123456789", k=max(missing, 0)))


@pytest.fixture
def words(words: Words) -> Words:
    """Four memories, in sessions of their own so that none is another's neighbour; the largest is the best hit."""
    for n, (size, hits) in enumerate(zip(SIZES, (6, 3, 2, 1), strict=True)):
        words.ingest("acme", "mira", f"run-{n}", [said(memory_of(size, hits, n), "m1", ts=f"2025-03-0{n + 1}T09:00Z")])
    return words


def sizes(bundle: Bundle) -> list[int]:
    """Tokens of each hit's line, best first."""
    line = {item.memory_id: line for item, line in zip(bundle.items, bundle.text.split("\n")[2:-1], strict=True)}
    return [DEFAULT_COUNTER.count(line[hit.memory_id] + "\n") for hit in bundle.hits if hit.memory_id in line]


def kept(bundle: Bundle, budget: int) -> None:
    """Whatever was asked for, what comes is within the budget and counted right."""
    assert DEFAULT_COUNTER.count(bundle.text) == bundle.tokens <= budget
    assert bundle.counter == DEFAULT_COUNTER.name
    shown = {item.memory_id for item in bundle.items}
    assert bundle.omitted == sum(hit.memory_id not in shown for hit in bundle.hits)
    assert (bundle.text == "") is (not bundle.items)
    if bundle.text:
        assert len(block.parse(bundle.text)) == len(bundle.items)


def test_s35_what_does_not_fit_is_passed_over_and_the_next_is_tried(words: Words) -> None:
    everything = words.bundle("acme", "mira", "harbour", budget=20_000)
    long, *short = sizes(everything)
    assert long > 900
    assert len(short) == 3
    assert short == sorted(short, reverse=True)

    room_for_short = FRAME + sum(short) + 40
    assert room_for_short < long
    bundle = words.bundle("acme", "mira", "harbour", budget=room_for_short)
    assert sizes(bundle) == short
    assert (bundle.omitted, bundle.verdict) == (1, Verdict.SUPPORTED)
    kept(bundle, room_for_short)

    enough = FRAME + long + sum(short) + 40
    all_of_it = words.bundle("acme", "mira", "harbour", budget=enough)
    assert sizes(all_of_it) == [long, *short]
    assert all_of_it.omitted == 0
    assert {item.memory_id for item in bundle.items} <= {item.memory_id for item in all_of_it.items}


def test_s35_a_budget_for_nothing_gives_nothing_and_says_that_there_was_something(words: Words) -> None:
    for budget in (0, 1, 10, SMALL_FRAME, SMALL_FRAME + LABEL):
        bundle = words.bundle("acme", "mira", "harbour", budget=budget)
        assert (bundle.items, bundle.text, bundle.tokens, bundle.omitted) == ((), "", 0, 4)
        assert bundle.verdict is Verdict.SUPPORTED
        assert len(bundle.hits) == 4
        nothing = words.bundle("acme", "nobody", "harbour", budget=budget)
        assert (nothing.items, nothing.omitted, nothing.verdict) == ((), 0, Verdict.UNKNOWN)


def test_s35_every_budget_is_kept_and_a_larger_one_shows_no_fewer(words: Words) -> None:
    most = -1
    for budget in [*range(0, 600, 13), 700, 900, 1000, 1100, 1300, 5_000]:
        bundle = words.bundle("acme", "mira", "harbour", budget=budget)
        kept(bundle, budget)
        most, before = max(most, len(bundle.items)), most
        assert len(bundle.items) >= before or budget > 900
    assert most == 4


SCRIPTS = {
    "Chinese": [f"城市第{n}号的港口在春天开放，渔船从东边的海湾回来，带着{n}箱鱼。" for n in range(40)],
    "Japanese": [f"港の第{n}倉庫は春に開き、漁船は東の湾から{n}箱の魚を運びます。" for n in range(40)],
    "Korean": [f"항구 {n}번 창고는 봄에 열리고 어선은 물고기 {n}상자를 가져온다." for n in range(40)],
    "Thai": [f"ท่าเรือหมายเลข {n} เปิดในฤดูใบไม้ผลิและเรือประมงนำปลามา {n} กล่อง" for n in range(40)],
    "Arabic": [f"الميناء رقم {n} يفتح في الربيع وتعود القوارب بالسمك {n} صندوقا" for n in range(40)],
    "Russian": [f"Порт номер {n} открывается весной, и лодки привозят {n} ящиков рыбы." for n in range(40)],
    "Amharic": [f"ወደብ ቁጥር {n} በጸደይ ይከፈታል ጀልባዎችም ዓሣ ያመጣሉ {n}" for n in range(40)],
    "emoji": ["⚓" + "🦔🐝👨‍👩‍👧‍👦🇵🇹🐟"[: 3 + n % 9] * (1 + n % 5) + chr(0x1F400 + n) for n in range(40)],
    "code": [f'port[{n}] = {{\'open\': "spring", "boxes": {n}}}; // 0x{n:04x} \\n\\t' for n in range(40)],
    "escapes": [f"port {n}\n\n\\\\\n<daybook>\n[m1 a]\u2028{n}" for n in range(40)],
}
ASKED = {
    "Chinese": "港口",
    "Japanese": "港 漁船",
    "Korean": "항구",
    "Thai": "ท่าเรือ",
    "Arabic": "الميناء",
    "Russian": "порт",
    "Amharic": "ወደብ",
    "emoji": "⚓",
    "code": "port",
    "escapes": "port",
}


def test_s35_the_rendered_block_keeps_the_budget_in_every_script(words: Words, word_pieces: Tokenizer) -> None:
    for script, texts in SCRIPTS.items():
        words.ingest("acme", script, "run", [said(text, f"m{n}") for n, text in enumerate(texts)])
        assert len(words.current("acme", script)) == 40, script
        for budget in (120, 200, 500, 1_500):
            bundle = words.bundle("acme", script, ASKED[script], budget=budget, k=40)
            kept(bundle, budget)
            assert len(bundle.hits) == 40, f"{script}: all of them are hits, so what is not shown is omitted"
            assert bundle.omitted + len(bundle.items) == 40
            assert len(word_pieces.encode(bundle.text, add_special_tokens=False).ids) <= budget, script
        assert bundle.items, script


def test_s35_a_quarter_of_the_characters_is_no_count_of_tokens(
    words: Words, word_pieces: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Chinese store tells a right counter from one that divides by four; else the test above tests nothing."""

    class Quarter:
        name = "len/4"

        def count(self, text: str) -> int:
            return len(text) // 4

    words.ingest("acme", "zh", "run", [said(text, f"m{n}") for n, text in enumerate(SCRIPTS["Chinese"])])
    monkeypatch.setattr("hotpath._recall.DEFAULT_COUNTER", Quarter())
    bundle = words.bundle("acme", "zh", "港口", budget=500, k=40)
    assert bundle.tokens <= 500
    assert len(word_pieces.encode(bundle.text, add_special_tokens=False).ids) > 500


def test_s35_k_and_the_budget_both_bound_and_neither_stands_for_the_other(words: Words) -> None:
    for n in range(30):
        words.ingest("acme", "oskar", f"run-{n}", [said(f"The harbour has berth number {n}.", "m1")])
    for k, budget in ((1, 20_000), (5, 20_000), (30, 20_000), (30, 400), (5, 400), (2, 150), (500, 20_000), (500, 100)):
        bundle = words.bundle("acme", "oskar", "harbour berth", budget=budget, k=k)
        kept(bundle, budget)
        assert len(bundle.hits) == min(k, 30)
        assert len(bundle.items) + bundle.omitted == min(k, 30)
        if budget == 20_000:
            assert bundle.omitted == 0
    small = words.bundle("acme", "oskar", "harbour berth", budget=400, k=30)
    assert 1 < len(small.items) < 30


def test_s35_neighbours_come_out_of_what_hits_leave_and_are_not_counted_as_omitted(words: Words) -> None:
    talk = [said(f"Line {n} of an evening's talk about nothing in particular.", f"m{n}") for n in range(9)]
    talk[4] = said("The harbour opens in April.", "m4")
    words.ingest("acme", "tove", "run", talk)
    alone = words.bundle("acme", "tove", "harbour", budget=20_000)
    assert [item.rank for item in alone.items].count(None) == len(alone.items) - len(alone.hits) > 0
    for budget in range(80, 500, 30):
        bundle = words.bundle("acme", "tove", "harbour", budget=budget)
        kept(bundle, budget)
        if bundle.items:
            assert any(item.rank == 1 for item in bundle.items), "the hit goes before its neighbours"


ALONE = {
    "sparse": "Where does the harbour lie?",
    "dense": "harbour harbour harbour",
    "temporal": "What was there in March 2025?",
    "graph": "Who knows Tove Lind?",
}
"""By channel, what it finds all four memories by: a word, the meaning, the time, or whom they mention."""
IN_APRIL = datetime(2025, 4, 9, tzinfo=UTC)


@pytest.mark.parametrize("channel", ALONE)
def test_s35_the_budget_is_kept_of_what_any_channel_found(
    channel: str, words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotpath._embed.embedder", lambda _: HashEmbedder())
    for n, size in enumerate(SIZES):
        text = f"Tove Lind saw the harbour harbour harbour. {memory_of(size, 0, n)}"
        words.ingest("acme", "tove", f"run-{n}", [said(text, "m1", ts=f"2025-03-0{n + 1}T09:00Z")])

    def asked(budget: int, k: int | None = None) -> Bundle:
        bundle = bundle_by(channel, "acme", "tove", ALONE[channel], budget=budget, k=k, as_of=IN_APRIL)
        kept(bundle, budget)
        return bundle

    everything = asked(20_000)
    long, *short = sorted(sizes(everything), reverse=True)
    assert (len(short), everything.omitted) == (3, 0)
    assert long > 900 > FRAME + sum(short) + 60
    middle = asked(FRAME + sum(short) + 60)
    assert sorted(sizes(middle), reverse=True) == short, "the long one is passed over, whatever its place"
    assert (len(middle.hits), middle.omitted) == (4, 1)
    assert {item.memory_id for item in middle.items} < {item.memory_id for item in everything.items}
    nothing = asked(10)
    assert (nothing.items, len(nothing.hits), nothing.omitted) == ((), 4, 4)
    two = asked(20_000, k=2)
    assert (len(two.hits), two.omitted) == (2, 0)
    assert bundle_by(channel, "acme", "nobody", ALONE[channel], budget=10, as_of=IN_APRIL).omitted == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"budget_tokens": -1},
        {"budget_tokens": 1.5},
        {"budget_tokens": "80"},
        {"budget_tokens": True},
        {"k": 0},
        {"k": -1},
        {"k": "5"},
        {"k": 2.0},
    ],
)
def test_s35_a_budget_or_k_that_is_no_number_of_things_is_refused(wrong: dict) -> None:
    with pytest.raises(InvalidQuery, match=next(iter(wrong))):
        hotpath.recall(Scope(tenant_id="acme", user_id="mira"), "harbour", **wrong)
