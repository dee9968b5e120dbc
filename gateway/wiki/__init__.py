"""The wiki as people have it: compiled from what is stored, written to a folder, and read back where that changed."""
