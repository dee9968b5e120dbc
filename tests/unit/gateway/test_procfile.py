from __future__ import annotations

import pytest

from gateway.procfile import Entry, parse, read
from shared.contract.errors import Misconfigured
from shared.work.queues import QUEUES


def test_a_line_is_a_name_and_a_command() -> None:
    assert parse("web: serve --port 80 'two words'\n") == (
        Entry(name="web", command=("serve", "--port", "80", "two words")),
    )


def test_blank_lines_and_comments_are_passed_over() -> None:
    assert [entry.name for entry in parse("# first\n\none: a\n  # more\ntwo: b\n")] == ["one", "two"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "names no process"),
        ("# only a comment", "names no process"),
        ("one: a\nno colon here", "line 2"),
        ("name with spaces: a", "line 1"),
        ("one:", "line 1"),
        ("one: 'unclosed", "quotation"),
        ("one: a\none: b", "twice"),
    ],
)
def test_a_line_that_is_none_is_refused_with_its_number(text: str, says: str) -> None:
    with pytest.raises(Misconfigured, match=says):
        parse(text)


def test_a_worker_answers_by_its_hostname_option_and_beat_by_nothing() -> None:
    worker, beat = parse("a: celery -A x worker --hostname a@%h --queues q\nb: celery -A y beat")
    assert worker.node("box") == "a@box"
    assert beat.node("box") is None


def test_every_queue_is_some_workers() -> None:
    served = {
        queue
        for entry in read()
        if entry.node("box")
        for queue in entry.command[entry.command.index("--queues") + 1].split(",")
    }
    assert served == set(QUEUES)
