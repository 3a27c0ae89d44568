"""How a duty makes a request: until there is a reply, and no longer than its session lives."""

from __future__ import annotations

import pytest

from impl.cluster.requests import performed
from impl.controller import SessionExpired
from impl.zookeeper_requests import Code, Connected, Get, Reply

LOST, EXPIRED, FOUND = map(Reply, (Code.CONNECTION_LOSS, Code.SESSION_EXPIRED, Code.OK))
READ = Get("/a")


def requests(*replies):
    """The requests of a duty that gets these replies, and what it returns at the last one."""
    duty = performed("read", READ)
    made = [next(duty).request]
    try:
        for reply in replies:
            made.append(duty.send(reply).request)
    except StopIteration as end:
        return made, end.value
    return made, None


def test_a_request_is_made_once_if_there_is_a_reply():
    for reply in (FOUND, Reply(Code.NO_NODE)):
        assert requests(reply) == ([READ], reply)


def test_a_request_whose_reply_is_lost_is_made_again_when_there_is_a_connection():
    connection = Connected()
    assert requests(LOST, FOUND, FOUND) == ([READ, connection, READ], FOUND)
    assert requests(LOST, LOST, LOST, FOUND) == ([READ, connection, READ, connection, READ], None)


@pytest.mark.parametrize("replies", [(EXPIRED,), (LOST, EXPIRED), (LOST, FOUND, EXPIRED)])
def test_a_session_that_has_expired_ends_the_duty(replies):
    with pytest.raises(SessionExpired):
        requests(*replies)
