"""A TCP relay that cuts the connection once so many bytes have gone to the board."""
import socket
import threading


class Relay:
    def __init__(self, port, limit):
        self.target, self.limit, self.passed, self.ends = port, limit, 0, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            self.ends += [near, far]
            for source, sink, counted in ((near, far, True), (far, near, False)):
                threading.Thread(target=self.copy, args=(source, sink, counted), daemon=True).start()

    def copy(self, source, sink, counted):
        try:
            while data := source.recv(32768):
                sink.sendall(data)
                if counted:
                    self.passed += len(data)
                    if self.passed > self.limit:
                        break
        except OSError:
            pass
        self.cut(source, sink)

    def cut(self, *ends):
        """End these sides, or every connection."""
        for end in ends or self.ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()
