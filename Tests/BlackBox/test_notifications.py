"""What a sender writes and what the board then has: inbox fields, canonical payload, panel, acknowledgement."""
import base64
import json
import math
import time

import pytest

from harness import wire
from harness.gateway import plain_id
from harness.wire import Token

FIELDS = {"id", "msg_id", "bundle", "source", "received", "expires", "title", "subtitle", "body", "sound", "badge",
          "category", "thread", "priority", "read", "stale", "placeholder", "payload"}


@pytest.fixture(scope="module")
def station(module_world):
    gateway, token = module_world.online()
    return gateway.peer, gateway, token


def deliver(station, data=None, **options):
    """Send, wait for acknowledgement 0, and give the row."""
    peer, gateway, token = station
    message = peer.notify(token, data, **options)
    peer.wait_ack(message)
    return gateway.row(message)


def same(a, b):
    """Equal as JSON values: numbers by value, but true is not 1 and 1 is not "1"."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return type(a) is type(b) and a == b


FORMS = {"plain": {}, "encrypted": {"encrypt": True}, "compressed": {"compress": True},
         "compressed-encrypted": {"encrypt": True, "compress": True}}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("layout", ["flat", "structured"])
def test_every_layout_in_every_form(station, layout, form):
    if layout == "flat":
        row = deliver(station, flat={"title": "Tür", "body": "Jemand läutet", "sound": "bell.wav"}, **form)
    else:
        row = deliver(station, {"aps": {"alert": {"title": "Tür", "body": "Jemand läutet"}, "sound": "bell.wav"}}, **form)
    assert (row["title"], row["body"], row["sound"]) == ("Tür", "Jemand läutet", "bell.wav")
    assert row["payload"] == {"aps": {"alert": {"title": "Tür", "body": "Jemand läutet"}, "sound": "bell.wav"}}


def test_inbox_has_exactly_the_fields_of_the_contract(station):
    _, gateway, _ = station
    row = deliver(station)
    assert row.keys() == FIELDS
    assert gateway.inbox().keys() == {"unread", "notifications"}


def test_fields_of_a_full_notification(station):
    expires, before = int(time.time()) + 3600, time.time()
    row = deliver(station, {"aps": {"alert": {"title": "T", "subtitle": "S", "body": "B"}, "sound": "ding", "badge": 7,
                                    "category": "DOOR", "thread-id": "front"}, "n": 1}, expires_at=expires)
    assert row["source"] == "sgp" and row["bundle"] == "org.example.door"
    assert (row["title"], row["subtitle"], row["body"]) == ("T", "S", "B")
    assert (row["sound"], row["badge"], row["category"], row["thread"]) == ("ding", 7, "DOOR", "front")
    assert row["expires"] == expires and before - 5 <= row["received"] <= time.time() + 5
    assert (row["read"], row["stale"], row["placeholder"]) == (False, False, False)


def test_absent_values_are_null(station):
    row = deliver(station, {"aps": {"alert": {"body": "only this"}}})
    assert row["body"] == "only this"
    for field in ("title", "subtitle", "sound", "badge", "category", "thread"):
        assert row[field] is None, field


def test_message_id_is_the_senders(station):
    message = wire.message_id()
    assert plain_id(deliver(station, msg_id=message)["msg_id"]) == message


VALUES = {
    "null": None, "true": True, "false": False, "zero": 0, "negative": -1, "i64-maximum": 2**63 - 1, "i64-minimum": -2**63,
    "tenth": 0.1, "tiny": 5e-324, "huge": 1.7976931348623157e308, "whole-double": 3.0, "empty-text": "",
    "quotes": 'say "no" \\ /', "controls": "".join(map(chr, range(1, 32))), "nul-inside": "a\0b", "delete": "\x7f",
    "emoji": "🔔 ring", "line-separator": "\u2028", "last-plane": "\U0010ffff", "empty-map": {}, "empty-array": [],
    "mixed-array": [1, "two", [3.5, None], {"k": [True]}], "long-text": "x" * 3000,
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_payload_keeps_every_value(station, value):
    row = deliver(station, {"aps": {"alert": {"title": "v"}}, "value": value})
    assert same(row["payload"], {"aps": {"alert": {"title": "v"}}, "value": value}), row["payload"]


@pytest.mark.parametrize("data", [b"", b"\0", b"\xff\xfe", bytes(range(256))], ids=["0", "1", "2", "256"])
def test_data_values_are_base64_objects(station, data):
    peer, gateway, token = station
    document = wire.sized(wire.MAP, wire.entry("blob", wire.tlv(data)))
    message = peer.garbage(token, document)
    peer.wait_ack(message)
    assert gateway.row(message)["payload"] == {"blob": {"$data": base64.b64encode(data).decode()}}


def test_custom_data_of_a_flat_notification_is_data(station):
    peer, gateway, token = station
    message = peer.garbage(token, wire.record(1, "t") + wire.record(4, b"\0\1\2"), wire.FLAT)
    peer.wait_ack(message)
    assert gateway.row(message)["payload"] == {"aps": {"alert": {"title": "t"}}, "custom_data": {"$data": "AAEC"}}


def test_keys_may_be_any_text(station):
    document = {"aps": {"alert": {"title": "k"}}, "ключ": 1, "": 2, 'q"\\': 3, "a\0b": 4, "🔑": 5}
    assert deliver(station, document)["payload"] == document


def test_the_last_of_two_equal_keys_wins(station):
    peer, gateway, token = station
    message = peer.garbage(token, wire.sized(wire.MAP, wire.entry("k", wire.tlv(1)) + wire.entry("k", wire.tlv("two"))))
    peer.wait_ack(message)
    assert gateway.row(message)["payload"] == {"k": "two"}


def test_varints_longer_than_needed_are_accepted(station):
    peer, gateway, token = station
    long_two = bytes([wire.INT]) + b"\x84" + b"\x80" * 8 + b"\x00"
    message = peer.garbage(token, wire.sized(wire.MAP, b"\x81\x80\x00k" + long_two))
    peer.wait_ack(message)
    assert gateway.row(message)["payload"] == {"k": 2}


def test_depth_32_is_the_deepest(station):
    peer, gateway, token = station
    message = peer.garbage(token, wire.nested(32))
    peer.wait_ack(message)
    assert json.dumps(gateway.row(message)["payload"]).count("[") == 31


def test_a_payload_may_inflate_to_65536_bytes_exactly(station):
    peer, gateway, token = station
    room = 65536 - len(wire.sized(wire.MAP, wire.entry("text", wire.sized(wire.STRING, b"x" * 65500)))) + 65500
    document = wire.sized(wire.MAP, wire.entry("text", wire.sized(wire.STRING, b"x" * room)))
    assert len(document) == 65536
    message = peer.garbage(token, document, compress=True)
    peer.wait_ack(message)
    assert gateway.row(message)["payload"] == {"text": "x" * room}


def test_the_largest_frame(station):
    peer, gateway, token = station
    room = 4096 - 70
    for _ in range(2):  # the length of the length changes the room for the text once
        document = wire.sized(wire.MAP, wire.entry("text", wire.sized(wire.STRING, b"x" * room)))
        room -= max(0, len(document) - (4096 - 70))
    assert len(document) == 4096 - 70
    message = peer.garbage(token, document)
    peer.wait_ack(message)
    assert len(gateway.row(message)["payload"]["text"]) == room


def test_expiry_in_the_future_and_at_the_end_of_time(station):
    assert deliver(station, expires_at=2**63 - 1)["expires"] == 2**63 - 1
    assert deliver(station, expires_at=0)["expires"] in (None, 0)


def test_the_bundle_is_that_of_the_token(world, peer, gateway):
    door, bell = gateway.add_token("org.example.door"), gateway.add_token("org.example.bell")
    gateway.start()
    first, second = peer.notify(bell, encrypt=True), peer.notify(door, encrypt=True)
    peer.wait_ack(second)
    assert gateway.row(first)["bundle"] == "org.example.bell" and gateway.row(second)["bundle"] == "org.example.door"


def test_inbox_for_people_shows_the_text(station):
    _, gateway, _ = station
    deliver(station, wire.document("Kitchen", "The cake is ready"))
    out = gateway.cli("inbox").stdout
    assert "Kitchen" in out and "org.example.door" in out


def test_text_from_a_sender_cannot_control_the_terminal(station):
    _, gateway, _ = station
    deliver(station, wire.document("red \x1b[31m alert", "bell \x07 and \x9b2J clear"))
    out = gateway.cli("inbox").stdout
    assert not [c for c in ("\x1b[31m", "\x07", "\x9b") if c in out]


def test_counters_tell_what_happened(world, peer):
    gateway, token = world.online(peer)
    shown = [peer.notify(token, encrypt=True) for _ in range(3)]
    again = peer.notify(token, msg_id=shown[0])
    expired = peer.notify(token, expires_at=int(time.time()) - 60)
    wrong = peer.notify(token, encrypt=True, wrong_key=True)
    broken = peer.garbage(token, b"\xff")
    unknown = peer.notify(token, routing_key=(wire.message_id() * 2))
    last = peer.notify(token)
    peer.wait_ack(last)
    status = gateway.status()
    counts = {k: status[k] for k in ("received", "duplicates", "expired", "rejected", "unread")}
    assert counts == {"received": 4, "duplicates": 1, "expired": 1, "rejected": 2, "unread": 4}
    assert peer.acks(again)[-1] == 0 and peer.acks(expired) == [3] and peer.acks(wrong) == [1]
    assert peer.acks(broken) == [2] and peer.acks(unknown) == []
    gateway.kill()
    gateway.start()
    status = gateway.status()
    assert counts == {k: status[k] for k in counts}, "counted since the state directory was made"


def test_the_token_parts_are_what_the_spec_says(station):
    """Sealed here with keys derived from the printed token, not by the peer."""
    peer, gateway, token = station
    parts, message = Token(token), wire.message_id()
    text, iv = wire.sealed(parts.key, wire.deflated(wire.tlv(wire.document("own", "keys"))))
    peer.send(wire.NOTIFY, wire.notify(parts.routing_key, bytes.fromhex(message), 10**6, text, flags=3, tail=iv))
    peer.wait_ack(message)
    assert gateway.row(message)["title"] == "own"
    assert math.isclose(gateway.row(message)["received"], time.time(), abs_tol=30)
