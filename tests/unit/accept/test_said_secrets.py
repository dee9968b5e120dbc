"""Nothing that is called a password, key or code is stored; what is said about them without one stays."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shared.accept import describing
from shared.accept.labels import keywords
from shared.accept.scrub import Scrubbed, scrub, scrub_json
from shared.accept.tongues import TONGUES
from shared.accept.wholly import is_wholly_description
from tests.unit.accept import listed_secrets_table, said_secrets_table, spoken_secrets_table

HITS = said_secrets_table.HITS + spoken_secrets_table.HITS + listed_secrets_table.HITS
LOOK_ALIKES = said_secrets_table.LOOK_ALIKES + spoken_secrets_table.LOOK_ALIKES + listed_secrets_table.LOOK_ALIKES
_MARKED = re.compile("⟦(.*?)⟧")
_REDACTED = re.compile(r"\[redacted: [a-z ]+\]")


@pytest.mark.parametrize("marked", HITS)
def test_what_is_called_a_secret_goes_and_all_around_it_stays(marked: str) -> None:
    text = _MARKED.sub(r"\1", marked)
    assert _REDACTED.split(scrub(text).text) == re.split("⟦.*?⟧", marked)


@pytest.mark.parametrize("marked", HITS)
def test_a_secret_goes_within_a_longer_text_too(marked: str) -> None:
    said = _MARKED.sub(r"\1", marked)
    text = f"We met on Monday.\n{said}\nIt rained."
    left = scrub(text).text
    assert left.startswith("We met on Monday.\n")
    assert left.endswith("\nIt rained.")
    for secret in _MARKED.findall(marked):
        assert not re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", left)


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_is_said_about_secrets_without_one_stays(text: str) -> None:
    assert scrub(text) == Scrubbed(text=text, found=())


@pytest.mark.parametrize("marked", HITS)
def test_what_is_left_has_no_more_secrets(marked: str) -> None:
    left = scrub(_MARKED.sub(r"\1", marked)).text
    assert scrub(left) == Scrubbed(text=left, found=())


LABELS = (
    *("password: ", "Password: ", "PASSWORD=", "DB_PASSWORD=", "db_password: ", "passwd: ", "pwd: ", "passcode: "),
    *("passphrase: ", "wifi password: ", "Password (wifi): ", "my password for the bank: ", "- password: ", "pass: "),
    *("Passwort: ", "Kennwort: ", "mot de passe : ", "contraseña: ", "senha: ", "parola d'ordine: ", "wachtwoord: "),
    *("hasło: ", "пароль: ", "密码: ", "密码：", "パスワード: ", "비밀번호: ", "şifre: ", "mật khẩu: ", "salasana: "),
    *("p a s s w o r d: ", "pa\u200bssword: ", "ｐａｓｓｗｏｒｄ: ", "| password | ", "password -> ", "password => "),
)
ADJECTIVES = ("", "correct ", "short ", "new ", "wrong-", "correct-", "old_", "good ", "secret ", "the ", "my ")
LETTERS = "abcdefghijklmnopqrstuvwxyzäéñøабвгд"
WORDS = st.text(LETTERS, min_size=5, max_size=12)
ANY_VALUE = st.one_of(
    WORDS,
    st.builds("{} {}".format, WORDS, WORDS),
    st.builds("{}-{}".format, WORDS, WORDS),
    st.text("0123456789", min_size=4, max_size=12),
    st.text(LETTERS + "0123456789", min_size=5, max_size=20),
)


@settings(max_examples=500, deadline=None)
@given(label=st.sampled_from(LABELS), adjective=st.sampled_from(ADJECTIVES), value=ANY_VALUE)
def test_after_any_label_and_sign_no_value_is_left(label: str, adjective: str, value: str) -> None:
    assume(not is_wholly_description(value.split(), foreign=True))
    assume(not is_wholly_description(f"correct {value}".split(), foreign=True))  # "correct account" tells of one
    assume(describing.ENDING.isdisjoint(value.replace("-", " ").split()))  # "correct though" is "correct"
    bar = " |" if label.startswith("|") else ""
    assert value not in scrub(f"{label}{adjective}{value}{bar}").text


@settings(max_examples=300, deadline=None)
@given(name=st.sampled_from(("password", "db_password", "Passwort", "client_secret", "contraseña")), value=ANY_VALUE)
def test_a_field_of_that_name_loses_any_value(name: str, value: str) -> None:
    assume(not is_wholly_description(value.split(), foreign=True))
    scrubbed, found = scrub_json({name: value, "tea": "green"})
    assert value not in str(scrubbed)
    assert len(found) == 1
    assert scrubbed["tea"] == "green"


@settings(max_examples=300, deadline=None)
@given(text=st.text(alphabet="pasword: =|\n,'\"-_\u200b\u200dｐа1(", max_size=80))
def test_no_mixture_of_labels_and_signs_is_scrubbed_differently_the_second_time(text: str) -> None:
    once = scrub(text).text
    assert scrub(once).text == once


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pin", "4711"),
        ("cvv", 993),
        ("otp", "482913"),
        ("door_code", "4822C"),
        ("verification_code", 482913),
        ("kata_sandi", "rendang"),
        ("lozinka", "burek"),
    ],
)
def test_a_field_of_a_number_that_opens_something_loses_it(name: str, value: str | int) -> None:
    scrubbed, found = scrub_json({name: value, "tea": "green"})
    assert str(value) not in str(scrubbed)
    assert len(found) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"code": 4417},
        {"zip_code": "10115"},
        {"country_code": "0049"},
        {"pin": "on the map"},
        {"pins": [4000, 12]},
        {"access_code": "none"},
        {"combination": "tea and milk"},
    ],
)
def test_a_field_of_another_number_keeps_it(fields: dict[str, object]) -> None:
    assert scrub_json(fields) == (fields, ())


@pytest.mark.parametrize("name", TONGUES)
def test_every_language_has_a_secret_and_a_look_alike_in_the_tables(name: str) -> None:
    label = re.compile(TONGUES[name].labels)
    plain = [_MARKED.sub(r"\1", marked).lower() for marked in HITS]
    assert any(map(label.search, plain))
    assert any(label.search(text.lower()) for text in LOOK_ALIKES)


@pytest.mark.parametrize("name", TONGUES)
def test_no_label_of_a_language_is_without_a_hint(name: str) -> None:
    label = re.compile(rf"(?:{TONGUES[name].labels})(?![a-z])")
    texts = [_MARKED.sub(r"\1", text).lower() for text in (*HITS, *LOOK_ALIKES)]
    for text in texts:
        found = {keyword.start() for keyword in keywords(text)}
        assert {match.start() for match in label.finditer(text)} <= found
