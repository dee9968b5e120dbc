"""A message that a worker has dealt with takes up no place with it, whether or not the broker could be told."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import pytest
from kombu.transport import virtual

from shared.work.consumer import FreeingQoS


class CutOff:
    """A channel that cannot reach its broker."""

    do_restore = False
    unacked_key = "unacked"

    def conn_or_acquire(self, *_: object) -> NoReturn:
        raise ConnectionError


@pytest.mark.parametrize(
    "tell",
    [
        lambda qos: qos.ack("7"),
        lambda qos: qos.reject("7"),
        lambda qos: qos.reject("7", requeue=True),
    ],
    ids=["acknowledged", "let go", "given back"],
)
def test_a_worker_takes_the_next_message_though_the_broker_did_not_hear_of_the_last(
    tell: Callable[[FreeingQoS], None],
) -> None:
    qos = FreeingQoS(CutOff(), prefetch_count=1)
    virtual.QoS.append(qos, object(), "7")
    assert not qos.can_consume()
    with pytest.raises(ConnectionError):
        tell(qos)
    assert qos.can_consume()
    virtual.QoS.append(qos, object(), "8")
    assert not qos.can_consume(), "the next one has the place"
