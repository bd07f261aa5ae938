"""A DNS server on one port of the loopback address, UDP and TCP, written from RFC 1035; answers may be changed at any time."""
import socket
import struct
import threading

A, TXT, AAAA = 1, 16, 28
SERVFAIL, NXDOMAIN, REFUSED = 2, 3, 5


def text(*strings):
    """The data of one TXT record of these strings."""
    return b"".join(bytes([len(s)]) + s for s in (s.encode() for s in strings))


class DNS:
    """`records[name, type]` is a list of data; a name without any gets NXDOMAIN. `failures` answers come first."""

    def __init__(self):
        self.records = {}
        self.failures = []      # response codes for the next questions; None for no answer
        self.silent = False
        self.questions = []     # (name, type)
        self.udp, self.tcp = self._sockets()
        self.port = self.udp.getsockname()[1]
        self.open = True
        for serve in (self._datagrams, self._streams):
            threading.Thread(target=serve, daemon=True).start()

    @staticmethod
    def _sockets():
        while True:
            udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            udp.bind(("127.0.0.1", 0))
            tcp = socket.socket()
            try:
                tcp.bind(udp.getsockname())
                tcp.listen()
                return udp, tcp
            except OSError:
                udp.close()
                tcp.close()

    def publish(self, *strings, name="_sgn.sgn.test"):
        """One TXT record of these strings, in the place of what there was."""
        self.records[name, TXT] = [text(*strings)]

    def host(self, name, *addresses):
        for family, kind in ((socket.AF_INET, A), (socket.AF_INET6, AAAA)):
            found = [socket.inet_pton(family, a) for a in addresses if (":" in a) == (family == socket.AF_INET6)]
            self.records[name, kind] = found

    def asked(self, kind=TXT):
        return sum(1 for _, t in self.questions if t == kind)

    def close(self):
        self.open = False
        for place in (self.udp, self.tcp):
            try:
                place.shutdown(socket.SHUT_RDWR)    # or the threads would keep them open
            except OSError:
                pass
            place.close()

    def _answer(self, packet):
        labels, at = [], 12
        while packet[at]:
            labels.append(packet[at + 1:at + 1 + packet[at]].decode(errors="replace"))
            at += 1 + packet[at]
        kind, = struct.unpack_from(">H", packet, at + 1)
        name, section = ".".join(labels).lower(), packet[12:at + 5]
        self.questions.append((name, kind))
        if self.silent:
            return None
        code, records = 0, []
        if self.failures:
            code = self.failures.pop(0)
            if code is None:
                return None
        elif any(n == name for n, _ in self.records):
            records = self.records.get((name, kind), [])
        else:
            code = NXDOMAIN
        head = packet[:2] + struct.pack(">BBHHHH", 0x85, 0x80 | code, 1, len(records), 0, 0)
        return head + section + b"".join(b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 60, len(r)) + r for r in records)

    def _datagrams(self):
        while self.open:
            try:
                packet, client = self.udp.recvfrom(4096)
                answer = self._answer(packet)
                if answer:
                    if len(answer) > 512:
                        answer = answer[:2] + bytes([answer[2] | 2]) + answer[3:12]
                        answer = answer[:6] + b"\0\0" + answer[8:12] + packet[12:]
                    self.udp.sendto(answer, client)
            except (OSError, IndexError):
                continue

    def _streams(self):
        while self.open:
            try:
                client, _ = self.tcp.accept()
                client.settimeout(2)
                with client:
                    packet = client.recv(4096)
                    answer = self._answer(packet[2:])
                    if answer:
                        client.sendall(struct.pack(">H", len(answer)) + answer)
                        client.recv(1)
            except (OSError, IndexError):
                continue
