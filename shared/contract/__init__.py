"""The words of Daybook: values that every other part passes around. Pure; imports nothing of ours."""
