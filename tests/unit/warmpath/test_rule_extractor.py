from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.belief.predicates import BUILT_IN, claim_of
from shared.contract.candidates import Candidate, Change, ExtractionStatus, Line, Reading
from shared.contract.events import Role
from shared.contract.records import EpistemicType, Kind
from shared.contract.trust import Origin
from shared.models.parsing import english_tagger
from warmpath._rule_extractor import FEWEST_MESSAGES, RuleExtractor, rule_extractor

TOKYO = timezone(timedelta(hours=9))
AT = datetime(2031, 5, 24, 1, 30, tzinfo=TOKYO)


def _line(
    text: str,
    *,
    sequence: int = 1,
    speaker: str = "mira",
    role: Role = Role.USER,
    origin: Origin = Origin.USER,
    said_at: datetime | None = AT,
) -> Line:
    return Line(sequence=sequence, text=text, speaker=speaker, role=role, origin=origin, said_at=said_at, zone=TOKYO)


def _read(*lines: Line, owner: str | None = "mira") -> list[Candidate]:
    reading = Reading(lines=lines, owner_speaker=owner)
    return list(RuleExtractor(english_tagger()).extract(reading, deadline_s=60).candidates)


def test_a_statement_becomes_a_keyed_candidate_that_cites_its_sentence() -> None:
    (found,) = _read(_line("Good morning. I live in Leeds."))
    assert found.claim == claim_of("mira", "lives_in", "Leeds", BUILT_IN)
    assert (found.kind, found.epistemic_type, found.language) == (Kind.SEMANTIC, EpistemicType.FACT, "en")
    (cited,) = found.evidence
    assert (cited.sequence, cited.start, cited.end) == (1, 14, 29)


def test_a_day_begins_at_midnight_in_the_speakers_zone() -> None:
    (found,) = _read(_line("Yesterday I adopted a greyhound"))
    assert found.since == datetime(2031, 5, 23, tzinfo=TOKYO)


def test_a_taste_is_a_preference_and_an_end_has_its_claim() -> None:
    likes, ended = _read(_line("I love jazz."), _line("I no longer live in Rome", sequence=2))
    assert likes.epistemic_type is EpistemicType.PREFERENCE
    assert (ended.change, ended.claim.object if ended.claim else "") == (Change.ENDED, "Rome")


def test_only_users_own_words_are_read() -> None:
    lines = (
        _line("I live in Rome", role=Role.ASSISTANT, origin=Origin.ASSISTANT, speaker="pip"),
        _line("I live in Oslo", sequence=2, role=Role.TOOL, origin=Origin.TOOL),
        _line("I live in Bonn", sequence=3, role=Role.SYSTEM, origin=Origin.UNKNOWN),
        _line("I live in Kyoto", sequence=4, origin=Origin.RECALLED),
    )
    assert _read(*lines) == []


def test_a_user_without_a_name_is_claimed_of_by_the_owners_id() -> None:
    (found,) = _read(_line("I live in Bergen", speaker="user"), owner="u-77")
    assert found.claim == claim_of("u-77", "lives_in", "Bergen", BUILT_IN)
    assert found.text == "The user lives in Bergen."


def test_in_a_group_who_cannot_be_told_is_left_out() -> None:
    found = _read(
        _line("I live in Bergen", speaker="user"), _line("I'm vegan", sequence=2, speaker="oskar"), owner=None
    )
    assert [each.claim.subject for each in found if each.claim] == ["oskar"]


def test_another_language_states_nothing_in_english() -> None:
    assert _read(_line("Ich wohne in Rome und ich hate Montage nicht"), _line("我搬到了成都", sequence=2)) == []


def test_a_long_run_has_a_summary_that_cites_its_messages_word_for_word() -> None:
    texts = [f"The cutter Marigold needs plank number {n} from the mill at Dartmeadow." for n in range(FEWEST_MESSAGES)]
    texts[3] = "The launch of Marigold is in April, says the harbour master."
    lines = [_line(text, sequence=n, speaker="tove") for n, text in enumerate(texts, 1)]
    (summary,) = [each for each in _read(*lines, owner=None) if each.kind is Kind.EPISODIC]
    assert summary.epistemic_type is EpistemicType.INFERENCE
    assert summary.claim is None
    by_sequence = {line.sequence: line for line in lines}
    cited = [by_sequence[ref.sequence].text[ref.start : ref.end] for ref in summary.evidence]
    assert summary.text.split("\n") == [f"tove: {words}" for words in cited]
    assert summary.since == AT


def test_a_short_run_has_none() -> None:
    lines = [_line(f"The cutter Marigold needs plank number {n} from Dartmeadow.", sequence=n) for n in range(1, 5)]
    assert not any(each.kind is Kind.EPISODIC for each in _read(*lines))


def test_without_the_tagger_runs_keep_their_summaries() -> None:
    lines = [_line(f"I live in Dartmeadow with plank number {n} of the cutter.", sequence=n) for n in range(1, 12)]
    found = RuleExtractor(None).extract(Reading(lines=lines), deadline_s=60)
    assert {each.kind for each in found.candidates} <= {Kind.EPISODIC}


def test_what_is_not_read_in_time_is_counted() -> None:
    reading = Reading(lines=[_line("I live in Leeds")])
    found = rule_extractor().extract(reading, deadline_s=0)
    assert (found.status, found.rejected["out_of_time"]) == (ExtractionStatus.NOTHING_FOUND, 1)


def test_nothing_found_is_said_so() -> None:
    found = rule_extractor().extract(Reading(lines=[_line("lol ok")]), deadline_s=60)
    assert (found.extractor, found.status) == ("rules/4", ExtractionStatus.NOTHING_FOUND)


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.text(max_size=80), min_size=1, max_size=10), timed=st.booleans())
def test_any_run_is_read_and_each_candidate_points_into_its_line(texts: list[str], timed: bool) -> None:  # noqa: FBT001
    at = datetime(2031, 1, 1, tzinfo=UTC) if timed else None
    lines = [_line(text, sequence=n, said_at=at) for n, text in enumerate(texts, 1)]
    for found in _read(*lines):
        for ref in found.evidence:
            assert lines[ref.sequence - 1].text[ref.start : ref.end].strip()


def test_what_is_corrected_within_a_run_is_cited_by_what_replaces_it_and_not_stored() -> None:
    found = _read(_line("My daughter Ffion studies at Cardiff."), _line("Sorry, Swansea, not Cardiff!", sequence=2))
    (studies,) = (each for each in found if each.claim and each.claim.predicate == "studies_at")
    assert studies.claim == claim_of("Ffion", "studies_at", "Swansea", BUILT_IN)
    assert [each.sequence for each in studies.evidence] == [1, 2]


def test_what_is_said_of_her_cites_the_line_that_names_her() -> None:
    found = _read(_line("My daughter Ffion is coming over."), _line("She loves trains.", sequence=2))
    (likes,) = (each for each in found if each.claim and each.claim.predicate == "likes")
    assert [each.sequence for each in likes.evidence] == [1, 2]


def _places(*lines: Line) -> list[str]:
    return [each.claim.object for each in _read(*lines) if each.claim and each.claim.predicate == "located_in"]


def test_the_one_value_of_a_thing_put_right_in_a_talk_stands_for_the_one_before() -> None:
    first = _line("The cellar key is in the blue drawer.")
    again = _line("sorry, wrong. The cellar key is on the porch shelf, not in the drawer", sequence=2)
    assert _places(first, again) == ["porch shelf"]


def test_what_has_changed_or_is_told_another_day_takes_nothing_back() -> None:
    first = _line("The cellar key is in the blue drawer.")
    changed = _line("Actually the cellar key is now on the porch shelf.", sequence=2)
    later = _line("Actually the cellar key is on the porch shelf.", sequence=2, said_at=AT + timedelta(days=2))
    assert _places(first, changed) == ["blue drawer", "porch shelf"]
    assert _places(first, later) == ["blue drawer", "porch shelf"]


def _texts(*lines: Line, owner: str = "mira") -> list[str]:
    return [each.text for each in _read(*lines, owner=owner)]


def test_whoever_has_an_id_with_digits_is_the_user_wherever_they_are_named() -> None:
    lines = (
        _line("My wife Ada lives in Moss.", speaker="kit99"),
        _line("I bought a bike", sequence=2, speaker="kit99"),
    )
    assert _texts(*lines, owner="kit99") == [
        "Ada is the user's wife.",
        "Ada lives in Moss.",
        "The user bought a bike.",
    ]


def test_in_a_room_ids_with_digits_stay_apart() -> None:
    found = _read(
        _line("I live in Moss", speaker="kit99"), _line("I live in Bern", sequence=2, speaker="ola7"), owner=None
    )
    assert [each.text for each in found] == ["kit99 lives in Moss.", "ola7 lives in Bern."]


def test_what_is_corrected_in_the_next_line_is_cited_by_what_stands_for_it() -> None:
    (found,) = _read(_line("I have six hens."), _line("Sorry, seven.", sequence=2))
    assert found.text == "mira has seven hens."
    assert [each.sequence for each in found.evidence] == [1, 2]


def test_what_is_taken_back_in_the_next_line_is_not_stored() -> None:
    assert _read(_line("I'm vegan."), _line("That's not true.", sequence=2)) == []
    assert _texts(_line("I live in Moss."), _line("That's true.", sequence=2)) == ["mira lives in Moss."]


def test_whom_my_sister_means_is_the_one_whose_name_was_told() -> None:
    found = [each.claim for each in _read(_line("My sister Lena and my mum Jane are here.")) if each.claim]
    aliases = {(each.subject, each.object) for each in found if each.predicate == "also_known_as"}
    assert aliases == {("Lena", "mira's sister"), ("Jane", "mira's mum")}


def test_a_friend_or_a_dentist_may_be_another_one_next_time() -> None:
    found = _read(_line("My friend Ola called. My dentist is Dr Rao."))
    assert "also_known_as" not in {each.claim.predicate for each in found if each.claim}
