"""An end or a denial by a model stands only where its lines speak of the same subject, kind and thing."""

import pytest

from shared.language.tokens import ConservativeCounter
from tests.model_reading import bot, entry, line, memory
from warmpath._checking import checked
from warmpath._ending import GUESSED
from warmpath._over import asserted
from warmpath._windows import windows

HELD = [
    memory("Mira lives in Porto.", obj="Porto"),
    memory("Mira likes coffee.", predicate="likes", obj="coffee"),
    memory("Ana is Mira's sister.", predicate="sibling", obj="Ana"),
    memory("Mira works at Siemens.", predicate="works_at", obj="Siemens"),
    memory("Rex is Mira's dog.", predicate="pet", obj="Rex"),
    memory("Ana lives in Lyon.", subject="Ana", obj="Lyon"),
    memory("Mira takes sertraline.", predicate="takes", obj="sertraline"),
    memory("Mira is going to Crete.", predicate="plans", obj="a trip to Crete"),
]
PORTO, COFFEE, SISTER, SIEMENS, REX, LYON, PILLS, CRETE = range(1, 9)


def judged(said_lines, number, text=None, **fields):
    claim = HELD[number - 1].claim
    said = {"text": text or f"{claim.subject}: no longer {claim.predicate} {claim.object}.", "about": claim.subject}
    told = [line(each, n) if isinstance(each, str) else each for n, each in enumerate(said_lines, 1)]
    [window] = windows(told, HELD, budget_tokens=6_000, counter=ConservativeCounter())
    return checked([entry(**said | {"change": "ended", "replaces": number} | fields)], window)


@pytest.mark.parametrize(
    ("text", "number", "reason"),
    [
        ("I don't go to the coffee shop in Porto any more.", COFFEE, "not_its_object"),
        ("I don't like the coffee shop any more.", COFFEE, "not_its_object"),
        ("I don't go to the coffee shop in Porto any more.", PORTO, "not_its_kind"),
        ("I don't like Porto wine any more, never did.", PORTO, "not_its_object"),
        ("My sister's dog died.", SISTER, "not_its_object"),
        ("My sister's dog died.", REX, "not_its_object"),
        ("Do I not live in Porto any more?", PORTO, "not_said"),
        ("My brother said: 'I don't live in Porto any more'.", PORTO, "not_said"),
        ('He wrote "I no longer live in Porto" to me.', PORTO, "not_said"),
        ("Ana doesn't live in Porto any more.", PORTO, "not_its_subject"),
        ("My brother doesn't live in Porto any more.", PORTO, "not_its_subject"),
        ("My brother told me he doesn't live in Porto any more.", PORTO, "not_its_subject"),
        ("I live in Porto. I don't like tea any more.", PORTO, "not_its_object"),
        ("I don't like the Siemens fridge any more.", SIEMENS, "not_its_object"),
        ("Ich mag den Wein aus Porto nicht mehr.", PORTO, "not_its_kind"),
        ("Ich habe meinen Wagen nicht mehr.", PORTO, "not_its_object"),
    ],
)
@pytest.mark.parametrize("change", ["ended", "never"])
def test_what_lines_say_of_something_else_ends_nothing(text, number, reason, change):
    claim = HELD[number - 1].claim
    found = judged([text], number, text=f"{claim.subject}: {text}", change=change)
    assert [each.reason for each in found.refused] == [reason]
    own = judged(
        [text],
        number,
        text=f"{claim.subject}: {text} {claim.object}",
        change=change,
        replaces=None,
        predicate=claim.predicate,
        object=claim.object,
    )
    assert [each.reason for each in own.refused] == [reason]
    assert found.counts == {reason: 1}


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        (["I don't live in Porto any more."], PORTO),
        (["We moved away from Porto."], PORTO),
        (["I left Porto in May, and the weather is better here."], PORTO),
        (["Not living in Porto any more."], PORTO),
        (["My flat in Porto is sold."], PORTO),
        (["I lived in Porto, but not any more."], PORTO),
        ([bot("Do you still live in Porto?", 1), "No, we moved last year."], PORTO),
        (["I used to live in Porto."], PORTO),
        (["I don't drink coffee any more."], COFFEE),
        (["I've gone off coffee."], COFFEE),
        (["Coffee is not for me any more, I stopped drinking it."], COFFEE),
        (["I quit coffee."], COFFEE),
        (["Ana isn't my sister, she's my cousin."], SISTER),
        (["My sister died in May."], SISTER),
        (["Siemens fired me."], SIEMENS),
        (["I quit my job at Siemens."], SIEMENS),
        (["I left Siemens, it was time."], SIEMENS),
        (["My contract at Siemens ended."], SIEMENS),
        (["Rex died last night."], REX),
        (["We had to put Rex down."], REX),
        (["My dog Rex is dead."], REX),
        (["Ana moved away from Lyon."], LYON),
        (["I stopped taking sertraline."], PILLS),
        (["My doctor took me off sertraline, so no more of that."], PILLS),
        (["The trip to Crete is cancelled."], CRETE),
        (["We cancelled Crete."], CRETE),
        (["Ich wohne nicht mehr in Porto."], PORTO),
        (["Ya no vivo en Porto."], PORTO),
        (["Je n'habite plus à Porto."], PORTO),
        (["Już nie mieszkam w Porto."], PORTO),
        (["Ik woon niet meer in Porto."], PORTO),
        (["もうPortoには住んでいません"], PORTO),
        (["もうポルトには住んでいません"], PORTO),
        (["Я больше не живу в Порту"], PORTO),
    ],
)
def test_what_lines_say_of_the_very_thing_ends_it(lines, number):
    found = judged(
        lines,
        number,
        language=None,
        lines=[len(lines)],
        text=f"{HELD[number - 1].claim.subject}: {lines[-1]} It is over: {HELD[number - 1].claim.object}.",
    )
    assert [each.told for each in found.refused] == []
    assert [each.candidate.confidence for each in found.taken] == [0.9]


def test_what_points_back_is_grounded_by_the_line_before_where_both_are_cited():
    lines = ["I have a flat in Porto.", "I sold it and moved out."]
    assert judged(lines, PORTO, lines=[1, 2], text="Mira left Porto.").taken[0].candidate.confidence == 0.9
    [refused] = judged(lines, PORTO, lines=[2], text="Mira moved out of Porto.").refused
    assert refused.reason == "not_its_object"
    assert "cite the line" in refused.told


def test_an_end_that_another_part_of_the_sentence_speaks_of_is_a_guess():
    found = judged(["I live in Porto and I do not like rain any more at all."], PORTO, text="Mira left Porto.")
    assert [each.candidate.confidence for each in found.taken] == [GUESSED]


@pytest.mark.parametrize("text", ["Do I like it now?", "She said: 'I like tea now instead of coffee'"])
def test_what_has_a_things_place_ends_nothing_where_nobody_says_so(text):
    claim = {"predicate": "likes", "object": "tea", "change": "holds"}
    found = judged([text, "I like tea."], COFFEE, text="Mira likes tea.", lines=[1, 2], **claim)
    assert [each.ends for each in found.taken] == [None]
    assert found.counts == {"not_said": 1}


def test_what_claims_nothing_ends_what_it_replaces_where_its_lines_say_so():
    moved = judged(["I moved to Rome."], PORTO, text="Mira moved to Rome.", change="holds")
    assert [(each.candidate.claim, each.ends.claim.object) for each in moved.taken] == [(None, "Porto")]
    assert moved.taken[0].ends.confidence == 0.9
    other = judged(["I love Rome."], PORTO, text="Mira loves Rome.", change="holds")
    assert [each.ends for each in other.taken] == [None]
    bought = judged(["I now like tea."], COFFEE, text="Mira now likes tea.", change="holds")
    assert [each.ends for each in bought.taken] == [None]


def test_a_title_in_quotation_marks_is_ones_own_word():
    assert list(asserted('I stopped reading "The Lord of the Rings".')) == [
        'I stopped reading "The Lord of the Rings".'
    ]
    assert list(asserted("I don't, really. Do you? It cost 3.50 now.")) == ["I don't, really.", "It cost 3.50 now."]
