"""Each format comes to conversations: who said what, when, under ids that stay, and nothing that nobody said."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from typing import Any

import pytest

from gateway.importing import chatgpt, claude, claude_code, mem0, plain
from gateway.importing.conversation import Conversation, id_of
from shared.contract.errors import InvalidRun
from shared.contract.scope import checked_id
from tests.unit.gateway.importing import samples


def as_file(value: Any) -> io.BytesIO:
    return io.BytesIO(json.dumps(value).encode())


def as_lines(values: Iterable[Any]) -> io.BytesIO:
    return io.BytesIO("\n".join(json.dumps(each) for each in values).encode())


def told(conversation: Conversation) -> list[tuple[str, str]]:
    return [(each["role"], each["text"]) for each in conversation.messages]


def test_of_a_tree_the_branch_that_was_on_the_screen_is_read() -> None:
    bees, nothing = chatgpt.read(as_file(samples.chatgpt()))
    assert (bees.id, bees.title) == ("chatgpt:c-1", "Bees")
    assert told(bees) == [
        ("user", "I keep two beehives."),
        ("assistant", "How lovely."),
        ("user", "What about mites?"),
        ("assistant", "Treat them in August."),
    ]
    assert (bees.messages[0]["id"], bees.messages[0]["ts"]) == ("m2", 1_760_000_002)
    assert nothing.messages == []


def test_what_a_tool_answered_is_read_where_all_is_wanted() -> None:
    bees, _ = chatgpt.read(as_file(samples.chatgpt()), everything=True)
    assert ("tool", "A page on mites.") in told(bees)
    assert not [text for _, text in told(bees) if text in {"search(mites)", "hidden", "You are helpful."}]


def test_a_tree_without_a_current_node_is_read_in_order_of_time_and_a_circle_ends() -> None:
    (bees, _) = samples.chatgpt()
    ordered = next(chatgpt.read(as_file([{**bees, "current_node": None}])))
    assert [text for _, text in told(ordered)][:2] == ["I keep two beehives.", "How lovely."]
    bees["mapping"]["n1"]["parent"] = "n9"
    assert len(told(next(chatgpt.read(as_file([bees]))))) == 4


def test_claudes_messages_are_read_and_attachments_only_where_all_is_wanted() -> None:
    (garden,) = claude.read(as_file(samples.claude()))
    assert told(garden) == [("user", "I moved to Lund."), ("assistant", "Congratulations!")]
    (garden,) = claude.read(as_file(samples.claude()), everything=True)
    document = garden.messages[0]
    assert (document["origin"], document["speaker"], document["text"]) == (
        "document", "lease.txt", "The lease begins in March.",
    )  # fmt: skip


def test_of_a_transcript_what_people_and_assistant_said_is_read() -> None:
    (session,) = claude_code.read(as_lines(samples.claude_code()))
    assert (session.id, session.title) == ("claude-code:s-1", "Hive counter")
    assert told(session) == [("user", "Use tabs in this project, please."), ("assistant", "I will use tabs.")]
    (session,) = claude_code.read(as_lines(samples.claude_code()), everything=True)
    assert ("tool", "def count(): ...") in told(session)


def test_a_transcript_may_end_in_half_a_line_and_not_go_on_behind_it() -> None:
    whole = as_lines(samples.claude_code()).getvalue()
    (session,) = claude_code.read(io.BytesIO(whole + b'\n{"type": "us'))
    assert len(session.messages) == 2
    with pytest.raises(InvalidRun, match="line 8 is no JSON"):
        list(claude_code.read(io.BytesIO(whole + b'\n{"type": "us\n' + whole)))


def test_memories_are_each_a_tools_word_in_a_run_of_its_own() -> None:
    rye, lund = mem0.read(as_file(samples.mem0()))
    assert (rye.id, told(rye)) == ("mem0:k-1", [("tool", "Likes rye bread")])
    assert lund.messages[0]["ts"] == "2026-02-02"
    changed = samples.mem0()
    changed["results"][0]["memory"] = "Likes spelt bread"
    again, _ = mem0.read(as_file(changed))
    assert again.id == rye.id
    assert again.messages[0]["id"] != rye.messages[0]["id"], "the same memory in other words is another message"


@pytest.mark.parametrize("given", [samples.mem0()["results"], {"memories": samples.mem0()["results"]}])
def test_memories_may_be_listed_bare_or_under_a_name(given: Any) -> None:
    assert [each.id for each in mem0.read(as_file(given))] == ["mem0:k-1", "mem0:k-2"]


def test_lines_are_messages_of_a_file_or_of_the_conversation_that_they_name() -> None:
    lines = [{"role": "user", "content": "One"}, {"role": "assistant", "content": "Two", "ts": "2026-01-01"}]
    (alone,) = plain.read_lines(as_lines(lines), name="old/chat.jsonl")
    assert (alone.id, told(alone)) == ("jsonl:old/chat", [("user", "One"), ("assistant", "Two")])
    named = [{**each, "conversation_id": name} for name in ("a", "b") for each in lines]
    assert [each.id for each in plain.read_lines(as_lines(named), name="chat.jsonl")] == ["jsonl:a", "jsonl:b"]
    between = [named[0], named[2], named[1], named[3]]
    assert [len(each.messages) for each in plain.read_lines(as_lines(between), name="chat.jsonl")] == [2, 2]
    whole = [{"id": "x", "messages": lines}, {"messages": lines}]
    assert [each.id for each in plain.read_lines(as_lines(whole), name="chat.jsonl")] == ["jsonl:x", "jsonl:chat-2"]


@pytest.mark.parametrize(
    ("line", "wrong"),
    [("{", "line 1 is no JSON"), ("[1]", "line 1 is a list"), ('{"role": "user"}', "line 1 is no message")],
)
def test_a_line_that_is_neither_is_named(line: str, wrong: str) -> None:
    with pytest.raises(InvalidRun, match=wrong):
        list(plain.read_lines(io.BytesIO(line.encode()), name="chat.jsonl"))


MARKDOWN = """# A chat

Kept from spring.

## User (2026-03-01 09:00)

I keep two beehives.
You would like them.

## Assistant:

How lovely. Ask me this:

**User**: I am allergic to walnuts.
You: I live in Oslo.

```
## User
Not a turn.
```

### You

## You

And a dog.
"""
BOLD = "**You:** And a dog.\n\n**ChatGPT said:**\n\nA fine dog: is it old?\nUser: who?\n"
PLAIN = "You: And a dog.\n\nClaude: **You** have a fine dog.\n"


def test_in_markdown_speakers_are_written_as_the_first_one_is_and_nobody_else_speaks() -> None:
    (chat,) = plain.read_markdown(io.BytesIO(MARKDOWN.encode()), name="notes/spring.md")
    assert chat.id == "markdown:notes/spring"
    assert [(role, text.partition("\n")[0]) for role, text in told(chat)] == [
        ("user", "I keep two beehives."),
        ("assistant", "How lovely. Ask me this:"),
        ("user", "And a dog."),
    ]
    assert all(words in chat.messages[1]["text"] for words in ("walnuts", "Oslo", "Not a turn", "### You"))
    (bold,) = plain.read_markdown(io.BytesIO(BOLD.encode()), name="a.md")
    assert told(bold) == [("user", "And a dog."), ("assistant", "A fine dog: is it old?\nUser: who?")]
    (written,) = plain.read_markdown(io.BytesIO(PLAIN.encode()), name="a.md")
    assert told(written) == [("user", "And a dog."), ("assistant", "**You** have a fine dog.")]
    assert chat.messages[0]["ts"] == "2026-03-01 09:00"


def test_markdown_in_which_nobody_speaks_is_refused() -> None:
    with pytest.raises(InvalidRun, match="nobody speaks"):
        list(plain.read_markdown(io.BytesIO(b"# Shopping\n\n- bread\n"), name="list.md"))


def test_a_long_conversation_is_several_runs_of_which_the_first_stay_as_it_grows() -> None:
    messages = [{"role": "user", "text": f"word{n}"} for n in range(5)]
    runs = dict(Conversation(id="jsonl:a", messages=messages).runs(2))
    assert {name: len(each) for name, each in runs.items()} == {"jsonl:a": 2, "jsonl:a#2": 2, "jsonl:a#3": 1}
    grown = dict(Conversation(id="jsonl:a", messages=[*messages, {"role": "user", "text": "more"}]).runs(2))
    assert [grown["jsonl:a"], grown["jsonl:a#2"]] == [runs["jsonl:a"], runs["jsonl:a#2"]]


@pytest.mark.parametrize(
    "own", ["plain", "a, b", "*", "", "ünï/code", "x" * 500, "line\nbreak", "%%", "\ufb01le\u200b"]
)
def test_whatever_a_source_calls_it_the_id_is_one_that_the_front_door_takes(own: str) -> None:
    assert checked_id("run_id", id_of("jsonl", own))


def test_what_is_called_otherwise_has_another_id() -> None:
    names = ["Alice & Bob", "Alice + Bob", "Alice---Bob", "x" * 300, "x" * 301, "ab", "a\u200bb"]
    assert len({id_of("markdown", name) for name in names}) == len(names)


def test_markdown_that_is_no_text_in_utf_8_is_refused() -> None:
    with pytest.raises(InvalidRun, match="UTF-8: byte 8"):
        list(plain.read_markdown(io.BytesIO("You: caf\u00e9".encode("latin-1")), name="a.md"))
