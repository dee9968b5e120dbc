"""Secrets are taken out before anything is stored; what only looks like one stays."""

from __future__ import annotations

import base64
import random
import string
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shared.accept.scrub import Scrubbed, scrub, scrub_json

LETTERS = "".join(random.Random(1).choices(string.ascii_letters, k=40))
LOWER = "".join(random.Random(2).choices(string.ascii_lowercase, k=40))
MIXED = "".join(random.Random(3).choices(string.ascii_letters + string.digits, k=64))
UPPER = "".join(random.Random(4).choices(string.ascii_uppercase + string.digits, k=16))
BODY = "\n".join("".join(random.Random(n).choices(string.ascii_letters + string.digits + "+/", k=64)) for n in range(4))
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtaXJhIn0.c2lnbmF0dXJl-_8"
IMAGE = "data:image/png;base64," + base64.b64encode(random.Random(5).randbytes(675_000)).decode()

KEYS = [
    f"sk-test-{LETTERS}",
    f"sk-test-{LOWER}",
    f"sk-ant-api03-{MIXED}-{MIXED[:8]}",
    f"sk-proj-{MIXED}_{MIXED[:9]}",
    f"sk_live_{MIXED[:24]}",
    f"AKIA{UPPER}",
    f"ASIA{UPPER}",
    f"AIza{MIXED[:35]}",
    f"ghp_{MIXED[:36]}",
    f"github_pat_{MIXED[:22]}_{MIXED}",
    f"glpat-{MIXED[:20]}",
    f"xoxb-123456789012-{MIXED[:24]}",
    f"hf_{MIXED[:34]}",
    f"npm_{MIXED[:36]}",
    f"SG.{MIXED[:22]}.{MIXED[:43]}",
    f"gsk_{MIXED[:52]}",
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("around", ["{}", "I use {}, mostly.", '{{"k":"{}"}}', "KEY={}\nnext", "`{}`", "(see {})"])
def test_a_key_of_a_known_form_is_removed_and_its_sentence_stays(key: str, around: str) -> None:
    assert scrub(around.format(key)) == Scrubbed(text=around.format("[redacted: api key]"), found=("api key",))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (PEM, "[redacted: private key]"),
        (f"here:\n{PEM}\nkeep it", "here:\n[redacted: private key]\nkeep it"),
        (PEM.replace("\n", "\\n"), "[redacted: private key]"),
        (PEM.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"), "[redacted: private key]"),
        (PEM.rsplit("\n", 2)[0], "[redacted: private key]"),
        ("Authorization: Bearer abcdefgh", "Authorization: Bearer [redacted: token]"),
        (f'{{"authorization": "Bearer {MIXED}"}}', '{"authorization": "Bearer [redacted: token]"}'),
        ("curl -H 'Authorization: Basic bWlyYTpzd29yZA=='", "curl -H 'Authorization: Basic [redacted: password]'"),
        (f"sent it as bearer {MIXED[:30]} then", "sent it as bearer [redacted: token] then"),
        (f"session {JWT}.", "session [redacted: token]."),
        ("postgres://u:Pw9-x@h/db", "postgres://u:[redacted: password]@h/db"),
        ("at redis://:pa55@h:6379/0 now", "at redis://:[redacted: password]@h:6379/0 now"),
        ("mysql://root:p/ss@w0rd@db.example/x", "mysql://root:[redacted: password]@db.example/x"),
        (f"https://{MIXED[:40]}@git.example/x", "https://[redacted: token]@git.example/x"),
        ("4111 1111 1111 1111", "[redacted: card number]"),
        ("my card 4111-1111-1111-1111, exp 12/34", "my card [redacted: card number], exp 12/34"),
        ("pay with 5555555555554444.", "pay with [redacted: card number]."),
        ("amex 3782 822463 10005 please", "amex [redacted: card number] please"),
        ("in 2031 4111 1111 1111 1111 123", "in 2031 [redacted: card number] 123"),
        ("visa 4222222222222", "visa [redacted: card number]"),
        ("cvv: 123", "cvv: [redacted: card code]"),
        ("My PIN is 4821.", "My PIN is [redacted: pin]."),
    ],
)
def test_what_has_the_form_of_a_secret_is_removed(text: str, left: str) -> None:
    assert scrub(text).text == left
    assert len(scrub(text).found) == 1


SAID = [
    ("the api key is {}", "api key", "quietly7Harbour7lamp"),
    ("The API key for the weather service is {}.", "api key", "quietly7Harbour7lamp"),
    ("{} is the api key, I think", "api key", "quietly7Harbour7lamp"),
    ("use API key {} for it", "api key", "quietly7Harbour7lamp"),
    ("API_KEY_LIVE={}\nDEBUG=1", "api key", "abcd1234efgh"),
    ('api_key: str = "{}"', "api key", "abcd1234efgh"),
    ('{{\\"apiKey\\": \\"{}\\"}}', "api key", "abcd1234efgh"),
    ("https://x.example/v1?api_key={}&user=mira", "api key", "abcd1234efgh5678"),
    ("AWS_SECRET_ACCESS_KEY={}", "api key", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYKEY1"),
    ("client secret: {}", "secret", "abcDEF~ghi_JKL8x"),
    ("the access token is {} since May", "token", "9fceb02d0ae598e95dc970b7"),
    ("password: {}", "password", "Tr0ub4dor&3"),
    ("Password: {}", "password", "swordfish"),
    ("**Password:** {}", "password", "hunter2"),
    ("my password is {}", "password", "swordfish"),
    ("My password is {}.", "password", "hunter2"),
    ('The password is "{}", all lower case', "password", "moonbeam"),
    ("her password is {} and she lives in Porto", "password", "Rosebud"),
    ("the password for the staging server is {}, ok?", "password", "Rosebud9"),
    ("the wifi password is now {}, all right?", "password", "kestrel-moon-77"),
    ("I changed my password to {} yesterday", "password", "hunter2x"),
    ("set the password to {}.", "password", "swordfish"),
    ("log in with password {} please", "password", "Tr0ub4dor&3"),
    ("{} is my password", "password", "hunter2x"),
    ("DB_PASSWORD={}", "password", "s3cr3tpw"),
    ('{{"password": "{}", "user": "mira"}}', "password", "swordfish"),
    ("Server=h;User Id=sa;Password={};Timeout=3", "password", "pA55w0rd"),
    ("<db_password>{}</db_password>", "password", "hunter2"),
    ("the passphrase is {}.", "password", "correct horse battery staple"),
    ("Passwort: {}", "password", "geheimnis7x"),
    ("das Passwort lautet {}.", "password", "Apfelbaum"),
    ("mot de passe : {}", "password", "chatnoir7"),
    ("la contraseña es {}", "password", "gatoNegro9"),
    ("密码是{}，请记住", "password", "abc12345"),
    ("パスワードは{}です", "password", "abc12345"),
    ("비밀번호는 {}입니다", "password", "k7Tq9vXw"),
    ("password: {}", "password", "harbour-quiet-lamp"),
    ("password: {}", "password", "correct-kettle-window"),
    ("My password: {}.", "password", "silver otter pan"),
    ("The password is {}.", "password", "correct kettle window lamp"),
    ("the password is {}", "password", "otter on the stove"),
    ("my password is {}.", "password", "oak"),
    ("The password is {} for the router.", "password", "swordfish"),
    ("our password is {}, keep it", "password", "bread and jam"),
    ("my passwords are {}", "password", "swordfish and moonbeam"),
    ("the password is {} since May", "password", "Otter7 stove kettle"),
    ("pw is {}", "password", "kettle"),
    ("My login is bob / pass {}", "password", "hunter2"),
    ("my login is mira, password {}, all right?", "password", "kettle"),
    ("login: mira@example.org with password {}.", "password", "swordfish"),
    ("Zugangsdaten: mira / {}", "password", "Apfel7baum"),
    ("my pass is {}.", "password", "hunter2"),
    ("das Passwort ist {}.", "password", "Haus am See"),
    ("le mot de passe est {}", "password", "chat noir"),
    ("mi contraseña es {}, de momento", "password", "gato negro grande"),
    ("la password è {}", "password", "gatto nero grande"),
    ("a senha é {}", "password", "gato preto"),
    ("het wachtwoord is {}.", "password", "groene fiets"),
    ("moje hasło to {}", "password", "zielony koń"),
    ("пароль — {}", "password", "синяя лошадь"),
    ("lösenordet är {}", "password", "grön cykel"),
    ("adgangskoden er {}", "password", "grøn cykel"),
    ("密码是{}，请记住", "password", "芝麻开花"),
    ("パスワードは{}です", "password", "青い山猫"),
    ("비밀번호는 {}입니다", "password", "푸른고양이"),
    ("recovery codes: {}", "recovery code", "1a2b-3c4d 5e6f-7g8h"),
    ("My backup codes are {}. Keep them.", "recovery code", "83927465, 10293847 and 55647382"),
    ("Wiederherstellungscodes: {}", "recovery code", "a1b2c3d4 e5f6g7h8"),
    ("códigos de recuperación: {}", "recovery code", "a1b2-c3d4\ne5f6-g7h8"),
    ("seed phrase: {}", "password", "otter, kettle, window, lamp, stove"),
]


@pytest.mark.parametrize(("sentence", "kind", "secret"), SAID)
def test_a_secret_that_is_called_one_is_removed_and_the_words_around_it_stay(
    sentence: str, kind: str, secret: str
) -> None:
    assert scrub(sentence.format(secret)) == Scrubbed(text=sentence.format(f"[redacted: {kind}]"), found=(kind,))


LOOK_ALIKES = [
    "9fceb02d0ae598e95dc970b74767f19372d61af8",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixes the token count",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "7f3c9a52-6c1e-4f7a-9d43-0b5b1f0a7c11",
    "41111111-1111-4111-8111-111111111111",
    "978-3-16-148410-0",
    "9783161484100",
    "ISBN 978 0 306 40615 7",
    "bar code 4006381333931",
    "+49 151 23456789, or 4915112345678, or 555-0148",
    "at 1930000000000 ms, tweet 1445078208190291970",
    "4000 1200 3300 2140",
    "3.14159265358979323846",
    "my password manager is Bitvault",
    "my password manager is 1Password",
    "the password is wrong",
    "The password is wrong!",
    "the password is expired and must be changed",
    "my password is the same as last year",
    "the password is on the fridge",
    "I lost the password to Bitvault.",
    "the password for the wifi is written on the router",
    "password must be at least 12 characters",
    "Forgot password? Click here.",
    "Her password hint is Rosebud",
    "the passphrase is stored in the vault",
    "Password: required",
    "password: ********",
    "password: <your password>",
    "password = getpass()",
    "password = os.environ['PW']",
    "postgres://user:${PASSWORD}@h/db",
    '{"password": {"type": "string"}, "token": "string"}',
    "api_key=api_key",
    "the api key is in the vault",
    "API key: see the wiki",
    "the access token is base64-encoded",
    "max_tokens: 4096, token_count=5123, tokens: 512",
    "the secret to good bread is time",
    "Secret Santa is Tove",
    "the key is under the mat",
    "the gate code is 11",
    "사무실 비밀번호는 창고에 있다",
    "I forgot my password",
    "password: ask Tom",
    "password: contact the help desk",
    "Invalid password: connection refused",
    "Password: minimum 8 characters",
    "the password is eight letters long",
    "The password is hard to guess.",
    "the password is written inside Tom's notebook",
    "A strong password is essential for security.",
    "I reset my password to access my account",
    "Password: Remember me",
    "my passwords are all different",
    "pass the salt",
    "My login is fine, pass the salt",
    "the pass is steep and my ski pass is expired",
    "the login page / pass rate of the tests",
    "login: see the wiki / ask Tom",
    "recovery codes are in the safe",
    "the recovery code is wrong",
    "das Passwort ist am Kühlschrank",
    "das Passwort ist nicht mehr gültig",
    "le mot de passe est sur le frigo",
    "mi contraseña es muy larga",
    "la password è sul frigo",
    "a senha é a mesma de sempre",
    "het wachtwoord is op de koelkast",
    "hasło jest na lodówce",
    "пароль на холодильнике, пароль неверный",
    "密码是在冰箱上",
    "密码是什么？",
    "パスワードは冷蔵庫にあります",
    "bearer of bad news tonight everyone",
    "Authorization: required",
    "-----BEGIN PRIVATE KEY----- opens a key and -----END PRIVATE KEY----- closes it",
    "http://localhost:8080/@user and https://cdn.example/react@17.0.2/index.js",
    "git@github.com:org/repo.git, ssh://git@host.example/org, mail mira@example.com",
    "scikit-learn, sk-learn-contrib estimators, task-force-something-long-enough",
    "pneumonoultramicroscopicsilicovolcanoconiosis internationalization",
    "[redacted: api key] is what stands there",
    "Bogumiła Ząbek z firmy Ślimak i Spółka",
    "👨‍👩‍👧‍👦 冷蔵庫の修理は金曜日です。型番はKX-204。",
]


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_looks_like_a_secret_is_unchanged(text: str) -> None:
    assert scrub(text) == Scrubbed(text=text, found=())


def test_an_image_in_base64_is_unchanged() -> None:
    assert scrub(IMAGE) == Scrubbed(text=IMAGE, found=())


def test_all_secrets_of_a_text_are_named_in_order() -> None:
    text = f"card 4111111111111111, key AKIA{UPPER}, password: swordfish"
    assert scrub(text).found == ("card number", "api key", "password")


WORDS = (
    [text.format(secret) for text, _, secret in SAID] + KEYS + LOOK_ALIKES + [PEM, JWT, "password", ": ", " is ", "\n"]
)


@settings(max_examples=300, deadline=None)
@given(parts=st.lists(st.sampled_from(WORDS), max_size=4), separator=st.sampled_from([" ", "\n", ", ", ""]))
def test_scrubbing_twice_changes_nothing_more(parts: list[str], separator: str) -> None:
    once = scrub(separator.join(parts))
    assert scrub(once.text) == Scrubbed(text=once.text, found=())


@settings(max_examples=200, deadline=None)
@given(before=st.text(), after=st.text(), key=st.sampled_from(KEYS))
def test_no_text_around_a_key_hides_it(before: str, after: str, key: str) -> None:
    assert key not in scrub(f"{before} {key} {after}").text


@settings(max_examples=300, deadline=None)
@given(text=st.text())
@example("İ password: hunter2")
def test_a_text_is_changed_only_where_a_secret_is_named(text: str) -> None:
    scrubbed = scrub(text)
    assert scrubbed.text.count("[redacted: ") >= len(scrubbed.found)
    assert (scrubbed.text == text) == (not scrubbed.found)


@given(value=st.integers(0, 10**18))
def test_a_card_number_is_one_only_with_its_check_digit(value: int) -> None:
    digits = f"4{value % 10**14:014d}"
    checks = [check for check in range(10) if scrub(f"{digits}{check}").found]
    assert len(checks) == 1


def test_json_is_scrubbed_in_every_string_name_and_number() -> None:
    value = {
        "function": {"name": "login", "arguments": '{"password": "swordfish", "n": 1}'},
        "password": "moonbeam",
        "tokens": 512,
        "deep": [{"token": KEYS[0]}, [KEYS[1]], 4111111111111111, True, None, 0.5, "tea"],
        KEYS[2]: "x",
        "api_key": {"value": "not said to be one"},
        "password_hint": "Rosebud",
    }
    scrubbed, found = scrub_json(value)
    assert scrubbed == {
        "function": {"name": "login", "arguments": '{"password": "[redacted: password]", "n": 1}'},
        "password": "[redacted: password]",
        "tokens": 512,
        "deep": [
            {"token": "[redacted: token]"},
            ["[redacted: api key]"],
            "[redacted: card number]",
            True,
            None,
            0.5,
            "tea",
        ],
        "[redacted: api key]": "x",
        "api_key": {"value": "not said to be one"},
        "password_hint": "Rosebud",
    }
    assert len(found) == 6


@pytest.mark.parametrize(
    "unit",
    [
        "The bees are behind the garage and Mira keeps them well. ",
        "my password is wrong and ",
        "x is my password ",
        "password=",
        "password is ",
        "password:\n",
        "password for a b c d ",
        "passphrase is ab ",
        "api key ",
        "token a1",
        "eyJ",
        "://a:",
        "sk-",
        "SG.",
        "bearer ",
        "authorization: ",
        "<password>",
        "is otter kettle ",
        ": otter kettle password",
        "recovery codes: a1b2 ",
        "backup code is ",
        "1a2b-",
        "login is bob / ",
        "login is bob / pass ",
        "user a with password ",
        "密码是芝麻",
        "parola de la ",
        "password a hai ",
        "รหัสผ่านของ",
        "my password from ab to ",
        "changed my password from a1 ",
        "password (a) is ",
        "pin for my a ",
        "door code of the a ",
        "door code 4a",
        "482913 is your ",
        "login a/",
        "a/hunter2x to ",
        "admin:a1",
        "security question? answer ",
        "passwords:\n- a\n",
        "my passwords are below\na\n",
        "- a b1\n",
        "logins: a/b1, ",
        "logins:\n- a\n",
        "PINs are 4711 a ",
        "seed phrase is otter kettle ",
        "otter kettle window ",
        "ssid a key ",
        "wifi:t:a;",
        "a@b.example:",
        "admin / a1 ",
        "the safe opens with 4",
        "hunter2x - that's my password",
        ", and for a b1c2d3e4 ",
        "AKIA0123456789ABCDEF ",
        "-----BEGIN PRIVATE KEY-----",
        "4111 ",
        "4",
        "-",
        "a",
        " ",
        "\\",
    ],
)
def test_time_grows_no_faster_than_the_text(unit: str) -> None:
    def seconds(size: int) -> float:
        text = "password " + unit * (size // len(unit))
        started = time.process_time()
        scrub(text)
        return time.process_time() - started

    small, large = (min(seconds(size) for _ in range(2)) for size in (25_000, 200_000))
    assert large < 24 * small + 0.2


def test_two_megabytes_of_prose_take_seconds() -> None:
    text = "The bees are behind the garage; the password is wrong, the keys are under the mat. " * 25_000
    started = time.process_time()
    assert scrub(text).text == text
    assert time.process_time() - started < 15
