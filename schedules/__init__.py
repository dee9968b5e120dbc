"""When what runs by itself."""
