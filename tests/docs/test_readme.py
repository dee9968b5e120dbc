"""The README does what it says: its programs run as written and print what stands below them."""

import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from gateway.cli import COMMANDS, daybook

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NONCE = re.compile(r'nonce="[0-9a-f]{16}"')
_OTHERS = {"echo", "pip"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A Python block and the output that the README gives for it."""

    code: str
    output: str


def blocks(language):
    return [text for found, text in _BLOCK.findall(README) if found == language]


def programs():
    found = _BLOCK.findall(README)
    return [
        Program(code=code, output=output)
        for (language, code), (next_language, output) in pairwise(found)
        if language == "python" and next_language == "text"
    ]


def commands():
    """Each command of the shell blocks as words: comments dropped, pipes taken apart."""
    found = []
    for block in blocks("sh"):
        for line in block.splitlines():
            lexer = shlex.shlex(line, posix=True, punctuation_chars="|")
            lexer.whitespace_split = True
            words = [[]]
            for word in lexer:
                if word == "|":
                    words.append([])
                else:
                    words[-1].append(word)
            found += [each for each in words if each]
    return found


def options(command):
    """Options that a command of ours takes."""
    found = daybook.get_command(None, command)
    return {name for parameter in found.params for name in (*parameter.opts, *parameter.secondary_opts)}


def test_every_program_of_the_readme_is_followed_by_its_output():
    assert len(programs()) == len(blocks("python")) > 0


@pytest.mark.parametrize("place", range(len(programs())))
def test_a_program_of_the_readme_prints_what_the_readme_says(reading, place):
    program = programs()[place]
    done = subprocess.run(
        [sys.executable, "-c", program.code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert _NONCE.sub("nonce", done.stdout) == _NONCE.sub("nonce", program.output)


def test_the_readme_names_the_two_commands_that_do_all():
    assert ["make", "demo"] in commands()
    assert ["make", "test"] in commands()


def test_every_line_of_the_readmes_shell_blocks_is_a_command_we_know():
    assert {words[0] for words in commands()} <= {"make", "daybook", *_OTHERS}


@pytest.mark.parametrize("words", [words for words in commands() if words[0] == "make"], ids=" ".join)
def test_a_make_target_of_the_readme_is_in_the_makefile(words):
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(words[1:]) <= targets


@pytest.mark.parametrize("words", [words for words in commands() if words[0] == "daybook"], ids=" ".join)
def test_a_daybook_command_of_the_readme_exists_with_its_options(words):
    assert words[1] in COMMANDS
    assert {word for word in words[2:] if word.startswith("--")} <= options(words[1])


def test_an_extra_that_the_readme_installs_exists():
    asked = re.findall(r"'\.\[(\w+)\]'", "\n".join(blocks("sh")))
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert asked
    assert set(asked) <= declared.keys()
