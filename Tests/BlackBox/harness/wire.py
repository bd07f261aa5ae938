"""Bytes of SGP v2, right and wrong, written from spec §2, §3, §5, §6 and §7 and independent of the peer's encoder."""
import hashlib
import os
import struct
import time
import zlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

ADDRESS = "sgn.test"

# Server frames and the bounds of their payloads (§3).
HELLO, CHALLENGE, AUTH_OK, NOTIFY, DISCONNECT = 0x10, 0x11, 0x12, 0x13, 0x14
PONG, POLL_DONE, REGISTER_OK, REGISTER_FAIL, PING, TIME_SYNC = 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1B
NAMES = {HELLO: "S_HELLO", CHALLENGE: "S_CHALLENGE", AUTH_OK: "S_AUTH_OK", NOTIFY: "S_NOTIFY",
         DISCONNECT: "S_DISCONNECT", PONG: "S_PONG", POLL_DONE: "S_POLL_DONE", REGISTER_OK: "S_REGISTER_OK",
         REGISTER_FAIL: "S_REGISTER_FAIL", PING: "S_PING", TIME_SYNC: "S_TIME_SYNC"}
BOUNDS = {HELLO: (4, 4), CHALLENGE: (32, 32), AUTH_OK: (0, 0), NOTIFY: (70, 4096), DISCONNECT: (1, 5), PONG: (8, 8),
          POLL_DONE: (0, 0), REGISTER_OK: (7, 261), REGISTER_FAIL: (1, 258), PING: (8, 8), TIME_SYNC: (8, 8)}

FLAT, JSON, PLIST, STRUCTURED = 0, 1, 2, 3
ENCRYPTED, COMPRESSED = 1, 2
MAP, ARRAY, STRING, INT, DOUBLE, BOOL, NULL, DATA = range(1, 9)


def frame(kind, payload=b"", *, magic=0x53, version=2, reserved=0, length=None):
    size = len(payload) if length is None else length
    return struct.pack(">BBBBI", magic, version, kind, reserved, size) + payload


def good_payload(kind):
    """A payload of `kind` with nothing wrong in it, for frames whose only fault is their phase."""
    return {
        HELLO: struct.pack(">I", 2), CHALLENGE: os.urandom(32), AUTH_OK: b"", POLL_DONE: b"",
        NOTIFY: notify(os.urandom(32), os.urandom(16), 1, tlv({"aps": {"alert": {"title": "out of phase"}}})),
        DISCONNECT: b"\x00", PONG: struct.pack(">q", 1), PING: struct.pack(">q", 1),
        TIME_SYNC: struct.pack(">q", int(time.time())), REGISTER_OK: register_ok(b"aaaa@sgn.test"),
        REGISTER_FAIL: b"\x01" + struct.pack(">H", 0),
    }[kind]


def good(kind):
    return frame(kind, good_payload(kind))


def register_ok(address, length=None):
    return struct.pack(">IH", 2, len(address) if length is None else length) + address


def legacy_hello(length=42, body_start=b"bplist00", stated=None):
    body = body_start + bytes(max(0, length - len(body_start)))
    return struct.pack(">I", length if stated is None else stated) + body[:length]


class Token:
    """A device token as the gateway prints it, taken apart by §7."""

    def __init__(self, text):
        self.hex = text
        raw = bytes.fromhex(text)
        assert len(raw) == 32, f"a device token is 32 bytes, not {len(raw)}"
        self.address, self.secret = raw[:16].rstrip(b"\0").decode(), raw[16:]
        self.routing_key = hashlib.sha256(self.secret).digest()
        salt = self.address.encode() + b"Hello from the Skyglow Notifications developers!"
        self.key = HKDF(hashes.SHA256(), 32, salt, b"").derive(self.secret)


def notify(routing_key, message, seq, data, *, content_type=STRUCTURED, expires=0, flags=0, data_len=None, tail=b""):
    """The payload of S_NOTIFY exactly as told (§5)."""
    size = len(data) if data_len is None else data_len
    return routing_key + message + struct.pack(">qqBBI", seq, expires, flags, content_type, size) + data + tail


def sealed(key, data):
    """Ciphertext with its tag, and the iv that follows it."""
    iv = os.urandom(12)
    return AESGCM(key).encrypt(iv, data, None), iv


def deflated(data):
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    return squeeze.compress(data) + squeeze.flush()


# ---- flat TLV -----------------------------------------------------------------------------------------------------

def record(tag, value):
    raw = value if isinstance(value, bytes) else value.encode()
    return struct.pack(">BH", tag, len(raw)) + raw


# ---- structured TLV -----------------------------------------------------------------------------------------------

def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(0x80 | number & 0x7F)
        number >>= 7
    out.append(number)
    return bytes(out)


def sized(kind, raw):
    """A value that carries its length: MAP, ARRAY, STRING or DATA, whatever the bytes are."""
    return bytes([kind]) + varint(len(raw)) + raw


def integer(number):
    return bytes([INT]) + varint(number << 1 if number >= 0 else (-number << 1) - 1)


def entry(key, value):
    raw = key if isinstance(key, bytes) else key.encode()
    return varint(len(raw)) + raw + value


def tlv(value):
    if value is None:
        return bytes([NULL])
    if value is True or value is False:
        return bytes([BOOL, value])
    if isinstance(value, int):
        return integer(value)
    if isinstance(value, float):
        return bytes([DOUBLE]) + struct.pack(">d", value)
    if isinstance(value, str):
        return sized(STRING, value.encode())
    if isinstance(value, (bytes, bytearray)):
        return sized(DATA, bytes(value))
    if isinstance(value, dict):
        return sized(MAP, b"".join(entry(k, tlv(v)) for k, v in value.items()))
    return sized(ARRAY, b"".join(tlv(v) for v in value))


def nested(depth):
    """A document whose deepest container has this depth, the root counting as 1 (§10)."""
    value = sized(ARRAY, b"")
    for _ in range(depth - 2):
        value = sized(ARRAY, value)
    return sized(MAP, entry("deep", value)) if depth > 1 else sized(MAP, b"")


def document(title="Door", body="Someone is at the door", **more):
    """A small document as most senders would write it."""
    return {"aps": {"alert": {"title": title, "body": body}}, **more}


def message_id():
    return os.urandom(16).hex()
