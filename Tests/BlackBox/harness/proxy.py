"""A wire between the gateway and the peer that can be cut, held or silenced: what the peer's own commands cannot do
abruptly while it waits in a read."""
import select
import socket
import struct
import threading
import time


class Wire:
    """Forwards 127.0.0.1:port to the peer. `cut()` resets both sides at once, `hold_up` keeps what the client sends
    from the server, `hold_down` the other way, `refuse` closes new connections before a byte. `sent` has what the
    client sent on each connection, `answers` what came back, `times` when it began (Unix seconds); with `records` set,
    only so many of the client's records of application data pass."""

    def __init__(self, target_port):
        self.target_port = target_port
        self.hold_up = self.hold_down = self.refuse = False
        self.accepted, self.sent, self.records = 0, [], None
        self.answers, self.times = [], []
        self._pairs, self._lock, self._open = [], threading.Lock(), True
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while self._open:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            if self.refuse:
                _reset(client)
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.target_port))
            except OSError:
                _reset(client)
                continue
            for s in (client, server):
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._pairs.append((client, server))
            self.times.append(time.time())
            self.answers.append(bytearray())
            self.sent.append(bytearray())
            threading.Thread(target=self._forward, args=(client, server, self.sent[-1], self.answers[-1]),
                             daemon=True).start()

    def _forward(self, client, server, sent, answer):
        passed = 0
        try:
            while self._open:
                waiting = [s for s, held in ((client, self.hold_up), (server, self.hold_down)) if not held]
                for ready in select.select(waiting, [], [], 0.02)[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    if ready is client:
                        sent += data
                        end = len(sent) if self.records is None else end_of_records(sent, self.records)
                        server.sendall(sent[passed:end])
                        passed = max(passed, end)
                    else:
                        answer += data
                        client.sendall(data)
        except (OSError, ValueError):
            pass
        finally:
            with self._lock:
                if (client, server) in self._pairs:
                    self._pairs.remove((client, server))
                    client.close()
                    server.close()

    def cut(self):
        """Reset every connection now, as a router that forgets them would."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for s in pair:
                _reset(s)

    def close(self):
        self._open = False
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()
        self.cut()


def records(data):
    """(content type, length, end) of each whole TLS record."""
    place = 0
    while place + 5 <= len(data):
        length = int.from_bytes(data[place + 3:place + 5], "big")
        place += 5 + length
        if place <= len(data):
            yield data[place - 5 - length], length, place


def end_of_records(data, count):
    """Where the `count`-th record of application data ends; in TLS 1.3 the first is the end of the handshake."""
    ends = [end for kind, _, end in records(data) if kind == 23]
    return ends[count - 1] if len(ends) >= count else len(data)


def _reset(s):
    try:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s.shutdown(socket.SHUT_RD)
    except OSError:
        pass
    s.close()
