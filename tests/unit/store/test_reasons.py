"""What a driver says is told without what a connection string keeps secret."""

from __future__ import annotations

import logging

import psycopg
import pytest

from shared.contract.errors import DatabaseUnavailable
from shared.store.db import Database
from shared.store.reasons import mismatch, reason
from shared.store.server import why_unreachable

PASSWORD = "secretpw3"
UNREADABLE = [
    f"mysql://u:{PASSWORD}@h/d",
    f"postgresql://u:%zz{PASSWORD}@h/d",
    f"mysql://u:two {PASSWORD}@h/d",
    f"postgresql://u:x@h/d?passwort={PASSWORD}",
]


@pytest.mark.parametrize("url", UNREADABLE)
def test_a_connection_string_that_cannot_be_read_is_not_quoted(url: str) -> None:
    with pytest.raises(psycopg.ProgrammingError) as raised:
        psycopg.connect(url)
    assert PASSWORD not in reason(raised.value)
    assert "cannot be read" in str(why_unreachable(url, timeout_s=1))


@pytest.mark.parametrize("url", UNREADABLE)
def test_neither_the_error_nor_the_log_of_a_pool_shows_the_password(url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    database = Database(url, pool_size=1, connect_timeout_s=0.2)
    try:
        with pytest.raises(DatabaseUnavailable, match="cannot be read") as raised:
            database.check()
    finally:
        database.close()
    assert PASSWORD not in str(raised.value)
    assert PASSWORD not in caplog.text


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ('no route to "postgresql://u:p@ss w@h/d"', 'no route to "postgresql://***'),
        ("bad password=hunter2 host=h", "bad password=*** host=h"),
        ("bad password = 'two words' host=h", "bad password = *** host=h"),
        (
            'connection to server at "127.0.0.1", port 9 failed\nmore',
            'connection to server at "127.0.0.1", port 9 failed',
        ),
    ],
)
def test_the_first_line_is_told_with_passwords_masked(said: str, shown: str) -> None:
    assert reason(psycopg.OperationalError(said)) == shown


def test_who_must_change_is_told_by_which_is_older() -> None:
    assert "this code is older" in str(mismatch("0002", needed="0001"))
    assert "run `daybook migrate`" in str(mismatch("0001", needed="0002"))
    assert "no Daybook schema" in str(mismatch(None, needed="0001"))
