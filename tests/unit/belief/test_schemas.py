"""What a record may look like, and that nothing else gets past its schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, RootModel, computed_field, field_validator

from shared.belief.predicates import BUILT_IN as PREDICATES
from shared.belief.predicates import Cardinality, claim_of, side_of
from shared.belief.record_schema import MAX_DATA_BYTES
from shared.belief.recording import checked_candidate, record_candidate, retold
from shared.belief.rules.gate import OF_RECORDS, RULES, RULES_OF_RECORDS, Group
from shared.belief.schemas import BUILT_IN, PROCEDURE, Merge, RecordSchema, Schemas
from shared.contract.candidates import MAX_TEXT_CHARS, Candidate, Change
from shared.contract.errors import InvalidInput, InvalidRecord, InvalidSchema
from shared.contract.invisible import shows
from shared.contract.records import Action, EpistemicType, EvidenceRef, Kind
from tests.app_schemas import CONTACT, LATER, SCHEMAS, Contact

SAID = (EvidenceRef(sequence=3),)


class Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")

    at: datetime | None = None


class Called(BaseModel):
    call: Callable[[], int]


class Hidden(BaseModel):
    shown: int
    hidden: int = Field(default=0, exclude=True)


class Counting(BaseModel):
    size: int

    @computed_field  # type: ignore[prop-decorator]
    @property
    def double(self) -> int:
        return 2 * self.size


class Drifting(BaseModel):
    size: int

    @field_validator("size")
    @classmethod
    def _one_more(cls, value: int) -> int:
        return value + 1


class Careless(BaseModel):
    size: int

    @field_validator("size")
    @classmethod
    def _look_up(cls, value: int) -> int:
        return {1: 1}[value]


class Aliased(BaseModel):
    size: int = Field(alias="length")


def test_what_is_stored_is_what_was_stated_as_json() -> None:
    met = datetime(2024, 3, 4, tzinfo=UTC)
    assert CONTACT.checked({"name": "Anna", "tags": ("a", "b"), "met": met.isoformat()}) == {
        "name": "Anna",
        "tags": ["a", "b"],
        "met": "2024-03-04T00:00:00+00:00",
    }
    assert CONTACT.checked(Contact(name="Anna", phone=None)) == {"name": "Anna", "phone": None}
    strict = RecordSchema(name="strict", model=Strict)
    assert strict.checked({"at": met, "more": [1]}) == {"at": "2024-03-04T00:00:00Z", "more": [1]}


def test_a_key_field_is_stored_where_the_model_gives_it() -> None:
    class Place(BaseModel):
        city: str = "Varna"
        floor: int = 0

    assert RecordSchema(name="place", model=Place, key=("city",)).checked({}) == {"city": "Varna"}


def test_a_field_may_have_another_name_for_others() -> None:
    assert RecordSchema(name="aliased", model=Aliased).checked({"size": 3}) == {"size": 3}


def test_what_is_worked_out_of_the_fields_is_not_stored() -> None:
    assert RecordSchema(name="counting", model=Counting).checked({"size": 3}) == {"size": 3}


@pytest.mark.parametrize(
    ("data", "field", "told"),
    [
        ({"name": "Anna", "phone": 5}, "phone", "has 5: Input should be a valid string; give a value that fits"),
        ({"name": "Anna", "tags": ["a", 1]}, "tags.1", "field 'tags.1' of record 'contact' has 1"),
        ({}, "name", "is missing"),
        ({"name": "Anna", "fone": "5"}, "fone", "is no field of it; leave it out, or use one of name, phone"),
        ({"name": "Anna", "size": float("nan")}, "", "has a value that JSON has not"),
        ({"name": object()}, "", "has a value that JSON has not"),
        ("Anna", "", "has str for data; pass a mapping"),
        ({"name": "Anna", "phone": "5" * MAX_DATA_BYTES}, "", f"a record has at most {MAX_DATA_BYTES}"),
    ],
)
def test_data_that_does_not_fit_is_an_error_that_names_field_value_and_what_to_do(
    data: Any, field: str, told: str
) -> None:
    with pytest.raises(InvalidRecord) as refused:
        CONTACT.checked(data)
    assert told in str(refused.value)
    assert refused.value.details == {"schema": "contact", "field": field}


@pytest.mark.parametrize("name", ["", None])
def test_a_key_field_says_something(name: str | None) -> None:
    with pytest.raises(InvalidRecord, match="a key field says of what the record is"):
        CONTACT.claim("Mira", {"name": name})


def test_a_key_field_is_no_document() -> None:
    with pytest.raises(InvalidRecord, match="a key field has at most 200"):
        CONTACT.claim("Mira", {"name": "a" * 300})


def test_a_record_that_is_another_one_once_it_was_read_is_refused() -> None:
    with pytest.raises(InvalidRecord, match="another one once it was stored and read"):
        RecordSchema(name="drifting", model=Drifting).checked({"size": 1})


def test_what_an_applications_validator_raises_is_an_error_of_the_record() -> None:
    with pytest.raises(InvalidRecord, match="its model raised KeyError"):
        RecordSchema(name="careless", model=Careless).checked({"size": 2})


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"name": "My Contact"}, "lower-case letters"),
        ({"version": 0}, "versions count from 1"),
        ({"key": ("nam",)}, "key names 'nam', and its model has the fields name, phone"),
        ({"merge": {"nam": Merge.UNION}}, "merge names 'nam'"),
        ({"merge": {"name": "newest"}}, "use one of latest, earliest, most_certain, union"),
        ({"ends_at": "end"}, "ends_at names 'end'"),
        ({"model": dict}, "pass a subclass of pydantic.BaseModel"),
        ({"model": RootModel[list[int]]}, "pass a subclass of pydantic.BaseModel"),
        ({"model": Called}, "does not come back from JSON"),
        ({"model": Hidden}, "field 'hidden' is left out when the model is written"),
        ({"epistemic_type": EpistemicType.EVIDENCE}, "a record is worked out and no evidence"),
        ({"kind": Kind.EPISODIC}, "a record is worked out and no evidence"),
    ],
)
def test_a_schema_that_cannot_work_is_not_registered(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidSchema) as refused:
        RecordSchema(**{"name": "contact", "model": Contact, **fields})
    assert told in str(refused.value)


def test_a_name_is_given_to_one_schema() -> None:
    assert SCHEMAS.with_(CONTACT) == SCHEMAS
    with pytest.raises(InvalidSchema, match="another schema has that name"):
        SCHEMAS.with_(RecordSchema(name="contact", model=Strict))
    with pytest.raises(InvalidSchema, match="register a RecordSchema"):
        SCHEMAS.with_(Contact)  # type: ignore[arg-type]
    assert [schema.name for schema in BUILT_IN.with_(*SCHEMAS)] == ["procedure", "contact", "diet"]


def test_an_unknown_schema_or_a_later_version_is_refused() -> None:
    for written in ("nothing", "contact@2", "Contact", "contact@0", ""):
        with pytest.raises(InvalidRecord):
            SCHEMAS.find(written)


def test_records_of_one_key_contradict_and_of_another_do_not() -> None:
    anna, again = (CONTACT.claim("Mira", {"name": "Anna", "phone": each}) for each in ("1", "2"))
    assert anna.key == again.key
    assert side_of(anna) != side_of(again)
    for other in (CONTACT.claim("Mira", {"name": "anna"}), CONTACT.claim("Oskar", {"name": "Anna"})):
        assert other.key != anna.key


def test_records_of_which_there_may_be_many_never_contradict() -> None:
    many = RecordSchema(name="visit", model=Contact, key=("name",), cardinality=Cardinality.MULTI)
    first, second = (many.claim("Mira", {"name": "Anna", "phone": each}) for each in ("1", "2"))
    assert first.key != second.key


def test_no_predicate_shares_a_key_with_a_record() -> None:
    record = RecordSchema(name="lives_in", model=Contact).claim("Mira", {"name": "Anna"})
    assert claim_of("Mira", "record:lives_in", "Varna", PREDICATES).key != record.key
    assert claim_of("Mira", "lives_in", "Varna", PREDICATES).key != record.key


@given(
    st.dictionaries(st.sampled_from(["phone", "met"]), st.text(), max_size=2),
    st.text(min_size=1, max_size=30).filter(shows),
)
def test_what_is_checked_comes_back_the_same_in_any_order_of_its_fields(data: dict[str, str], name: str) -> None:
    stored = CONTACT.checked({**data, "name": name})
    assert CONTACT.checked(stored) == stored == json.loads(json.dumps(stored))
    assert CONTACT.claim("m", stored) == CONTACT.claim("m", dict(reversed(stored.items())))


@given(st.text(max_size=20), st.text(max_size=20))
def test_two_records_are_on_one_side_only_if_they_are_equal_to_the_letter(one: str, other: str) -> None:
    first, second = (
        side_of(CONTACT.claim("m", CONTACT.checked({"name": "a", "phone": each}))) for each in (one, other)
    )
    assert (first == second) == (one == other)


def test_a_procedure_ends_when_it_expires() -> None:
    data = {"trigger": "a deploy fails", "steps": ["roll back"], "expires": "2024-03-20T00:00:00Z"}
    candidate = record_candidate(PROCEDURE, "mira", data, evidence=SAID)
    assert (candidate.kind, candidate.until) == (Kind.PROCEDURAL, datetime(2024, 3, 20, tzinfo=UTC))
    assert candidate.text.startswith("procedure of mira: trigger: a deploy fails; steps: roll back; expires: ")
    with pytest.raises(InvalidRecord, match="'steps'"):
        record_candidate(PROCEDURE, "mira", {"trigger": "a deploy fails", "steps": []}, evidence=SAID)


def test_a_long_record_is_told_in_short_and_stored_whole() -> None:
    candidate = record_candidate(CONTACT, "mira", {"name": "Anna", "phone": "5" * 2000}, evidence=SAID)
    assert len(candidate.text) == MAX_TEXT_CHARS
    assert candidate.data == {"name": "Anna", "phone": "5" * 2000}


def test_what_an_extractor_proposes_keeps_its_words_and_gets_the_schemas_claim() -> None:
    proposed = record_candidate(CONTACT, "mira", {"name": "Anna"}, evidence=SAID, text="Mira knows Anna.")
    claim = claim_of("mira", "knows", "Anna", PREDICATES)
    kept = checked_candidate(proposed.model_copy(update={"claim": claim, "kind": Kind.PROCEDURAL}), SCHEMAS)
    assert kept == proposed


@pytest.mark.parametrize("lost", ["schema_name", "data", "claim"])
def test_a_record_without_its_name_its_data_or_its_subject_is_refused(lost: str) -> None:
    proposed = record_candidate(CONTACT, "mira", {"name": "Anna"}, evidence=SAID)
    with pytest.raises(InvalidRecord, match="give all three or none"):
        checked_candidate(proposed.model_copy(update={lost: None}), SCHEMAS)


def test_what_is_no_record_is_left_as_it_is() -> None:
    plain = Candidate(
        kind=Kind.SEMANTIC, epistemic_type=EpistemicType.FACT, text="Mira sings.", evidence=SAID, confidence=0.9
    )
    assert checked_candidate(plain, SCHEMAS) is plain


def test_data_of_an_earlier_version_is_upgraded_as_it_is_read() -> None:
    later = Schemas().with_(*LATER)
    fitted = later.fitted("contact", {"name": "Anna", "phone": "5"})
    assert (fitted.data, fitted.is_upgraded) == ({"name": "Anna", "phones": ["5"]}, True)
    again = later.fitted("contact@2", fitted.data)
    assert (again.data, again.is_upgraded) == (fitted.data, False)
    with pytest.raises(InvalidRecord, match="'phones'"):
        later.fitted("contact", {"name": "Anna"})


def test_an_upgrade_that_raises_is_an_error_of_the_record() -> None:
    broken = RecordSchema(name="contact", model=Contact, version=2, upgrade=lambda data, _: {"name": data["nam"]})
    with pytest.raises(InvalidRecord, match="upgrade of record 'contact' from version 1 raised KeyError: mend it"):
        Schemas().with_(broken).fitted("contact", {"name": "Anna"})


def test_the_words_of_an_upgraded_record_are_of_its_new_fields_where_they_were_of_its_old_ones() -> None:
    later = Schemas().with_(*LATER)
    stated = record_candidate(CONTACT, "mira", {"name": "Anna", "phone": "5"}, evidence=SAID, change=Change.ENDED)
    now = retold(checked_candidate(stated, later), later)
    assert now.text == "no longer so: contact of mira: name: Anna; phones: 5"
    own = stated.model_copy(update={"text": "Anna can be called."})
    assert retold(checked_candidate(own, later), later).text == "Anna can be called."


def test_no_rule_that_can_store_a_stated_record_stands_before_a_rule_of_trust() -> None:
    assert {rule.name for rule in RULES_OF_RECORDS} == OF_RECORDS
    assert list(RULES_OF_RECORDS) == [rule for rule in RULES if rule in RULES_OF_RECORDS]
    storing = [rule.group for rule in RULES_OF_RECORDS if rule.action in {Action.STORE, Action.CORROBORATE}]
    assert min(storing) > Group.SENSITIVITY


def test_a_candidate_with_an_impossible_argument_is_an_error() -> None:
    with pytest.raises(InvalidInput):
        record_candidate(CONTACT, " ", {"name": "Anna"}, evidence=SAID)


def test_a_key_that_looks_the_same_is_the_same() -> None:
    assert CONTACT.claim("mira", {"name": "An\u200bna"}).key == CONTACT.claim("mira", {"name": "Anna"}).key


def test_a_sentence_shows_all_that_it_is() -> None:
    said = Candidate(
        kind=Kind.SEMANTIC,
        epistemic_type=EpistemicType.FACT,
        text="Mira likes \u202etea\u200b..",
        evidence=SAID,
        confidence=0.9,
    )
    assert said.text == "Mira likes tea."
    with pytest.raises(ValueError, match="pattern"):
        Candidate(kind=Kind.SEMANTIC, epistemic_type=EpistemicType.FACT, text="\u200b", evidence=SAID, confidence=0.9)
