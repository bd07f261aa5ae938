"""Payloads that cannot be read: each is acknowledged 2, never shown, and the connection stays (spec §5, §6, §10)."""
import struct

import pytest

from harness import wire
from harness.wire import entry, record, sized, tlv

TITLE = wire.entry("aps", tlv({"alert": {"title": "bad"}}))


def bad_map(rest):
    """A document with a good title and then something wrong."""
    return sized(wire.MAP, TITLE + rest)


STRUCTURED = {
    "no-bytes": b"",
    "one-zero": b"\0",
    "top-is-text": tlv("text"),
    "top-is-array": tlv([1]),
    "top-is-null": tlv(None),
    "unknown-type-0": bad_map(entry("k", b"\x00")),
    "unknown-type-9": bad_map(entry("k", b"\x09")),
    "unknown-type-255": bad_map(entry("k", b"\xff")),
    "bytes-after-the-top": sized(wire.MAP, TITLE) + b"\0",
    "two-documents": sized(wire.MAP, TITLE) * 2,
    "depth-33": wire.nested(33),
    "depth-34": wire.nested(34),
    "depth-1000": wire.nested(1000),
    "varint-of-11-bytes": bad_map(entry("k", bytes([wire.INT]) + b"\x80" * 10 + b"\x00")),
    "varint-over-64-bits": bad_map(entry("k", bytes([wire.INT]) + b"\xff" * 9 + b"\x02")),
    "varint-without-end": bad_map(entry("k", bytes([wire.INT]) + b"\x80")),
    "length-of-11-bytes": bad_map(b"\x01k" + bytes([wire.STRING]) + b"\x80" * 10 + b"\x00"),
    "length-of-2-to-63": bad_map(b"\x01k" + bytes([wire.STRING]) + wire.varint(2**63) + b"x"),
    "length-of-2-to-64-minus-1": bad_map(b"\x01k" + bytes([wire.DATA]) + wire.varint(2**64 - 1) + b"x"),
    "key-length-of-2-to-64-minus-1": bad_map(wire.varint(2**64 - 1) + b"k"),
    "map-length-of-2-to-64-minus-1": bytes([wire.MAP]) + wire.varint(2**64 - 1) + TITLE,
    "text-one-too-long": bad_map(b"\x01k" + bytes([wire.STRING]) + b"\x03ab"),
    "child-past-its-map": bad_map(entry("m", bytes([wire.MAP]) + b"\x03" + entry("k", tlv(5)))),
    "child-past-its-array": bad_map(entry("a", bytes([wire.ARRAY]) + b"\x01" + tlv(5))),
    "bytes-left-in-a-map": bad_map(entry("m", sized(wire.MAP, entry("k", tlv(5)) + b"\x01"))),
    "bytes-left-in-an-array": bad_map(entry("a", sized(wire.ARRAY, tlv(5) + b"\x05"))),
    "key-without-value": bad_map(b"\x01k"),
    "key-past-the-end": bad_map(b"\x7fk"),
    "text-invalid-utf8": bad_map(entry("k", sized(wire.STRING, b"a\xffb"))),
    "text-cut-utf8": bad_map(entry("k", sized(wire.STRING, "ö".encode()[:1]))),
    "text-overlong-utf8": bad_map(entry("k", sized(wire.STRING, b"\xc0\xaf"))),
    "text-surrogate": bad_map(entry("k", sized(wire.STRING, b"\xed\xa0\x80"))),
    "text-past-unicode": bad_map(entry("k", sized(wire.STRING, b"\xf4\x90\x80\x80"))),
    "key-invalid-utf8": bad_map(entry(b"\xff", tlv(1))),
    "bool-of-2": bad_map(entry("k", bytes([wire.BOOL, 2]))),
    "bool-of-255": bad_map(entry("k", bytes([wire.BOOL, 255]))),
    "bool-cut": bad_map(entry("k", bytes([wire.BOOL]))),
    "double-cut": bad_map(entry("k", bytes([wire.DOUBLE]) + b"\0" * 7)),
    "double-nan": bad_map(entry("k", tlv(float("nan")))),
    "double-infinity": bad_map(entry("k", tlv(float("inf")))),
    "double-minus-infinity": bad_map(entry("k", tlv(float("-inf")))),
    "double-signalling-nan": bad_map(entry("k", bytes([wire.DOUBLE]) + struct.pack(">Q", 0x7FF0000000000001))),
    "really-json": b'{"aps":{"alert":"x"}}',
    "really-a-property-list": b"bplist00" + bytes(40),
    "really-flat": record(3, "bell.wav"),
}

FLAT = {
    "no-bytes": b"",
    "record-head-cut": record(1, "t") + b"\x02\x00",
    "record-one-too-long": b"\x01\x00\x05text",
    "record-of-65535": b"\x01\xff\xfftext",
    "title-invalid-utf8": record(1, b"\xff"),
    "body-invalid-utf8": record(1, "t") + record(2, b"\xc3"),
    "sound-surrogate": record(1, "t") + record(3, b"\xed\xbf\xbf"),
    "really-json": b'{"aps":{"alert":"x"}}',
    "really-a-binary-property-list": b"bplist00" + bytes(40),
    "really-an-xml-property-list": b'<?xml version="1.0"?><plist/>',
}


@pytest.fixture(scope="module")
def station(module_world):
    gateway, token = module_world.online()
    return gateway.peer, gateway, token


def refuse(station, send):
    """`send(message)` sends the odd one: acknowledged 2, counted, not shown, the line kept, the next one shown."""
    peer, gateway, token = station
    before, mark, message = gateway.status(), peer.mark(), wire.message_id()
    send(message)
    peer.wait_ack(message, 2, after=mark)
    good = peer.notify(token)
    peer.wait_ack(good, after=mark)
    status, rows = gateway.status(), gateway.inbox("-n", "2")["notifications"]
    assert status["rejected"] == before["rejected"] + 1 and status["received"] == before["received"] + 1
    assert [r["msg_id"].replace("-", "") for r in rows][0] == good
    assert message not in [r["msg_id"].replace("-", "") for r in rows]
    assert not peer.since(mark, "closed"), "the connection is kept"


@pytest.mark.parametrize("raw", STRUCTURED.values(), ids=STRUCTURED)
def test_structured(station, raw):
    refuse(station, lambda m: station[0].garbage(station[2], raw, msg_id=m))


@pytest.mark.parametrize("raw", FLAT.values(), ids=FLAT)
def test_flat(station, raw):
    refuse(station, lambda m: station[0].garbage(station[2], raw, wire.FLAT, msg_id=m))


@pytest.mark.parametrize("form", [{"encrypt": True}, {"compress": True}, {"encrypt": True, "compress": True}],
                         ids=["encrypted", "compressed", "both"])
def test_garbage_inside_every_form(station, form):
    refuse(station, lambda m: station[0].garbage(station[2], b"\xff" * 30, msg_id=m, **form))


@pytest.mark.parametrize("kind", [4, 5, 0x10, 0x7F, 0x80, 0xFF])
def test_unknown_content_type(station, kind):
    refuse(station, lambda m: station[0].garbage(station[2], tlv(wire.document()), kind, msg_id=m))


@pytest.mark.parametrize("flags", [0x04, 0x08, 0x40, 0x80, 0xFC])
def test_reserved_flags(station, flags):
    refuse(station, lambda m: station[0].notify(station[2], msg_id=m, flags=flags))


@pytest.mark.parametrize("lie", [0, 1, -1, 12, 2**31 - 1, 2**31, 2**32 - 1], ids="{}".format)
def test_data_len_lies(station, lie):
    document = tlv(wire.document())
    stated = lie if lie in (0,) or lie > 1000 else len(document) + lie
    refuse(station, lambda m: station[0].garbage(station[2], document, msg_id=m, data_len=stated))


def test_encrypted_flag_without_an_iv(station):
    refuse(station, lambda m: station[0].notify(station[2], msg_id=m, flags=wire.ENCRYPTED))


def test_iv_without_the_encrypted_flag(station):
    refuse(station, lambda m: station[0].notify(station[2], msg_id=m, encrypt=True, flags=0))


def raw_notify(station, message, data, **options):
    peer, _, token = station
    peer.send(wire.NOTIFY, wire.notify(wire.Token(token).routing_key, bytes.fromhex(message), 1, data, **options))


BOMBS = {
    "one-over-the-limit": wire.deflated(bad_map(entry("k", sized(wire.STRING, b"x" * 65536)))[:65537]),
    "a-megabyte": wire.deflated(bytes(1 << 20)),
    "what-a-frame-can-hold": wire.deflated(bytes(3 << 20)),
}
DEFLATE = {
    "not-deflate": b"\xff" * 40,
    "cut": wire.deflated(tlv(wire.document()))[:-3],
    "zlib-header": b"\x78\xda" + wire.deflated(tlv(wire.document())),
    "nothing": b"",
    "inflates-to-nothing": wire.deflated(b""),
    "reserved-block-type": b"\x07",
}


@pytest.mark.parametrize("data", BOMBS.values(), ids=BOMBS)
def test_decompression_bomb(station, data):
    assert len(data) <= 4026
    refuse(station, lambda m: raw_notify(station, m, data, flags=wire.COMPRESSED))


@pytest.mark.parametrize("data", DEFLATE.values(), ids=DEFLATE)
def test_broken_deflate(station, data):
    refuse(station, lambda m: raw_notify(station, m, data, flags=wire.COMPRESSED))


def test_bomb_inside_an_encrypted_notification(station):
    text, iv = wire.sealed(wire.Token(station[2]).key, wire.deflated(bytes(1 << 20)))
    refuse(station, lambda m: raw_notify(station, m, text, flags=3, tail=iv))


def refuse_all(station, sends):
    """Many odd ones in a row, one good one behind them."""
    peer, gateway, token = station
    before, mark = gateway.status(), peer.mark()
    messages = [wire.message_id() for _ in sends]
    for message, send in zip(messages, sends):
        send(message)
    good = peer.notify(token)
    peer.wait_ack(good, after=mark, seconds=30)
    verdicts = {m: peer.acks(m) for m in messages}
    wrong = {i: verdicts[m] for i, m in enumerate(messages) if verdicts[m] != [2]}
    assert not wrong, f"by length: {wrong}"
    assert gateway.status()["rejected"] == before["rejected"] + len(messages)
    assert not peer.since(mark, "closed")


def test_structured_document_cut_at_every_length(station):
    document = tlv({"aps": {"alert": {"title": "T", "body": "B"}, "badge": 3}, "d": 1.5, "a": [1, None, True], "b": b"xy"})
    refuse_all(station, [lambda m, n=n: raw_notify(station, m, document[:n]) for n in range(len(document))])


def test_notify_payload_cut_at_every_length(station):
    """From 70 bytes on the frame is within its bounds, and only the lengths inside it are wrong."""
    _, _, token = station
    text, iv = wire.sealed(wire.Token(token).key, tlv(wire.document()))

    def cut(message, length):
        whole = wire.notify(wire.Token(token).routing_key, bytes.fromhex(message), 1, text, flags=1, tail=iv)
        station[0].send(wire.NOTIFY, whole[:length])
    size = 70 + len(text) + len(iv)
    refuse_all(station, [lambda m, n=n: cut(m, n) for n in range(70, size)])


def test_flat_document_cut_at_every_length_but_a_record_s_end(station):
    records = [record(1, "title"), record(2, "body"), record(3, "bell"), record(4, b"\0\1")]
    document = b"".join(records)
    ends = {len(b"".join(records[:n])) for n in range(1, 5)}
    cuts = [n for n in range(len(document)) if n not in ends]
    refuse_all(station, [lambda m, n=n: raw_notify(station, m, document[:n], content_type=wire.FLAT) for n in cuts])


def test_every_byte_of_a_document_changed_never_harms(station):
    """Some of these are still documents: any verdict is right, but each gets one and the connection stays."""
    peer, _, token = station
    document, mark = tlv({"aps": {"alert": {"title": "T"}}, "n": 1, "d": 1.5, "a": [True, None]}), peer.mark()
    messages = []
    for place in range(len(document)):
        for change in (0x01, 0x80, 0xFF):
            odd = bytearray(document)
            odd[place] ^= change
            messages.append(wire.message_id())
            raw_notify(station, messages[-1], bytes(odd))
    good = peer.notify(token)
    peer.wait_ack(good, after=mark, seconds=30)
    assert all(peer.acks(m) in ([0], [2]) for m in messages)
    assert not peer.since(mark, "closed")
