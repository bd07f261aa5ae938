"""A board that has registered already, for tests that begin there: making an RSA key takes an emulated board long.

The program under test registers once, for real. For each peer after that, the registration is repeated here with the
same key and the same address, and a gateway begins with a copy of the state directory. Native runs do without this."""
import shutil
import socket
import ssl
import struct
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

from . import wire
from .gateway import Gateway
from .peer import Peer

C_UPGRADE, C_REGISTER, C_REGISTER_RESP = 0x00, 0x28, 0x29
PSS = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=32)


def private_key(data):
    """The private key in these bytes, PEM or DER, or None."""
    for load in (serialization.load_der_private_key, serialization.load_pem_private_key):
        try:
            return load(data, None)
        except (ValueError, TypeError):
            continue
    return None


class Registered:
    """The state directory of a registered board, its key and its address."""

    def __init__(self, settings):
        peer = Peer(settings)
        self.gateway = Gateway(settings, peer)
        try:
            self.gateway.start()
            self.address = peer.wait("registered")["address"]
            self.gateway.stop()
        finally:
            self.gateway.close()
            peer.close()
            shutil.rmtree(peer.directory, ignore_errors=True)
        self.state = self.gateway.state
        for name in ("panel.log", "link.log"):
            (self.state / name).unlink(missing_ok=True)
        keys = [private_key(p.read_bytes()) for p in self.state.iterdir() if p.is_file()]
        (self.key,) = [k for k in keys if k]

    def introduce(self, peer):
        """Register this board with another peer, and leave no trace in its events."""
        peer.set(address_override=self.address)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        public = self.key.public_key().public_bytes(serialization.Encoding.DER,
                                                    serialization.PublicFormat.SubjectPublicKeyInfo)
        now = int(time.time())
        with context.wrap_socket(socket.create_connection(("127.0.0.1", peer.port))) as link:
            link.settimeout(10)
            if _hello(link):
                link.sendall(wire.frame(C_UPGRADE))
                _frame(link)
            link.sendall(wire.frame(C_REGISTER, struct.pack(">H", len(public)) + public + struct.pack(">qI", now, 2)))
            signature = self.key.sign(_frame(link) + struct.pack(">q", now), PSS, hashes.SHA256())
            link.sendall(wire.frame(C_REGISTER_RESP, struct.pack(">qH", now, len(signature)) + signature))
            assert _frame(link)[6:].decode() == self.address
        peer.wait_alone()
        peer.set(address_override=None)
        peer.forget()

    def close(self):
        shutil.rmtree(self.gateway.directory, ignore_errors=True)


def _read(link, size):
    data = b""
    while len(data) < size:
        more = link.recv(size - len(data))
        assert more, "the peer closed the connection"
        data += more
    return data


def _hello(link):
    """Read S_HELLO or a legacy hello; true for the latter."""
    first = _read(link, 4)
    if first[0] == 0x53:
        _read(link, 4 + 4)
        return False
    _read(link, int.from_bytes(first, "big"))
    return True


def _frame(link):
    return _read(link, int.from_bytes(_read(link, 8)[4:], "big"))
