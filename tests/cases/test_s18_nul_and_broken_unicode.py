"""S18: text that Postgres, JSON or UTF-8 cannot hold is cleaned by one rule, at the front door, on every path."""

from __future__ import annotations

import json
from typing import Any

import pytest

import hotpath
from coldpath.reembed import reembed
from coldpath.reindex import Pass, go_back, reindex
from coldpath.verify import verify
from shared.contract.errors import InvalidRun, InvalidScope
from shared.contract.scope import Owner, Scope
from shared.embedded import open_database
from shared.settings import settings
from shared.testing import HashEmbedder
from tests.cases.adapter import Words, said

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
LITERAL = "tea\\u0000pot"
BROKEN = {
    "NUL": ("tea\x00pot is blue", "teapot is blue"),
    "only NUL inside": ("a tea\x00\x00pot", "a teapot"),
    "lone high surrogate": ("tea \ud83d pot", "tea \ufffd pot"),
    "lone low surrogate": ("tea \udce9 pot", "tea \ufffd pot"),
    "swapped surrogates": ("tea \ude00\ud83d pot", "tea \ufffd\ufffd pot"),
    "noncharacter": ("tea \ufffe pot", "tea \ufffd pot"),
    "noncharacter of a plane": ("tea \U0001ffff pot", "tea \ufffd pot"),
    "control": ("tea\x1b[31m pot", "tea\ufffd[31m pot"),
    "torn at the end": ("tea pot \ud83d", "tea pot \ufffd"),
    "everything": ("\x00tea\ud83d\ufffe\udce9 pot\x00", "tea\ufffd\ufffd\ufffd pot"),
}
UNCHANGED = {
    "family": f"tea for the {FAMILY} at home",
    "flag": "tea in \U0001f1f5\U0001f1f9 and \U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "skin": "tea \U0001f44d\U0001f3fd all right",
    "literal escape": f"{LITERAL} as six characters",
    "literal surrogate": "tea \\ud83d as six characters",
    "right to left": "tea \u0634\u0627\u064a \u202bfrom here\u202c to there",
    "replacement": "tea \ufffd pot",
}


EVERYTHING = [*(given for given, _ in BROKEN.values()), *UNCHANGED.values()]


def test_s18_a_message_is_stored_with_what_was_replaced_noted_and_found_again(words: Words) -> None:
    for user, (given, kept) in BROKEN.items():
        receipt = words.ingest("acme", user, "run-1", [said(given, "m1"), said("The kettle is red.", "m2")])
        assert [row["text"] for row in words.current("acme", user)] == [kept, "The kettle is red."]
        assert (words.evidence("acme", user)[0].payload or {})["text"] == kept
        assert any(warning.startswith("m1:") for warning in receipt.warnings)
        assert not any(warning.startswith("m2:") for warning in receipt.warnings)
        assert words.recall("acme", user, "teapot tea")[0].text == kept
        assert words.status("acme", user, "run-1") == [("done", 0)]


def test_s18_what_is_valid_passes_byte_for_byte(words: Words) -> None:
    for user, text in UNCHANGED.items():
        receipt = words.ingest("acme", user, "run-1", [said(text, "m1")])
        assert receipt.warnings == ()
        (row,) = words.current("acme", user)
        assert row["text"].encode() == text.encode()
        (item,) = words.bundle("acme", user, "tea u0000pot").items
        assert item.text.encode() == text.encode()


def parts(text: str) -> list[dict[str, Any]]:
    """A text as tool output inside JSON, in each form that clients send it in."""
    call = {"id": "c1", "function": {"name": "find", "arguments": {"q": text}}}
    return [
        {"role": "tool", "text": {"output": text, "deep": [{"x": [text]}]}},
        {"role": "tool", "text": json.dumps({"escaped": text})},
        {"role": "tool", "text": json.dumps({"raw": text}, ensure_ascii=False)},
        {"role": "tool", "text": {text: "value of the tea key"}},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": text}]},
        {"role": "assistant", "text": f"Looking up the tea: {text}", "tool_calls": [call]},
        {"role": "assistant", "text": "Looking up tea.", "tool_calls": [{"id": "c2", "arguments": json.dumps(text)}]},
    ]


def test_s18_tool_output_in_json_is_stored_and_the_ledger_can_be_read_as_jsonb(words: Words) -> None:
    for user, text in enumerate(EVERYTHING):
        shapes = parts(text)
        words.ingest("acme", f"user-{user}", "run-1", [{"id": f"m{n}", **each} for n, each in enumerate(shapes)])
        assert words.status("acme", f"user-{user}", "run-1") == [("done", 0)]
        assert len(words.current("acme", f"user-{user}")) == len(shapes), text
        assert words.recall("acme", f"user-{user}", "tea teapot")
    # A payload that jsonb refuses would break whoever works on the ledger with SQL.
    read = words.owner.execute("select count(payload::jsonb), string_agg(payload, '') from event_payload").fetchone()
    assert read is not None
    assert read[0] == len(EVERYTHING) * (len(parts("")) + 1)
    assert "\x00" not in read[1]
    assert words.owner.execute("select count(*) from inbox where payload is not null").fetchone() == (0,)


def test_s18_a_query_is_cleaned_by_the_same_rule(words: Words) -> None:
    words.ingest("acme", "mira", "run-1", [said("The teapot and the tea are in the pantry.", "m1")])
    for text in EVERYTHING:
        bundle = words.bundle("acme", "mira", text)
        assert bundle.degraded == ()
        assert [item.text for item in bundle.items] == ["The teapot and the tea are in the pantry."], text


def test_s18_a_broken_id_is_refused_wherever_it_is_an_id(words: Words) -> None:
    message = said("The kettle is red.", "m1")
    for given, _ in BROKEN.values():
        for ids in ({"tenant_id": given}, {"user_id": given}, {"agent_id": given}, {"session_id": given}):
            with pytest.raises(InvalidScope):
                hotpath.recall(Scope(**{"tenant_id": "acme", "user_id": "mira", **ids}), "tea")
        for arguments in ({"run": given}, {"room": given}, {"participants": ["mira", given]}):
            run = arguments.pop("run", "run-1")
            with pytest.raises(InvalidRun):
                words.accept("acme", "mira", run, [message], **arguments)
        for broken in ({"id": given}, {"tool_call_id": given}):
            with pytest.raises(InvalidRun, match="message 1"):
                words.accept("acme", "mira", "run-1", [message, {**message, "id": "m2", **broken}])
    assert words.count("inbox") == 0


def test_s18_names_times_and_unknown_fields_are_cleaned_and_stored(words: Words) -> None:
    for user, (given, kept) in BROKEN.items():
        odd = {"id": "m1", "text": "The kettle is red.", "speaker": given, "ts": given, given: 1, "x": given}
        receipt = words.ingest("acme", user, "run-1", [odd])
        (row,) = words.current("acme", user)
        assert row["speaker"] == " ".join(kept.split())
        assert "\x00" not in "".join(receipt.warnings)
        "".join(receipt.warnings).encode()
        assert words.recall("acme", user, "kettle")


def test_s18_a_run_of_all_of_them_is_indexed_read_back_and_verified(words: Words) -> None:
    messages = [said(f"{text} {'of' * n}", f"m{n}") for n, text in enumerate(EVERYTHING)]
    words.ingest("acme", "mira", "run-1", messages)
    assert words.count("memory_vector") == len(words.current("acme", "mira")) == len(EVERYTHING)
    exported = json.dumps([event.payload for event in words.ledger("acme", "mira")], ensure_ascii=False)
    assert FAMILY in exported.encode().decode()
    assert verify(open_database(settings()), "acme", Owner("mira")).fault is None
    bundle = words.bundle("acme", "mira", "tea teapot", k=50)
    assert len(bundle.items) == len(EVERYTHING)
    bundle.text.encode()


def test_s18_the_views_are_built_anew_from_all_of_them_and_what_was_found_is_found(
    words: Words, embedder: HashEmbedder
) -> None:
    for user, text in enumerate(EVERYTHING):
        words.ingest("acme", f"user-{user}", "run-1", [{"id": f"m{n}", **each} for n, each in enumerate(parts(text))])
    words.ingest("acme", "mira", "run-1", [said(f"{text} {'of' * n}", f"m{n}") for n, text in enumerate(EVERYTHING)])

    def found() -> list[list[tuple[str, float]]]:
        bundles = [words.bundle("acme", f"user-{user}", "tea teapot", k=50) for user in range(len(EVERYTHING))]
        bundles.append(words.bundle("acme", "mira", "tea teapot", k=50))
        assert {bundle.degraded for bundle in bundles} == {()}
        return [[(item.text, round(item.score, 6)) for item in bundle.items] for bundle in bundles]

    before, memories = found(), words.count("memory")
    database = open_database(settings())
    assert reindex(database, "acme", Pass()).worked == memories
    assert reembed(database, embedder, "acme", Pass()).worked == memories  # taken over
    assert found() == before
    other = HashEmbedder(name="other")
    assert reembed(database, other, "acme", Pass()).worked == memories  # each embedded
    assert go_back(database, "acme", "dense").live.model_id == embedder.model.key
    assert found() == before
    assert go_back(database, "acme", "sparse").live.generation == 1
    assert found() == before
