"""The demonstration: a conversation goes in through real workers, and questions are answered with evidence."""
