"""Exactly once to the person: a message id seen before is acknowledged again and never shown again (spec §11)."""
import pytest

from harness import wire

BURST = 500


def shown_once(gateway, messages):
    shown = gateway.shown()
    assert sorted(shown) == sorted(messages), "each message once"
    assert gateway.status()["received"] == len(messages)


def test_a_duplicate_is_acknowledged_0_and_not_shown(online, peer):
    gateway, token = online
    message = peer.notify(token)
    peer.wait_ack(message)
    gateway.wait_light(True)
    lit = gateway.lightings()
    peer.notify(token, msg_id=message)
    peer.wait_ack(message, count=2)
    shown_once(gateway, [message])
    assert gateway.status()["duplicates"] == 1 and gateway.lightings() == lit


def test_only_the_message_id_tells_duplicates_apart(online, peer):
    """Another seq, another text, another form: the same message. The same text under another id: another message."""
    gateway, token = online
    message = peer.notify(token, wire.document("first"))
    peer.wait_ack(message)
    peer.notify(token, wire.document("second"), msg_id=message, encrypt=True, seq=4000)
    peer.wait_ack(message, count=2)
    other = peer.notify(token, wire.document("first"), seq=1)
    peer.wait_ack(other)
    shown_once(gateway, [message, other])
    assert gateway.row(message)["title"] == "first"


def test_duplicates_within_one_burst(online, peer):
    gateway, token = online
    messages = [wire.message_id() for _ in range(20)]
    payloads = [_payload(token, m) for m in messages]
    peer.raw(b"".join(wire.frame(wire.NOTIFY, p) for p in payloads for _ in range(3)))
    for message in messages:
        peer.wait_ack(message, count=3)
    shown_once(gateway, messages)
    assert gateway.status()["duplicates"] == 40


def _payload(token, message, seq=1):
    return wire.notify(wire.Token(token).routing_key, bytes.fromhex(message), seq, wire.tlv(wire.document()))


@pytest.mark.parametrize("how", ["restart", "kill-9"])
def test_still_known_after(online, peer, how):
    gateway, token = online
    message = peer.notify(token)
    peer.wait_ack(message)
    gateway.kill() if how == "kill-9" else gateway.stop()
    gateway.start()
    gateway.wait_light(True)
    mark, lit = peer.mark(), gateway.lightings()
    peer.notify(token, msg_id=message)
    peer.wait_ack(message, after=mark)
    shown_once(gateway, [message])
    assert gateway.lightings() == lit


def test_a_duplicate_of_one_already_read_stays_read(online, peer):
    gateway, token = online
    message = peer.notify(token)
    peer.wait_ack(message)
    gateway.cli("read", "all")
    gateway.wait_light(False)
    peer.notify(token, msg_id=message)
    peer.wait_ack(message, count=2)
    assert gateway.inbox()["unread"] == 0 and gateway.light() == "off"


def test_500_old_ids_in_a_burst_are_500_acknowledgements_and_nothing_shown(online, peer):
    gateway, token = online
    messages = [wire.message_id() for _ in range(BURST)]
    burst = b"".join(wire.frame(wire.NOTIFY, _payload(token, m, n)) for n, m in enumerate(messages, 1))
    peer.raw(burst)
    peer.wait("acked", count=BURST, seconds=30)
    shown_once(gateway, messages)
    gateway.cli("read", "all")
    gateway.wait_light(False)
    gateway.restart()
    mark, lit = peer.mark(), gateway.lightings()
    peer.raw(burst)
    peer.wait("acked", after=mark, count=BURST, seconds=30, status=0)
    assert peer.acks(after=mark) == set(messages)
    shown_once(gateway, messages)
    status = gateway.status()
    assert status["duplicates"] == BURST and status["unread"] == 0
    assert gateway.lightings() == lit and gateway.light() == "off"
