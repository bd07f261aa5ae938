"""A way in by IPv6 for servers that know only IPv4."""
import socket
import threading


class Door:
    """Forwards what is sent to an address and port to the same port of the loopback address, in the same namespace."""

    def __init__(self, namespace, address, port, inner):
        self.namespace, self.inner = namespace, inner
        with namespace.entered():
            self.listener = socket.create_server((address, port), family=socket.AF_INET6)
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _accept(self):
        while True:
            try:
                outer, _ = self.listener.accept()
            except OSError:
                return
            with self.namespace.entered():
                inner = socket.create_connection(("127.0.0.1", self.inner))
            for ends in ((outer, inner), (inner, outer)):
                threading.Thread(target=self._forward, args=ends, daemon=True).start()

    @staticmethod
    def _forward(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            target.close()
