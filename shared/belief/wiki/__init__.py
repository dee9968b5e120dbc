"""The wiki: what is held, as pages in Markdown for people. Pure: pages are a function of memories and of the hour."""
