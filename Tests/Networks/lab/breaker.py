"""A server that lets each connection come just so far, and says what it saw. Signatures are not looked at."""
import os
import queue
import socket
import ssl
import struct
import threading
import warnings

from harness import certificates, wire

LOGIN, LOGIN_RESP, FILTER, POLL = 0x20, 0x21, 0x2B, 0x22
REGISTER, REGISTER_RESP = 0x28, 0x29


class Ended(Exception):
    """The client has closed the connection."""


class Reset(Exception):
    """To be ended with RST instead of FIN."""


class Breaker:
    """`step` is called with each connection that is accepted; when it returns, the connection is closed. What it returned
    is in `ended`, one for each connection."""

    def __init__(self, namespace, directory, certificate, key):
        self.namespace = namespace
        self.step, self.ended, self.reached = None, queue.SimpleQueue(), queue.SimpleQueue()
        self.true = self._context(certificate, key)
        certificates.server_files(directory / "other")
        self.false = self._context(directory / "other" / "server.pem", directory / "other" / "server.key")
        self.old = self._context(certificate, key)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.old.minimum_version, self.old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        self.old.set_ciphers("ALL:@SECLEVEL=0")
        self.listener, self.port = None, 0
        self.listen()

    @staticmethod
    def _context(certificate, key):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return context

    def listen(self):
        with self.namespace.entered():
            self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def refuse(self):
        """Nobody listens any more."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def close(self):
        self.refuse()

    def _accept(self, listener):
        while True:
            try:
                link, _ = listener.accept()
            except OSError:
                return
            link.settimeout(20)
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.ended.put(self._serve(Conversation(self, link)))

    def _serve(self, conversation):
        try:
            self.step(conversation)
            return "done"
        except Reset:
            conversation.link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return "done"
        except (Ended, OSError) as reason:
            return f"{type(reason).__name__} {reason}"
        finally:
            # The socket below TLS, so that nothing is said before the end.
            socket.socket.close(conversation.link)


class Conversation:
    """One connection, as far as it has come."""

    def __init__(self, server, link):
        self.server, self.link = server, link

    def tls(self, context=None):
        raw = self.link
        self.link = (context or self.server.true).wrap_socket(raw, server_side=True, do_handshake_on_connect=False,
                                                              suppress_ragged_eofs=True)
        self.link.do_handshake()
        return self

    def send(self, kind, payload=b"", **header):
        return self.raw(wire.frame(kind, payload, **header))

    def raw(self, data):
        self.link.sendall(data)
        return self

    def hello(self):
        return self.send(wire.HELLO, struct.pack(">I", 2))

    def read(self, *kinds):
        """The next frame, which must be one of these; its type."""
        head = self._read(8)
        _, _, kind, _, size = struct.unpack(">BBBBI", head)
        self._read(size)
        assert kind in kinds, f"frame {kind:#x} instead of {kinds}"
        return kind

    def _read(self, size):
        data = b""
        while len(data) < size:
            more = self.link.recv(size - len(data))
            if not more:
                raise Ended
            data += more
        return data

    def challenge(self):
        """TLS, S_HELLO, what the client begins with, S_CHALLENGE, and the answer to that: true for a login."""
        self.tls().hello()
        kind = self.read(LOGIN, REGISTER)
        self.send(wire.CHALLENGE, os.urandom(32))
        self.read(LOGIN_RESP if kind == LOGIN else REGISTER_RESP)
        return kind == LOGIN

    def online(self):
        """As far as C_POLL."""
        assert self.challenge(), "a login was expected"
        self.send(wire.AUTH_OK)
        while self.read(FILTER, POLL) != POLL:
            pass
        return self.send(wire.POLL_DONE)

    def wait(self):
        """Says that the step has come as far as it goes; the client has to end it."""
        self.server.reached.put(True)
        self.until_it_ends()

    def until_it_ends(self):
        """The client has to end it."""
        try:
            while self.link.recv(4096):
                pass
        except ConnectionError:
            pass
