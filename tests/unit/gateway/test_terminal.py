import pytest

from gateway.terminal import counted


@pytest.mark.parametrize(
    ("count", "things", "told"),
    [
        (1, "messages", "1 message"),
        (1_200, "messages", "1,200 messages"),
        (1, "memories", "1 memory"),
        (2, "memories", "2 memories"),
        (1, "dead letters", "1 dead letter"),
        (1, "redacted", "1 redacted"),
        (0, "claims", "0 claims"),
    ],
)
def test_what_is_counted_agrees_with_its_number(count, things, told):
    assert counted(count, things) == told
