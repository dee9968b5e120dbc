from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator

import pytest

from shared.log import logger, write_to_stderr


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    root = logging.getLogger("daybook")
    before = (root.handlers[:], root.level, root.propagate)
    yield
    root.handlers[:], root.level, root.propagate = before


def test_a_line_stands_once_also_where_the_root_logger_writes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    others = logging.StreamHandler(written)
    logging.getLogger().addHandler(others)
    try:
        write_to_stderr("INFO")
        logger("append").info("append run=run-7")
    finally:
        logging.getLogger().removeHandler(others)
    assert written.getvalue().count("append run=run-7") == 1
