"""Small exports as other products write them; the words are made up."""

from __future__ import annotations

from typing import Any


def chatgpt_message(number: int, role: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "id": f"m{number}",
        "author": {"role": role, "name": more.pop("name", None)},
        "create_time": 1_760_000_000 + number,
        "content": {"content_type": "text", "parts": [text]},
        "metadata": {},
        "recipient": "all",
        **more,
    }


def chatgpt() -> list[dict[str, Any]]:
    """One conversation whose second question was put otherwise, with a tool between, and an empty one."""
    nodes = [
        ("root", None, None),
        ("n1", "root", chatgpt_message(1, "system", "You are helpful.")),
        ("n2", "n1", chatgpt_message(2, "user", "I keep two beehives.")),
        ("n3", "n2", chatgpt_message(3, "assistant", "How lovely.")),
        ("n4", "n3", chatgpt_message(4, "user", "What about wasps?")),
        ("n5", "n3", chatgpt_message(5, "user", "What about mites?")),
        ("n6", "n5", chatgpt_message(6, "assistant", "search(mites)", recipient="browser")),
        ("n7", "n6", chatgpt_message(7, "tool", "A page on mites.", name="browser")),
        ("n8", "n7", chatgpt_message(8, "assistant", "Treat them in August.")),
        ("n9", "n8", chatgpt_message(9, "user", "hidden", metadata={"is_visually_hidden_from_conversation": True})),
    ]
    mapping = {
        name: {"id": name, "parent": parent, "message": message, "children": []} for name, parent, message in nodes
    }
    return [
        {"title": "Bees", "conversation_id": "c-1", "create_time": 1.76e9, "current_node": "n9", "mapping": mapping},
        {"title": "Nothing", "conversation_id": "c-2", "create_time": 1.76e9, "current_node": None, "mapping": {}},
    ]


def claude() -> list[dict[str, Any]]:
    return [
        {
            "uuid": "u-1",
            "name": "Garden",
            "created_at": "2026-02-03T10:00:00.000000Z",
            "chat_messages": [
                {
                    "uuid": "a",
                    "sender": "human",
                    "text": "older form",
                    "content": [{"type": "text", "text": "I moved to Lund."}],
                    "created_at": "2026-02-03T10:00:01.000000Z",
                    "attachments": [{"file_name": "lease.txt", "extracted_content": "The lease begins in March."}],
                },
                {
                    "uuid": "b",
                    "sender": "assistant",
                    "text": "Congratulations!",
                    "content": [{"type": "thinking", "thinking": "A move."}],
                    "created_at": "2026-02-03T10:00:09.000000Z",
                },
            ],
        }
    ]


def claude_code() -> list[dict[str, Any]]:
    of = {"sessionId": "s-1", "cwd": "/home/mira/bees", "version": "2.0"}
    return [
        {"type": "summary", "summary": "Hive counter", "leafUuid": "e4", "sessionId": "s-1"},
        {**of, "type": "user", "uuid": "e0", "isMeta": True, "timestamp": "2026-03-01T08:59:00Z",
         "message": {"role": "user", "content": "Caveat: these were made by the program."}},
        {**of, "type": "user", "uuid": "e1", "timestamp": "2026-03-01T09:00:00Z",
         "message": {"role": "user", "content": "Use tabs in this project, please."}},
        {**of, "type": "assistant", "uuid": "e2", "timestamp": "2026-03-01T09:00:05Z",
         "message": {"role": "assistant", "content": [
             {"type": "thinking", "thinking": "Tabs."},
             {"type": "text", "text": "I will use tabs."},
             {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a.py"}}]}},
        {**of, "type": "user", "uuid": "e3", "timestamp": "2026-03-01T09:00:06Z",
         "message": {"role": "user", "content": [
             {"type": "tool_result", "tool_use_id": "t1", "content": "def count(): ..."}]}},
        {**of, "type": "user", "uuid": "e5", "timestamp": "2026-03-01T09:01:00Z",
         "message": {"role": "user", "content": "<command-name>/clear</command-name>"}},
        {**of, "type": "assistant", "uuid": "e6", "isSidechain": True, "timestamp": "2026-03-01T09:02:00Z",
         "message": {"role": "assistant", "content": [{"type": "text", "text": "Between agents."}]}},
    ]  # fmt: skip


def mem0() -> dict[str, Any]:
    return {
        "results": [
            {"id": "k-1", "memory": "Likes rye bread", "created_at": "2026-01-02T03:04:05-08:00", "updated_at": None},
            {"id": "k-2", "memory": "Lives in Lund", "created_at": "2026-01-02", "updated_at": "2026-02-02"},
        ]
    }
