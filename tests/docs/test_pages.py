"""What the pages name is there, and nothing is named that has no business in them."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")])
_CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)[^)]*\)")
_MAKE = re.compile(r"\bmake ((?:[A-Z_]+=\S+ )*)([a-z][a-z-]*)")

# In pieces, so that this file does not hold what it forbids.
FORBIDDEN = [
    re.compile(pattern)
    for pattern in (
        r"(?<![\w./*-])/wo" + r"rk/",
        r"(?<![\w./*-])/tm" + r"p/",
        r"\.\./sha" + r"red/(?:design|style|peers|cases|data|tools)",
        r"(?i)\biss" + r"ue #?\d",
        r"(?i)\bsub-?ag" + r"ent",
        r"(?i)\bhouse ru" + r"les\b",
        r"\bTO" + r"DO\b|\bFIX" + r"ME\b|\bX" + r"XX\b",
        r"NotImpl" + r"ementedError",
    )
]


def targets():
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def anchors(page):
    headings = re.findall(r"^#+ (.+?)\s*$", _CODE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def files():
    """Every file of the project: what git would take in."""
    listed = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = listed.stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_make_target_a_page_names_is_in_the_makefile(page):
    text = page.read_text()
    code = "\n".join([*_CODE.findall(text), *_SPAN.findall(_CODE.sub("", text))])
    assert {name for _, name in _MAKE.findall(code)} <= targets()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_of_a_page_leads_somewhere(page):
    text = _SPAN.sub("", _CODE.sub("", page.read_text()))
    lost = []
    for link in _LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            lost.append(link)
    assert not lost


def test_the_makefile_says_of_each_target_what_it_does():
    makefile = (ROOT / "Makefile").read_text()
    (phony,) = re.findall(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert set(phony.split()) == targets() == set(re.findall(r"^([a-z-]+):.*## \S", makefile, re.MULTILINE))


def test_no_file_speaks_of_where_and_how_it_was_written():
    found = []
    for path in files():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            found += [f"{path.relative_to(ROOT)}:{number}: {line.strip()}" for each in FORBIDDEN if each.search(line)]
    assert not found, "\n".join(found)
