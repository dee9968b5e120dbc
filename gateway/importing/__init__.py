"""Conversations from elsewhere, taken in as runs: what other products hand out, read piece by piece.

    sources       a file, a folder or an archive, file by file; which format each is in
    chatgpt       the data export of ChatGPT: conversations, each a tree of messages
    claude        the data export of Claude: conversations, each a list of messages
    claude_code   transcripts of Claude Code: a line an entry, a file a session
    mem0          the memories of mem0, each a message of its own
    plain         JSON Lines of messages or of conversations, and Markdown with a speaker before what is said
    conversation  what all of them come to
    bringing      what would be taken in and what it would cost, and taking it in

Nothing here writes: a conversation goes through the front door as any run does, and is cleaned and scrubbed there. Ids
are made of the ids that the source gives, so what is imported again is the same again, and what is new in it is added.
"""
