"""URLs are judged when they are read, and no error shows any of a password."""

from __future__ import annotations

import traceback

import pytest
from kombu.transport import TRANSPORT_ALIASES

from shared.contract.errors import Misconfigured
from shared.settings import BROKER_SCHEMES, load

PASSWORD = "secretpw3"
BAD_POSTGRES = [
    f"mysql://u:{PASSWORD}@h/d",
    f"postgresq://u:{PASSWORD}@h/d",
    f"postgresql:/u:{PASSWORD}@h/d",
    f"postgresql+psycopg://u:{PASSWORD}@h/d",
    f"host=h password={PASSWORD}",
    f"postgresql://u:%zz{PASSWORD}@h/d",
    f"postgresql://u:{PASSWORD}@[h/d",
    f"postgresql://u:{PASSWORD}/x@h/d",
    f"postgresql://u:x@h:{PASSWORD}/d",
    f"postgresql://u:{PASSWORD}@h:99999/d",
    f"postgresql://u@h/d?passwort={PASSWORD}",
]
BAD_BROKERS = [
    f"redi://:{PASSWORD}@h/0",
    f"http://:{PASSWORD}@h/0",
    f"{PASSWORD}@h:6379",
    f"redis:/:{PASSWORD}@h",
    f"redis://:{PASSWORD}/x@h/0",
    f"redis://:{PASSWORD}@h:port/0",
    f"redis://:{PASSWORD}@[h/0",
]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("database_url", each) for each in BAD_POSTGRES),
        *(("migrate_url", each) for each in BAD_POSTGRES),
        *(("redis_url", each) for each in BAD_BROKERS),
    ],
)
def test_a_url_that_does_not_fit_is_refused_by_name_and_never_shown(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"DAYBOOK_{name.upper()}", value)
    with pytest.raises(Misconfigured, match=f"DAYBOOK_{name.upper()}: .*write") as raised:
        load()
    assert PASSWORD not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("database_url", "postgresql://u:p%40ss@h:5433/d?sslmode=require"),
        ("database_url", "postgres://h1:5432,h2:5432/d"),
        ("migrate_url", "postgresql:///d?host=/run/postgresql"),
        ("database_url", "postgresql://u:p@[::1]:5432/d"),
        ("redis_url", "rediss://:p@h:6380/1"),
        ("redis_url", "sentinel://h1:26379;sentinel://h2:26379"),
        ("redis_url", "redis+socket:///run/redis.sock"),
        ("redis_url", "amqp://u:p@h//"),
        ("redis_url", "memory://"),
    ],
)
def test_a_url_that_fits_is_taken_as_it_is(name: str, value: str) -> None:
    assert getattr(load(**{name: value}), name).get_secret_value() == value


def test_the_schemes_of_brokers_are_those_that_kombu_knows() -> None:
    assert set(BROKER_SCHEMES) == {alias.lower() for alias in TRANSPORT_ALIASES}
