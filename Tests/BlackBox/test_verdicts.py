"""Notifications that are not shown, and the acknowledgement each gets: muted, expired, wrong key, unknown key (spec §5)."""
import time

import pytest

from harness import wire
from harness.settings import wait_until


def follow(peer, gateway, token):
    """A good notification behind the odd one: everything before it has been judged once it is acknowledged."""
    message = peer.notify(token, encrypt=True)
    peer.wait_ack(message)
    return message


@pytest.mark.parametrize("form", [{}, {"encrypt": True}, {"encrypt": True, "compress": True}],
                         ids=["plain", "encrypted", "both"])
def test_muted_is_acknowledged_0_and_not_shown(world, peer, form):
    gateway, token = world.online(peer)
    gateway.change_tokens("mute", "org.example.door")
    peer.wait_ack(peer.notify(token, **form))
    assert gateway.rows() == [] and gateway.status()["received"] == 0 and gateway.lightings() == 0
    gateway.change_tokens("unmute", "org.example.door")
    assert gateway.shown() == [], "what came while muted does not come back"
    shown = peer.notify(token, **form)
    peer.wait_ack(shown)
    assert gateway.shown() == [shown]


@pytest.mark.parametrize("expires", [-60, -86400], ids=["a-minute", "a-day"])
def test_expired_is_acknowledged_3(online, peer, expires):
    gateway, token = online
    message = peer.notify(token, encrypt=True, expires_at=int(time.time()) + expires)
    peer.wait_ack(message, 3)
    assert gateway.rows() == [] and gateway.status()["expired"] == 1 and gateway.lightings() == 0


@pytest.mark.parametrize("expires", [1, -1, -2**63], ids=["1970", "minus-one", "i64-minimum"])
def test_expired_long_ago(online, peer, expires):
    _, token = online
    peer.wait_ack(peer.notify(token, expires_at=expires), 3)


def test_expiry_is_checked_before_the_key(online, peer):
    _, token = online
    peer.wait_ack(peer.notify(token, encrypt=True, wrong_key=True, expires_at=int(time.time()) - 60), 3)


def test_expired_while_the_board_was_away(online, peer):
    gateway, token = online
    gateway.stop()
    message = peer.notify(token, expires_at=int(time.time()) + 1)
    wait_until(lambda: time.time() > peer.since(0, "note", msg_id=message)[0]["t"] + 3, 10, "expiry")
    gateway.start()
    peer.wait_ack(message, 3)
    assert gateway.rows() == []


@pytest.mark.parametrize("compress", [False, True], ids=["sealed", "sealed-and-deflated"])
def test_wrong_key_is_acknowledged_1(online, peer, compress):
    gateway, token = online
    message = peer.notify(token, encrypt=True, wrong_key=True, compress=compress)
    peer.wait_ack(message, 1)
    good = follow(peer, gateway, token)
    assert gateway.shown() == [good] and gateway.status()["rejected"] == 1


@pytest.mark.parametrize("place", [0, 12, -17, -1], ids=["first-byte", "middle", "last-of-text", "tag"])
def test_one_flipped_bit_is_acknowledged_1(online, peer, place):
    gateway, token = online
    parts, message = wire.Token(token), wire.message_id()
    text, iv = wire.sealed(parts.key, wire.tlv(wire.document()))
    text = bytearray(text)
    text[place] ^= 1
    peer.send(wire.NOTIFY, wire.notify(parts.routing_key, bytes.fromhex(message), 5, bytes(text), flags=1, tail=iv))
    peer.wait_ack(message, 1)
    assert gateway.rows() == []


@pytest.mark.parametrize("size", [0, 1, 15], ids="{}-bytes".format)
def test_sealed_data_shorter_than_its_tag_is_refused(online, peer, size):
    gateway, token = online
    message = wire.message_id()
    peer.send(wire.NOTIFY, wire.notify(wire.Token(token).routing_key, bytes.fromhex(message), 5, bytes(size), flags=1,
                                       tail=bytes(12)))
    assert peer.wait("acked", msg_id=message)["status"] in (1, 2)
    follow(peer, gateway, token)


def test_unknown_key_gets_no_acknowledgement_and_holds_nothing_up(online, peer):
    gateway, token = online
    first = follow(peer, gateway, token)
    unknown = peer.notify(token, routing_key="ab" * 32)
    last = follow(peer, gateway, token)
    assert peer.acks(unknown) == []
    assert gateway.shown() == [last, first]
    assert gateway.status()["last_seq"] == peer.since(0, "note", msg_id=last)[0]["seq"]
    assert any(word in line.lower() for line in gateway.log() for word in ("unknown", "routing key", "not registered"))
    mark = peer.mark()
    gateway.restart()
    assert peer.wait("poll", after=mark)["last_seq"] == peer.since(0, "note", msg_id=last)[0]["seq"]


def test_unknown_key_is_not_counted_as_seen(online, peer):
    """The same message id under a key that is known later is a new notification."""
    gateway, token = online
    message = peer.notify(token, routing_key="cd" * 32)
    follow(peer, gateway, token)
    peer.notify(token, msg_id=message)
    peer.wait_ack(message)
    assert message in gateway.shown()


@pytest.mark.parametrize("size", [4097, 5000, 20000, 65536, 200_000], ids="{}-bytes".format)
def test_oversize_notify_is_skipped_and_acknowledged_2(online, peer, size):
    gateway, token = online
    mark, message = peer.mark(), wire.message_id()
    data = wire.tlv({"aps": {"alert": {"title": "too long"}}, "pad": "x" * (size - 70 - 50)})
    payload = wire.notify(wire.Token(token).routing_key, bytes.fromhex(message), 9, data + bytes(size - 70 - len(data)))
    assert len(payload) == size
    peer.send(wire.NOTIFY, payload)
    peer.wait_ack(message, 2)
    good = follow(peer, gateway, token)
    assert gateway.shown() == [good]
    assert not peer.since(mark, "closed"), "the connection is kept"


def test_oversize_notify_does_not_come_back_for_ever(online, peer):
    gateway, token = online
    message = peer.notify(token, {"aps": {"alert": {"title": "x" * 6000}}})
    peer.wait_ack(message, 2)
    gateway.restart()
    good = follow(peer, gateway, token)
    assert gateway.shown() == [good] and peer.device()["unacked"] == 0


def test_a_burst_of_every_verdict_is_judged_one_by_one(online, peer):
    gateway, token = online
    past, verdicts = int(time.time()) - 60, {}
    for _ in range(20):
        verdicts[peer.notify(token, encrypt=True)] = [0]
        verdicts[peer.notify(token, expires_at=past)] = [3]
        verdicts[peer.notify(token, encrypt=True, wrong_key=True)] = [1]
        verdicts[peer.garbage(token, b"\x01\x7f")] = [2]
        verdicts[peer.notify(token, routing_key="ee" * 32)] = []
    good = follow(peer, gateway, token)
    assert {m: peer.acks(m) for m in verdicts} == verdicts
    assert set(gateway.shown()) == {m for m, v in verdicts.items() if v == [0]} | {good}
