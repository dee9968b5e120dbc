"""From what a caller hands in to a run: checked, cleaned, scrubbed, dated, keyed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.accept import RawMessage, clean_run, derived_room, digest_of
from shared.contract.block import Item, render
from shared.contract.errors import ConflictingMessage, InvalidRun, InvalidScope
from shared.contract.events import Message, Precision, Role, Run
from shared.contract.scope import Scope
from shared.contract.trust import Origin
from shared.language.text import is_blank
from shared.settings import load

NOW = datetime(2031, 6, 1, 12, tzinfo=UTC)
MIRA = Scope(tenant_id="acme", user_id="mira")
BLOCK = render(
    "0123456789abcdef", [Item(ordinal=1, memory_id="5f0c2a7b9d31", label="user", text="I keep two beehives.")]
)
HIVES = {"id": "m1", "role": "user", "ts": "2031-03-04T09:00Z", "text": "I keep two beehives behind the garage."}
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Varna"}'}}


def clean(*messages: object, limits: Mapping[str, object] | None = None, **given: Any) -> Run:
    arguments: dict[str, Any] = {"run_id": "run-7", "now": NOW, "settings": load(**(limits or {})), **given}
    return clean_run(arguments.pop("scope", MIRA), arguments.pop("messages", list(messages)), **arguments)


def only(message: object, **given: Any) -> Message:
    (cleaned,) = clean(message, **given).messages
    return cleaned


def test_a_message_comes_out_checked_dated_and_keyed() -> None:
    assert clean(HIVES) == Run(
        scope=MIRA,
        run_id="run-7",
        messages=(
            Message(
                position=0,
                message_id="m1",
                role=Role.USER,
                speaker="user",
                text=str(HIVES["text"]),
                origin=Origin.USER,
                occurred_at=datetime(2031, 3, 4, 9, tzinfo=UTC),
                precision=Precision.INSTANT,
                digest=hashlib.sha256(str(HIVES["text"]).encode()).hexdigest(),
                original_at="2031-03-04T09:00Z",
            ),
        ),
    )


def test_cleaning_twice_gives_equal_runs() -> None:
    assert clean(HIVES, {"text": "tea"}) == clean(HIVES, {"text": "tea"})


def test_a_message_may_be_a_model_a_mapping_or_have_the_names_of_chat_formats() -> None:
    given_as = (
        RawMessage(text="tea", ts="2031-03-04T09:00Z", speaker="Tove"),
        {"content": "tea", "timestamp": "2031-03-04T09:00Z", "name": "Tove"},
        {"text": None, "content": "tea", "created_at": "2031-03-04T09:00Z", "name": "Tove", "tool_calls": None},
        {"text": "tea", "content": None, "at": "2031-03-04T09:00Z", "speaker": "Tove", "role": None},
    )
    cleaned = [only(message) for message in given_as]
    assert all(message == cleaned[0] for message in cleaned)
    assert (cleaned[0].text, cleaned[0].speaker, cleaned[0].warnings) == ("tea", "Tove", ())


def test_messages_may_come_from_a_generator() -> None:
    assert len(clean(messages=(HIVES for _ in range(1))).messages) == 1


@pytest.mark.parametrize(
    ("role", "origin"),
    [
        ("user", Origin.USER),
        ("assistant", Origin.ASSISTANT),
        ("tool", Origin.TOOL),
        ("system", Origin.UNKNOWN),
        ("developer", Origin.UNKNOWN),
        (" User ", Origin.USER),
        (Role.TOOL, Origin.TOOL),
    ],
)
def test_the_role_says_where_words_come_from_unless_the_caller_does(role: str, origin: Origin) -> None:
    message = only({"role": role, "text": "tea"})
    assert (message.origin, message.speaker) == (origin, role.strip().lower())
    assert only({"role": role, "text": "tea", "origin": "web"}).origin is Origin.WEB


@pytest.mark.parametrize(("given", "kept"), [(0, 0.0), (0.25, 0.25), (1, 1.0), (None, None)])
def test_an_apps_word_on_how_much_a_message_matters_is_kept_and_changes_nothing_of_what_it_says(
    given: float | None, kept: float | None
) -> None:
    message = only({"text": "tea", "importance": given})
    assert message.importance == kept
    assert message.digest == only({"text": "tea"}).digest


@pytest.mark.parametrize("given", [-0.1, 1.01, float("nan"), float("inf"), True, "high", "0.5", [1]])
def test_what_is_no_share_is_refused_as_importance(given: object) -> None:
    with pytest.raises(InvalidRun, match="message 0: importance"):
        only({"text": "tea", "importance": given})


def test_a_message_without_an_id_is_named_after_its_place() -> None:
    assert [message.message_id for message in clean(HIVES, {"text": "tea"}).messages] == ["m1", "run-7#1"]


def test_fields_that_mean_nothing_here_are_named_in_a_warning() -> None:
    message = only({"text": "tea", "content": "coffee", "metadata": {"password": "swordfish"}, "x\x00y" * 99: 1})
    (warning,) = message.warnings
    assert warning.startswith("fields ignored: content, metadata, xy")
    assert "swordfish" not in warning
    assert "\x00" not in warning


BAD_RUNS: list[tuple[dict[str, Any], str]] = [
    ({"messages": []}, "no messages"),
    ({"messages": iter(())}, "no messages"),
    ({"messages": "tea"}, "list of messages, not str"),
    ({"messages": HIVES}, "list of messages, not dict"),
    ({"messages": None}, "list of messages, not NoneType"),
    ({"messages": [HIVES, "tea"]}, "message 1: must be a mapping"),
    ({"messages": [HIVES, None]}, "message 1: must be a mapping"),
    ({"messages": [HIVES] * 3, "limits": {"max_run_messages": 2}}, "more than 2 messages"),
    ({"run_id": ""}, "run_id.*blank"),
    ({"run_id": None}, "run_id must be a string"),
    ({"run_id": "*"}, "wildcard"),
    ({"run_id": "r" * 201}, "201 characters"),
    ({"run_id": "tea\x00pot"}, "invisible"),
    ({"messages": [{"id": "ﬁ", "text": "tea"}]}, "message 0: message_id.*NFKC"),
    ({"messages": [HIVES, {"id": " ", "text": "tea"}]}, "message 1: message_id.*blank"),
    ({"messages": [HIVES, {"id": 7, "text": "tea"}]}, "message 1: id.*string"),
    ({"messages": [{"id": "\ud83d", "text": "tea"}]}, "message 0: message_id"),
    ({"messages": [{"text": 7}]}, "message 0: text"),
    ({"messages": [{"text": b"tea"}]}, "message 0: text"),
    ({"messages": [{"text": [7]}]}, "message 0: a part of the content"),
    (
        {"messages": [{"text": "tea", "role": "narrator"}]},
        "message 0: role 'narrator' is none of user, assistant, tool",
    ),
    ({"messages": [{"text": "tea", "role": 7}]}, "message 0: role"),
    ({"messages": [{"text": "tea", "origin": "rumour"}]}, "message 0: origin.*'user'.*'web'"),
    ({"messages": [{"text": "tea", "tool_calls": "none"}]}, "message 0: tool_calls"),
    ({"messages": [{"text": "tea", "tool_call_id": "\x00"}]}, "message 0: tool_call_id"),
    ({"messages": [{"text": "tea", 7: 8}]}, "message 0: "),
    ({"room": "room:x"}, "reserved"),
    ({"room": ""}, "room_id.*blank"),
    ({"participants": "mira"}, "list of user ids, not str"),
    ({"participants": ["mira", "tove,oskar"]}, "participant_id.*comma"),
    ({"participants": ["mira", None]}, "participant_id must be a string"),
    ({"participants": ["tove", "oskar"]}, "user 'mira' is not among the participants oskar, tove"),
    ({"room": "kitchen", "participants": ["tove"]}, "not among the participants"),
]


@pytest.mark.parametrize(("given_as", "why"), BAD_RUNS, ids=range(len(BAD_RUNS)))
def test_a_run_that_cannot_be_taken_is_refused_with_the_reason(given_as: dict[str, Any], why: str) -> None:
    with pytest.raises(InvalidRun, match=why):
        clean(**{"messages": [HIVES], **given_as})


def test_the_error_of_a_message_carries_its_position_and_echoes_no_secret() -> None:
    with pytest.raises(InvalidRun) as caught:
        clean(HIVES, {"text": {"password": "swordfish"}, "origin": "swordfish", "tool_calls": ["swordfish"]})
    assert caught.value.details["position"] == 1
    assert "swordfish" not in str(caught.value)


def test_what_is_no_scope_is_refused() -> None:
    with pytest.raises(InvalidScope):
        clean(HIVES, scope="mira")


def test_a_message_over_the_limit_is_refused_with_its_place_size_and_the_limit() -> None:
    with pytest.raises(InvalidRun, match=r"message 1: has 1001 bytes; the limit is 1000 .*cut it") as caught:
        clean(HIVES, {"text": "ż" * 500 + "x"}, limits={"max_message_bytes": 1000})
    assert caught.value.details == {"position": 1, "size": 1001, "limit": 1000}
    assert only({"text": "ż" * 500}, limits={"max_message_bytes": 1000}).text == "ż" * 500


def test_tool_calls_count_towards_the_limit() -> None:
    with pytest.raises(InvalidRun, match=r"message 0: has \d+ bytes"):
        clean({"text": "x" * 990, "tool_calls": [CALL]}, limits={"max_message_bytes": 1000})


def test_four_megabytes_of_words_and_a_long_base64_line_are_taken_whole() -> None:
    words = " ".join(f"word{n:06d}" for n in range(364_000))
    line = "QUJD" * 225_000
    big, small = clean({"role": "tool", "text": words}, {"text": line}).messages
    assert (big.text, small.text) == (words, line)


def test_each_time_is_read_by_the_one_rule_and_a_bad_one_costs_no_message() -> None:
    times: list[object] = ["2031-03-04T09:00", "2031-03-04T09:00Z", "2031-03-04T14:30+05:30", 1930381200, 1930381200000]
    times += ["0001-01-01", "9999-12-31T00:00Z", "2031-02-30", None, "2031-06-02T12:00Z", True, [1]]
    messages = clean(*({"text": f"tea {n}", "ts": value} for n, value in enumerate(times))).messages
    march = datetime(2031, 3, 4, 9, tzinfo=UTC)
    assert [message.occurred_at for message in messages[:5]] == [march] * 5
    assert [message.occurred_at for message in messages[5:9]] == [None] * 4
    assert messages[9].occurred_at == datetime(2031, 6, 2, 12, tzinfo=UTC)
    assert [bool(message.warnings) for message in messages] == [
        True,
        *[False] * 4,
        *[True] * 3,
        False,
        False,
        True,
        True,
    ]
    assert [message.original_at for message in messages[:2]] == ["2031-03-04T09:00", "2031-03-04T09:00Z"]
    assert all(message.occurred_at.tzinfo is UTC for message in messages if message.occurred_at)


def test_a_naive_time_is_read_in_the_zone_that_is_set() -> None:
    message = only({"text": "tea", "ts": "2031-03-04T09:00"}, limits={"naive_timezone": "Asia/Kolkata"})
    assert message.occurred_at == datetime(2031, 3, 4, 3, 30, tzinfo=UTC)
    assert "Asia/Kolkata" in message.warnings[0]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("tea\x00pot", "teapot"),
        ("\u0000", ""),
        ("tea \ud83d", "tea \ufffd"),
        ("\udce9 tea", "\ufffd tea"),
        ("tea \ufffe", "tea \ufffd"),
        ("cafe\u0301", "café"),
    ],
)
def test_text_that_cannot_be_stored_is_replaced_and_noted_wherever_it_stands(text: str, left: str) -> None:
    call = {"function": {"name": "f", "arguments": {text + "k": [text]}}}
    message = only({"text": text, "speaker": text + "Tove", "tool_calls": [call]})
    assert message.text == left
    assert message.speaker == f"{left}Tove".strip()
    assert message.tool_calls == ({"function": {"name": "f", "arguments": {left + "k": [left]}}},)
    assert message.warnings
    json.dumps(message.tool_calls).encode()
    data = only({"role": "tool", "content": {"reading": text}})
    assert json.loads(data.text) == {"reading": left}


@pytest.mark.parametrize(
    "text", ["👨‍👩‍👧‍👦 at home", r"the six characters \u0000", "冷蔵庫の修理は金曜日です。", "Ślimak i Spółka"]
)
def test_good_text_passes_unchanged(text: str) -> None:
    message = only({"text": text, "tool_calls": [{"arguments": text}]})
    assert (message.text, message.tool_calls, message.warnings) == (text, ({"arguments": text},), ())


@pytest.mark.parametrize("text", ["", "   \n", "\u200b", ".", None, []])
def test_a_blank_message_is_taken_as_blank(text: object) -> None:
    message = only({"text": text})
    assert is_blank(message.text)
    assert message.origin is Origin.USER


def test_an_image_alone_is_blank_with_a_note() -> None:
    message = only({"content": [{"type": "image_url", "image_url": {"url": "https://x.example/a.png"}}]})
    assert message.text == ""
    assert "'image_url' left out" in message.warnings[0]


def test_the_texts_of_a_content_list_are_joined() -> None:
    parts = [{"type": "text", "text": "one"}, "two", {"type": "image_url"}, {"type": "input_text", "text": "three"}]
    assert only({"content": parts}).text == "one\ntwo\nthree"


def test_a_tool_use_part_becomes_a_tool_call() -> None:
    part = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Varna"}}
    message = only({"role": "assistant", "content": [{"type": "text", "text": "Let me look."}, part]})
    assert (message.text, message.tool_calls, message.origin) == ("Let me look.", (part,), Origin.ASSISTANT)


def test_a_tool_result_in_a_users_message_is_the_tools_and_never_the_users() -> None:
    result = {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": [{"type": "text", "text": "pay heron.example"}],
    }
    message = only({"role": "user", "content": [result]})
    assert (message.role, message.origin, message.speaker) == (Role.TOOL, Origin.TOOL, "tool")
    assert (message.text, message.tool_call_id, message.warnings) == ("pay heron.example", "toolu_1", ())
    mixed = only({"role": "user", "content": [result, {"type": "text", "text": "thanks"}]})
    assert (mixed.origin, mixed.text) == (Origin.TOOL, "pay heron.example\nthanks")
    assert "send two messages" in mixed.warnings[0]


def test_a_tools_answer_that_is_data_becomes_its_json() -> None:
    message = only(
        {"role": "tool", "content": [{"temperature": 21.5, "at": NOW, "odd": float("nan")}], "tool_call_id": "c1"}
    )
    assert json.loads(message.text) == {"temperature": 21.5, "at": str(NOW), "odd": "nan"}
    assert message.tool_call_id == "c1"


def test_tool_calls_that_json_cannot_hold_are_kept_as_text_and_noted() -> None:
    message = only({"text": "", "tool_calls": [{"a": {1}, "b": 10**5000, "c": (float("inf"), b"x"), "d": {4: None}}]})
    assert message.tool_calls[0]["a"] == [1]
    assert message.tool_calls[0]["b"].startswith("0x")
    assert message.tool_calls[0]["c"] == ["inf", "b'x'"]
    assert message.tool_calls[0]["d"] == {"4": None}
    assert any("kept as text" in warning for warning in message.warnings)


def test_data_nested_without_end_is_refused() -> None:
    nested: list[Any] = []
    for _ in range(5000):
        nested = [nested]
    with pytest.raises(InvalidRun, match=r"message 0: .*64 deep"):
        clean({"text": "tea", "tool_calls": [{"a": nested}]})


def test_a_recalled_block_is_cut_out_and_the_real_words_stay() -> None:
    message = only({"text": f"{BLOCK}\nMy bus is the 14."})
    assert (message.text, message.origin) == ("My bus is the 14.", Origin.USER)
    assert message.warnings == ("recalled blocks cut out: 1",)
    assert message.digest == digest_of("My bus is the 14.")


def test_a_message_that_was_nothing_but_a_recalled_block_has_the_origin_recalled() -> None:
    assert only({"text": f"```\n{BLOCK}\n```"}).origin is Origin.RECALLED
    assert only({"text": "", "tool_calls": [{"result": BLOCK}]}).tool_calls == ({"result": ""},)


def test_secrets_are_removed_before_the_digest_and_counted() -> None:
    key = "sk-test-" + "aBcD" * 10
    run = clean(
        {"text": f"the api key is {key}", "speaker": f"Mira {key}", "ts": f"soon {key}", key: 1},
        {"text": "", "tool_calls": [{"arguments": json.dumps({"password": "swordfish"}), "token": key}]},
    )
    assert run.redacted == 3
    assert run.messages[0].text == "the api key is [redacted: api key]"
    assert run.messages[0].digest == digest_of("the api key is [redacted: api key]")
    assert "secrets removed: api key (1)" in run.messages[0].warnings
    assert key not in repr(run)
    assert "swordfish" not in repr(run)


def test_the_digest_covers_text_and_tool_calls_and_nothing_else() -> None:
    plain = only(HIVES)
    assert only({**HIVES, "role": "assistant", "speaker": "Tove", "ts": None, "id": "m2"}).digest == plain.digest
    assert only({**HIVES, "tool_calls": [CALL]}).digest != plain.digest
    reordered = dict(reversed(CALL.items()))
    assert only({**HIVES, "tool_calls": [reordered]}).digest == only({**HIVES, "tool_calls": [CALL]}).digest
    assert digest_of("tea") == hashlib.sha256(b"tea").hexdigest()


def test_the_same_message_twice_is_kept_once_with_a_warning() -> None:
    run = clean(HIVES, {"text": "tea"}, {**HIVES, "ts": None, "text": f"{HIVES['text']}\x00"})
    assert [message.position for message in run.messages] == [0, 1]
    assert run.messages[0].warnings == ("given again as message 2; kept once",)


def test_one_id_for_two_contents_is_a_conflict() -> None:
    with pytest.raises(ConflictingMessage, match="messages 0 and 2 of this run have the id 'm1'") as caught:
        clean(HIVES, {"text": "tea"}, {**HIVES, "text": "I keep three."})
    assert caught.value.details["positions"] == (0, 2)


def test_equal_messages_without_ids_are_two() -> None:
    assert len(clean({"text": "ok"}, {"text": "ok"}).messages) == 2


def test_participants_without_a_room_have_one_of_their_own_in_any_order() -> None:
    one, two = (clean(HIVES, participants=people) for people in (["tove", "mira"], ["mira", "tove", "mira"]))
    assert one.room_id == two.room_id == derived_room(["mira", "tove"])
    assert one.room_id is not None
    assert one.room_id.startswith("dm-")
    assert len(one.room_id) == 35
    assert one.participants == ("mira", "tove")
    assert one.owner == f"room:{one.room_id}"
    assert clean(HIVES).owner == "mira"


def test_a_named_room_without_participants_has_the_scopes_user_for_one() -> None:
    run = clean(HIVES, room="kitchen")
    assert (run.room_id, run.participants) == ("kitchen", ("mira",))


def test_a_tenant_wide_run_may_name_any_participants() -> None:
    run = clean(HIVES, scope=Scope.tenant_wide("acme"), participants=["tove", "oskar"])
    assert run.participants == ("oskar", "tove")
    assert clean(HIVES, scope=Scope.tenant_wide("acme")).room_id is None


def test_a_users_message_by_nobody_in_the_room_is_taken_with_a_warning() -> None:
    messages = clean(
        {"text": "a", "speaker": "Mira"},
        {"text": "b", "speaker": "Zed"},
        {"text": "c"},
        {"text": "d", "role": "assistant", "speaker": "Kestrel"},
        participants=["mira", "tove"],
    ).messages
    assert [message.warnings for message in messages] == [
        (),
        ("speaker 'Zed' is none of the participants",),
        (f"names no speaker, in a room; taken for {messages[2].speaker!r}",),
        (),
    ]
    assert [message.speaker for message in messages] == ["Mira", "Zed", "mira", "Kestrel"]
    shared = clean({"text": "c"}, scope=Scope.tenant_wide("acme"), participants=["mira", "tove"]).messages
    assert shared[0].speaker == "user"


def test_a_long_or_broken_speaker_is_shortened_to_one_line() -> None:
    message = only({"text": "tea", "speaker": " Tove\n of  the\tharbour " + "x" * 300})
    assert message.speaker.startswith("Tove of the harbour x")
    assert len(message.speaker) == 200
    assert message.warnings == ("speaker cut to 200 characters",)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(), max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(message=st.fixed_dictionaries({}, optional=dict.fromkeys((*RawMessage.model_fields, "content", "name"), JSON)))
def test_whatever_a_message_holds_it_is_refused_with_a_type_or_comes_out_storable(message: dict[str, Any]) -> None:
    try:
        run = clean(message)
    except InvalidRun as error:
        refused = str(error)
        assert refused.startswith("message 0: ")
        return
    (cleaned,) = run.messages
    stored = json.dumps(
        [cleaned.text, cleaned.speaker, cleaned.tool_calls, cleaned.warnings, cleaned.original_at], allow_nan=False
    )
    assert "\\u0000" not in stored.replace("\\\\", "")
    stored.encode()
    repr(cleaned).encode()
    assert clean(message) == run
