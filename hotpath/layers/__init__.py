"""What the layers of memory have in common: how a memory is labelled and rendered. Pure."""
