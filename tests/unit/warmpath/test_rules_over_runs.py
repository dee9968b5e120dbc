"""What the rules make of one message after another, in whatever order they arrive."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import permutations

import pytest

from shared.belief.rules.context import GateContext
from shared.belief.rules.gate import judge
from shared.belief.segments import Stated
from shared.belief.timeline import timeline
from shared.contract.candidates import Line, Reading
from shared.contract.events import Role
from shared.contract.records import Action
from shared.contract.trust import TRUST, Origin
from warmpath._rule_extractor import rule_extractor

EXTRACTOR = rule_extractor()


def stated(number: int, text: str) -> list[Stated]:
    """What the rules read in a message and the gate lets pass, each month one."""
    said_at = datetime(2031, number, 10, tzinfo=UTC)
    line = Line(
        sequence=number, text=text, speaker="mira", role=Role.USER, origin=Origin.USER, said_at=said_at, zone=UTC
    )
    found = EXTRACTOR.extract(Reading(lines=[line], owner_speaker="mira"), deadline_s=60)
    context = GateContext(
        lines={number: line}, run_id=str(number), holds_secret=lambda _: False, owner_speaker="mira", room=False
    )
    return [
        Stated(candidate=each, said_at=said_at, message_id=f"m{number}", digest="", trust=TRUST[Origin.USER])
        for each in found.candidates
        if each.claim and judge(each, context).decision.action is Action.STORE
    ]


def held(words: Sequence[Stated]) -> set[str]:
    """What is so after all of them, with the month from which it is."""
    by_key: defaultdict[str, list[Stated]] = defaultdict(list)
    for each in words:
        by_key[each.claim.key].append(each)
    segments = [segment for of_key in by_key.values() for segment in timeline(of_key)]
    open_ = [each for each in segments if each.valid_to is None and not each.is_retracted]
    return {f"{_month(each.valid_from)} {each.founding.candidate.text}" for each in open_}


def _month(at: datetime | None) -> str:
    return f"{at:%m}" if at else "--"


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (["I live in Oslo.", "I live in Oslo, Norway.", "I live in Oslo."], {"01 mira lives in Oslo, Norway."}),
        (["My birthday is 4 May.", "My birthday is 4 May 1990."], {"01 mira's birthday is 4 May 1990."}),
        (["I work at Heron.", "I work at Heron AG."], {"01 mira works at Heron AG."}),
        (["I have 2 dogs.", "I have two dogs."], {"01 mira has 2 dogs."}),
        (
            ["Always answer in French.", "Never answer in French."],
            {"02 mira wants this of the agent: Never answer in French."},
        ),
        (
            ["Never answer in French.", "Always answer in German."],
            {"01 mira wants this of the agent: Always answer in German."},
        ),
        (["My favourite colour is red.", "My favorite color is blue."], {"02 mira's favourite color is blue."}),
        (["My wife is Ida.", "Ida and I got divorced."], {"02 mira is divorced."}),
        (["My wife is Ida.", "My wife and I got divorced."], {"02 mira is divorced."}),
        (["My girlfriend is Ida.", "My wife left me."], {"01 Ida is mira's girlfriend."}),
        (["I take sertraline daily.", "I switched from sertraline to fluoxetine."], {"02 mira takes fluoxetine."}),
        (["I'm married to Ida.", "Ida died on Sunday."], set()),
        (["I'm married.", "I'm married to Ida.", "Ida died on Sunday."], set()),
        (["I'm married to Ida.", "Bello died on Sunday."], {"01 Ida is mira's spouse."}),
        (["I'm married.", "My husband died last month."], set()),
        (["I'm engaged to Ida.", "Ida and I got married on Saturday."], {"02 Ida is mira's spouse."}),
        (["I'm engaged to Ida.", "Ida and I broke up."], set()),
        (["My boyfriend is Otto.", "I'm single again."], {"02 mira is single."}),
        (["My wife is Ida.", "We divorced last month."], {"01 mira is divorced since 2031-01."}),
        (["I live in Lyon.", "I moved to Lyon but came back to Ghent after a month."], {"02 mira lives in Ghent."}),
        (["I live in Kiel.", "I left Kiel for Bonn and went back to Kiel."], {"01 mira lives in Kiel."}),
        (["I live in Bonn.", "I left Kiel for Bonn and went back to Kiel."], set()),
        (["I switched from Android to iPhone.", "I switched back to Android."], {"02 mira uses Android."}),
        (["I prefer wine to beer.", "I prefer beer to wine."], {"02 mira prefers beer to wine."}),
        (["I prefer wine to beer.", "I prefer beer."], {"02 mira prefers beer."}),
        (
            ["I prefer wine to beer.", "I prefer wine to cider."],
            {"01 mira prefers wine to beer.", "02 mira prefers wine to cider."},
        ),
        (["I prefer beer.", "I prefer wine to beer."], {"02 mira prefers wine to beer."}),
        (["I love olives.", "I can't stand olives any more."], {"02 mira dislikes olives."}),
        (
            ["My favourite band is Muse.", "My favourite band isn't Muse, it's Queen."],
            {"02 mira's favourite band is Queen."},
        ),
        (["I play the violin.", "I gave up the violin."], set()),
        (["I have a goat.", "I don't have a goat."], set()),
        (["I have three goats.", "One of our goats died."], set()),
        (["My doctor is Dr. Berg.", "I changed doctors, now it's Dr. Lund."], {"02 Dr. Lund is mira's doctor."}),
        (["My dentist is Dr. Berg.", "I changed dentists."], set()),
        (
            ["I'm flying to Lima on 3 June.", "I moved my Lima flight to 9 June."],
            {"02 mira's Lima flight is on 2031-06-09."},
        ),
        (["I'm moving to Lima in June.", "I'm not moving to Lima after all."], set()),
        (
            ["I'm flying to Lima on 3 June.", "I'm not flying to Lima on 3 June but on 9 June."],
            {"06 mira travels to Lima on 2031-06-09."},
        ),
        (["My wife is Ida.", "I'm a widower."], {"02 mira is a widower."}),
        (["I have asthma.", "I never had asthma."], set()),
        (["Call me Max.", "Don't call me Max."], set()),
        (["I have a dog called Bello.", "We had to put Bello down."], set()),
        (["I'm flying to Oslo on 3 May.", "The trip to Oslo is off."], {"02 The trip to Oslo is off."}),
        (["We decided to use Redis.", "We dropped Redis for Valkey."], {"02 mira uses Valkey."}),
        (["I have played piano since I was 12."], {"-- mira plays piano."}),
        (["I play piano.", "I have played piano since I was 12."], {"-- mira plays piano."}),
        (["Never use emojis.", "Always use emojis."], {"02 mira wants this of the agent: Always use emojis."}),
    ],
)
def test_the_beliefs_after_some_messages_are_the_same_in_any_order(messages: list[str], expected: set[str]) -> None:
    for order in permutations(enumerate(messages, 1)):
        assert held([each for number, text in order for each in stated(number, text)]) == expected
